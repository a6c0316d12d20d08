//! `PUT /account`: choose the space that is meant where none is named.

use domain::{SpaceId, Violation, Violations};
use web::{AccountHolder, Failure, Fields, Ok, Request, Valid};

use super::get::view;
use crate::views::AccountView;

pub(crate) struct UpdateAccount {
    default_space_id: SpaceId,
}

impl Request for UpdateAccount {
    fn read(fields: &mut Fields) -> Option<UpdateAccount> {
        let default_space_id = fields.required("default_space_id", |id| id.parse().map_err(|_| Violation::Unknown));
        Some(UpdateAccount { default_space_id: default_space_id? })
    }
}

pub(crate) async fn update(
    AccountHolder { user, by }: AccountHolder,
    Valid(update): Valid<UpdateAccount>,
) -> Result<Ok<AccountView>, Failure> {
    if !by.tenants().choose_default_space(&by.caller, user, update.default_space_id).await? {
        return Err(Violations::from(("default_space_id", Violation::Unknown)).into());
    }
    Result::Ok(Ok(view(&by).await?))
}
