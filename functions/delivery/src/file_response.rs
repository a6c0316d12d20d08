//! Headers of a delivered file.

use std::time::{Duration, UNIX_EPOCH};

use domain::{
    env::Timestamp,
    files::{File, ResourceType},
    naming::ImageSize,
    renditions::RenditionId,
};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use renditions::ExpectedRendition;
use sha2::{Digest, Sha256};
use space_store::{
    delivery::{AccessReason, AuthorizedFile},
    objects::RenditionInfo,
};

use http_api::response::Validators;

use crate::disposition::DispositionType;

/// Maximum `max-age`, in seconds.
const MAX_AGE_SECONDS: i64 = 300;
/// `Cache-Control` of a file that only the caller may see.
const NOT_CACHED: &str = "private, no-store";
/// `Content-Security-Policy` of markup, which could otherwise run scripts and load resources on our
/// origin.
const SANDBOX: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'";
/// Width of a rendition, in pixels.
const IMAGE_WIDTH: HeaderName = HeaderName::from_static("x-image-width");
/// Height of a rendition, in pixels.
const IMAGE_HEIGHT: HeaderName = HeaderName::from_static("x-image-height");
/// Placeholder of an image as a `BlurHash`.
const BLURHASH: HeaderName = HeaderName::from_static("x-blurhash");
/// Header of the pages that may show the bytes ("Cross-Origin-Resource-Policy header" in the Fetch
/// Standard).
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");
/// Number of hex digits of an entity tag.
const ETAG_DIGITS: usize = 32;

/// The response with a file, without its body.
pub(crate) struct FileResponse<'a> {
    authorized: &'a AuthorizedFile,
    file: &'a File,
    download: bool,
    /// The rendition, if the response is not the original.
    rendition: Option<RenditionId>,
    now: Timestamp,
    etag: String,
}

impl<'a> FileResponse<'a> {
    /// Creates the response with the original, or with a rendition of it.
    pub(crate) fn of(
        authorized: &'a AuthorizedFile,
        rendition: Option<RenditionId>,
        download: bool,
        now: Timestamp,
    ) -> FileResponse<'a> {
        let mut response = FileResponse {
            authorized,
            file: authorized.file(),
            download,
            rendition,
            now,
            etag: String::new(),
        };
        response.etag = response.compute_etag();
        response
    }

    pub(crate) fn validators(&self) -> Validators<'_> {
        Validators {
            etag: &self.etag,
            last_modified: self.last_modified(),
        }
    }

    /// Returns the activation of the file; `None` if its bytes were replaced, and for a rendition,
    /// since its bytes also change with watermarks and with versions of the rendering.
    fn last_modified(&self) -> Option<Timestamp> {
        let is_original = self.rendition.is_none();
        is_original.then(|| self.file.last_modified()).flatten()
    }

    /// Returns the headers of a 304.
    pub(crate) fn not_modified_headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        insert(&mut headers, header::ETAG, &self.etag);
        if let Some(last_modified) = self.last_modified() {
            let seconds = last_modified.seconds().unsigned_abs();
            let date = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds));
            insert(&mut headers, header::LAST_MODIFIED, &date);
        }

        insert(
            &mut headers,
            header::CACHE_CONTROL,
            &self.cache_control_at(self.now),
        );

        // Pages with `Cross-Origin-Embedder-Policy` show only what permits it. A signed URL is a
        // permission for any page.
        let readers = if self.authorized.is_opened_by_key() {
            "same-site"
        } else {
            "cross-origin"
        };
        insert(&mut headers, CROSS_ORIGIN_RESOURCE_POLICY, readers);
        self.insert_metadata(&mut headers);
        headers
    }

    /// Inserts the metadata of an image, once it is recorded. It is part of a 304, which updates
    /// the headers of a response that was cached before (RFC 9111, section 3.2).
    fn insert_metadata(&self, headers: &mut HeaderMap) {
        let Some(media) = &self.file.media else {
            return;
        };
        let meta = &media.meta;
        if let Some(blurhash) = &meta.blurhash {
            insert(headers, BLURHASH, blurhash);
        }
        let is_original_image =
            self.rendition.is_none() && self.file.resource_type == ResourceType::Image;
        if let (true, Some(width), Some(height)) = (is_original_image, meta.width, meta.height) {
            insert(headers, IMAGE_WIDTH, &width.to_string());
            insert(headers, IMAGE_HEIGHT, &height.to_string());
        }
    }

    /// Returns the headers of a 200 or 206, except `Content-Length` and `Content-Range`.
    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = self.not_modified_headers();
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

    /// Returns the headers of a 200 or 206 with a rendition, except `Content-Length` and
    /// `Content-Range`.
    pub(crate) fn rendition_headers(&self, info: &RenditionInfo) -> HeaderMap {
        let RenditionInfo {
            content_type,
            width,
            height,
        } = info.clone();
        self.expected_headers(&ExpectedRendition {
            content_type: Some(content_type),
            size: Some(ImageSize { width, height }),
        })
    }

    /// Returns the headers of a 200 with a rendition, as far as they are known.
    pub(crate) fn expected_headers(&self, expected: &ExpectedRendition) -> HeaderMap {
        let mut headers = self.not_modified_headers();
        insert(&mut headers, header::ACCEPT_RANGES, "bytes");
        insert(&mut headers, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        if let Some(content_type) = &expected.content_type {
            insert(&mut headers, header::CONTENT_TYPE, content_type);
            let disposition = self.rendition_disposition(content_type);
            insert(&mut headers, header::CONTENT_DISPOSITION, &disposition);
        }
        if let Some(ImageSize { width, height }) = expected.size {
            insert(&mut headers, IMAGE_WIDTH, &width.to_string());
            insert(&mut headers, IMAGE_HEIGHT, &height.to_string());
        }
        headers
    }

    /// Returns `Content-Disposition` of a rendition, whose name has the extension of its format.
    pub(crate) fn rendition_disposition(&self, content_type: &str) -> String {
        let original_name = self.file.original_name.as_str();
        let stem = original_name
            .rsplit_once('.')
            .map_or(original_name, |(stem, _)| stem);
        let subtype = content_type.trim_start_matches("image/");
        let extension = if subtype == "jpeg" { "jpg" } else { subtype };
        Self::disposition_of(self.download, &format!("{stem}.{extension}"))
    }

    /// Returns `Cache-Control` of a response that is sent at `sent_at` or earlier. Browsers may
    /// cache it until the signed URL expires, for [`MAX_AGE_SECONDS`] at most. The CDN revalidates
    /// every time, and serves no stale response, since access may have changed.
    pub(crate) fn cache_control_at(&self, sent_at: Timestamp) -> String {
        if !self.authorized.is_cacheable() {
            return NOT_CACHED.to_owned();
        }

        let expires_seconds = self.authorized.expires_seconds().unwrap_or(i64::MAX);
        let max_age = expires_seconds
            .saturating_sub(sent_at.seconds())
            .clamp(0, MAX_AGE_SECONDS);
        format!("public, max-age={max_age}, s-maxage=0, stale-if-error=0")
    }

    /// Returns the content type, with the charset of text in UTF-8: browsers assume another one.
    pub(crate) fn content_type(&self) -> String {
        let mime_type = &self.file.mime_type;
        if self.file.is_utf8 {
            format!("{mime_type}; charset=utf-8")
        } else {
            mime_type.clone()
        }
    }

    /// Returns `Content-Disposition` of the same file from storage, where markup has no sandbox and
    /// so is always an attachment.
    pub(crate) fn content_disposition_at_storage(&self) -> String {
        self.disposition_header(self.download || self.is_markup())
    }

    fn content_disposition(&self) -> String {
        let runs_scripts = matches!(
            self.file.mime_type.as_str(),
            "text/html" | "application/xhtml+xml"
        );
        self.disposition_header(self.download || runs_scripts)
    }

    fn disposition_header(&self, is_attachment: bool) -> String {
        Self::disposition_of(is_attachment, self.file.original_name.as_str())
    }

    fn disposition_of(is_attachment: bool, name: &str) -> String {
        let disposition = if is_attachment {
            DispositionType::Attachment
        } else {
            DispositionType::Inline
        };
        disposition.header(name)
    }

    /// Returns a strong entity tag of the bytes, of their rendition, of the access to the file
    /// (whether it is public, and every change at any level) and of `Content-Disposition`.
    fn compute_etag(&self) -> String {
        let revision = self.file.revision.map(|revision| revision.to_string());
        let access = if self.authorized.reason() == AccessReason::Public {
            "public"
        } else {
            "restricted"
        };

        let parts = [
            revision.as_deref().unwrap_or_default(),
            self.rendition
                .as_ref()
                .map_or("original", RenditionId::as_str),
            access,
            self.authorized.access_revision(),
            &self.content_disposition(),
        ];

        let digest = hex::encode(Sha256::digest(parts.join(" ")));
        format!("\"{}\"", &digest[..ETAG_DIGITS])
    }

    /// Whether a browser may read the bytes as markup: by their type, registered or not.
    fn is_markup(&self) -> bool {
        let mime_type = self.file.mime_type.as_str();
        mime_type.ends_with("html") || mime_type.ends_with("xml")
    }
}

/// Inserts a header, unless its value is invalid.
pub(crate) fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
