#!/usr/bin/env python3
"""Signs URLs for `POST /upload/signed` and for delivery, with the standard library alone.

    sign.py BASE_URL SECRET KID KEY_ID SPACE_ID UPLOAD_CONFIG_ID EXPIRES [filename=NAME] [content_type=TYPE]
    sign.py --delivery FILE_URL SECRET KID EXPIRES [w=400] [download=] …
    sign.py --check vectors.json

BASE_URL ends with /api/v1, KEY_ID is the id of an API key of the space, FILE_URL is a file's `url`, EXPIRES is in unix seconds. The signature covers the path and all
parameters but the signature, each name and value encoded by RFC 3986, sorted by name and then by value.
"""

import hashlib
import hmac
import json
import sys
from urllib.parse import quote, urlsplit

UPLOAD_PATH = "/api/v1/upload/signed"


def canonical(path, parameters):
    pairs = sorted((quote(name, safe=""), quote(value, safe="")) for name, value in parameters)
    return f"{path}?" + "&".join(f"{name}={value}" for name, value in pairs)


def signature(secret, text):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def signed_url(origin, path, secret, parameters):
    text = canonical(path, parameters)
    return f"{origin}{text}&signature={signature(secret, text)}"


def named(pairs):
    return [tuple(pair.split("=", 1)) for pair in pairs]


def upload(base_url, secret, kid, key_id, space_id, upload_config_id, expires, *more):
    given = [("kid", kid), ("key_id", key_id), ("space_id", space_id), ("upload_config_id", upload_config_id), ("expires", expires)]
    return signed_url(base_url.removesuffix("/api/v1"), UPLOAD_PATH, secret, given + named(more))


def delivery(file_url, secret, kid, expires, *more):
    url = urlsplit(file_url)
    return signed_url(f"{url.scheme}://{url.netloc}", url.path, secret, [("kid", kid), ("expires", expires)] + named(more))


def check(path):
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    uploads = [(UPLOAD_PATH, vector) for vector in vectors["vectors"]]
    deliveries = [(vector["path"], vector) for vector in vectors["delivery"]]
    for signed_path, vector in uploads + deliveries:
        text = canonical(signed_path, vector["parameters"])
        assert text == vector["canonical"], (text, vector)
        assert signature(vectors["secret"], text) == vector["signature"], vector
    return f"{len(uploads)} vectors of uploads and {len(deliveries)} of deliveries agree"


if __name__ == "__main__":
    does, arguments = {"--check": check, "--delivery": delivery}.get(sys.argv[1]), sys.argv[2:]
    print(does(*arguments) if does else upload(*sys.argv[1:]))
