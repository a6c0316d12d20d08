//! What requests contain: JSON bodies, queries, pages of lists, and ids.

mod body;
mod cursors;
mod idempotent_json;
mod json;
mod page;
mod query;
mod selector;

pub use body::{content_length, content_type, drain, require_unencoded};
pub use cursors::CursorSecret;
pub use idempotent_json::IdempotentJson;
pub use json::{JsonObject, UnreadJson, ValidJson};

pub(crate) use page::PageParameters;
pub use page::{ListQuery, PageQuery, PageResponse};
pub use query::ValidQuery;
pub use selector::{ID, ResourceSelector};
