#!/usr/bin/env python3
"""Signs addresses for `POST /upload/signed`, with the standard library alone.

    sign.py BASE_URL SECRET KID SPACE_ID UPLOAD_CONFIG_ID EXPIRES [filename=NAME] [content_type=TYPE]
    sign.py --check vectors.json

BASE_URL ends with /api/v1, EXPIRES is in unix seconds. What is signed is the path and all parameters but the
signature, each name and value encoded by RFC 3986, sorted by name and then by value.
"""

import hashlib
import hmac
import json
import sys
from urllib.parse import quote

PATH = "/api/v1/upload/signed"


def canonical(parameters):
    pairs = sorted((quote(name, safe=""), quote(value, safe="")) for name, value in parameters)
    return f"{PATH}?" + "&".join(f"{name}={value}" for name, value in pairs)


def signature(secret, text):
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def signed_url(base_url, secret, parameters):
    text = canonical(parameters)
    return f"{base_url.removesuffix('/api/v1')}{text}&signature={signature(secret, text)}"


def check(path):
    with open(path, encoding="utf-8") as file:
        vectors = json.load(file)
    for vector in vectors["vectors"]:
        text = canonical(vector["parameters"])
        assert text == vector["canonical"], (text, vector)
        assert signature(vectors["secret"], text) == vector["signature"], vector
    print(f"{len(vectors['vectors'])} vectors agree")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"]:
        check(sys.argv[2])
    else:
        base_url, secret, kid, space_id, upload_config_id, expires, *named = sys.argv[1:]
        given = [("kid", kid), ("space_id", space_id), ("upload_config_id", upload_config_id), ("expires", expires)]
        print(signed_url(base_url, secret, given + [pair.split("=", 1) for pair in named]))
