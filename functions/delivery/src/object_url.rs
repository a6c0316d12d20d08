//! Signed URLs of objects at the CDN, which caches them.
//!
//! A URL is `{origin of the viewer}/{key of the object}?{response headers}` and its signature. S3
//! returns the headers of the query in place of the stored ones, in a signed request
//! ("`GetObject`", "Overriding response header values through the request", Amazon S3 API
//! Reference). CloudFront signs all its requests with origin access control, and the cache policy
//! of the behavior passes on these parameters. So the headers follow changes of the record, and
//! `?download`, without a change of the object. The signature covers the query, so no client can
//! choose other headers.

use domain::{errors::ServiceError, renditions::RenditionLocation};
use http::{HeaderValue, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use runtime::{aws::LazySecret, context::Settings};
use space_store::{delivery::AuthorizedFile, objects::ResponseHeaders};

use crate::cloudfront_url::CloudFrontKey;

/// Characters to encode in a query: all except the unreserved ones of RFC 3986, so that browsers
/// change nothing of the URL that is signed.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Signs URLs of objects with the key pair of the CDN.
#[derive(Clone)]
pub(crate) struct ObjectUrls {
    key: LazySecret<CloudFrontKey>,
}

/// An object, and the response to a request for it.
pub(crate) struct ObjectResponse<'a> {
    pub(crate) file: &'a AuthorizedFile,
    /// The rendition; `None` for the original.
    pub(crate) rendition: Option<&'a RenditionLocation>,
    pub(crate) headers: &'a ResponseHeaders,
    /// End of the validity of the URL, in seconds since 1970.
    pub(crate) expires_seconds: i64,
}

impl ObjectUrls {
    /// Reads the configuration. Returns `None` if there is no key pair.
    pub(crate) fn of(settings: &mut Settings<'_>) -> Option<ObjectUrls> {
        let key = settings.optional_secret(
            "CDN_PRIVATE_KEY_ARN",
            "the private key of the CDN",
            |secret| CloudFrontKey::parse(&secret),
        )?;
        Some(ObjectUrls { key })
    }

    /// Returns a signed URL. Fails with 503 if the private key cannot be read, and with 500 if it
    /// is invalid.
    pub(crate) async fn sign(
        &self,
        origin: &ViewerOrigin,
        object: ObjectResponse<'_>,
    ) -> Result<String, ServiceError> {
        let headers = object.headers;
        let query = [
            ("response-cache-control", &headers.cache_control),
            ("response-content-disposition", &headers.content_disposition),
            ("response-content-type", &headers.content_type),
        ]
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(value, ENCODED)))
        .join("&");
        let object_key = object.file.object_key(object.rendition)?;
        let url = format!("{}/{object_key}?{query}", origin.0);

        let key = self.key.get().await?;
        Ok(key.sign(&url, object.expires_seconds))
    }
}

/// Scheme and host of the viewer's request: `https://d111111abcdef8.cloudfront.net`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ViewerOrigin(String);

impl ViewerOrigin {
    /// Parses the header of the CDN. Returns `None` if it is not an origin.
    pub(crate) fn parse(header: &HeaderValue) -> Option<ViewerOrigin> {
        let uri: Uri = header.to_str().ok()?.parse().ok()?;
        let scheme = uri.scheme_str()?;
        let authority = uri.authority()?.as_str();

        let is_origin = matches!(scheme, "http" | "https")
            && !authority.contains('@')
            && uri.path() == "/"
            && uri.query().is_none();
        is_origin.then(|| ViewerOrigin(format!("{scheme}://{authority}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn viewer_origin_has_a_scheme_and_a_host_only() {
        for (header, expected) in [
            ("https://cdn.test", Some("https://cdn.test")),
            ("http://127.0.0.1:9001", Some("http://127.0.0.1:9001")),
            ("https://cdn.test/", Some("https://cdn.test")),
            ("https://cdn.test/a", None),
            ("https://cdn.test?a", None),
            ("https://user@cdn.test", None),
            ("https://cdn.test\"", None),
            ("ftp://cdn.test", None),
            ("cdn.test", None),
            ("", None),
        ] {
            let parsed = ViewerOrigin::parse(&HeaderValue::from_static(header));
            let expected = expected.map(|origin| ViewerOrigin(origin.to_owned()));

            assert_eq!(parsed, expected, "{header}");
        }
    }
}
