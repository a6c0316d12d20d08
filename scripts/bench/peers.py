"""Measures Larder beside what can be used instead: scripts/bench/run peers [ROW …]

The CPU time is that of the whole process tree of a server, by a clock of Linux, until all work that follows a request has ended.
Servers alternate, so that other load hits all of them alike.
"""

import argparse
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path

from stack import LocalStack, cpu_ns, repeat, send, send_form

# Each server renders this many copies of an image, and gets this many batches of uploads. The first ones do not count.
COPIES, WARM_UP = 7, 2
BATCH = 20
# Each server repeats each other request this often for a second. The first time does not count.
ROUNDS, ROUND_SECONDS = 4, 1
# A server is idle if it uses less than this CPU time, in nanoseconds, in each of these intervals, in seconds.
IDLE_NS, IDLE_INTERVALS, IDLE_SECONDS = 3_000_000, 4, 0.25
START_SECONDS = 120
# Of JPEG: thumbor's default. AVIF has the default of each server.
QUALITY = 80
STORED_SIDE = 600
LISTED_FILES = 50
TEXT = b"a line of text\n" * (212_000 // 15)
BAR = 50


class Larder:
    """The local stack, emulators of AWS included."""

    def __init__(self, binary):
        self.stack = LocalStack(binary)
        self.process, self.add, self.stop = self.stack.process, self.stack.upload, self.stack.stop

    def rendition(self, file, side, kind):
        quality = f"&q={QUALITY}" if kind == "jpeg" else ""
        return f"{file['url']}?w={side}&f={kind}{quality}", {}

    stored = rendition

    def original(self, file):
        return file["url"], {}

    def list(self):
        query = f"space_id={self.stack.space['id']}&limit={LISTED_FILES}&fields=id,original_name,size,mime_type"
        return f"{self.stack.api}/files?{query}", self.stack.headers

    def record(self, file):
        return f"{self.stack.api}/files/{file['id']}", self.stack.headers


class Server:
    """A server on a free port of this machine, with a directory for its data."""

    def __init__(self, tools, command, variables=(), ready="/", prepare=None):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.directory = tempfile.TemporaryDirectory()
        self.files = Path(self.directory.name)
        path = f"{tools}/node_modules/node/bin:{os.environ['PATH']}"
        variables = {name: value.format(files=self.files) for name, value in dict(variables).items()}
        environment = {**os.environ, "PATH": path, "PORT": str(port), "HOST": "127.0.0.1", **variables}
        options = {"cwd": self.files, "env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if prepare:
            subprocess.run(prepare, check=True, **options)
        self.process = subprocess.Popen([part.format(port=port) for part in command], **options)
        self.wait_for(self.url + ready)

    def wait_for(self, url):
        for _ in range(START_SECONDS * 4):
            try:
                return urllib.request.urlopen(url).close()
            except urllib.error.HTTPError:
                return None
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.25)
        sys.exit(f"{self.process.args} did not start")

    def add(self, name, _, content):
        (self.files / name).write_bytes(content)
        return name

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.directory.cleanup()


class Ipx(Server):
    """Renders each request with sharp, and stores nothing."""

    def __init__(self, tools):
        program = ["node", f"{tools}/node_modules/ipx/bin/ipx.mjs", "serve"]
        super().__init__(tools, [*program, "--dir", ".", "--host", "127.0.0.1", "--port", "{port}"])

    def rendition(self, file, side, kind):
        quality = f",q_{QUALITY}" if kind == "jpeg" else ""
        return f"{self.url}/w_{side},f_{kind}{quality}/{file}", {}


class Thumbor(Server):
    """Renders with Pillow, and stores what it rendered; without access control."""

    def __init__(self, tools):
        program = [f"{tools}/python/bin/thumbor", "--use-environment", "True"]
        super().__init__(tools, [*program, "--ip", "127.0.0.1", "--port", "{port}"], {
            "LOADER": "thumbor.loaders.file_loader", "FILE_LOADER_ROOT_PATH": "{files}",
            "RESULT_STORAGE": "thumbor.result_storages.file_storage", "RESULT_STORAGE_STORES_UNSAFE": "True",
            "RESULT_STORAGE_FILE_STORAGE_ROOT_PATH": "{files}/results",
        }, ready="/healthcheck")  # fmt: skip

    def rendition(self, file, side, kind):
        return f"{self.url}/unsafe/fit-in/{side}x{side}/filters:format({kind})/{file}", {}

    stored = rendition


class Directus(Server):
    """Stores files and records, in SQLite here, and renders with sharp."""

    def __init__(self, tools):
        directus = ["node", f"{tools}/node_modules/directus/cli.js"]
        super().__init__(tools, [*directus, "start"], {
            "DB_CLIENT": "sqlite3", "DB_FILENAME": "data.db", "SECRET": secrets.token_hex(32), "ADMIN_EMAIL": "admin@example.com",
            "ADMIN_PASSWORD": "password", "ADMIN_TOKEN": "token", "STORAGE_LOCAL_ROOT": "files", "TELEMETRY": "false",
        }, "/server/ping", [*directus, "bootstrap"])  # fmt: skip
        self.headers = {"authorization": "Bearer token"}

    def add(self, *file):
        return send_form(f"{self.url}/files", self.headers, {}, *file)["id"]

    def rendition(self, file, side, kind):
        quality = f"&quality={QUALITY}" if kind == "jpeg" else ""
        return f"{self.url}/assets/{file}?width={side}&format={kind.replace('jpeg', 'jpg')}{quality}", self.headers

    stored = rendition

    def original(self, file):
        return f"{self.url}/assets/{file}", self.headers

    def list(self):
        return f"{self.url}/files?limit={LISTED_FILES}&fields=id,filename_download,filesize,type", self.headers

    def record(self, file):
        return f"{self.url}/files/{file}", self.headers


def tree_cpu_ns(pid):
    """Returns the CPU time of a process and of its running descendants, in nanoseconds."""
    children = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    pending, total = [pid], 0
    while pending:
        process = pending.pop()
        total += cpu_ns(process)
        pending += children.get(process, [])
    return total


def settled_ns(pid):
    """Returns the CPU time of a process tree at the time from which it is idle, in nanoseconds."""
    settled, intervals = tree_cpu_ns(pid), 0
    previous = settled
    while intervals < IDLE_INTERVALS:
        time.sleep(IDLE_SECONDS)
        now = tree_cpu_ns(pid)
        if now - previous < IDLE_NS:
            intervals += 1
        else:
            settled, intervals = now, 0
        previous = now
    return settled


def commented(jpeg, number):
    """Returns a copy of a JPEG with other bytes, which no server takes for the same file."""
    return jpeg[:2] + b"\xff\xfe\x00\x06" + f"{number:04}".encode() + jpeg[2:]


class Bench:
    """The servers by their names, and the rows: functions that return the CPU time in µs, bytes and score by server."""

    def __init__(self, options):
        self.options = options
        self.images = Path(options.images)
        self.servers = {}
        large = (self.images / "12mp.jpg").read_bytes()
        medium, self.small = [self.photo(side) for side in [1600, 1180]]
        self.rows = {
            "12 MP → 1000 px JPEG": partial(self.render, 1000, "jpeg", large),
            "12 MP → 800 px AVIF": partial(self.render, 800, "avif", large),
            "2 MP → 800 px AVIF": partial(self.render, 800, "avif", medium),
            f"stored rendition of {STORED_SIDE} px": self.stored,
            f"original of {len(TEXT) // 1000} kB": self.original,
            f"upload of a JPEG of {len(self.small) // 1000} kB": self.upload,
            f"list of {LISTED_FILES}, four fields": self.list,
            "file record": self.record,
        }

    def photo(self, side):
        """Returns the photo of 12 megapixels as JPEG of a size."""
        path = self.images / "peers.jpg"
        command = [self.options.bench, "render", "1", "1", "jpeg", f"fit:{side}x{side}", self.images / "12mp.jpg", path]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return path.read_bytes()

    def start(self):
        self.servers["Larder"] = Larder(self.options.larder)
        for name, server in {"ipx": Ipx, "thumbor": Thumbor, "Directus": Directus}.items():
            self.servers[name] = server(self.options.tools)

    def having(self, operation):
        return {name: server for name, server in self.servers.items() if hasattr(server, operation)}

    def alternate(self, servers, request):
        """Returns the median CPU time of each server, in µs, of calls of `request` with its name, itself and a number."""
        times = {name: [] for name in servers}
        for number in range(COPIES):
            for name, server in servers.items():
                before = settled_ns(server.process.pid)
                request(name, server, number)
                times[name].append((settled_ns(server.process.pid) - before) / 1000)
        return {name: {"cpu": statistics.median(values[WARM_UP:])} for name, values in times.items()}

    def render(self, side, kind, jpeg):
        servers = self.having("rendition")
        copies = [(f"{secrets.token_hex(4)}.jpg", "image/jpeg", commented(jpeg, number)) for number in range(COPIES)]
        files = {name: [server.add(*copy) for copy in copies] for name, server in servers.items()}
        outputs = {}

        def request(name, server, number):
            outputs[name] = send("GET", *server.rendition(files[name][number], side, kind))

        results = self.alternate(servers, request)
        with tempfile.TemporaryDirectory() as directory:
            original = Path(directory) / "original"
            original.write_bytes(jpeg)
            for name, output in outputs.items():
                (Path(directory) / name).write_bytes(output)
                results[name]["bytes"] = len(output)
            program = Path(__file__).parent / "score.mjs"
            command = ["node", program, self.options.bench, self.options.sharp, original, f"fit:{side}x{side}"]
            scores = subprocess.check_output(command + [Path(directory) / name for name in outputs], text=True).split()
        for name, score in zip(outputs, scores):
            results[name]["score"] = float(score)
        return results

    def repeated(self, requests):
        """Returns the median CPU time and the bytes of the request of each server, by its URL and headers."""
        times = {name: [] for name in requests}
        sizes = {name: len(send("GET", *request)) for name, request in requests.items()}
        for name in requests:
            settled_ns(self.servers[name].process.pid)
        for _ in range(ROUNDS):
            for name, request in requests.items():
                clock = partial(tree_cpu_ns, self.servers[name].process.pid)
                times[name].append(repeat(partial(send, "GET", *request), ROUND_SECONDS, clock))
        return {name: {"cpu": statistics.median(values[1:]), "bytes": sizes[name]} for name, values in times.items()}

    def stored(self):
        def stored(server):
            return server.stored(server.add("stored.jpg", "image/jpeg", self.small), STORED_SIDE, "jpeg")

        return self.repeated({name: stored(server) for name, server in self.having("stored").items()})

    def original(self):
        servers = self.having("original")
        return self.repeated({name: server.original(server.add("text.txt", "text/plain", TEXT)) for name, server in servers.items()})

    def upload(self):
        def request(_, server, number):
            for copy in range(number * BATCH, (number + 1) * BATCH):
                server.add(f"{copy}.jpg", "image/jpeg", commented(self.small, copy))

        results = self.alternate(self.having("record"), request)
        return {name: {"cpu": result["cpu"] / BATCH} for name, result in results.items()}

    def list(self):
        servers = self.having("list")
        for server in servers.values():
            for number in range(LISTED_FILES):
                server.add(f"{number}.txt", "text/plain", b"text")
        return self.repeated({name: server.list() for name, server in servers.items()})

    def record(self):
        servers = self.having("record")
        return self.repeated({name: server.record(server.add("a.txt", "text/plain", b"text")) for name, server in servers.items()})


def lines(row, results):
    """Returns the lines of the table for the results of a row."""
    for name, result in results.items():
        score = f"{result['score']:.1f}" if "score" in result else "-"
        kilobytes = f"{result['bytes'] / 1000:.1f}" if "bytes" in result else "-"
        ratio = result["cpu"] / results["Larder"]["cpu"]
        yield f"| {row} | {name} | {result['cpu'] / 1000:.2f} | {ratio:.2f} | {kilobytes} | {score} |"


def chart(measured):
    """Returns bars of the CPU times, in each row as a share of the longest."""
    for row, results in measured.items():
        yield row
        longest = max(result["cpu"] for result in results.values())
        for name, result in results.items():
            yield f"  {name:9}{'█' * max(1, round(result['cpu'] / longest * BAR))} {result['cpu'] / 1000:.2f} ms"


def main():
    parser = argparse.ArgumentParser()
    for name in ["larder", "bench", "images", "sharp", "tools"]:
        parser.add_argument(name)
    parser.add_argument("row", nargs="*")
    options = parser.parse_args()
    bench = Bench(options)
    measured = {}
    try:
        bench.start()
        print("| row | server | CPU ms | of Larder's | kB | score |\n| --- | --- | --- | --- | --- | --- |")
        for row, measure in bench.rows.items():
            if not options.row or any(text in row for text in options.row):
                measured[row] = measure()
                print(*lines(row, measured[row]), sep="\n", flush=True)
    finally:
        for server in bench.servers.values():
            server.stop()
    print("", *chart(measured), sep="\n")


main()
