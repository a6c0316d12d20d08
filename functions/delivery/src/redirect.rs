//! Redirects to storage, for bodies that are larger than a response of this function.
//!
//! Invariants:
//! - The address is signed from the start of a window, so all redirects of a file within one
//!   window, signed with the same credentials, have the same `Location`: caches find what they have
//!   stored under it.
//! - The address of a file that requires proof is valid for two minutes at most, so that a
//!   revocation takes effect.
//! - No address is valid for longer than the signed URL that it was requested with.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use domain::{ServiceError, Timestamp};
use http::{StatusCode, header};
use tenant::{AuthorizedFile, Grant, ResponseHeaders};

use crate::{Delivery, answer::Original};

/// Length of the windows, and lifetime of an address from the start of its window, for a file that
/// is open to everyone.
const OPEN: Limits = Limits {
    window_seconds: 30 * 60,
    lifetime_seconds: 60 * 60,
};
/// The same for a file that requires proof.
const PROTECTED: Limits = Limits {
    window_seconds: 60,
    lifetime_seconds: 2 * 60,
};

/// Bounds of an address, in seconds.
struct Limits {
    window_seconds: i64,
    lifetime_seconds: i64,
}

/// Time in which an address at storage is valid. S3 compares `X-Amz-Date` plus `X-Amz-Expires` with
/// the time of the request (S3 User Guide, "Download and upload objects with presigned URLs",
/// expiration time), so the start may be in the past.
#[derive(Debug, PartialEq, Eq)]
struct Validity {
    start: Timestamp,
    end: Timestamp,
}

impl Validity {
    /// Returns the validity of an address that is created now; `expires_seconds` is the end of the
    /// signed URL of the request.
    fn of(grant: Grant, expires_seconds: Option<i64>, now: Timestamp) -> Validity {
        let limits = if grant == Grant::Public {
            OPEN
        } else {
            PROTECTED
        };
        let start_seconds = now.seconds() - now.seconds().rem_euclid(limits.window_seconds);
        let end_seconds = start_seconds.saturating_add(limits.lifetime_seconds);

        Validity {
            start: Timestamp::from_seconds(start_seconds),
            end: Timestamp::from_seconds(
                expires_seconds.map_or(end_seconds, |expires| end_seconds.min(expires)),
            ),
        }
    }

    fn lifetime(&self) -> Duration {
        Duration::from_millis((self.end.ms() - self.start.ms()).unsigned_abs())
    }
}

/// Redirects the client to an address of the original at storage.
pub(crate) async fn redirect(
    delivery: &Delivery,
    found: &AuthorizedFile,
    original: &Original<'_>,
    now: Timestamp,
) -> Result<Response, ServiceError> {
    let validity = Validity::of(found.grant(), found.expires_seconds(), now);
    let headers = ResponseHeaders {
        content_type: original.content_type(),
        content_disposition: original.content_disposition_at_storage(),
        // Storage may answer as late as the address is valid, and the header is part of the
        // address.
        cache_control: original.cache_control_at(validity.end),
    };

    let address = found
        .presign(
            &delivery.originals,
            headers,
            validity.start,
            validity.lifetime(),
        )
        .await?;
    let headers = [
        (header::LOCATION, address),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((StatusCode::TEMPORARY_REDIRECT, headers).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A multiple of both windows, in seconds since 1970.
    const WINDOW_START: i64 = 1_767_322_800;

    #[test]
    fn address_is_valid_from_start_of_window_until_lifetime_or_expires() {
        for (grant, expires_after, now_after_ms, start_after, end_after) in [
            (Grant::Public, None, 0, 0, 3_600),
            (Grant::Public, None, 1_799_999, 0, 3_600),
            (Grant::Public, None, 1_800_000, 1_800, 5_400),
            (Grant::Public, Some(3_599), 60_000, 0, 3_599),
            (
                Grant::Public,
                Some(i64::MAX - WINDOW_START),
                60_000,
                0,
                3_600,
            ),
            (Grant::ApiKey, None, 0, 0, 120),
            (Grant::ApiKey, None, 59_999, 0, 120),
            (Grant::ApiKey, None, 60_000, 60, 180),
            (Grant::Signature, Some(120), 59_999, 0, 120),
            (Grant::Signature, Some(119), 59_999, 0, 119),
            (Grant::Signature, Some(60), 59_999, 0, 60),
            (Grant::Signature, Some(61), 60_000, 60, 61),
        ] {
            let at = |seconds: i64| Timestamp::from_seconds(WINDOW_START + seconds);
            let now = at(0).plus_ms(now_after_ms);
            let validity = Validity::of(
                grant,
                expires_after.map(|seconds| WINDOW_START + seconds),
                now,
            );
            let expected = Validity {
                start: at(start_after),
                end: at(end_after),
            };
            assert_eq!(
                validity, expected,
                "{grant:?}, expires after {expires_after:?} s, now after {now_after_ms} ms"
            );
        }
    }

    #[test]
    fn lifetime_is_the_time_from_start_to_end() {
        let validity = Validity::of(
            Grant::Signature,
            Some(WINDOW_START + 61),
            Timestamp::from_seconds(WINDOW_START + 60),
        );
        assert_eq!(validity.lifetime(), Duration::from_secs(1));
    }
}
