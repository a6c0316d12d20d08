"""Measures the CPU time of requests to the whole local stack: scripts/bench requests [BINARY …]

A BINARY is a release build of `larder`. Binaries alternate, so that other load hits all of them alike. The time is that of the
process, emulators of AWS included, by a clock of Linux. That of a processed upload includes the job
that reads the metadata and computes the blurhash, and the requests for the record until it shows them: one or two.
"""

import functools
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

# Each binary repeats each request this often for a second.
ROUNDS = 5
ROUND_SECONDS = 1
PHOTO = Path(__file__).parent.parent / "tests/samples/photo.jpg"
TEXT_BYTES = 212_000
LISTED_FILES = 50
# Time between two requests that wait for a job.
POLL_SECONDS = 0.04


class LocalStack:
    """A running stack with a space, and the requests that are measured."""

    def __init__(self, binary):
        self.directory = tempfile.TemporaryDirectory()
        data = Path(self.directory.name) / "data"
        command = [binary, "--data-dir", data, "--port", "0", "--parameter", "AdminRequestsPerMinute=10000000"]
        command += ["--parameter", "UploadRequestsPerMinute=10000000"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        local = data / "local.json"
        while not local.exists():
            if self.process.poll() is not None:
                sys.exit(f"{binary} ended")
            time.sleep(0.05)
        self.local = json.loads(local.read_text())
        self.with_key = {"authorization": f"Bearer {self.local['api_key']}"}
        self.connections = {}
        self.requests = self.prepare()

    def prepare(self):
        """Uploads files, and returns the function that sends each request by its name."""
        api = self.local["api_url"]
        json_with_key = {**self.with_key, "content-type": "application/json"}
        space = json.loads(self.send("POST", f"{api}/spaces", json_with_key, b'{"name": "Acme"}'))["data"]
        text = self.upload(space, "a.txt", "text/plain", b"a line of text\n" * (TEXT_BYTES // 15))
        photo = self.upload(space, "photo.jpg", "image/jpeg", PHOTO.read_bytes())
        for number in range(LISTED_FILES - 2):
            self.upload(space, f"{number}.txt", "text/plain", b"text")
        files = f"{api}/files?space_id={space['id']}&limit={LISTED_FILES}"
        get = functools.partial(functools.partial, self.send, "GET")
        return {
            f"original of {TEXT_BYTES // 1000} kB": get(text["url"], {}),
            "stored rendition": get(photo["url"] + "?w=600", {}),
            f"list of {LISTED_FILES}": get(files, self.with_key),
            f"list of {LISTED_FILES}, four fields": get(f"{files}&fields=id,original_name,size,url", self.with_key),
            "file record": functools.partial(self.record, text["id"]),
            "processed upload": functools.partial(self.upload_processed, space),
        }

    def upload_processed(self, space):
        """Uploads the photo, and waits until its job has ended."""
        file = self.upload(space, "photo.jpg", "image/jpeg", PHOTO.read_bytes())
        while file["processing"]["status"] == "pending":
            time.sleep(POLL_SECONDS)
            file = self.record(file["id"])

    def record(self, file_id):
        return json.loads(self.send("GET", f"{self.local['api_url']}/files/{file_id}", self.with_key))["data"]

    def upload(self, space, name, media_type, content):
        lines = [
            b"--boundary", b'content-disposition: form-data; name="space"', b"", space["handle"].encode(),
            b"--boundary", f'content-disposition: form-data; name="file"; filename="{name}"'.encode(),
            f"content-type: {media_type}".encode(), b"", content, b"--boundary--", b"",
        ]  # fmt: skip
        headers = {**self.with_key, "content-type": "multipart/form-data; boundary=boundary"}
        return json.loads(self.send("POST", f"{self.local['api_url']}/upload", headers, b"\r\n".join(lines)))["data"]

    def send(self, method, url, headers, body=None):
        parts = urllib.parse.urlsplit(url)
        connection = self.connections.setdefault(parts.netloc, http.client.HTTPConnection(parts.netloc))
        connection.request(method, f"{parts.path}?{parts.query}", body, headers)
        response = connection.getresponse()
        content = response.read()
        if response.status >= 300:
            sys.exit(f"{method} {url} returned {response.status}: {content[:500]}")
        return content

    def cpu_ns(self):
        # The clock of a process: MAKE_PROCESS_CPUCLOCK and CPUCLOCK_SCHED in the kernel's posix-timers_types.h.
        return time.clock_gettime_ns((~self.process.pid << 3) | 2)

    def cpu_us(self, name, seconds):
        """Repeats a request on new connections, and returns its mean CPU time in microseconds."""
        request = self.requests[name]
        self.connections.clear()
        request()
        count, until, before = 0, time.monotonic() + seconds, self.cpu_ns()
        while time.monotonic() < until:
            request()
            count += 1
        return (self.cpu_ns() - before) / count / 1000


binaries = sys.argv[1:]
stacks = {}
try:
    for binary in binaries:
        stacks[binary] = LocalStack(binary)
    for name in next(iter(stacks.values())).requests:
        times = {binary: [] for binary in binaries}
        for _ in range(ROUNDS):
            for binary, stack in stacks.items():
                times[binary].append(stack.cpu_us(name, ROUND_SECONDS))
        for binary, values in times.items():
            print(f"{name}: {statistics.median(values):.0f} µs ({min(values):.0f} to {max(values):.0f}), {binary}", flush=True)
finally:
    for stack in stacks.values():
        stack.process.terminate()
        stack.process.wait()
