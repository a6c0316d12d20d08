"""Measures the CPU time of requests to the whole local stack: scripts/bench/run requests [BINARY …]

A BINARY is a release build of `larder`. Binaries alternate, so that other load hits all of them alike. The time is that of the
process, emulators of AWS included, by a clock of Linux. That of a processed upload includes the job
that reads the metadata and computes the blurhash, and the requests for the record until it shows them: one or two.
"""

import statistics
import sys
import time
from functools import partial
from pathlib import Path

from stack import LocalStack, cpu_ns, repeat, send

# Each binary repeats each request this often for a second.
ROUNDS = 5
ROUND_SECONDS = 1
PHOTO = Path(__file__).parents[2] / "tests/samples/photo.jpg"
TEXT_BYTES = 212_000
LISTED_FILES = 50
# Time between two requests that wait for a job.
POLL_SECONDS = 0.04


def prepare(stack):
    """Uploads files, and returns the function that sends each request by its name."""
    text = stack.upload("a.txt", "text/plain", b"a line of text\n" * (TEXT_BYTES // 15))
    photo = stack.upload("photo.jpg", "image/jpeg", PHOTO.read_bytes())
    for number in range(LISTED_FILES - 2):
        stack.upload(f"{number}.txt", "text/plain", b"text")
    files = f"{stack.api}/files?space_id={stack.space['id']}&limit={LISTED_FILES}"
    return {
        f"original of {TEXT_BYTES // 1000} kB": partial(send, "GET", text["url"], {}),
        "stored rendition": partial(send, "GET", photo["url"] + "?w=600", {}),
        f"list of {LISTED_FILES}": partial(send, "GET", files, stack.headers),
        f"list of {LISTED_FILES}, four fields": partial(send, "GET", f"{files}&fields=id,original_name,size,url", stack.headers),
        "file record": partial(stack.record, text),
        "processed upload": partial(upload_processed, stack),
    }


def upload_processed(stack):
    """Uploads the photo, and waits until its job has ended."""
    file = stack.upload("photo.jpg", "image/jpeg", PHOTO.read_bytes())
    while file["processing"]["status"] == "pending":
        time.sleep(POLL_SECONDS)
        file = stack.record(file)


binaries = sys.argv[1:]
stacks = {}
try:
    for binary in binaries:
        stacks[binary] = LocalStack(binary)
    requests = {binary: prepare(stack) for binary, stack in stacks.items()}
    for name in requests[binaries[0]]:
        times = {binary: [] for binary in binaries}
        for _ in range(ROUNDS):
            for binary, stack in stacks.items():
                times[binary].append(repeat(requests[binary][name], ROUND_SECONDS, partial(cpu_ns, stack.process.pid)))
        for binary, values in times.items():
            print(f"{name}: {statistics.median(values):.0f} µs ({min(values):.0f} to {max(values):.0f}), {binary}", flush=True)
finally:
    for stack in stacks.values():
        stack.stop()
