//! `PUT /account`: set the space that requests use if they do not name one.

use domain::{
    errors::{FieldError, FieldErrors},
    id::SpaceId,
};
use http_api::{
    caller::AccountHolder,
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::ValidJson,
    response::{ApiError, Data},
};

use super::get::account_view;
use crate::views::AccountView;

pub(crate) const UPDATE: Endpoint =
    Endpoint::put("updateAccount", "/account", "Set the default space").description(
        "Requires an account key, and applies to all account keys of the user. Requests that do \
         not name a space, such as `listFiles` without `space_id`, then use this one. A space key \
         always uses its space.",
    );

pub(crate) struct UpdateAccount {
    default_space_id: SpaceId,
}

impl FromFields for UpdateAccount {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateAccount> {
        let default_space_id = fields.required("default_space_id", |id| {
            id.parse().map_err(|_| FieldError::InvalidSelection)
        });
        fields.describe(
            "default_space_id",
            "Id of the space that requests use if they do not name one.",
        );

        Some(UpdateAccount {
            default_space_id: default_space_id?,
        })
    }
}

/// Fails with 422 if the user has no role in the space.
pub(crate) async fn update(
    AccountHolder { user, auth }: AccountHolder,
    ValidJson(update): ValidJson<UpdateAccount>,
) -> Result<Data<AccountView>, ApiError> {
    let is_set = auth
        .tenants()
        .accounts()
        .set_default_space(&auth.caller, user, update.default_space_id)
        .await?;
    if !is_set {
        return Err(FieldErrors::from(("default_space_id", FieldError::InvalidSelection)).into());
    }

    Ok(Data(account_view(&auth).await?))
}
