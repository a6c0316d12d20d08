"""Measures the CPU time of a function until it is ready, and of its first event: scripts/bench/run cold-start [BINARY …]

A server on this machine takes the place of the Lambda Runtime API, and sends one request with a key. The function looks it up in
another server, which takes the place of DynamoDB and knows no key: so the event contains a TLS handshake, with a chain of RSA
certificates like that of AWS, and ends with 401. The function trusts the roots of Amazon as always, and the root of this chain, by
a file. The times are those of the process by a clock of Linux. Binaries alternate, so that other load hits all of them alike.
"""

import http.server
import json
import os
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from stack import cpu_ns

RUNS = 30
AMAZON_ROOTS = Path(__file__).parents[2] / "shared/runtime/src/aws/amazon_roots.pem"
# A key with a valid checksum.
KEY = "sk_" + "a" * 40 + "3gcfED"
VARIABLES = {
    "AWS_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_SESSION_TOKEN": "token",
    "AWS_LAMBDA_FUNCTION_NAME": "function",
    "AWS_LAMBDA_FUNCTION_VERSION": "1",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
    "TABLE_NAME": "table",
    "BUCKET_NAME": "bucket",
    "CDN_URL": "https://cdn.example.com",
    "MASTER_SECRET_ARN": "arn:aws:secretsmanager:us-east-1:123456789012:secret:master",
    "PURGE_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/purge",
    "WEBHOOKS_QUEUE_URL": "https://sqs.us-east-1.amazonaws.com/123456789012/webhooks",
    "ADMIN_REQUESTS_PER_MINUTE": "600",
    "LOG_LEVEL": "info",
    "METRICS_NAMESPACE": "Larder/bench",
}
EVENT = {
    "version": "2.0",
    "routeKey": "GET /api/v1/files",
    "rawPath": "/api/v1/files",
    "rawQueryString": "",
    "headers": {"host": "api.example.com", "authorization": f"Bearer {KEY}"},
    "requestContext": {
        "accountId": "123456789012",
        "apiId": "api",
        "domainName": "api.example.com",
        "http": {"method": "GET", "path": "/api/v1/files", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "bench"},
        "requestId": "1",
        "routeKey": "GET /api/v1/files",
        "stage": "$default",
        "timeEpoch": 1767225600000,
    },
    "isBase64Encoded": False,
}


class Table(http.server.ThreadingHTTPServer):
    """A table without items, over TLS."""

    def __init__(self, directory):
        super().__init__(("127.0.0.1", 0), TableHandler)
        chain, key = create_chain(directory)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain, key)
        self.socket = context.wrap_socket(self.socket, server_side=True)

    def handle_error(self, *_):
        """Ignores functions that end without closing their connection."""


class TableHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        body = b'{"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"}'
        self.send_response(400)
        self.send_header("content-type", "application/x-amz-json-1.0")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def create_chain(directory):
    """Creates a root, a CA and a certificate. Writes roots.pem with the root, and returns the files of the chain and its key."""

    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=directory)

    def create(name, issuer, *extensions):
        extensions = [part for extension in extensions for part in ("-addext", extension)]
        signed = ["-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key"] if issuer else []
        subject = ["-subj", f"/CN=bench {name}", "-days", "30"]
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", *subject, *signed, *extensions)

    create("root", None)
    create("ca", "root")
    create("table", "ca", "basicConstraints=critical,CA:FALSE", "subjectAltName=IP:127.0.0.1")

    read = lambda name: (directory / f"{name}.pem").read_text()
    (directory / "chain.pem").write_text(read("table") + read("ca"))
    (directory / "roots.pem").write_text(AMAZON_ROOTS.read_text() + read("root"))
    return directory / "chain.pem", directory / "table.key"


class RuntimeApi(http.server.ThreadingHTTPServer):
    """Sends one event, and keeps the response, and the CPU time of the function when it asked for the event."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), RuntimeApiHandler)
        self.process = None
        self.init_ns = None
        self.response = b""
        self.has_started = threading.Event()
        self.has_responded = threading.Event()
        self.has_ended = threading.Event()


class RuntimeApiHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.server.init_ns is not None:
            self.server.has_ended.wait()
            return
        self.server.has_started.wait()
        self.server.init_ns = cpu_ns(self.server.process.pid)
        body = json.dumps(EVENT).encode()
        self.send_response(200)
        self.send_header("lambda-runtime-aws-request-id", "1")
        self.send_header("lambda-runtime-deadline-ms", "4102444800000")
        self.send_header("lambda-runtime-invoked-function-arn", "arn:aws:lambda:us-east-1:123456789012:function:function")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.server.response = self.rfile.read(int(self.headers["content-length"]))
        self.server.has_responded.set()
        self.server.has_ended.wait()

    def log_message(self, *_):
        pass


def cold_start_ms(binary, variables):
    """Starts a function, and returns its CPU time until it asks for an event, and from then until its response."""
    server = RuntimeApi()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    variables = {**variables, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}", "PATH": os.environ["PATH"]}
    server.process = subprocess.Popen([binary], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server.has_started.set()
    try:
        if not server.has_responded.wait(10) or json.loads(server.response).get("statusCode") != 401:
            sys.exit(f"{binary} did not respond with 401: {server.response.decode()}")
        return server.init_ns / 1e6, (cpu_ns(server.process.pid) - server.init_ns) / 1e6
    finally:
        server.has_ended.set()
        server.process.kill()
        server.process.wait()
        server.shutdown()


with tempfile.TemporaryDirectory() as directory:
    table = Table(Path(directory))
    threading.Thread(target=table.serve_forever, daemon=True).start()
    endpoint = f"https://127.0.0.1:{table.server_port}"
    variables = {**VARIABLES, "AWS_ENDPOINT_URL": endpoint, "SSL_CERT_FILE": f"{directory}/roots.pem"}

    # The CPU time depends on how a file was written, which decides how many page faults it takes: copies were all written alike.
    copies = {binary: shutil.copy(binary, f"{directory}/{index}") for index, binary in enumerate(sys.argv[1:])}
    times = {binary: [] for binary in copies}
    for _ in range(RUNS):
        for binary, copy in copies.items():
            times[binary].append(cold_start_ms(copy, variables))

for binary, values in times.items():
    parts = zip(("init", "first event"), zip(*values))
    printed = [f"{part} minimum {min(ms):.2f} ms, median {statistics.median(ms):.2f} ms" for part, ms in parts]
    print(f"{binary}: {'; '.join(printed)}")
