// The one error of this package, and how it is read from a response.
//
// - Every failed request becomes a `LarderError`, also one whose response is not JSON, except an aborted one: it
//   rejects with the signal's reason.
// - A response may come from the API, from API Gateway, from storage or from a proxy, so no shape of its
//   body is assumed.
// - No error contains the URL or the headers of a request, not as its cause either: a presigned or signed URL is a
//   credential, as a key is.

import { GATEWAY_RETRY_AFTER_S, TOO_MANY_REQUESTS } from "./bounds.js";
import type { ErrorBody } from "./generated/types.gen.js";
import type { Reply } from "./transfer.js";

export class LarderError extends Error {
  constructor(
    message: string,
    /** Status of the response. 0 if there was none, because the connection was lost. */
    readonly status: number,
    cause?: unknown,
    /** Messages by field. Empty if no field is at fault. */
    readonly errors: Record<string, string[]> = {},
    /** Id of the request in the logs of the service. Empty if unknown. */
    readonly requestId = "",
    /** Seconds after which the request can be repeated. 0 if the response does not state it. */
    readonly retryAfter = 0,
  ) {
    super(message, { cause });
    this.name = "LarderError";
  }
}

/** Returns the error of a request that got no response. Node states the reason as a code, such as `ECONNREFUSED`. */
export function connectionLost(error?: { cause?: { code?: string } }): LarderError {
  return new LarderError("The connection was lost.", 0, error?.cause?.code);
}

/** Returns the error that a response with a status of 400 or more describes. */
export function errorOf(reply: Reply): LarderError {
  const { status, header } = reply;
  const { message, errors } = partsOf(reply);
  const seconds = header("retry-after") ?? (status === TOO_MANY_REQUESTS ? GATEWAY_RETRY_AFTER_S : 0);
  // A date, the other format of the header, is not a number.
  const summary = message ?? `Status ${status}`;
  return new LarderError(summary, status, null, errors ?? {}, header("x-request-id") ?? "", Number(seconds) || 0);
}

/** Returns the body of a successful response. */
export function bodyAs<T>({ status, text }: Reply): T {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LarderError("The response is not JSON.", status, cause);
  }
}

/** Returns the parts of an error body. Empty for the XML of storage or the page of a proxy. */
function partsOf(reply: Reply): Partial<ErrorBody> {
  try {
    return bodyAs<ErrorBody | null>(reply) ?? {};
  } catch {
    return {};
  }
}
