//! Function `delivery`, the origin of the CDN: `GET` and `HEAD /{storage_path}`.
//!
//! Invariants:
//! - Access is authorized for every request, from strongly consistent reads, before anything about
//!   a file is sent.
//! - The object is read only for a response with a body.

mod byte_range;
mod cloudfront_url;
mod deliver;
mod delivery_request;
mod disposition;
mod file_response;
mod media_range;
mod negotiation;
mod object_url;
mod redirect;
mod transfer;

pub use media_range::MediaRange;

use std::{num::NonZeroU64, time::Duration};

use axum::{
    Router,
    middleware::map_response,
    response::{IntoResponse, Response},
};
use domain::{
    env::Env,
    requests::{RateLimit, RenditionQuota},
};
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_api::caller::with_layers;
use renditions::{MemoryLimits, Renditions};
use runtime::{
    aws::LazyMasterSecret,
    context::{ConfigurationError, FunctionContext, Settings},
};
use space_store::{delivery::AnonymousLimits, objects::FileBucket, spaces::Tenants};

use object_url::ObjectUrls;

/// Header to which the CDN copies the viewer's `Authorization`, since it signs its own requests to
/// the origin with that header.
const VIEWER_AUTHORIZATION: HeaderName = HeaderName::from_static("x-larder-authorization");
/// Header in which the CDN sends the scheme and host of the viewer's request, since the function
/// knows no URL of the distribution: that depends on the function's own URL.
const VIEWER_ORIGIN: HeaderName = HeaderName::from_static("x-larder-origin");
/// Maximum size of a body that the function sends itself, in bytes, unless `REDIRECT_ABOVE_BYTES`
/// is set: 4 MiB. A buffered response is limited to 6 MB, which holds 4.5 MB in base64 ("Lambda
/// quotas" in the AWS Lambda Developer Guide).
const MAX_BODY_BYTES: NonZeroU64 = NonZeroU64::new(4 << 20).expect("positive");
/// Name of the limit of renderings for requests without credentials.
const RENDERINGS: &str = "renderings";
const METHODS: &str = "GET, HEAD, OPTIONS";

/// Maximum time that a request waits for other renderings before it reads the original, and again
/// before it is rendered.
const MAX_MEMORY_WAIT: Duration = Duration::from_secs(5);

/// State of the function.
#[derive(Clone)]
struct Delivery {
    tenants: Tenants,
    originals: FileBucket,
    renditions: Renditions,
    master: LazyMasterSecret,
    /// Signed URLs of objects at the CDN; `None` redirects all large bodies to S3.
    object_urls: Option<ObjectUrls>,
    env: Env,
    /// Maximum size of a response body, in bytes. Larger files are redirected to storage, larger
    /// ranges are truncated.
    max_body_bytes: u64,
    anonymous_limits: AnonymousLimits,
}

/// Returns the function's router.
pub fn router(context: &FunctionContext) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(context);
    let tenants = Tenants::new(settings.table());
    let originals = FileBucket::new(settings.delivery_bucket());
    let max_body_bytes = settings.positive_or("REDIRECT_ABOVE_BYTES", MAX_BODY_BYTES);
    let anonymous_limits = AnonymousLimits {
        renderings: RateLimit {
            tier: RENDERINGS,
            requests_per_minute: settings.number("ANONYMOUS_RENDERINGS_PER_MINUTE"),
        },
        renditions: RenditionQuota {
            limit: settings
                .number_up_to("ANONYMOUS_RENDITIONS_PER_FILE", RenditionQuota::MAX_LIMIT),
            days: settings.number("RENDITION_DAYS"),
        },
    };
    let rendering_mebibytes = settings.number("RENDERING_MEMORY_MIB");
    let decoders = settings.decoders();
    let master = settings.master_secret();
    let object_urls = ObjectUrls::of(&mut settings);
    settings.finish()?;

    let renditions = Renditions::new(
        tenants.clone(),
        originals.clone(),
        MemoryLimits::of_mebibytes(rendering_mebibytes, MAX_MEMORY_WAIT),
        decoders,
    );
    let delivery = Delivery {
        tenants,
        originals,
        renditions,
        master,
        object_urls,
        env: context.env.clone(),
        max_body_bytes,
        anonymous_limits,
    };
    let router = Router::new()
        .fallback(deliver::deliver)
        .with_state(delivery);
    Ok(with_layers(router).layer(map_response(without_caching_of_errors)))
}

/// Forbids caches to store an error, which depends on access and on the request's conditions.
async fn without_caching_of_errors(mut response: Response) -> Response {
    let status = response.status();
    if status.is_client_error() || status.is_server_error() {
        let not_stored = HeaderValue::from_static("no-store");
        response
            .headers_mut()
            .insert(header::CACHE_CONTROL, not_stored);
    }
    response
}

/// Returns the response to a preflight, the same for every path: the CDN does not forward the
/// headers of preflights.
fn preflight() -> Response {
    let headers = [
        (header::ALLOW, HeaderValue::from_static(METHODS)),
        (
            header::ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static(METHODS),
        ),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static("Authorization, Range, *"),
        ),
        (
            header::ACCESS_CONTROL_MAX_AGE,
            HeaderValue::from_static("7200"),
        ),
    ];

    (StatusCode::NO_CONTENT, headers).into_response()
}
