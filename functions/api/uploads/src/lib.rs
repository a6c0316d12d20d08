//! The endpoints of `/upload`, and the one that replaces the bytes of a file.
//!
//! A file is uploaded in a form (`upload`), or it is declared (`presign`), sent to storage by the
//! client, and confirmed (`confirm`). Both are authorized by an API key, by a signed URL, or
//! without a key by an upload config: see `grant`.

mod forms;
mod grant;
mod presigned;
mod replace;
mod request;
mod upload;
mod views;

use axum::{Router, extract::FromRef};
use domain::{errors::ServiceError, files::Decoders};
use http_api::{
    caller::{ApiState, RateLimitTier},
    describe::{Register, RouterBuilder},
};
use runtime::context::{ConfigurationError, FunctionContext, Settings};
use space_store::{
    jobs::{ConfirmCheck, Queue},
    uploads::UploadStorage,
};

use crate::{
    forms::FormsInFlight,
    grant::{AnonymousUploads, ByApiKey, BySignedUrl, Unsigned, generate_signed_url},
    presigned::{confirm, presign},
};

/// The rate limit tier of the endpoints.
pub const TIER: RateLimitTier = RateLimitTier::Upload;

/// State of the handlers.
#[derive(Clone, FromRef)]
pub struct UploadsState {
    api: ApiState,
    forms: FormsInFlight,
    anonymous: AnonymousUploads,
    storage: UploadStorage,
    confirm_checks: Queue<ConfirmCheck>,
    cdn_url: String,
    decoders: Decoders,
}

/// Adds the endpoints of this function to a router or a description.
pub fn endpoints<R: Register<UploadsState>>(register: R) -> R {
    register
        .on(upload::UPLOAD, upload::upload::<ByApiKey>)
        .on(
            generate_signed_url::GENERATE_SIGNED_URL,
            generate_signed_url::generate_signed_url,
        )
        .on(upload::UPLOAD_SIGNED, upload::upload::<BySignedUrl>)
        .on(upload::UPLOAD_UNSIGNED, upload::upload::<Unsigned>)
        .on(presign::PRESIGN, presign::presign::<ByApiKey>)
        .on(presign::PRESIGN_SIGNED, presign::presign::<BySignedUrl>)
        .on(presign::PRESIGN_UNSIGNED, presign::presign::<Unsigned>)
        .on(confirm::CONFIRM, confirm::confirm)
        .on(replace::REPLACE, replace::replace)
}

/// Creates the router of the function from its environment variables.
pub fn router(context: &FunctionContext) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(context);
    let api = ApiState::read(&mut settings, TIER);
    let storage = UploadStorage::new(
        settings.presigning_bucket(),
        settings.queue("PROCESSING_QUEUE_URL"),
        settings.queue("WEBHOOKS_QUEUE_URL"),
        settings.queue("PURGE_QUEUE_URL"),
    );
    let confirm_checks = settings.queue("CONFIRM_CHECK_QUEUE_URL");
    let cdn_url = settings.text("CDN_URL");
    let decoders = settings.decoders();
    let master_secret = settings.master_secret();
    let anonymous = AnonymousUploads::read(&mut settings, master_secret);
    settings.finish()?;

    let state = UploadsState {
        api,
        forms: FormsInFlight::new(),
        anonymous,
        storage,
        confirm_checks,
        cdn_url,
        decoders,
    };
    Ok(endpoints(RouterBuilder::new()).finish(state))
}

/// Why storing the files of a form failed, in the log.
const STORING_TOOK_TOO_LONG: &str = "storing the form took too long";

/// Runs work after the body has been read. Fails with 503 and logs `cause` if the deadline of the
/// request passes first.
fn within_deadline<T, E: From<ServiceError>>(
    work: impl Future<Output = Result<T, E>>,
    cause: &'static str,
) -> impl Future<Output = Result<T, E>> {
    // Boxed, so that the futures of handlers stay small.
    let work = Box::pin(runtime::http::with_deadline(work));
    async move {
        work.await
            .unwrap_or_else(|| Err(ServiceError::unavailable(cause).into()))
    }
}
