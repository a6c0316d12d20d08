//! `PUT /account`: choose the space that is meant where none is named.

use domain::{SpaceId, Violation, Violations};
use web::{AccountHolder, Data, Endpoint, Failure, FieldReader, FromFields, ValidJson};

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
            id.parse().map_err(|_| Violation::Unknown)
        });
        Some(UpdateAccount {
            default_space_id: default_space_id?,
        })
    }
}

pub(crate) async fn update(
    AccountHolder { user, by }: AccountHolder,
    ValidJson(update): ValidJson<UpdateAccount>,
) -> Result<Data<AccountView>, Failure> {
    if !by
        .tenants()
        .choose_default_space(&by.caller, user, update.default_space_id)
        .await?
    {
        return Err(Violations::from(("default_space_id", Violation::Unknown)).into());
    }
    Ok(Data(view(&by).await?))
}
