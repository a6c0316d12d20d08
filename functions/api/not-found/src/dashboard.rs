//! The dashboard: a page that uses the public API alone.
//!
//! - Its files are those of `dashboard/dist`, which `scripts/dashboard` builds.
//! - Its content security policy allows requests to this API, the storage and the CDN only, and no
//!   script but its own.
//! - It is served by the API, never by the CDN, whose files come from uploads: a page that holds a
//!   key must not share their origin.

use axum::{Router, response::Response, routing::get};
use http::{HeaderMap, HeaderValue, header};
use http_api::response::ApiError;
use runtime::context::Settings;

use crate::asset::Asset;

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../../dashboard/dist/", $name))
    };
}

/// Path, type and bytes of each file.
const FILES: [(&str, &str, &[u8]); 4] = [
    ("/", "text/html; charset=utf-8", file!("index.html")),
    ("/app.js", "text/javascript; charset=utf-8", file!("app.js")),
    ("/app.css", "text/css; charset=utf-8", file!("app.css")),
    ("/logo.svg", "image/svg+xml", file!("logo.svg")),
];

/// Returns the paths of the dashboard.
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(path, ..)| *path)
}

/// Returns the router of the dashboard, or `None` if `DASHBOARD` switches it off.
pub(crate) fn router(settings: &mut Settings<'_>) -> Option<Router> {
    if !settings.flag_or("DASHBOARD", true) {
        return None;
    }

    let policy = policy(settings);
    let mut router = Router::new();
    for (path, content_type, bytes) in FILES {
        let asset = Asset::new(content_type, bytes);
        let policy = policy.clone();
        let handler = async move |headers: HeaderMap| response(&asset, &headers, &policy);
        router = router.route(path, get(handler));
    }
    Some(router)
}

fn response(
    asset: &Asset,
    request: &HeaderMap,
    policy: &HeaderValue,
) -> Result<Response, ApiError> {
    let mut response = asset.response(request)?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, policy.clone());
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::REFERRER_POLICY,
        HeaderValue::from_static("no-referrer"),
    );
    Ok(response)
}

/// Returns the content security policy. Images come from the CDN, also under custom domains, and
/// from URLs of watermarks.
fn policy(settings: &mut Settings<'_>) -> HeaderValue {
    let storage = settings.storage_origin();
    let cdn = settings.text("CDN_URL");
    let domains = settings.cdn_domains();
    let domains = domains
        .iter()
        .map(|domain| format!("https://{}", domain.as_str()));
    let connected: Vec<String> = [storage, cdn].into_iter().chain(domains).collect();
    let connected = connected.join(" ");

    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' {connected}; \
         img-src 'self' data: blob: https: http://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    HeaderValue::try_from(policy).unwrap_or_else(|_| {
        settings.error("CDN_URL is not a URL".to_owned());
        HeaderValue::from_static("default-src 'none'")
    })
}
