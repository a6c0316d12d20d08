"""Uploads of curl, Python and boto3 to URLs of `POST /upload/presign`: storage accepts the signed request and rejects any other
without storing anything."""

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
from plain_http import put

API = os.environ["LARDER_API_URL"]
KEY = os.environ["LARDER_API_KEY"]
SPACE = os.environ["LARDER_SPACE"]
CONTENT_TYPE = "application/octet-stream"
# Large enough for curl to send `Expect: 100-continue` first.
BODY = bytes([1] * 8) + os.urandom(2_000_000)


def api(path, body=None):
    """Returns status and JSON of a POST to the API."""
    headers = {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    data = b"" if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{API}{path}", data=data, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


# Status for a connection that was closed without a response.
DISCONNECTED = 0


def curl(url, *options, body=BODY):
    """Returns the status of a PUT by curl, 0 if the connection was closed without a response."""
    command = ["curl", "--silent", "--output", "/dev/null", "--write-out", "%{http_code}", "--request", "PUT", *options, url]
    return int(subprocess.run(command, input=body, capture_output=True, timeout=60, check=False).stdout)


def by_curl(url, content_type=CONTENT_TYPE, body=BODY):
    return curl(url, "--header", f"Content-Type: {content_type}", "--data-binary", "@-", body=body)


def by_python(url, content_type=CONTENT_TYPE, body=BODY):
    try:
        return put(url, body, {"content-type": content_type})
    except urllib.error.URLError as error:
        # Storage rejects by the request head, and does not wait for the rest of the body.
        if isinstance(error.reason, ConnectionError):
            return DISCONNECTED
        raise


def by_boto3(url, content_type=CONTENT_TYPE, body=BODY):
    request = AWSRequest(method="PUT", url=url, data=body, headers={"content-type": content_type})
    try:
        return URLLib3Session().send(request.prepare()).status_code
    except ConnectionClosedError:
        return DISCONNECTED


CLIENTS = [by_curl, by_python, by_boto3]


class Presign(unittest.TestCase):
    def presigned(self):
        declared = {"space": SPACE, "filename": "noise.bin", "content_type": CONTENT_TYPE, "size": len(BODY)}
        status, signed = api("/upload/presign", declared)
        self.assertEqual(status, 201, signed)
        self.assertEqual(signed["expires_in"], 3600)
        return signed["file_id"], signed["upload_url"]

    def confirmed(self, file_id, expected):
        status, response = api(f"/upload/confirm/{file_id}")
        self.assertEqual(status, expected, response)
        return response

    def test_each_client_uploads_to_presigned_url(self):
        for client in CLIENTS:
            with self.subTest(client=client.__name__):
                file_id, url = self.presigned()
                self.assertEqual(client(url), 200)
                file = self.confirmed(file_id, 200)["data"]
                self.assertEqual((file["status"], file["size"]), ("active", len(BODY)))
                with urllib.request.urlopen(file["url"], timeout=30) as delivered:
                    self.assertEqual(delivered.read(), BODY)

    def test_other_length_or_type_is_rejected(self):
        for client in CLIENTS:
            file_id, url = self.presigned()
            for change in [{"body": BODY[:-1]}, {"body": BODY + b"!"}, {"body": b""}, {"content_type": "text/html"}]:
                with self.subTest(client=client.__name__, change=[*change]):
                    self.assertIn(client(url, **change), [403, DISCONNECTED])
            self.confirmed(file_id, 409)

    def test_changed_url_is_rejected(self):
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

    def test_other_headers_and_methods_are_rejected(self):
        file_id, url = self.presigned()
        content_type, data = ["--header", f"Content-Type: {CONTENT_TYPE}"], ["--data-binary", "@-"]
        for options in [
            ["--header", "Content-Type:", *data],
            [*content_type, *data, "--header", "x-amz-acl: public-read"],
            [*content_type, *data, "--header", "x-amz-meta-a: b"],
            [*content_type, "--upload-file", "-"],
            [*content_type, *data, "--request", "POST"],
            [*content_type, *data, "--request", "DELETE"],
        ]:
            with self.subTest(options=options):
                self.assertIn(curl(url, *options), range(400, 502))
        self.confirmed(file_id, 409)

    def test_truncated_body_stores_nothing(self):
        file_id, url = self.presigned()
        target = urllib.parse.urlsplit(url)
        head = (
            f"PUT {target.path}?{target.query} HTTP/1.1\r\nhost: {target.netloc}\r\n"
            f"content-type: {CONTENT_TYPE}\r\ncontent-length: {len(BODY)}\r\n\r\n"
        )
        with socket.create_connection((target.hostname, target.port), timeout=30) as connection:
            connection.sendall(head.encode() + BODY[: len(BODY) // 2])
            connection.shutdown(socket.SHUT_WR)
            connection.recv(1 << 16)
        self.confirmed(file_id, 409)
        self.assertEqual(by_curl(url), 200)
        self.confirmed(file_id, 200)

    def test_later_put_does_not_change_active_file(self):
        file_id, url = self.presigned()
        self.assertEqual(by_curl(url), 200)
        file = self.confirmed(file_id, 200)["data"]
        self.assertEqual(by_curl(url, body=bytes(len(BODY))), 200)
        self.assertEqual(self.confirmed(file_id, 200)["data"], file)
        with urllib.request.urlopen(file["url"], timeout=30) as delivered:
            self.assertEqual(delivered.read(), BODY)


if __name__ == "__main__":
    unittest.main()
