//! `DELETE /spaces?id=`: delete a space, if it is empty, or with all that is in it where `force=true` says so.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use domain::{Violation, Violations};
use http::Uri;
use tenant::{PurgeJob, Queue};
use web::{Accepted, Authenticated, Can, DeleteSpace, Failure, NoContent};

/// What the query says.
struct Wanted {
    id: String,
    force: bool,
}

impl Wanted {
    fn read(query: &str) -> Result<Wanted, Violations> {
        let (mut ids, mut force, mut violations) = (Vec::new(), false, Violations::default());
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match (&*name, value.trim()) {
                ("id", value) => ids.push(value.to_owned()),
                ("force", "true" | "1") => force = true,
                ("force", "false" | "0" | "") => force = false,
                ("force", _) => violations.add("force", &Violation::NotABoolean),
                _ => {}
            }
        }
        // Of two spaces none is deleted.
        let only = match (ids.pop(), ids.pop()) {
            (Some(_), Some(_)) => Err(Violation::Repeated),
            (Some(id), None) if !id.is_empty() => Ok(id),
            _ => Err(Violation::Required),
        };
        let id = violations.keep("id", only);
        id.filter(|_| violations.is_empty()).map(|id| Wanted { id, force }).ok_or(violations)
    }
}

pub(crate) async fn delete(
    by: Authenticated,
    State(purge): State<Queue<PurgeJob>>,
    uri: Uri,
) -> Result<Response, Failure> {
    let Wanted { id, force } = Wanted::read(uri.query().unwrap_or_default())?;
    let can: Can<DeleteSpace> = by.can(&id).await?;
    can.space.delete(force, &purge).await?;
    Ok(if force { Accepted.into_response() } else { NoContent.into_response() })
}
