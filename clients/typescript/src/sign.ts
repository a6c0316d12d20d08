// Signs URLs and verifies webhooks, on servers and at the edge.
//
// - Bundlers of pages get the module `sign-browser` instead, and what is not bundled fails in the main thread of a
//   browser: everyone who opens a page can read its secrets.
// - The canonical form is that of the API reference. Every parameter of a URL is covered.
// - Signatures are compared by WebCrypto, in constant time.

import { DEFAULT_EXPIRES_IN_S, MAX_SIGNATURES, MS_PER_S, WEBHOOK_TOLERANCE_S } from "./bounds.js";
import type { WebhookPayload } from "./generated/types.gen.js";
import { addressOf, parametersOf, setAll, type Source, type Transformation } from "./url.js";

/** Path of signed uploads in the canonical form, whatever the base URL. */
const UPLOAD_PATH = "/api/v1/upload/signed";
const WEBHOOK_SECRET_PREFIX = /^whsec_/;
/** A signature of the header: 32 bytes in base64. */
const SIGNATURE = /v1,([A-Za-z0-9+/]{43}=)/g;

/** The signing secret of a space: `GET /spaces/{id}/signing-secret`. */
export interface Secret {
  secret: string;
  kid: number | string;
}

export interface Validity {
  /** Seconds until the URL expires. Default: 3,600. */
  expiresIn?: number;
  /** Time at which the URL expires, in seconds since 1970. Replaces `expiresIn`. */
  expiresAt?: number;
}

export interface UploadToSign {
  /** Id of an API key of the space, with which the URL ends. */
  keyId: number;
  /** Id of the user whose account key `keyId` is. */
  userId?: string;
  spaceId: string;
  uploadConfigId: string;
  /** Id of the folder of the file, or `root`. */
  folderId?: string;
  /** Name of the file. */
  filename?: string;
  /** MIME type of the file. */
  contentType?: string;
  /** Seconds until the URL expires. Default: 3,600. */
  expiresIn?: number;
}

/** Returns the signed URL of a file or of a transformed image. Parameters that the URL has are signed too. */
export async function sign(file: Source, s: Secret, t: Transformation & Validity = {}): Promise<string> {
  const { origin, pathname, searchParams } = new URL(addressOf(file));
  setAll(searchParams, { ...parametersOf(t), expires: expiry(t) });
  return signed(origin + pathname, pathname, s, searchParams);
}

/** Returns a URL that `uploadSigned` takes, until it expires or the key ends. */
export function signUpload(baseUrl: string, s: Secret, u: UploadToSign): Promise<string> {
  const query = new URLSearchParams();
  setAll(query, {
    key_id: u.keyId,
    user_id: u.userId,
    space_id: u.spaceId,
    upload_config_id: u.uploadConfigId,
    folder_id: u.folderId,
    filename: u.filename,
    content_type: u.contentType,
    expires: expiry(u),
  });
  return signed(`${baseUrl}/upload/signed`, UPLOAD_PATH, s, query);
}

/**
 * Returns the payload of a webhook, whose `body` is the text as it was received. Fails if no secret verifies
 * it, or if its time differs by more than five minutes from now.
 */
export async function verifyWebhook(
  body: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  secrets: string | string[],
): Promise<WebhookPayload> {
  requireServer();
  const given = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const [id, timestamp, signature] = ["id", "timestamp", "signature"].map(
    (name) => given.find(([key]) => key.toLowerCase() === `webhook-${name}`)?.[1],
  );
  const signatures = [...`${signature}`.matchAll(SIGNATURE)].slice(0, MAX_SIGNATURES);
  const content = encodeText(`${id}.${timestamp}.${body}`);

  const age = Math.abs(Date.now() / MS_PER_S - Number(timestamp));
  for (const secret of age <= WEBHOOK_TOLERANCE_S ? [secrets].flat().filter(Boolean) : []) {
    const key = await hmacKey(decodeBase64(secret.replace(WEBHOOK_SECRET_PREFIX, "")));
    for (const [, encoded = ""] of signatures) {
      if (await crypto.subtle.verify("HMAC", key, decodeBase64(encoded), content)) return JSON.parse(body);
    }
  }
  throw new Error("The webhook is not valid.");
}

/** Returns a URL with the canonical form of a query, and the signature of the path and of this form. */
async function signed(url: string, path: string, s: Secret, query: URLSearchParams): Promise<string> {
  requireServer();
  query.delete("signature");
  query.set("kid", `${s.kid}`);
  const canonical = canonicalForm(query);

  const key = await hmacKey(encodeText(s.secret));
  const digest = await crypto.subtle.sign("HMAC", key, encodeText(`${path}?${canonical}`));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return `${url}?${canonical}&signature=${hex.join("")}`;
}

function canonicalForm(query: URLSearchParams): string {
  // These three characters are encoded otherwise by RFC 3986.
  const encoded = `${query}`.replaceAll("+", "%20").replaceAll("*", "%2A").replaceAll("%7E", "~");
  // A space sorts before every character of an encoded name, so that names are compared before values.
  return encoded.replaceAll("=", " ").split("&").sort().join("&").replaceAll(" ", "=");
}

function expiry({ expiresIn = DEFAULT_EXPIRES_IN_S, expiresAt }: Validity): number {
  // Variables of the environment are texts.
  return expiresAt ?? Math.floor(Date.now() / MS_PER_S + Number(expiresIn));
}

function hmacKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

const encodeText = (text: string) => new TextEncoder().encode(text);

/** Returns the bytes of base64. Fails if it is malformed. */
const decodeBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

function requireServer(): void {
  if (globalThis.window?.document) {
    throw new Error("larder/sign runs on servers only.");
  }
}
