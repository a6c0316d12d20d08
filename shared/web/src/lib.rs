//! The HTTP edge: who calls, what they may do, what they ask for, and the form of every answer.
//!
//! Invariants: a handler reaches a space only through [`Can`], which is made here after authentication and authorization;
//! every refusal has the standard body, made in one place; no key, signature or byte of a file is ever logged.
//!
//! # The API's rules
//!
//! - A resource is answered as `{"data": …}`: 201 where it was created, 200 elsewhere; 204 has no body.
//! - A list is `{"data": […], "path", "per_page", "next_cursor", "prev_cursor"}`, newest first; `limit` is 1 to 100,
//!   20 if absent; a cursor belongs to the list that gave it.
//! - An error is `{"message": "…", "errors": {"field": ["…"]}}`; all fields at fault are named together.
//! - Every answer has an `X-Request-Id`, and may be read by scripts of any origin.

mod answer;
mod authenticated;
mod body;
mod can;
mod claim;
mod edge;
mod exchange;
mod fields;
mod layers;
mod page;
mod path;
pub mod routes;
mod views;

pub use answer::{Accepted, Created, Failure, NoContent, Ok};
pub use authenticated::{AccountHolder, Authenticated, caller_of};
pub use body::{DRAIN_BYTES, content_type, drain};
pub use can::{Action, Can, DeleteSpace, ManageKeys, ManageSpace, ReadFiles, ReadSpace, Subject, Upload};
pub use claim::{Claim, Once};
pub use edge::{Edge, Tier};
pub use fields::{Change, Fields, Request, Valid};
pub use layers::with_layers;
pub use page::{Cursors, Page, PageRequest};
pub use path::path_parameter;
pub use routes::{Endpoints, unrouted};
pub use views::FileView;
