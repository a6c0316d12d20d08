//! `POST /spaces/:id/api-keys`: make a key of a space. Its secret is in this answer and nowhere else.

use domain::{KeyName, Role, Timestamp, Violation};
use web::{Can, Created, Failure, Fields, ManageKeys, Request, Valid};

use crate::views::KeyView;

pub(crate) struct CreateKey {
    name: KeyName,
    role: Option<Role>,
    expires_at: Option<Timestamp>,
}

impl Request for CreateKey {
    fn read(fields: &mut Fields) -> Option<CreateKey> {
        let name = fields.required("name", KeyName::parse);
        let role = fields.optional("role", Role::parse);
        let expires_at =
            fields.optional("expires_at", |text| Timestamp::parse_rfc3339(text).ok_or(Violation::NotADate));
        Some(CreateKey { name: name?, role, expires_at })
    }
}

pub(crate) async fn create_key(
    can: Can<ManageKeys>,
    Valid(new): Valid<CreateKey>,
) -> Result<Created<KeyView>, Failure> {
    let now = can.sources.now();
    if new.expires_at.is_some_and(|end| end <= now) {
        return Err(domain::Violations::from(("expires_at", Violation::NotInTheFuture)).into());
    }
    // Whoever may make keys is an owner, above whom there is no role to be given.
    let role = new.role.unwrap_or(can.space.role());
    let (key, secret) = can.space.create_key(new.name, role, new.expires_at, &can.sources).await?;
    Ok(Created(KeyView::with_secret(key, &secret)))
}
