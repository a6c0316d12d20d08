"""boto3 against the local S3: an independent client with its own signatures and multipart uploads. Like the functions, it sends a
checksum only on demand, and copies no headers."""

import base64
import hashlib
import io
import os
import unittest
import urllib.request

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError
from plain_http import put

BUCKET = os.environ["BUCKET_NAME"]
PART_BYTES = 5 << 20


def client(**changes):
    config = Config(signature_version="s3v4", s3={"addressing_style": "path"}, retries={"total_max_attempts": 1},
                    request_checksum_calculation="when_required")
    return boto3.client("s3", config=config, **changes)


S3 = client()


def key(name):
    return f"clients/{name}"


def sha256_of(body):
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


class Objects(unittest.TestCase):
    def assert_error(self, code, call, **arguments):
        with self.assertRaises(ClientError) as raised:
            call(Bucket=BUCKET, **arguments)
        self.assertEqual(raised.exception.response["Error"]["Code"], code)

    def test_object_round_trip(self):
        body = os.urandom(100_000)
        S3.put_object(Bucket=BUCKET, Key=key("é a+b"), Body=body, ContentType="image/png", Metadata={"a": "b"})
        found = S3.get_object(Bucket=BUCKET, Key=key("é a+b"))
        self.assertEqual(found["Body"].read(), body)
        self.assertEqual((found["ContentType"], found["Metadata"]), ("image/png", {"a": "b"}))
        ranged = S3.get_object(Bucket=BUCKET, Key=key("é a+b"), Range="bytes=10-19")
        self.assertEqual(ranged["Body"].read(), body[10:20])
        self.assertIn(key("é a+b"), [listed["Key"] for listed in S3.list_objects_v2(Bucket=BUCKET)["Contents"]])
        S3.delete_object(Bucket=BUCKET, Key=key("é a+b"))
        self.assert_error("NoSuchKey", S3.get_object, Key=key("é a+b"))

    def test_checksum_is_stored_and_verified(self):
        sha256 = sha256_of(b"beans")
        S3.put_object(Bucket=BUCKET, Key=key("sum"), Body=b"beans", ChecksumSHA256=sha256)
        head = S3.head_object(Bucket=BUCKET, Key=key("sum"), ChecksumMode="ENABLED")
        self.assertEqual(head["ChecksumSHA256"], sha256)
        self.assert_error("BadDigest", S3.put_object, Key=key("sum"), Body=b"honey", ChecksumSHA256=sha256)
        self.assertEqual(S3.get_object(Bucket=BUCKET, Key=key("sum"))["Body"].read(), b"beans")

    def test_multipart_upload(self):
        body = os.urandom(2 * PART_BYTES + 1)
        parts = TransferConfig(multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES)
        S3.upload_fileobj(io.BytesIO(body), BUCKET, key("parts"), Config=parts)
        head = S3.head_object(Bucket=BUCKET, Key=key("parts"))
        self.assertTrue(head["ETag"].endswith('-3"'), head["ETag"])
        self.assertEqual(S3.get_object(Bucket=BUCKET, Key=key("parts"))["Body"].read(), body)

    def test_conditional_copy(self):
        first = S3.put_object(Bucket=BUCKET, Key=key("from"), Body=b"first")["ETag"]
        S3.put_object(Bucket=BUCKET, Key=key("from"), Body=b"second")
        source = {"Bucket": BUCKET, "Key": key("from")}
        copy = {"Key": key("to"), "CopySource": source, "CopySourceIfMatch": first, "MetadataDirective": "REPLACE"}
        self.assert_error("PreconditionFailed", S3.copy_object, **copy)
        second = S3.head_object(Bucket=BUCKET, Key=key("from"))["ETag"]
        copy["CopySourceIfMatch"] = second
        copied = S3.copy_object(Bucket=BUCKET, ChecksumAlgorithm="SHA256", **copy)["CopyObjectResult"]
        self.assertEqual(copied["ChecksumSHA256"], sha256_of(b"second"))
        self.assertEqual(S3.get_object(Bucket=BUCKET, Key=key("to"))["Body"].read(), b"second")

    def test_wrong_credentials_are_rejected(self):
        wrong_secret = client(aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"], aws_secret_access_key="wrong")
        self.assert_error("SignatureDoesNotMatch", wrong_secret.put_object, Key=key("wrong"), Body=b"")
        unknown_key = client(aws_access_key_id="AKIDUNKNOWN", aws_secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"])
        self.assert_error("InvalidAccessKeyId", unknown_key.put_object, Key=key("wrong"), Body=b"")


class Presigned(unittest.TestCase):
    """URLs presigned by boto3, used by a plain HTTP client."""

    def signed(self, name, length, content_type="text/plain"):
        parameters = {"Bucket": BUCKET, "Key": key(name), "ContentType": content_type, "ContentLength": length}
        return S3.generate_presigned_url("put_object", Params=parameters, ExpiresIn=60)

    def test_signed_request_is_accepted(self):
        self.assertEqual(put(self.signed("signed", 5), b"beans", {"content-type": "text/plain"}), 200)
        url = S3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": key("signed")})
        with urllib.request.urlopen(url, timeout=30) as response:
            self.assertEqual((response.read(), response.headers["content-type"]), (b"beans", "text/plain"))

    def test_changed_request_is_rejected(self):
        url = self.signed("rejected", 5)
        signed_headers = {"content-type": "text/plain"}
        for changed_url, body, headers in [
            (url, b"bean", signed_headers),
            (url, b"beans!", signed_headers),
            (url, b"beans", {"content-type": "text/html"}),
            (url, b"beans", {"content-type": "text/plain; charset=utf-8"}),
            (url.replace("rejected", "other"), b"beans", signed_headers),
            (url.replace("X-Amz-Expires=60", "X-Amz-Expires=61"), b"beans", signed_headers),
            (url + "&more=1", b"beans", signed_headers),
            (url[:-1] + ("0" if url[-1] != "0" else "1"), b"beans", signed_headers),
            (url, b"beans", signed_headers | {"x-amz-meta-a": "b"}),
        ]:
            with self.subTest(url=changed_url, body=body, headers=headers):
                self.assertEqual(put(changed_url, body, headers), 403)
        for name in ["rejected", "other"]:
            self.assertRaises(ClientError, S3.head_object, Bucket=BUCKET, Key=key(name))


if __name__ == "__main__":
    unittest.main()
