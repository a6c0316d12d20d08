// Verifies a webhook with the package of Standard Webhooks: verify-webhook.mjs FILE. The file contains the webhook's headers, its
// body and the secrets, each of which must verify it. A changed body must not be verified.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { headers, body, secrets } = JSON.parse(readFileSync(process.argv[2], "utf8"));
if (secrets.length === 0) throw new Error("there are no secrets");

for (const secret of secrets) {
    const webhook = new Webhook(secret);
    const payload = webhook.verify(body, headers);
    if (payload.event !== "file.uploaded") throw new Error(`verified ${JSON.stringify(payload)}`);

    let isVerified = true;
    try {
        webhook.verify(body.replace("file.uploaded", "file.deleted"), headers);
    } catch {
        isVerified = false;
    }
    if (isVerified) throw new Error("a changed body was verified");
}
