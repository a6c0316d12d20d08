//! The functions of the product.

use crate::Registry;

/// Every function of the product's template.
pub fn product() -> Registry {
    Registry::default()
        .http("spaces", spaces::router)
        .http("upload-configs", upload_configs::router)
        .http("uploads", uploads::router)
        .http("files", files::router)
        .http("folders", folders::router)
        .http("not-found", not_found::router)
        .http("delivery", delivery::router)
        .worker("confirm-check", confirm_check::handler)
        .worker("purge", purge::handler)
        .worker("sweep", sweep::handler)
}
