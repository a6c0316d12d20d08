//! `/demo`: a page for uploads, served on the port of the API. It is not part of the template, so it
//! is never deployed.
//!
//! Invariant: the page is a single document. Its content security policy allows requests to the local
//! stack and images only.

use axum::body::Body;
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderValue, Method, Request, Response, header};
use sha2::{Digest, Sha256};

/// Path of the page.
pub(crate) const PATH: &str = "/demo";

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PAGE: &str = concat!(
    include_str!("head.html"),
    "<style>",
    include_str!("page.css"),
    "</style>\n",
    include_str!("body.html"),
    "<script type=\"module\">",
    include_str!("page.js"),
    "</script>\n</body>\n</html>\n",
);

/// Returns the page if the request is for it.
pub(crate) fn page(request: &Request<Body>) -> Option<Response<Body>> {
    let is_match =
        request.uri().path() == PATH && [Method::GET, Method::HEAD].contains(request.method());

    is_match.then(|| {
        let mut response = Response::new(Body::from(PAGE));
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        );
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        if let Ok(policy) = HeaderValue::try_from(policy()) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    })
}

/// Returns the content security policy: the page's own script and style, requests to this machine,
/// and images of selected and delivered files, including custom domains.
fn policy() -> String {
    let digest = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    let script = digest(SCRIPT);
    let style = digest(STYLE);
    format!(
        "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; \
         connect-src 'self' http://127.0.0.1:*; img-src data: blob: http://127.0.0.1:* https:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}
