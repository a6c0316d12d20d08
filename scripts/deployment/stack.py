"""The stack that the checks concern: its URLs and key, its queues, and HTTP requests to it."""

import hashlib
import hmac
import http.client
import json
import secrets
import socket
import ssl
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from deployment.aws import Aws

ROOT = Path(__file__).resolve().parents[2]
REQUEST_SECONDS = 60
# Type of an uploaded form, with a boundary that no uploaded file contains.
BOUNDARY = "larder-smoke-boundary"
# Region and name of the emulated stack, as in infra/local-stack.
LOCAL_REGION = "us-east-1"
LOCAL_STACK = "larder"


class Miss(Exception):
    """The stack does something else than its documentation says."""


class NotRun(Exception):
    """A check cannot be answered by this stack, as it is deployed."""


class Response(NamedTuple):
    """Response to a request. Names of headers are in lower case."""

    status: int
    headers: dict
    body: bytes

    def json(self):
        return json.loads(self.body)

    def expect(self, *statuses):
        """Returns itself if it has one of these statuses."""
        if self.status not in statuses:
            raise Miss(f"status {self.status} instead of {statuses[0]}: {self.body[:120]!r}")
        return self


def expect(what, actual, expected):
    if actual != expected:
        raise Miss(f"{what} is {actual!r} instead of {expected!r}")


def poll(seconds, look, interval=2.0):
    """Returns the first true result of `look` within a time, else its last one."""
    deadline = time.monotonic() + seconds
    while not (found := look()) and time.monotonic() < deadline:
        time.sleep(interval)
    return found


@dataclass
class Stack:
    """A deployed stack, or that of `cargo run`. `target` is `aws`, `ministack` or `local`."""

    target: str
    name: str
    api: str
    cdn: str
    key: str
    aws: Aws
    # Whether `large-confirm` uploads the largest file.
    is_large: bool = False
    # Address and port of all requests, in place of those of their URL.
    connect_to: tuple | None = None
    # Ids of the created spaces.
    spaces: list = field(default_factory=list)

    @classmethod
    def local(cls, directory):
        path = Path(directory) / "local.json"
        try:
            local = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise Miss(f"{path} cannot be read: {error}. Start the local stack with `cargo run`.") from None
        credentials = {"AWS_ACCESS_KEY_ID": local["access_key_id"], "AWS_SECRET_ACCESS_KEY": local["secret_access_key"]}
        aws = Aws(LOCAL_REGION, credentials, local["sqs_url"])
        return cls("local", LOCAL_STACK, local["api_url"], local["cdn_url"], local["api_key"], aws)

    @classmethod
    def deployed(cls, name, region, key, target):
        aws = Aws(region)
        [stack] = aws.call("cloudformation", "describe-stacks", "--stack-name", name)["Stacks"]
        outputs = {output["OutputKey"]: output["OutputValue"] for output in stack["Outputs"]}
        return cls(target, name, outputs["ApiUrl"], outputs["CdnUrl"], key, aws)

    def request(self, method, url, headers=None, body=None):
        """Sends a request with exactly this path and query. Follows no redirect."""
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        connection = (http.client.HTTPSConnection if secure else http.client.HTTPConnection)(parts.netloc)
        address = self.connect_to or (connection.host, connection.port)
        target = url.split(parts.netloc, 1)[1] or "/"
        try:
            connection.sock = socket.create_connection(address, REQUEST_SECONDS)
            if secure:
                context = ssl.create_default_context()
                connection.sock = context.wrap_socket(connection.sock, server_hostname=connection.host)
            connection.request(method, target, body=body, headers=headers or {})
            response = connection.getresponse()
            received = {name.lower(): value for name, value in response.getheaders()}
            return Response(response.status, received, response.read())
        finally:
            connection.close()

    def call(self, method, path, body=None, headers=None):
        """Sends an authenticated request to the API. A body that is not bytes is sent as JSON."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **(headers or {})}
        return self.request(method, self.api + path, headers, body)

    def data(self, method, path, body=None):
        """Returns `data` of a successful response."""
        return self.call(method, path, body).expect(200, 201).json()["data"]

    def create_space(self, **fields):
        """Creates a space that `delete_spaces` deletes."""
        space = self.data("POST", "/spaces", {"name": f"smoke {secrets.token_hex(8)}", **fields})
        self.spaces.append(space["id"])
        return space

    def delete_spaces(self):
        """Deletes the created spaces with their contents, and returns what could not be deleted."""
        left = []
        for space in self.spaces:
            try:
                self.call("DELETE", f"/spaces?id={space}&force=true").expect(202, 204)
            except Exception as error:
                left.append(f"space {space}: {error}")
        return left

    def upload(self, space, name, content, mime_type):
        """Uploads a file by a form, and returns the response."""
        content_type = f"multipart/form-data; boundary={BOUNDARY}"
        body = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="space"\r\n\r\n{space["handle"]}\r\n'
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            f"Content-Type: {mime_type}\r\n\r\n"
        ).encode()
        body += content + f"\r\n--{BOUNDARY}--\r\n".encode()
        return self.call("POST", "/upload", body, {"Content-Type": content_type})

    def upload_presigned(self, space, name, mime_type, size, content):
        """Uploads a file of `size` bytes to a presigned URL, and returns its confirmed record."""
        pending = self.presign(space, name, mime_type, size)
        self.put(pending, size, content)
        return self.data("POST", f"/upload/confirm/{pending['file_id']}")

    def presign(self, space, name, mime_type, size):
        body = {"space": space["handle"], "filename": name, "content_type": mime_type, "size": size}
        return self.call("POST", "/upload/presign", body).expect(201).json()

    def put(self, pending, size, content):
        """Sends bytes, or an iterator of them, to a presigned URL."""
        headers = {**pending["headers"], "Content-Length": str(size)}
        self.request("PUT", pending["upload_url"], headers, content).expect(200)

    def signed(self, space, url, pairs, expires_in=600):
        """Signs the URL of a file, with these pairs of parameters, as docs/api.md describes it for backends."""
        secret = self.data("GET", f"/spaces/{space['id']}/signing-secret")
        pairs = [*pairs, ("expires", str(int(time.time()) + expires_in)), ("kid", str(secret["kid"]))]
        encoded = sorted((quote(name, safe=""), quote(value, safe="")) for name, value in pairs)
        query = "&".join(f"{name}={value}" for name, value in encoded)
        canonical = f"{urlsplit(url).path}?{query}".encode()
        signature = hmac.new(secret["secret"].encode(), canonical, hashlib.sha256).hexdigest()
        return f"{url}?{query}&signature={signature}"

    def resource(self, logical_id):
        """Returns the physical id of a resource of the template. That of a queue is its URL."""
        if self.target == "local":
            return f"{self.aws.endpoint}/000000000000/{LOCAL_STACK}-{logical_id}"
        arguments = ("--stack-name", self.name, "--logical-resource-id", logical_id)
        described = self.aws.call("cloudformation", "describe-stack-resource", *arguments)
        return described["StackResourceDetail"]["PhysicalResourceId"]

    def messages(self, queue):
        """Returns the number of messages in a queue, whether they are visible, in flight or delayed."""
        arguments = ("--queue-url", self.resource(queue), "--attribute-names", "All")
        attributes = self.aws.call("sqs", "get-queue-attributes", *arguments)["Attributes"]
        kinds = ("", "NotVisible", "Delayed")
        return sum(int(attributes[f"ApproximateNumberOfMessages{kind}"]) for kind in kinds)

    def send(self, queue, message):
        arguments = ("--queue-url", self.resource(queue), "--message-body", json.dumps(message))
        self.aws.call("sqs", "send-message", *arguments)
