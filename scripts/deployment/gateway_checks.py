"""What API Gateway, CloudFront and function URLs do to requests and responses of small bodies."""

import json
import re
import secrets
from urllib.parse import quote

from deployment.checks import check
from deployment.stack import Miss, NotRun, expect

TEXT = b"A text that scripts/smoke uploads.\n"
# Bodies of forms that Lambda and API Gateway reject: their limits are 6 MB of an event in base64, and 10 MB ("Lambda quotas" in the
# AWS Lambda Developer Guide, "Quotas for configuring and running an HTTP API" in the API Gateway Developer Guide).
OVER_LAMBDA_BYTES = 7_000_000
OVER_GATEWAY_BYTES = 11_000_000


def upload_text(stack, space=None, name="smoke.txt"):
    """Uploads a small public file, and returns its record."""
    return stack.upload(space or stack.create_space(), name, TEXT, "text/plain").expect(201).json()["data"]


@check("canary", "aws", "local", "ministack")
def canary(stack):
    """A file is uploaded by a form, delivered, deleted, and gone at once."""
    file = upload_text(stack)
    expect("the delivered body", stack.request("GET", file["url"]).expect(200).body, TEXT)
    stack.call("DELETE", f"/files/{file['id']}").expect(204)
    stack.request("GET", file["url"]).expect(404)
    return f"{len(TEXT)} bytes at {file['url']}, 404 after the deletion"


@check("header-challenge", "aws", "local")
def header_challenge(stack):
    """`WWW-Authenticate` arrives as `x-amzn-remapped-www-authenticate`.

    "Amazon API Gateway important notes" in the API Gateway Developer Guide lists it for REST APIs only.
    """
    headers = stack.request("GET", f"{stack.api}/spaces").expect(401).headers
    expect("WWW-Authenticate", headers.get("www-authenticate"), None)
    expect("x-amzn-remapped-www-authenticate", headers.get("x-amzn-remapped-www-authenticate"), "Bearer")
    return "401 with x-amzn-remapped-www-authenticate: Bearer"


@check("head-api", "aws", "local")
def head_api(stack):
    """`HEAD` of the API has no body, and `Content-Length` as `x-amzn-remapped-content-length`."""
    path = f"/spaces/{stack.create_space()['id']}"
    length = str(len(stack.call("GET", path).expect(200).body))
    headers = stack.call("HEAD", path).expect(200).headers
    expect("x-amzn-remapped-content-length", headers.get("x-amzn-remapped-content-length"), length)
    return f"x-amzn-remapped-content-length: {length}"


@check("head-delivery", "aws", "local")
def head_delivery(stack):
    """`HEAD` of a file has the headers of `GET`, and `Content-Length` as `x-amzn-remapped-content-length`."""
    file = upload_text(stack)
    got = stack.request("GET", file["url"]).expect(200).headers
    headers = stack.request("HEAD", file["url"]).expect(200).headers
    expect("x-amzn-remapped-content-length", headers.get("x-amzn-remapped-content-length"), str(len(TEXT)))
    for name in ("etag", "content-type", "last-modified", "cache-control"):
        expect(name, headers.get(name), got[name])
    return f"x-amzn-remapped-content-length: {len(TEXT)}, etag: {headers['etag']}"


@check("preflight-204", "aws", "local")
def preflight_204(stack):
    """A preflight request gets 204 from the API and the CDN, and other sites may read the responses."""
    headers = {"Origin": "https://example.com", "Access-Control-Request-Method": "GET"}
    for url in (f"{stack.api}/spaces", f"{stack.cdn}/abc123/absent.jpg"):
        response = stack.request("OPTIONS", url, headers).expect(204)
        expect(f"Access-Control-Allow-Origin of {url}", response.headers.get("access-control-allow-origin"), "*")
    return "204 from both"


@check("delivery-key", "aws", "local", "ministack")
def delivery_key(stack):
    """A protected file is delivered to an API key in `Authorization`, which origin access control replaces.

    "Restrict access to an AWS Lambda function URL origin" in the CloudFront Developer Guide. The viewer function moves the key.
    """
    file = upload_text(stack)
    stack.data("PUT", f"/files/{file['id']}", {"type": "authenticated"})
    stack.request("GET", file["url"]).expect(403)
    key = {"Authorization": f"Bearer {stack.key}"}
    expect("the delivered body", stack.request("GET", file["url"], key).expect(200).body, TEXT)
    return "403 without a key, 200 with it"


@check("revalidation", "aws", "local", "ministack")
def revalidation(stack):
    """`If-None-Match` with the `ETag` of a file gets 304 without a body."""
    file = upload_text(stack)
    etag = stack.request("GET", file["url"]).expect(200).headers["etag"]
    expect("the body", stack.request("GET", file["url"], {"If-None-Match": etag}).expect(304).body, b"")
    return f"304 for {etag}"


@check("odd-queries", "aws", "local")
def odd_queries(stack):
    """Every byte of a query reaches delivery: spaces, `+`, Unicode, delimiters, repeated and empty parameters.

    CloudFront signs the query that it forwards to the function URL, and Larder's signature covers each parameter, so a 200 verifies that
    both saw the same query ("Restrict access to an AWS Lambda function URL origin" in the CloudFront Developer Guide).
    """
    space = stack.create_space()
    file = upload_text(stack, space)
    stack.data("PUT", f"/files/{file['id']}", {"type": "authenticated"})
    texts = ["a b", "a+b", "ä€😀", "/?#&=%;:@", "~!*'()[]", "%2F%20", ""]
    queries = [[("v", text)] for text in texts] + [[("v", "1"), ("v", "2")], [("ü n", "x")]]
    for pairs in queries:
        url = stack.signed(space, file["url"], pairs)
        expect(f"the status of {pairs}", stack.request("GET", url).status, 200)
    # Characters that need no encoding in a query.
    plain = stack.signed(space, file["url"], [("v", "a+b!*'()")]).replace("a%2Bb%21%2A%27%28%29", "a+b!*'()")
    expect("the status of characters that are not encoded", stack.request("GET", plain).status, 200)
    tampered = stack.signed(space, file["url"], [("v", "a b")]).replace("a%20b", "a+b")
    stack.request("GET", tampered).expect(403)
    return f"200 for {len(queries) + 1} signed queries, 403 for `+` in place of a space"


@check("odd-paths", "aws", "local", "ministack")
def odd_paths(stack):
    """Percent-encoded characters, spaces, `+` and Unicode in a path reach delivery, which responds itself."""
    file = upload_text(stack)
    base, name = file["url"].rsplit("/", 1)
    encoded = f"{base}/%{ord(name[0]):02X}{name[1:]}".replace("-", "%2D")
    expect(f"the body of {encoded}", stack.request("GET", encoded).expect(200).body, TEXT)
    absent = [quote(text, safe="+;=,~()!*'&") for text in ("a b", "a+b", "ä€😀", "a;b=c,d", "~(a)!*'", "a?b", "a%b", "a&b=c")]
    for path in [*absent, "a%2Bb", ""]:
        response = stack.request("GET", f"{base}/{path}")
        expect(f"the response to {path!r}", (response.status, response.body[:40]), (404, b'{"message":"Not found.","errors":{}}'))
    response = stack.request("GET", f"{base}/a%2Fb").expect(400)
    expect("the field errors", response.json()["errors"], {})
    return f"200 for {encoded}, 404 for {len(absent) + 2} names, 400 for an encoded slash"


@check("api-queries", "aws", "local", "ministack")
def api_queries(stack):
    """Spaces, `+`, `&` and Unicode in a query of the API arrive unchanged, also `+` as a space."""
    space = stack.create_space()
    name = f"ä & b+c {secrets.token_hex(4)}.txt"
    file = upload_text(stack, space, name)
    for search in (quote(name, safe=""), quote(name, safe="").replace("%20", "+")):
        found = stack.data("GET", f"/files?space_id={space['id']}&search={search}")
        expect(f"the files of search={search}", [each["id"] for each in found], [file["id"]])
    return f"found by {name!r}"


@check("form-413", "aws", "local")
def form_413(stack):
    """A form above the limit of Lambda, and one above that of API Gateway, get 413 in the words of the platform."""
    space = stack.create_space()
    words = []
    for size in (OVER_LAMBDA_BYTES, OVER_GATEWAY_BYTES):
        response = stack.upload(space, "large.bin", bytes(size), "application/octet-stream").expect(413, 201)
        if response.status == 201 and stack.target == "local":
            raise NotRun("this stack has no limit of Lambda: start it with scripts/emulate")
        response.expect(413)
        words.append(json.loads(response.body)["message"])
        if not re.match(r"Request .*(Too Long|Too Large)", words[-1]):
            raise Miss(f"413 with other words: {words[-1]!r}")
    return " / ".join(words)


@check("ranges", "aws", "local", "ministack")
def ranges(stack):
    """Ranges of a file get 206 with their bytes, and one outside the file 416."""
    url = upload_text(stack)["url"]
    size = len(TEXT)
    for value, start, end in (("0-4", 0, 5), (f"{size - 3}-", size - 3, size), ("-3", size - 3, size), ("2-2", 2, 3)):
        response = stack.request("GET", url, {"Range": f"bytes={value}"}).expect(206)
        expect(f"the body of {value}", response.body, TEXT[start:end])
        expect(f"Content-Range of {value}", response.headers["content-range"], f"bytes {start}-{end - 1}/{size}")
    stack.request("GET", url, {"Range": f"bytes={size}-"}).expect(416)
    return "206 for four ranges, 416 beyond the end"
