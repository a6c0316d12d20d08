"""What benchmarks share: requests, the CPU time of processes, and a running local stack."""

import http.client
import json
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

# Parameters whose limits would end a benchmark.
PARAMETERS = ["AdminRequestsPerMinute", "UploadRequestsPerMinute", "AnonymousRenderingsPerMinute"]
# Open connections by host and port.
CONNECTIONS = {}


def cpu_ns(pid):
    """Returns the CPU time of a process, in nanoseconds."""
    # MAKE_PROCESS_CPUCLOCK and CPUCLOCK_SCHED in the kernel's posix-timers_types.h.
    return time.clock_gettime_ns((~pid << 3) | 2)


def send(method, url, headers, body=None):
    """Returns the body of a response. Ends this program if the request fails."""
    parts = urllib.parse.urlsplit(url)

    def respond():
        connection = CONNECTIONS[parts.netloc]
        connection.request(method, url.removeprefix(f"http://{parts.netloc}"), body, headers)
        return connection.getresponse()

    try:
        response = respond()
    except (KeyError, ConnectionError):  # Not opened yet, or closed by the server.
        CONNECTIONS[parts.netloc] = http.client.HTTPConnection(parts.netloc)
        response = respond()
    content = response.read()
    if response.status >= 300:
        sys.exit(f"{method} {url} returned {response.status}: {content[:500]}")
    return content


def send_form(url, headers, fields, name, media_type, content):
    """Sends a form with fields and a file. Returns the data of the response."""
    lines = []
    for field, value in fields.items():
        lines += [b"--boundary", f'content-disposition: form-data; name="{field}"'.encode(), b"", value.encode()]
    lines += [b"--boundary", f'content-disposition: form-data; name="file"; filename="{name}"'.encode()]
    lines += [f"content-type: {media_type}".encode(), b"", content, b"--boundary--", b""]
    headers = {**headers, "content-type": "multipart/form-data; boundary=boundary"}
    return json.loads(send("POST", url, headers, b"\r\n".join(lines)))["data"]


def repeat(request, seconds, clock):
    """Repeats a request, and returns its mean CPU time in microseconds by a clock in nanoseconds."""
    request()
    count, until, before = 0, time.monotonic() + seconds, clock()
    while time.monotonic() < until:
        request()
        count += 1
    return (clock() - before) / count / 1000


class LocalStack:
    """A running stack with a space."""

    def __init__(self, binary):
        self.directory = tempfile.TemporaryDirectory()
        data = Path(self.directory.name) / "data"
        command = [binary, "--data-dir", data, "--port", "0"]
        for parameter in PARAMETERS:
            command += ["--parameter", f"{parameter}=10000000"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        local = data / "local.json"
        while not local.exists():
            if self.process.poll() is not None:
                sys.exit(f"{binary} ended")
            time.sleep(0.05)
        urls = json.loads(local.read_text())
        self.api, self.cdn = urls["api_url"], urls["cdn_url"]
        self.headers = {"authorization": f"Bearer {urls['api_key']}"}
        headers = {**self.headers, "content-type": "application/json"}
        self.space = json.loads(send("POST", f"{self.api}/spaces", headers, b'{"name": "Acme"}'))["data"]

    def upload(self, *file):
        """Returns the record of a new file, from its name, type and content."""
        return send_form(f"{self.api}/upload", self.headers, {"space": self.space["handle"]}, *file)

    def record(self, file):
        return json.loads(send("GET", f"{self.api}/files/{file['id']}", self.headers))["data"]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.directory.cleanup()
