//! The CDN's origin: `GET|HEAD /{storage_path}`.
//!
//! Invariant: access is decided on every request, from the table as it is now, before anything of a
//! file is answered; the object is read only for a body.

mod address;
mod answer;
mod conditions;
mod deliver;
mod disposition;
mod range;
mod redirect;

use axum::{Router, response::IntoResponse};
use domain::Env;
use http::{HeaderName, HeaderValue, StatusCode, header};
use runtime::{ConfigurationError, Environment, LazyMasterSecret, Settings};
use tenant::{FileBucket, Tenants};
use web::with_layers;

/// The header to which the CDN moves a viewer's `Authorization`, which it overwrites with its own
/// towards the origin.
const MOVED_AUTHORIZATION: HeaderName = HeaderName::from_static("x-larder-authorization");
/// The methods that delivery takes.
const METHODS: &str = "GET, HEAD, OPTIONS";

/// What delivery needs.
#[derive(Clone)]
struct Delivery {
    tenants: Tenants,
    originals: FileBucket,
    master: LazyMasterSecret,
    env: Env,
    /// Maximum size of a body that is answered here, in bytes. Whole bodies above it are redirected
    /// to storage, ranges are cut to it.
    redirect_above: u64,
}

/// The function's router.
pub fn router(environment: &Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(environment);
    let tenants = Tenants::new(settings.table());
    let originals = FileBucket::new(settings.bucket());
    let redirect_above = settings.number("REDIRECT_ABOVE_BYTES");
    let master = settings.master_secret();
    settings.finish()?;
    let delivery = Delivery {
        tenants,
        originals,
        master,
        env: environment.env.clone(),
        redirect_above,
    };
    Ok(with_layers(
        Router::new()
            .fallback(deliver::deliver)
            .with_state(delivery),
    ))
}

/// The answer to a preflight: the same for every path, since the CDN does not forward what it asks.
fn preflight() -> axum::response::Response {
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
