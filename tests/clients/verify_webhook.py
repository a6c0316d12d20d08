"""Verifies a webhook with the package of Standard Webhooks: verify_webhook.py FILE. The file contains the webhook's headers, its
body and the secrets. Every secret must verify it. A changed body must not be verified."""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

with open(sys.argv[1], encoding="utf-8") as file:
    received = json.load(file)
assert received["secrets"]

for secret in received["secrets"]:
    webhook = Webhook(secret)
    payload = webhook.verify(received["body"], received["headers"])
    assert payload["event"] == "file.uploaded", payload

    changed = received["body"].replace("file.uploaded", "file.deleted")
    try:
        webhook.verify(changed, received["headers"])
    except WebhookVerificationError:
        continue
    raise AssertionError("a changed body was verified")
