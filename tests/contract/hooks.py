"""Fills the ids of existing records into the requests of schemathesis, and names the errors that no schema can foresee.

`tests/tests/routes/contract.rs` creates the records and names them in LARDER_CONTRACT_RECORDS. When the run ends, the statuses of
each operation's responses are written to the file LARDER_CONTRACT_STATUSES.
"""

import atexit
import collections
import itertools
import json
import os
import re
import threading
import urllib.parse
import zlib

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.meta import TestPhase
from schemathesis.openapi.checks import RejectedPositiveData

RECORDS = json.loads(os.environ["LARDER_CONTRACT_RECORDS"])
# Ids of records that the run needs until its end, such as its API key: only uploads use them.
KEPT = {str(kept) for kept in RECORDS["kept"]}
# Ids of records that requests may change and not delete.
UNDELETED = {RECORDS[kind] for kind in ("space", "folder", "file", "config")}
UPLOADS = RECORDS["uploads"]

# Operations that delete or restore what their last id names, and which of the spare records they get.
DELETIONS = {
    "deleteSpace": "spaces",
    "deleteFolder": "folders",
    "deleteFile": "files",
    "deleteFileById": "named_files",
    "restoreFile": "trashed_files",
    "deleteUploadConfig": "configs",
    "revokeSpaceKey": "space_keys",
    "revokeAccountKey": "account_keys",
}
# Placeholders of spare records. Only requests that are sent take one: far more are generated.
SPARE_ID = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"
SPARE_KEY = 2**41
# Operations that upload into a separate space.
UPLOADING = {
    "uploadFiles",
    "uploadSigned",
    "uploadUnsigned",
    "presignUpload",
    "presignSignedUpload",
    "presignUnsignedUpload",
    "generateSignedUploadUrl",
}
# The query of a signed URL.
SIGNED_QUERY = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(UPLOADS["url"]).query))

# Records by the names of parameters and fields, and what `id` is by the first part of the path.
BY_NAME = {
    "space_id": "space",
    "default_space_id": "space",
    "folder_id": "folder",
    "parent_id": "folder",
    "upload_config_id": "config",
    "active_upload_config_id": "config",
    "fileId": "file",
    "file_id": "file",
    "deliveryId": "webhook_message",
    "ref": "reference",
}
ID_BY_PATH = {"spaces": "space", "folders": "folder", "files": "file", "upload-configs": "config"}

# Operations that take an id in the query or in the body, and the same one if in both.
IN_EITHER = {"deleteFileById", "updateFileById", "deleteUploadConfig"}

lock = threading.Lock()
numbers = itertools.count()
statuses = collections.defaultdict(collections.Counter)


def operation_id(operation):
    return operation.definition.raw["operationId"]


def record_for(operation, name):
    """Returns the record that a parameter or field should name, `None` if there is none."""
    called = operation_id(operation)
    if called in UPLOADING:
        return UPLOADS.get(name)
    if called in DELETIONS and name in (["keyId"] if "keyId" in operation.path else ["id", "upload_config_id"]):
        return SPARE_KEY if name == "keyId" else SPARE_ID
    kind = ID_BY_PATH.get(operation.path.split("/")[1]) if name == "id" else BY_NAME.get(name)
    return RECORDS.get(kind)


def lead(operation, values, is_led):
    """Replaces ids by those of records if `is_led`, and always those of records that are kept."""
    for name, value in list(values.items()):
        is_id = name in ("id", "keyId") or name in BY_NAME or (operation_id(operation) in UPLOADING and name in UPLOADS)
        is_kept = str(value) in KEPT or (operation_id(operation) in DELETIONS and str(value) in UNDELETED)
        if is_id and value and (is_kept or is_led):
            record = record_for(operation, name)
            if record is not None:
                values[name] = record
            elif is_kept:
                values[name] = 2**40 if name == "keyId" else "0" * 26


@schemathesis.hook
def map_case(context, case):
    called = operation_id(context.operation)
    parts = {
        ParameterLocation.PATH: case.path_parameters,
        ParameterLocation.QUERY: case.query,
        ParameterLocation.BODY: case.body,
    }
    # Sequences follow links to what they have created. Of other requests, three of four find their record, and all valid ones of
    # the deletions that few requests are valid for.
    is_rare = called in IN_EITHER and called in DELETIONS and not case.meta.generation.mode.is_negative
    is_chosen = is_rare or zlib.crc32(repr(parts).encode()) % 4 != 0
    is_led = case.meta.phase.name != TestPhase.STATEFUL and is_chosen
    has_valid_fields = isinstance(case.body, dict) and not case.meta.is_negative_at(ParameterLocation.BODY)
    # Two names of one id.
    if is_led and has_valid_fields and case.body.get("id"):
        case.body.pop("upload_config_id", None)
    # The id in the query is enough, and each id takes a spare record.
    if is_led and has_valid_fields and called in IN_EITHER and called in DELETIONS:
        case.body.pop("id", None)
        case.body.pop("upload_config_id", None)
    for location, values in parts.items():
        if isinstance(values, dict) and not case.meta.is_negative_at(location):
            lead(context.operation, values, is_led)
    if is_led and not case.meta.is_negative_at(ParameterLocation.QUERY):
        # No list has returned it.
        case.query.pop("cursor", None)
    if called in IN_EITHER and is_led and not case.meta.generation.mode.is_negative:
        case.query["id"] = case.query.get("id") or record_for(context.operation, "id")
        if isinstance(case.body, dict) and "id" in case.body:
            case.body["id"] = case.query["id"]

    # A query with any other parameter has another signature.
    if "/upload/signed" in case.path and not case.meta.is_negative_at(ParameterLocation.QUERY):
        case.query = dict(SIGNED_QUERY)
    if "/upload/unsigned" in case.path:
        case.headers["Referer"] = UPLOADS["referrer"]
    if called == "updateSpace" and has_valid_fields:
        # A disabled space rejects everything.
        if case.body.get("enabled") is False:
            case.body["enabled"] = True
        if is_led:
            # Other spaces have the generated names.
            case.body["name"] = f"{case.body['name'][:200]} {next(numbers)}"
            case.body.pop("folder_mode", None)
            case.body.pop("custom_domain", None)
            if isinstance(case.body.get("security"), dict):
                # Its image would have to exist.
                case.body["security"].pop("watermark", None)
            if not is_https_url(case.body.get("webhook_url")):
                case.body.pop("webhook_url", None)
    return case


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces all placeholders of a request by one spare record, while there is one."""
    parts = [values for values in (case.path_parameters, case.query, case.body) if isinstance(values, dict)]
    named = [(values, name) for values in parts for name, value in values.items() if value in (SPARE_ID, SPARE_KEY)]
    with lock:
        spares = RECORDS["spares"][DELETIONS[operation_id(case.operation)]] if named else []
        spare = spares.pop() if spares else None
    for values, name in named:
        values[name] = values[name] if spare is None else spare


# Errors of values that fit their schema, since no schema can say what is wrong with them.
BEYOND_SCHEMAS = [
    # An id of no visible record, or a cursor of another list.
    r"The selected (cursor|id|space|upload config|replaces|file ids\.\d+|.+ id) is invalid\.",
    # Names are unique.
    r"The name has already been taken\.",
    # Formats have names that no pattern lists.
    r"The config\.validation\.allowed formats\.\d+ field must be the extension or MIME type of a known format, such as jpg\.",
    # Keys expire in the future, and the format date-time has years before 1970.
    r"The (expires at|created from|created to) field must be (a date after now|a valid date)\.",
    # A deletion changes nothing else, and an id in two cases is the same.
    r"The .+ field must be absent unless operation is (update|delete)\.",
    r"The ids\.\d+ field must appear only once\.",
    # A range ends after it begins, and a search has its own order.
    r"The created to field must be a date after or equal to created from\.",
    r"The order field must be absent when search is present\.",
    # A space keeps the mode that it was created with.
    r"The folder mode field must not be changed\.",
    # The id of a file is in the query or in the body.
    r"The id field must be the same in the path, the query and the body\.",
    # The id of an upload config has two names in a body.
    r"The upload config id field must be the same as id\.",
    # What replaces the bytes of a file keeps the rest of it.
    r"The .+ field must be missing when replaces is present\.",
    # A signed URL names its space and upload config.
    r"The (space|upload config) id field must be the one that the URL is signed for\.",
    # Host names may be internationalized, which no pattern covers.
    r"The custom domain field must be a public host name, such as assets\.example\.com\.",
    r"The custom domain field must be a domain of the CDN; .*",
    r"The unsigned restrictions\.allowed referrers\.\d+ field must be a host name, \*\. and a host name, or an IP address\.",
    # An upload config and an upload route each have limits.
    r"The size field must not be greater than \d+ bytes\.",
    # Requests are generated independently: this one has the key of an earlier one.
    r"The idempotency key field was already used for a request with another payload\.",
    # A folder cannot be moved into itself.
    r"The parent id field must not be the folder itself or one of its subfolders\.",
    # `file` counts as one of `files`, and a file has at least one byte.
    r"The files field must not have more than 10 items\.",
    r"The (file|files\.\d+) field must not be empty\.",
    # The largest image is not smaller than the smallest.
    r"The config\.validation\.max image (width|height) field must be at least \d+\.",
    # No pattern decides whether a host is public.
    r"The .+ field must be (a public address|the URL of a public host)\.",
    # The image of a watermark is fetched.
    r"The security\.watermark\.url field cannot be fetched\. .+",
    r"The security\.watermark\.url field must be the URL of a PNG, JPEG, WebP or GIF that can be decoded\.",
    # One field needs another one, of the request or of the record that it changes.
    r"The .+ field (is required|must be false) when .+ is (present|true)\.",
]
BEYOND_SCHEMAS = re.compile("|".join(BEYOND_SCHEMAS))


def value_at(body, field):
    """Returns the value of a field such as `items.0.url`, `None` if the body has no such field."""
    for part in field.split("."):
        try:
            body = body[int(part)] if isinstance(body, list) else body[part]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return body


def is_blank(value):
    """Whether a value is a text of white space alone. It counts as empty, regardless of its schema's pattern."""
    return isinstance(value, str) and value.strip() == ""


def is_https_url(value):
    """Whether a value is an https URL without credentials. The format `uri` has all schemes, and credentials."""
    try:
        url = urllib.parse.urlsplit(value)
        return url.scheme == "https" and bool(url.hostname) and url.username is None
    except (AttributeError, ValueError):
        return False


def is_beyond_schemas(field, message, value):
    """Whether no schema can foresee an error of a field."""
    if message == f"The {field} field must be a valid URL.".replace("_", " "):
        return not is_https_url(value)
    return is_blank(value) or BEYOND_SCHEMAS.fullmatch(message) is not None


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops the failure that a valid request was rejected, if no schema can foresee any of the reasons."""
    if isinstance(failure, AcceptedNegativeData) and operation_id(case.operation) == "confirmUpload":
        # The body has a token in place of a key. With a key it is not read.
        return "Authorization" not in response.request.headers
    if isinstance(failure, AcceptedNegativeData) and case.meta.phase.data.description == "Positive test case":
        # The request was generated as a valid one, and schemathesis counts every body with bytes that a hook changes as invalid.
        return False
    if response.status_code == 405 and "%3F" in response.request.url.split("?")[0]:
        # The gateway decodes paths, so that a question mark in an id ends the path.
        return False
    if not isinstance(failure, RejectedPositiveData):
        return True
    if response.status_code == 400 and response.request.headers["Content-Type"].startswith("multipart/form-data"):
        # A generated name may have control characters, which a part header cannot have.
        return not re.fullmatch(r"Part \d+ of the form has no name\.", json.loads(response.content)["message"])
    if response.status_code != 422:
        return True
    errors = json.loads(response.content)["errors"]
    has_either_id = operation_id(case.operation) in IN_EITHER
    return not all(
        (field == "id" and has_either_id) or is_beyond_schemas(field, message, value_at(case.body, field))
        for field, messages in errors.items()
        for message in messages
    )


@schemathesis.hook
def after_call(context, case, response):
    with lock:
        statuses[operation_id(case.operation)][response.status_code] += 1


@atexit.register
def write_statuses():
    with open(os.environ["LARDER_CONTRACT_STATUSES"], "w", encoding="utf-8") as file:
        json.dump(statuses, file)
