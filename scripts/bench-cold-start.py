"""Measures the CPU time of a function from its start to its first response: scripts/bench cold-start [BINARY …]

A server on this machine takes the place of the Lambda Runtime API, and sends one request with a key, which the function looks
up in a table that refuses connections: the time contains all that precedes the TLS handshake, and a response with 503. It is the
time of the process by a clock of Linux. Binaries alternate, so that other load hits all of them alike.
"""

import http.server
import json
import os
import statistics
import subprocess
import sys
import threading

from bench_stack import cpu_ns

RUNS = 30
# A key with a valid checksum.
KEY = "sk_" + "a" * 40 + "3gcfED"
VARIABLES = {
    "AWS_ENDPOINT_URL": "https://127.0.0.1:1",
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
    "DELIVERY_REPLICAS": "1",
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


class RuntimeApi(http.server.ThreadingHTTPServer):
    """Sends one event, and keeps the response."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), RuntimeApiHandler)
        self.is_sent = False
        self.response = b""
        self.has_responded = threading.Event()
        self.has_ended = threading.Event()


class RuntimeApiHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.server.is_sent:
            self.server.has_ended.wait()
            return
        self.server.is_sent = True
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


def cold_start_ms(binary):
    """Starts a function, and returns its CPU time until its first response."""
    server = RuntimeApi()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    variables = VARIABLES | {"AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{server.server_port}", "PATH": os.environ["PATH"]}
    process = subprocess.Popen([binary], env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        if not server.has_responded.wait(10) or json.loads(server.response).get("statusCode") != 503:
            sys.exit(f"{binary} did not respond with 503: {server.response.decode()}")
        return cpu_ns(process.pid) / 1e6
    finally:
        server.has_ended.set()
        process.kill()
        process.wait()
        server.shutdown()


binaries = sys.argv[1:]
times = {binary: [] for binary in binaries}
for _ in range(RUNS):
    for binary in binaries:
        times[binary].append(cold_start_ms(binary))

for binary, values in times.items():
    print(f"{binary}: minimum {min(values):.2f} ms, median {statistics.median(values):.2f} ms")
