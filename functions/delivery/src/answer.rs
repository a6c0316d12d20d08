//! The headers of a delivered original.

use std::time::{Duration, UNIX_EPOCH};

use domain::{File, Timestamp};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use sha2::{Digest, Sha256};
use tenant::{AuthorizedFile, Grant};

use crate::disposition::content_disposition;

/// Maximum `max-age`, in seconds: five minutes.
const MAX_AGE_SECONDS: i64 = 300;
/// What is for nobody but who asked is kept nowhere.
const NOT_CACHED: &str = "private, no-store";
/// Markup can run scripts and load things; shown from our address it may do neither.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
/// Hex digits of an entity tag.
const TAG_DIGITS: usize = 32;

/// An original about to be answered.
pub(crate) struct Original<'a> {
    delivered: &'a AuthorizedFile,
    file: &'a File,
    download: bool,
    now: Timestamp,
}

impl<'a> Original<'a> {
    pub(crate) fn of(
        delivered: &'a AuthorizedFile,
        download: bool,
        now: Timestamp,
    ) -> Original<'a> {
        Original {
            delivered,
            file: delivered.file(),
            download,
            now,
        }
    }

    /// Returns a strong entity tag of the bytes, their rendering, the access to them (whether it
    /// requires proof, and how often it was changed at any level) and `Content-Disposition`.
    pub(crate) fn etag(&self) -> String {
        let access = if self.delivered.grant() == Grant::Public {
            "everyone"
        } else {
            "proof"
        };
        let revision = self
            .file
            .revision
            .map(|revision| revision.to_string())
            .unwrap_or_default();
        let access_revision = self.delivered.access_revision();
        let parts = [
            &revision,
            "original",
            access,
            access_revision,
            &self.content_disposition(),
        ]
        .join(" ");
        format!("\"{}\"", &hex::encode(Sha256::digest(parts))[..TAG_DIGITS])
    }

    pub(crate) fn cache_control(&self) -> String {
        self.cache_control_at(self.now)
    }

    /// `Cache-Control` of a response that is sent at this time or earlier. Browsers store it for a
    /// limited time, which ends with the signed URL; the CDN revalidates each time, and serves
    /// nothing stale when that fails, since access could have changed.
    pub(crate) fn cache_control_at(&self, sent_at: Timestamp) -> String {
        if !self.delivered.is_cacheable() {
            return NOT_CACHED.to_owned();
        }

        let expires_seconds = self.delivered.expires_seconds().unwrap_or(i64::MAX);
        let max_age = expires_seconds
            .saturating_sub(sent_at.seconds())
            .clamp(0, MAX_AGE_SECONDS);
        format!("public, max-age={max_age}, s-maxage=0, stale-if-error=0")
    }

    /// Returns the content type. The charset of text in UTF-8 is part of it, for browsers assume
    /// another one.
    pub(crate) fn content_type(&self) -> String {
        let mime_type = &self.file.mime_type;
        if self.file.is_utf8 {
            format!("{mime_type}; charset=utf-8")
        } else {
            mime_type.clone()
        }
    }

    pub(crate) fn content_disposition(&self) -> String {
        let runs = matches!(
            self.file.mime_type.as_str(),
            "text/html" | "application/xhtml+xml"
        );
        content_disposition(self.download || runs, self.file.original_name.as_str())
    }

    /// `Content-Disposition` of the same file from storage, which cannot add a sandbox: all markup
    /// is saved, not shown.
    pub(crate) fn content_disposition_at_storage(&self) -> String {
        content_disposition(
            self.download || self.is_markup(),
            self.file.original_name.as_str(),
        )
    }

    fn is_markup(&self) -> bool {
        let mime_type = self.file.mime_type.as_str();
        mime_type == "text/html"
            || mime_type == "text/xml"
            || mime_type.ends_with("/xml")
            || mime_type.ends_with("+xml")
    }

    pub(crate) fn last_modified(&self) -> Timestamp {
        self.file.last_modified()
    }

    /// The headers that a 304 repeats.
    pub(crate) fn validators(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let last_modified =
            UNIX_EPOCH + Duration::from_secs(self.last_modified().seconds().unsigned_abs());
        insert(&mut headers, header::ETAG, &self.etag());
        insert(
            &mut headers,
            header::LAST_MODIFIED,
            &httpdate::fmt_http_date(last_modified),
        );
        insert(&mut headers, header::CACHE_CONTROL, &self.cache_control());
        headers
    }

    /// All headers but those of the body's extent.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = self.validators();
        insert(&mut headers, header::CONTENT_TYPE, &self.content_type());
        insert(
            &mut headers,
            header::CONTENT_DISPOSITION,
            &self.content_disposition(),
        );
        insert(&mut headers, header::ACCEPT_RANGES, "bytes");
        insert(&mut headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        if self.is_markup() {
            insert(&mut headers, header::CONTENT_SECURITY_POLICY, SANDBOX);
        }
        headers
    }
}

/// Sets a header; what is no header value is left out.
pub(crate) fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
