//! Functions that serve: HTTP requests in Lambda or as a plain server, and SQS batches.

mod body_timer;
mod container;
mod deadline;
mod error_response;
mod event_source;
mod lambda;
mod observer;
mod serve;
mod viewer;

pub use body_timer::{BodyDeadlines, BodyTimer};
pub use deadline::{RESPONSE_DEADLINE, with_deadline};
pub use error_response::{allow_all_origins, error_response};
pub use event_source::EventSource;
pub use observer::{ErrorCause, Observer};
pub use serve::{serve_http, serve_http_or_container, serve_worker};
pub use viewer::Viewer;
