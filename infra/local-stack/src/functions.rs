//! The functions of Larder.

use crate::registry::Registry;

/// Returns the registry of all functions in `template.yaml`.
pub fn all_functions() -> Registry {
    Registry::default()
        .http("spaces", spaces::router)
        .http("upload-configs", upload_configs::router)
        .http("uploads", uploads::router)
        .http("files", files::router)
        .http("folders", folders::router)
        .http("not-found", not_found::router)
        .http("delivery", delivery::router)
        .worker("confirm-check", confirm_check::handler)
        .worker("processing", processing::handler)
        .worker("purge", purge::handler)
        .worker("sweep", sweep::handler)
        .worker("webhooks", webhooks::handler)
}
