//! The endpoints of `/upload`.
//!
//! A file is uploaded as a form (`upload`), or it is declared (`presign`), sent to storage, and
//! confirmed (`confirm`). Both are allowed by an API key, by a signed URL, or without a key by an
//! upload config: see `grant`.

mod anonymous;
mod bounded_body;
mod confirm;
mod declared;
mod disposition;
mod form;
mod generate_signed_url;
mod grant;
mod part_headers;
mod presign;
mod request;
mod upload;
mod views;

use axum::{Router, extract::FromRef};
use domain::ServiceError;
use runtime::{ConfigurationError, Environment, Settings};
use tenant::{ConfirmCheck, FileBucket, Queue};
use web::{ApiState, RateLimitTier, Register, RouterBuilder};

use crate::{
    anonymous::AnonymousUploads,
    grant::{ApiKey, Origin, SignedUrl},
};

/// Rate limit that requests count against.
pub const TIER: RateLimitTier = RateLimitTier::Upload;

/// What the endpoints need.
#[derive(Clone, FromRef)]
pub struct Uploads {
    edge: ApiState,
    anonymous: AnonymousUploads,
    originals: FileBucket,
    checks: Queue<ConfirmCheck>,
    cdn_url: String,
}

/// Registers the function's endpoints.
pub fn endpoints<R: Register<Uploads>>(register: R) -> R {
    register
        .on(upload::UPLOAD, upload::upload::<ApiKey>)
        .on(
            generate_signed_url::GENERATE_SIGNED_URL,
            generate_signed_url::generate_signed_url,
        )
        .on(upload::UPLOAD_SIGNED, upload::upload::<SignedUrl>)
        .on(upload::UPLOAD_UNSIGNED, upload::upload::<Origin>)
        .on(presign::PRESIGN, presign::presign::<ApiKey>)
        .on(presign::PRESIGN_SIGNED, presign::presign::<SignedUrl>)
        .on(presign::PRESIGN_UNSIGNED, presign::presign::<Origin>)
        .on(confirm::CONFIRM, confirm::confirm)
}

/// The function's router.
pub fn router(environment: &Environment) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(environment);
    let edge = ApiState::read(&mut settings, TIER);
    let originals = FileBucket::new(settings.bucket());
    let checks = settings.queue("CONFIRM_CHECK_QUEUE_URL");
    let cdn_url = settings.text("CDN_URL");
    let master = settings.master_secret();
    let anonymous = AnonymousUploads::read(&mut settings, master);
    settings.finish()?;

    let state = Uploads {
        edge,
        anonymous,
        originals,
        checks,
        cdn_url,
    };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}

/// Returns the result of work that follows a body; fails with 503 if it takes too long.
fn in_time<T>(
    work: impl Future<Output = Result<T, ServiceError>>,
    timeout: &'static str,
) -> impl Future<Output = Result<T, ServiceError>> {
    // In a box, so that the futures of requests stay small.
    let work = Box::pin(runtime::with_deadline(work));
    async move {
        work.await
            .unwrap_or_else(|| Err(ServiceError::unavailable(timeout)))
    }
}
