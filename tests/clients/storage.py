"""boto3 against the local S3, as it is: an independent client whose signatures, checksums and parts are its own."""

import base64
import hashlib
import io
import os
import unittest
import urllib.error
import urllib.request

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

BUCKET = os.environ["BUCKET_NAME"]
PART_BYTES = 5 << 20


def client(**changes):
    config = Config(signature_version="s3v4", s3={"addressing_style": "path"}, retries={"total_max_attempts": 1})
    return boto3.client("s3", config=config, **changes)


S3 = client()


def key(name):
    return f"clients/{name}"


def sha256_of(body):
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


def put(url, body, headers):
    """Status of a plain PUT, by a client that knows nothing of S3."""
    request = urllib.request.Request(url, data=body, headers=headers, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            error.read()
            return error.code


class Objects(unittest.TestCase):
    def refused(self, code, call, **arguments):
        with self.assertRaises(ClientError) as raised:
            call(Bucket=BUCKET, **arguments)
        self.assertEqual(raised.exception.response["Error"]["Code"], code)

    def test_an_object_goes_in_and_comes_out(self):
        body = os.urandom(100_000)
        S3.put_object(Bucket=BUCKET, Key=key("é a+b"), Body=body, ContentType="image/png", Metadata={"a": "b"})
        answer = S3.get_object(Bucket=BUCKET, Key=key("é a+b"))
        self.assertEqual(answer["Body"].read(), body)
        self.assertEqual((answer["ContentType"], answer["Metadata"]), ("image/png", {"a": "b"}))
        ranged = S3.get_object(Bucket=BUCKET, Key=key("é a+b"), Range="bytes=10-19")
        self.assertEqual(ranged["Body"].read(), body[10:20])
        self.assertIn(key("é a+b"), [found["Key"] for found in S3.list_objects_v2(Bucket=BUCKET)["Contents"]])
        S3.delete_object(Bucket=BUCKET, Key=key("é a+b"))
        self.refused("NoSuchKey", S3.get_object, Key=key("é a+b"))

    def test_a_checksum_is_kept_and_a_wrong_one_refused(self):
        sha256 = sha256_of(b"beans")
        S3.put_object(Bucket=BUCKET, Key=key("sum"), Body=b"beans", ChecksumSHA256=sha256)
        head = S3.head_object(Bucket=BUCKET, Key=key("sum"), ChecksumMode="ENABLED")
        self.assertEqual(head["ChecksumSHA256"], sha256)
        self.refused("BadDigest", S3.put_object, Key=key("sum"), Body=b"honey", ChecksumSHA256=sha256)
        self.assertEqual(S3.get_object(Bucket=BUCKET, Key=key("sum"))["Body"].read(), b"beans")

    def test_parts_come_together(self):
        body = os.urandom(2 * PART_BYTES + 1)
        parts = TransferConfig(multipart_threshold=PART_BYTES, multipart_chunksize=PART_BYTES)
        S3.upload_fileobj(io.BytesIO(body), BUCKET, key("parts"), Config=parts)
        head = S3.head_object(Bucket=BUCKET, Key=key("parts"))
        self.assertTrue(head["ETag"].endswith('-3"'), head["ETag"])
        self.assertEqual(S3.get_object(Bucket=BUCKET, Key=key("parts"))["Body"].read(), body)

    def test_a_copy_is_made_of_what_was_seen_and_of_nothing_else(self):
        first = S3.put_object(Bucket=BUCKET, Key=key("from"), Body=b"first")["ETag"]
        S3.put_object(Bucket=BUCKET, Key=key("from"), Body=b"second")
        source = {"Bucket": BUCKET, "Key": key("from")}
        copy = {"Key": key("to"), "CopySource": source, "CopySourceIfMatch": first}
        self.refused("PreconditionFailed", S3.copy_object, **copy)
        second = S3.head_object(Bucket=BUCKET, Key=key("from"))["ETag"]
        copy["CopySourceIfMatch"] = second
        copied = S3.copy_object(Bucket=BUCKET, ChecksumAlgorithm="SHA256", **copy)["CopyObjectResult"]
        self.assertEqual(copied["ChecksumSHA256"], sha256_of(b"second"))
        self.assertEqual(S3.get_object(Bucket=BUCKET, Key=key("to"))["Body"].read(), b"second")

    def test_a_wrong_secret_is_refused(self):
        stranger = client(aws_access_key_id=os.environ["AWS_ACCESS_KEY_ID"], aws_secret_access_key="wrong")
        self.refused("SignatureDoesNotMatch", stranger.put_object, Key=key("wrong"), Body=b"")
        nobody = client(aws_access_key_id="AKIDNOBODY", aws_secret_access_key=os.environ["AWS_SECRET_ACCESS_KEY"])
        self.refused("InvalidAccessKeyId", nobody.put_object, Key=key("wrong"), Body=b"")


class Presigned(unittest.TestCase):
    """Addresses that boto3 signs, used by a client that knows nothing of S3."""

    def signed(self, name, length, kind="text/plain"):
        given = {"Bucket": BUCKET, "Key": key(name), "ContentType": kind, "ContentLength": length}
        return S3.generate_presigned_url("put_object", Params=given, ExpiresIn=60)

    def test_what_was_signed_is_taken(self):
        self.assertEqual(put(self.signed("signed", 5), b"beans", {"content-type": "text/plain"}), 200)
        url = S3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": key("signed")})
        with urllib.request.urlopen(url, timeout=30) as answer:
            self.assertEqual((answer.read(), answer.headers["content-type"]), (b"beans", "text/plain"))

    def test_what_was_not_signed_is_refused(self):
        url = self.signed("refused", 5)
        kind = {"content-type": "text/plain"}
        for address, body, headers in [
            (url, b"bean", kind),
            (url, b"beans!", kind),
            (url, b"beans", {"content-type": "text/html"}),
            (url, b"beans", {"content-type": "text/plain; charset=utf-8"}),
            (url.replace("refused", "other"), b"beans", kind),
            (url.replace("X-Amz-Expires=60", "X-Amz-Expires=61"), b"beans", kind),
            (url + "&more=1", b"beans", kind),
            (url[:-1] + ("0" if url[-1] != "0" else "1"), b"beans", kind),
            (url, b"beans", kind | {"x-amz-meta-a": "b"}),
        ]:
            with self.subTest(address=address, body=body, headers=headers):
                self.assertEqual(put(address, body, headers), 403)
        for name in ["refused", "other"]:
            self.assertRaises(ClientError, S3.head_object, Bucket=BUCKET, Key=key(name))


if __name__ == "__main__":
    unittest.main()
