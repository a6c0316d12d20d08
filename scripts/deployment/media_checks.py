"""Images, and bodies that are too large for a function: redirects, the cache of the CDN, presigned uploads."""

import hashlib
import time
from urllib.parse import urlsplit

from deployment.checks import check
from deployment.stack import ROOT, Miss, NotRun, expect, poll

MEBIBYTE = 1 << 20
# Maximum body that delivery sends itself (functions/delivery/src/lib.rs).
REDIRECT_ABOVE_BYTES = 4 * MEBIBYTE
PHOTO = ROOT / "tests/samples/photo.jpg"
PROCESSING_SECONDS = 90
LARGE_BYTES = 100 * MEBIBYTE
LARGEST_BYTES = 5 << 30
# Requests until an edge of CloudFront has cached an object: subsequent requests can reach several hosts of an edge location.
CACHE_ATTEMPTS = 6
# How long presigned URLs are requested from the same function, how often, and when they are used before they expire.
WARM_SECONDS = 3600
WARM_INTERVAL_SECONDS = 300
BEFORE_EXPIRY_SECONDS = 60


def upload_video(stack):
    """Uploads a video above the limit of redirects, and returns its record and its bytes."""
    limit = REDIRECT_ABOVE_BYTES
    header = b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2"
    body = bytes(index % 251 for index in range(MEBIBYTE))
    video = (header + body * (limit // MEBIBYTE + 1))[: limit + MEBIBYTE]
    return stack.upload_presigned(stack.create_space(), "video.mp4", "video/mp4", len(video), video), video


def redirect(stack, url):
    """Returns the redirect of a large file."""
    response = stack.request("GET", url).expect(307, 200)
    if response.status == 200:
        raise NotRun("the stack does not redirect: start it with --parameter RedirectAboveBytes=4194304")
    return response.headers["location"]


@check("processing", "aws", "local", "ministack")
def processing(stack):
    """The worker processes an image: its blurhash is recorded, and a thumbnail is delivered."""
    file = stack.upload(stack.create_space(), "photo.jpg", PHOTO.read_bytes(), "image/jpeg").expect(201).json()["data"]
    started = time.monotonic()

    def processed():
        record = stack.data("GET", f"/files/{file['id']}")
        return record if record["processing"]["status"] != "pending" else None

    record = poll(PROCESSING_SECONDS, processed) or file
    expect("the status of the processing", record["processing"]["status"], "completed")
    thumbnail = record["thumbnails"][0]["url"]
    expect("the type of a thumbnail", stack.request("GET", thumbnail).expect(200).headers["content-type"], "image/webp")
    return f"{record['storage_meta']['blurhash']} after {time.monotonic() - started:.0f} s"


@check("negotiation", "aws", "local", "ministack")
def negotiation(stack):
    """The viewer function passes on `Accept`: clients with WebP get it, others JPEG, and caches keep them apart."""
    file = stack.upload(stack.create_space(), "photo.jpg", PHOTO.read_bytes(), "image/jpeg").expect(201).json()["data"]
    for accept, expected in (("image/webp,*/*", "image/webp"), ("*/*", "image/jpeg"), ("image/webp", "image/webp")):
        response = stack.request("GET", f"{file['url']}?w=120", {"Accept": accept}).expect(200)
        expect(f"the type for {accept}", response.headers["content-type"], expected)
    return "image/webp and image/jpeg"


@check("video-redirect", "aws", "local", "ministack")
def video_redirect(stack):
    """A video above the limit is redirected to its bytes, and the CDN truncates its ranges to the limit.

    CloudFront may request more than the client from the function, which truncates it ("How CloudFront processes partial requests for an object
    (range GETs)" in the CloudFront Developer Guide).
    """
    file, video = upload_video(stack)
    location = redirect(stack, file["url"])
    followed = stack.request("GET", location).expect(200)
    digest = hashlib.sha256(followed.body).hexdigest()
    expect("the digest behind the redirect", digest, hashlib.sha256(video).hexdigest())
    expect("the type behind the redirect", followed.headers["content-type"], "video/mp4")
    part = stack.request("GET", location, {"Range": "bytes=1000-1999"}).expect(206)
    expect("a range behind the redirect", part.body, video[1000:2000])

    ranged = stack.request("GET", file["url"], {"Range": "bytes=0-"}).expect(206)
    # The local stack has another limit under cargo-lambda.
    limit = len(ranged.body) if stack.target == "local" else REDIRECT_ABOVE_BYTES
    expect("Content-Range", ranged.headers["content-range"], f"bytes 0-{limit - 1}/{len(video)}")
    expect("whether the range has the bytes of the video", ranged.body == video[:limit], True)
    expect("whether the range is truncated", limit < len(video), True)
    return f"{len(video)} bytes from {urlsplit(location).netloc}, ranges of at most {limit}"


@check("redirect-cached", "aws")
def redirect_cached(stack):
    """CloudFront caches the bytes behind a redirect: `X-Cache` is Miss, then Hit.

    "Why is my CloudFront distribution returning an "X-Cache:Miss from CloudFront" response?" in the AWS Knowledge Center.
    """
    file, _ = upload_video(stack)
    location = redirect(stack, file["url"])
    if urlsplit(location).netloc != urlsplit(stack.cdn).netloc:
        raise NotRun("the stack has no key pair of the CDN, so redirects lead to S3")
    expect("the second redirect", redirect(stack, file["url"]), location)
    seen = [stack.request("GET", location).expect(200).headers.get("x-cache", "absent") for _ in range(CACHE_ATTEMPTS)]
    if not seen[0].startswith("Miss") or not any(value.startswith("Hit") for value in seen[1:]):
        raise Miss(f"X-Cache of successive requests: {', '.join(seen)}")
    return ", ".join(seen)


def numbered_blocks(size):
    """Yields `size` bytes in which each 16 bytes contain the number of their block."""
    for index in range(-(-size // MEBIBYTE)):
        yield (b"%016d" % index * (MEBIBYTE // 16))[: size - index * MEBIBYTE]


@check("large-confirm", "aws", "local", "ministack")
def large_confirm(stack):
    """A presigned upload of 100 MB, or 5 GB with --large, is confirmed within one request.

    API Gateway ends a request after 30 seconds ("Quotas for configuring and running an HTTP API" in its Developer Guide).
    """
    size = LARGEST_BYTES if stack.is_large else LARGE_BYTES
    pending = stack.presign(stack.create_space(), "large.bin", "application/octet-stream", size)
    stack.put(pending, size, numbered_blocks(size))
    started = time.monotonic()
    file = stack.data("POST", f"/upload/confirm/{pending['file_id']}")
    seconds = time.monotonic() - started
    expect("the status and size", (file["status"], file["size"]), ("active", size))
    end = stack.request("GET", file["url"], {"Range": "bytes=-16"}).expect(206).body
    expect("the last bytes", end, b"%016d" % (size // MEBIBYTE - 1))
    return f"{size} bytes confirmed in {seconds:.1f} s"


@check("presigned-hour", "aws", "local", option="hour")
def presigned_hour(stack):
    """URLs that a warm function presigns over an hour last for 50 minutes or more, and accept bytes until they expire.

    Those signed with temporary credentials end with these ("Download and upload objects with presigned URLs" in the S3 User Guide).
    """
    space = stack.create_space()
    ends = time.monotonic() + WARM_SECONDS
    unused = []
    used = 0
    while unused or time.monotonic() < ends:
        if time.monotonic() < ends:
            pending = stack.presign(space, "hour.txt", "text/plain", 4)
            expect("50 to 60 minutes", pending["expires_in"] in range(3000, 3601), True)
            unused.append((time.monotonic() + pending["expires_in"] - BEFORE_EXPIRY_SECONDS, pending))
        while unused and unused[0][0] <= time.monotonic():
            stack.put(unused.pop(0)[1], 4, b"text")
            used += 1
        due = unused[0][0] if unused else ends
        time.sleep(max(0.0, min(WARM_INTERVAL_SECONDS, due - time.monotonic())))
    return f"{used} URLs of {pending['expires_in']} s, each used {BEFORE_EXPIRY_SECONDS} s before its end"
