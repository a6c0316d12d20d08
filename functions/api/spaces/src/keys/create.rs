//! `POST /spaces/:id/api-keys`: make a key of a space. Its secret is in this answer and nowhere else.

use domain::{KeyName, Role, Timestamp, Violation};
use tenant::NewKey;
use web::{Can, Created, Failure, Fields, ManageKeys, Once, Request};

use crate::views::KeyView;

pub(crate) struct CreateKey(pub(crate) NewKey);

impl Request for CreateKey {
    fn read(fields: &mut Fields) -> Option<CreateKey> {
        let now = fields.now();
        let name = fields.required("name", KeyName::parse);
        // Whoever may make keys is an owner, above whom there is no role to be given.
        let role = fields.optional("role", Role::parse);
        let expires_at = fields.optional("expires_at", |text| {
            let end = Timestamp::parse_rfc3339(text).ok_or(Violation::NotADate)?;
            if end > now { Ok(end) } else { Err(Violation::NotInTheFuture) }
        });
        Some(CreateKey(NewKey { name: name?, role, expires_at }))
    }
}

pub(crate) async fn create(
    can: Can<ManageKeys>,
    Once { request: CreateKey(new), claim }: Once<CreateKey>,
) -> Result<Created<KeyView>, Failure> {
    let now = can.sources.now();
    let complete = |key: &_, secret: &_| claim.complete(&KeyView::with_secret(key, secret, now));
    let (key, secret) = can.space.keys().create(new, complete).await?;
    Ok(Created(KeyView::with_secret(&key, &secret, now)))
}
