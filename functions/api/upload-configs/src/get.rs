//! `GET /upload-configs/:id`: get an upload config with its rules.

use domain::uploads::UploadConfig;
use http_api::{
    caller::{Can, ReadUploadConfigs},
    describe::Endpoint,
    response::{ApiError, Data},
};

use crate::views::DetailedUploadConfigView;

pub(crate) const GET: Endpoint = Endpoint::get(
    "getUploadConfig",
    "/upload-configs/{id}",
    "Get an upload config",
)
.description(
    "The only operation that returns the rules (`config`), with the defaults of values that are \
     not set. `config.notifications.webhook_url` is null for the role `user`, because it may \
     contain a secret.",
);

pub(crate) async fn get(
    can: Can<ReadUploadConfigs, UploadConfig>,
) -> Result<Data<DetailedUploadConfigView>, ApiError> {
    Ok(Data(DetailedUploadConfigView::of(
        &can.resource,
        can.space.role(),
    )))
}
