//! Redirects to storage, for files that are larger than a response of this function may be: to the
//! CDN if it has a key pair, else to S3.
//!
//! Invariants:
//! - The CDN caches only what caches may store. Other files, such as those of type `authenticated`,
//!   are redirected to S3.
//! - The validity of a URL starts at the beginning of a time window, so all redirects of a file
//!   within a window, signed with the same key, have the same `Location`, and caches can reuse the
//!   response.
//! - The URL of a file that requires authentication is valid for two minutes at most, so that
//!   revoked access ends.
//! - No URL is valid for longer than the signed URL of the request.

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use domain::{env::Timestamp, errors::ServiceError, renditions::RenditionLocation};
use http::{StatusCode, header};
use space_store::{
    delivery::{AccessReason, AuthorizedFile, PresignedRead},
    objects::{RenditionInfo, ResponseHeaders},
};

use crate::{
    Delivery,
    file_response::FileResponse,
    object_url::{ObjectResponse, ViewerOrigin},
};

/// Timing of URLs of public files.
const PUBLIC: UrlTiming = UrlTiming {
    window_seconds: 30 * 60,
    lifetime_seconds: 60 * 60,
};
/// Timing of URLs of files that require authentication.
const RESTRICTED: UrlTiming = UrlTiming {
    window_seconds: 60,
    lifetime_seconds: 2 * 60,
};

/// Window and lifetime of URLs, in seconds.
struct UrlTiming {
    window_seconds: i64,
    /// From the start of the window.
    lifetime_seconds: i64,
}

/// Time in which a URL is valid. S3 compares `X-Amz-Date` plus `X-Amz-Expires` with the time of the
/// request (S3 User Guide, "Download and upload objects with presigned URLs", expiration time), so
/// the start may be in the past. No document says whether it may precede the start of the session
/// that signs the URL; `video-redirect` of `scripts/smoke` asks S3.
#[derive(Debug, PartialEq, Eq)]
struct UrlValidity {
    start: Timestamp,
    end: Timestamp,
}

impl UrlValidity {
    /// Returns the validity of a URL that is created now. `expires_seconds` is when the signed URL
    /// of the request expires.
    fn of(reason: AccessReason, expires_seconds: Option<i64>, now: Timestamp) -> UrlValidity {
        let timing = if reason == AccessReason::Public {
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

/// A rendition that is delivered by a redirect.
#[derive(Clone, Copy)]
pub(crate) struct RedirectedRendition<'a> {
    pub(crate) location: &'a RenditionLocation,
    pub(crate) info: &'a RenditionInfo,
}

/// A file that is delivered by a redirect.
pub(crate) struct Redirect<'a> {
    pub(crate) delivery: &'a Delivery,
    pub(crate) file: &'a AuthorizedFile,
    pub(crate) response: &'a FileResponse<'a>,
    /// The rendition to redirect to, if the response is not the original.
    pub(crate) rendition: Option<RedirectedRendition<'a>>,
    /// Origin of the viewer's request, if it came through the CDN.
    pub(crate) origin: Option<ViewerOrigin>,
    pub(crate) now: Timestamp,
}

impl Redirect<'_> {
    /// Returns a redirect to a signed URL of the file's object.
    pub(crate) async fn respond(&self) -> Result<Response, ServiceError> {
        let url = self.url().await?;
        let headers = [
            (header::LOCATION, url),
            (header::CACHE_CONTROL, "no-store".to_owned()),
        ];
        Ok((StatusCode::TEMPORARY_REDIRECT, headers).into_response())
    }

    async fn url(&self) -> Result<String, ServiceError> {
        let Redirect {
            delivery,
            file,
            response,
            ..
        } = *self;
        let validity = UrlValidity::of(file.reason(), file.expires_seconds(), self.now);
        let content_type = self.rendition.map_or_else(
            || response.content_type(),
            |rendition| rendition.info.content_type.clone(),
        );
        let content_disposition = self.rendition.map_or_else(
            || response.content_disposition_at_storage(),
            |rendition| response.rendition_disposition(&rendition.info.content_type),
        );
        let location = self.rendition.map(|rendition| rendition.location);
        let headers = ResponseHeaders {
            content_type,
            content_disposition,
            // The header is part of the URL, which clients may use until the end of its validity,
            // or of the session that signs it. If that is earlier, the response ends in caches
            // before the signed URL of the request expires.
            cache_control: response.cache_control_at(validity.end),
        };

        if let (Some(urls), Some(origin)) = (&delivery.object_urls, &self.origin)
            && file.is_cacheable()
        {
            let object = ObjectResponse {
                file,
                rendition: location,
                headers: &headers,
                expires_seconds: validity.end.seconds(),
            };
            return urls.sign(origin, object).await;
        }

        let read = PresignedRead {
            headers,
            start: validity.start,
            lifetime: validity.lifetime(),
        };
        let objects = file.objects(&delivery.originals);
        objects.presign(location, read).await
    }
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
        for (reason, expires_after, now_after_ms, start_after, end_after) in [
            (AccessReason::Public, None, 0, 0, 3_600),
            (AccessReason::Public, None, 1_799_999, 0, 3_600),
            (AccessReason::Public, None, 1_800_000, 1_800, 5_400),
            (AccessReason::Public, Some(3_599), 60_000, 0, 3_599),
            (
                AccessReason::Public,
                Some(i64::MAX - WINDOW_START),
                60_000,
                0,
                3_600,
            ),
            (AccessReason::ApiKey, None, 0, 0, 120),
            (AccessReason::ApiKey, None, 59_999, 0, 120),
            (AccessReason::ApiKey, None, 60_000, 60, 180),
            (AccessReason::Signature, Some(120), 59_999, 0, 120),
            (AccessReason::Signature, Some(119), 59_999, 0, 119),
            (AccessReason::Signature, Some(60), 59_999, 0, 60),
            (AccessReason::Signature, Some(61), 60_000, 60, 61),
        ] {
            let expires_seconds = expires_after.map(|seconds| WINDOW_START + seconds);
            let now = at(0).plus_ms(now_after_ms);

            let validity = UrlValidity::of(reason, expires_seconds, now);

            let expected = UrlValidity {
                start: at(start_after),
                end: at(end_after),
            };
            assert_eq!(
                validity, expected,
                "{reason:?}, expires after {expires_after:?} s, now after {now_after_ms} ms"
            );
        }
    }

    #[test]
    fn lifetime_is_the_time_from_start_to_end() {
        let validity = UrlValidity::of(AccessReason::Signature, Some(WINDOW_START + 61), at(60));
        assert_eq!(validity.lifetime(), Duration::from_secs(1));
    }
}
