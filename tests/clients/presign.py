"""`POST /upload/presign`, and what curl, Python and boto3 then send to storage: what was signed is taken and confirmed,
anything else is refused and leaves nothing."""

import json
import os
import socket
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

from botocore.awsrequest import AWSRequest
from botocore.exceptions import ConnectionClosedError
from botocore.httpsession import URLLib3Session

API = os.environ["LARDER_API_URL"]
KEY = os.environ["LARDER_API_KEY"]
SPACE = os.environ["LARDER_SPACE"]
KIND = "application/octet-stream"
# Larger than what curl sends without asking first whether it may.
BODY = bytes([1] * 8) + os.urandom(2_000_000)


def api(path, body=None):
    """Status and answer of a POST to the API."""
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    data = b"" if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{API}{path}", data=data, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


# What a client says whose connection ended without an answer.
CUT_OFF = 0


def curl(url, *options, body=BODY):
    """Status of a PUT by curl; 0 where the connection ended without one."""
    command = ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--request", "PUT", *options, url]
    return int(subprocess.run(command, input=body, capture_output=True, timeout=60, check=False).stdout)


def by_curl(url, kind=KIND, body=BODY):
    return curl(url, "--header", f"Content-Type: {kind}", "--data-binary", "@-", body=body)


def by_python(url, kind=KIND, body=BODY):
    request = urllib.request.Request(url, data=body, headers={"content-type": kind}, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            error.read()
            return error.code
    except urllib.error.URLError as error:
        # Storage refuses by the head, and does not wait for the rest of a body.
        if isinstance(error.reason, ConnectionError):
            return CUT_OFF
        raise


def by_boto3(url, kind=KIND, body=BODY):
    request = AWSRequest(method="PUT", url=url, data=body, headers={"content-type": kind})
    try:
        return URLLib3Session().send(request.prepare()).status_code
    except ConnectionClosedError:
        return CUT_OFF


CLIENTS = [by_curl, by_python, by_boto3]


class Presign(unittest.TestCase):
    def presigned(self):
        described = {"space": SPACE, "filename": "noise.bin", "content_type": KIND, "size": len(BODY)}
        status, signed = api("/upload/presign", described)
        self.assertEqual(status, 201, signed)
        self.assertEqual(signed["expires_in"], 3600)
        return signed["file_id"], signed["upload_url"]

    def confirmed(self, file_id, expected):
        status, answer = api(f"/upload/confirm/{file_id}")
        self.assertEqual(status, expected, answer)
        return answer

    def test_each_client_sends_what_was_signed(self):
        for client in CLIENTS:
            with self.subTest(client=client.__name__):
                file_id, url = self.presigned()
                self.assertEqual(client(url), 200)
                file = self.confirmed(file_id, 200)["data"]
                self.assertEqual((file["status"], file["size"]), ("active", len(BODY)))
                with urllib.request.urlopen(file["url"], timeout=30) as delivered:
                    self.assertEqual(delivered.read(), BODY)

    def test_another_length_or_type_is_refused(self):
        for client in CLIENTS:
            file_id, url = self.presigned()
            for change in [{"body": BODY[:-1]}, {"body": BODY + b"!"}, {"body": b""}, {"kind": "text/html"}]:
                with self.subTest(client=client.__name__, change=[*change]):
                    self.assertIn(client(url, **change), [403, CUT_OFF])
            self.confirmed(file_id, 409)

    def test_another_address_is_refused(self):
        file_id, url = self.presigned()
        _, foreign = self.presigned()
        path, query = url.split("?")
        for changed in [
            path,
            f"{foreign.split('?')[0]}?{query}",
            url.replace("X-Amz-Expires=3600", "X-Amz-Expires=36000"),
            f"{url}&x-id=1",
        ]:
            with self.subTest(changed=changed):
                self.assertEqual(by_curl(changed), 403)
        self.confirmed(file_id, 409)

    def test_other_headers_and_other_ways_to_send_are_refused(self):
        file_id, url = self.presigned()
        kind, data = ["--header", f"Content-Type: {KIND}"], ["--data-binary", "@-"]
        for options in [
            ["--header", "Content-Type:", *data],
            [*kind, *data, "--header", "x-amz-acl: public-read"],
            [*kind, *data, "--header", "x-amz-meta-a: b"],
            [*kind, "--upload-file", "-"],
            [*kind, *data, "--request", "POST"],
            [*kind, *data, "--request", "DELETE"],
        ]:
            with self.subTest(options=options):
                self.assertIn(curl(url, *options), range(400, 502))
        self.confirmed(file_id, 409)

    def test_a_body_that_is_cut_off_leaves_nothing(self):
        file_id, url = self.presigned()
        address = urllib.parse.urlsplit(url)
        head = (
            f"PUT {address.path}?{address.query} HTTP/1.1\r\nhost: {address.netloc}\r\n"
            f"content-type: {KIND}\r\ncontent-length: {len(BODY)}\r\n\r\n"
        )
        with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
            connection.sendall(head.encode() + BODY[: len(BODY) // 2])
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1 << 16)
        self.confirmed(file_id, 409)
        self.assertEqual(by_curl(url), 200)
        self.confirmed(file_id, 200)

    def test_what_is_sent_later_changes_nothing_that_is_active(self):
        file_id, url = self.presigned()
        self.assertEqual(by_curl(url), 200)
        file = self.confirmed(file_id, 200)["data"]
        self.assertEqual(by_curl(url, body=bytes(len(BODY))), 200)
        self.assertEqual(self.confirmed(file_id, 200)["data"], file)
        with urllib.request.urlopen(file["url"], timeout=30) as delivered:
            self.assertEqual(delivered.read(), BODY)


if __name__ == "__main__":
    unittest.main()
