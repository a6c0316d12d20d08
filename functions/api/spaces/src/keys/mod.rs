//! `/spaces/:id/api-keys`.

mod create;
mod list;
mod revoke;

pub(crate) use create::{CreateKey, create};
pub(crate) use list::list;
pub(crate) use revoke::{key_id, revoke};
