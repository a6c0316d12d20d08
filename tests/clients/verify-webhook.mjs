// Verifies a webhook with the package of Standard Webhooks, and with the TypeScript client: verify-webhook.mjs FILE. The file contains
// the webhook's headers, its body and the secrets, each of which must verify it. A changed body must not be verified.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

import { verifyWebhook } from "../../clients/typescript/dist/sign.js";

const { headers, body, secrets } = JSON.parse(readFileSync(process.argv[2], "utf8"));
if (secrets.length === 0) throw new Error("there are no secrets");

const verifiers = [
    async (text, secret) => new Webhook(secret).verify(text, headers),
    (text, secret) => verifyWebhook(text, headers, secret),
];
for (const secret of secrets) {
    for (const verify of verifiers) {
        const payload = await verify(body, secret);
        if (payload.event !== "file.uploaded") throw new Error(`verified ${JSON.stringify(payload)}`);

        const changed = body.replace("file.uploaded", "file.deleted");
        const isVerified = await verify(changed, secret).then(() => true, () => false);
        if (isVerified) throw new Error("a changed body was verified");
    }
}
