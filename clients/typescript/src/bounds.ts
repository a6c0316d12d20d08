// Bounds and statuses. They are in a module without imports, because bundlers inline the constants of such a
// module only.

/** Repetitions of a request, unless the options state another number. */
export const DEFAULT_RETRIES = 4;
/** Upper bound of the wait before the first repetition. It doubles with each further one. */
export const FIRST_BACKOFF_MS = 500;
export const MAX_BACKOFF_MS = 8_000;
/** Maximum `Retry-After` that is waited for: that of a limit per minute. A longer one is reported at once. */
export const MAX_RETRY_AFTER_S = 60;
/** Seconds to wait after a 429 of API Gateway, which has no `Retry-After`. */
export const GATEWAY_RETRY_AFTER_S = 1;

/** Maximum size of a form's file. The event of a function behind API Gateway holds little more. */
export const MAX_FORM_BYTES = 4 * 2 ** 20;
/** How often an upload starts again. */
export const MAX_RESTARTS = 1;
/** Random numbers of 32 bits in an `Idempotency-Key`. */
export const IDEMPOTENCY_KEY_WORDS = 4;

/** Uploads of a queue at a time. A browser opens six connections to a host over HTTP/1.1. */
export const DEFAULT_CONCURRENCY = 3;
/** Interval between notifications of a queue: a few frames of a screen. */
export const NOTIFY_INTERVAL_MS = 50;

/** Validity of a signed URL. */
export const DEFAULT_EXPIRES_IN_S = 3_600;
/** Maximum number of signatures of a webhook that are verified. Two sign during a rotation. */
export const MAX_SIGNATURES = 10;
/** Maximum difference between the time of a webhook and the clock. */
export const WEBHOOK_TOLERANCE_S = 300;

export const MS_PER_S = 1_000;

export const FIRST_ERROR = 400;
export const FORBIDDEN = 403;
export const NOT_FOUND = 404;
export const REQUEST_TIMEOUT = 408;
export const CONFLICT = 409;
export const TOO_MANY_REQUESTS = 429;
export const FIRST_SERVER_ERROR = 500;
