//! Redirects to storage, for files that are larger than a response of this function may be.
//!
//! Invariants:
//! - A presigned URL starts at the beginning of a time window, so all redirects of a file within a
//!   window, signed with the same credentials, have the same `Location`, and caches can reuse the
//!   response.
//! - The URL of a file that requires authentication is valid for two minutes at most, so that
//!   revoked access ends.
//! - No URL is valid for longer than the signed URL of the request.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use domain::{ServiceError, Timestamp, Variant};
use http::{StatusCode, header};
use tenant::{AccessGrant, AuthorizedFile, PresignedRead, ResponseHeaders, VariantInfo};

use crate::{Delivery, deliver::Transfer, file_response::FileResponse};

/// Timing of presigned URLs of public files.
const PUBLIC: UrlTiming = UrlTiming {
    window_seconds: 30 * 60,
    lifetime_seconds: 60 * 60,
};
/// Timing of presigned URLs of files that require authentication.
const RESTRICTED: UrlTiming = UrlTiming {
    window_seconds: 60,
    lifetime_seconds: 2 * 60,
};

/// Window and lifetime of presigned URLs, in seconds.
struct UrlTiming {
    window_seconds: i64,
    /// From the start of the window.
    lifetime_seconds: i64,
}

/// Time in which a presigned URL is valid. S3 compares `X-Amz-Date` plus `X-Amz-Expires` with the
/// time of the request (S3 User Guide, "Download and upload objects with presigned URLs", expiration
/// time), so the start may be in the past.
#[derive(Debug, PartialEq, Eq)]
struct UrlValidity {
    start: Timestamp,
    end: Timestamp,
}

impl UrlValidity {
    /// Returns the validity of a URL that is created now. `expires_seconds` is when the signed URL
    /// of the request expires.
    fn of(grant: AccessGrant, expires_seconds: Option<i64>, now: Timestamp) -> UrlValidity {
        let timing = if grant == AccessGrant::Public {
            PUBLIC
        } else {
            RESTRICTED
        };
        let start_seconds = now.seconds() - now.seconds().rem_euclid(timing.window_seconds);
        let max_end_seconds = start_seconds.saturating_add(timing.lifetime_seconds);
        let end_seconds = expires_seconds.map_or(max_end_seconds, |expires_seconds| {
            expires_seconds.min(max_end_seconds)
        });

        UrlValidity {
            start: Timestamp::from_seconds(start_seconds),
            end: Timestamp::from_seconds(end_seconds),
        }
    }

    fn lifetime(&self) -> Duration {
        Duration::from_millis((self.end.ms() - self.start.ms()).unsigned_abs())
    }
}

/// Returns a redirect to a presigned URL of the file's object.
pub(crate) async fn redirect(
    delivery: &Delivery,
    file: &AuthorizedFile,
    response: &FileResponse<'_>,
    now: Timestamp,
) -> Result<Response, ServiceError> {
    let validity = UrlValidity::of(file.grant(), file.expires_seconds(), now);
    let object_headers = ResponseHeaders {
        content_type: response.content_type(),
        content_disposition: response.content_disposition_at_storage(),
        // The header is part of the URL, which clients may use until it expires.
        cache_control: response.cache_control_at(validity.end),
    };

    let url = file
        .presign(
            &delivery.originals,
            object_headers,
            validity.start,
            validity.lifetime(),
        )
        .await?;
    let headers = [
        (header::LOCATION, url),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((StatusCode::TEMPORARY_REDIRECT, headers).into_response())
}

/// Returns a redirect to a presigned URL of a variant's object.
pub(crate) async fn redirect_to_variant(
    transfer: &Transfer<'_>,
    variant: &Variant,
    info: &VariantInfo,
) -> Result<Response, ServiceError> {
    let file = transfer.file;
    let response = transfer.response;
    let validity = UrlValidity::of(file.grant(), file.expires_seconds(), transfer.now);
    let url = PresignedRead {
        headers: ResponseHeaders {
            content_type: info.content_type.clone(),
            content_disposition: response.variant_disposition(info),
            cache_control: response.cache_control_at(validity.end),
        },
        start: validity.start,
        lifetime: validity.lifetime(),
    };

    let url = file
        .presign_variant(&transfer.delivery.originals, &variant.id(), url)
        .await?;
    let headers = [
        (header::LOCATION, url),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    Ok((StatusCode::TEMPORARY_REDIRECT, headers).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start of a window of both kinds, in seconds since 1970.
    const WINDOW_START: i64 = 1_767_322_800;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(WINDOW_START + seconds)
    }

    #[test]
    fn url_is_valid_from_start_of_window_until_lifetime_or_expiry() {
        for (grant, expires_after, now_after_ms, start_after, end_after) in [
            (AccessGrant::Public, None, 0, 0, 3_600),
            (AccessGrant::Public, None, 1_799_999, 0, 3_600),
            (AccessGrant::Public, None, 1_800_000, 1_800, 5_400),
            (AccessGrant::Public, Some(3_599), 60_000, 0, 3_599),
            (
                AccessGrant::Public,
                Some(i64::MAX - WINDOW_START),
                60_000,
                0,
                3_600,
            ),
            (AccessGrant::ApiKey, None, 0, 0, 120),
            (AccessGrant::ApiKey, None, 59_999, 0, 120),
            (AccessGrant::ApiKey, None, 60_000, 60, 180),
            (AccessGrant::Signature, Some(120), 59_999, 0, 120),
            (AccessGrant::Signature, Some(119), 59_999, 0, 119),
            (AccessGrant::Signature, Some(60), 59_999, 0, 60),
            (AccessGrant::Signature, Some(61), 60_000, 60, 61),
        ] {
            let expires_seconds = expires_after.map(|seconds| WINDOW_START + seconds);
            let now = at(0).plus_ms(now_after_ms);

            let validity = UrlValidity::of(grant, expires_seconds, now);

            let expected = UrlValidity {
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
        let validity = UrlValidity::of(AccessGrant::Signature, Some(WINDOW_START + 61), at(60));
        assert_eq!(validity.lifetime(), Duration::from_secs(1));
    }
}
