//! `PUT /account`: choose the space that is meant where none is named.

use domain::{FieldError, FieldErrors, SpaceId};
use web::{AccountHolder, ApiError, Data, Endpoint, FieldReader, FromFields, ValidJson};

use super::get::view;
use crate::views::AccountView;

pub(crate) const UPDATE: Endpoint =
    Endpoint::put("updateAccount", "/account", "Choose the default space");

pub(crate) struct UpdateAccount {
    default_space_id: SpaceId,
}

impl FromFields for UpdateAccount {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateAccount> {
        let default_space_id = fields.required("default_space_id", |id| {
            id.parse().map_err(|_| FieldError::Unknown)
        });
        Some(UpdateAccount {
            default_space_id: default_space_id?,
        })
    }
}

pub(crate) async fn update(
    AccountHolder { user, auth }: AccountHolder,
    ValidJson(update): ValidJson<UpdateAccount>,
) -> Result<Data<AccountView>, ApiError> {
    if !auth
        .tenants()
        .set_default_space(&auth.caller, user, update.default_space_id)
        .await?
    {
        return Err(FieldErrors::from(("default_space_id", FieldError::Unknown)).into());
    }
    Ok(Data(view(&auth).await?))
}
