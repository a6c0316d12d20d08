// The page without a key: what a key is, and where the first one comes from.

import { useSignal } from "@preact/signals";
import { LarderError } from "larder";

import { BASE_URL, connectionLost, UNAUTHORIZED } from "../api.ts";
import { Form, TextField } from "../parts/form.tsx";
import { ended, isLocal, startSession } from "../session.ts";

/** What a header can have. A key that is copied with its surroundings may have more. */
const PRINTABLE = /^[!-~]*$/;
const OK = 200;

/** The page without a session. */
export function SignIn() {
  const secret = useSignal("");
  const signIn = async () => {
    const value = secret.value.trim();
    const status = PRINTABLE.test(value) ? await statusOf(value) : UNAUTHORIZED;
    if (status === UNAUTHORIZED) throw keyError("This key is not valid. It may have been revoked, or have expired.");
    if (status !== OK) throw new LarderError(`The service responded with status ${status}. Try again.`, status);
    startSession(value);
  };

  return (
    <main class="sign-in">
      <header>
        <img src="/logo.svg" alt="" width="48" height="48" />
        <h1>Larder</h1>
      </header>
      {ended.value && (
        <p class="problem" role="alert">
          {ended}
        </p>
      )}
      <Form onSubmit={signIn}>
        <TextField name="key" label="API key" type="password" value={secret} autofocus placeholder="sk_…" />
        <button class="primary">Sign in</button>
      </Form>
      <details>
        <summary>Where do I get a key?</summary>
        <p>
          An account key works in all of your spaces, a key of a space in that space only. A key has a role, which
          decides what you see here. It stays in this tab until you sign out or close it.
        </p>
        {isLocal ? (
          <p>
            This is a local stack: <code>cargo run</code> prints a link that signs you in, and{" "}
            <code>.larder/local.json</code> contains the key.
          </p>
        ) : (
          <p>
            The first account key comes from <code>scripts/bootstrap --stack NAME</code>, which the operator of this
            deployment runs. Owners of a space create more under API keys.
          </p>
        )}
      </details>
    </main>
  );
}

/** Returns the status of a request with a key, which is not that of the session yet. */
async function statusOf(value: string): Promise<number> {
  const headers = { authorization: `Bearer ${value}` };
  const response = await fetch(`${BASE_URL}/account`, { headers }).catch((cause: unknown) => {
    throw connectionLost(cause);
  });
  return response.status;
}

function keyError(text: string): LarderError {
  return new LarderError(text, UNAUTHORIZED, null, { key: [text] });
}
