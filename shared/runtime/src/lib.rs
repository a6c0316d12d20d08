//! Process-level runtime of a function: configuration from environment variables, time,
//! randomness, AWS clients, and the servers that run it (Lambda or plain HTTP).
//!
//! Invariants:
//! - Of `functions` and `shared`, only this crate reads the process environment, the wall clock and the
//!   random source.
//! - A function gets its configuration from a [`FunctionContext`], so one process can run many
//!   functions with different configurations.

mod assumed_role;
mod aws;
mod aws_calls;
mod body_timer;
mod container;
mod container_credentials;
mod credentials;
mod credentials_cache;
mod deadline;
mod error_response;
mod event_source;
mod function_context;
mod lambda;
mod lazy_secret;
mod observer;
mod reconnection;
mod serve;
mod served_queue;
mod settings;
mod system;
mod viewer;

pub use aws::MAX_DYNAMODB_CALL;
pub use body_timer::{BodyDeadlines, BodyTimer};
pub use deadline::{RESPONSE_DEADLINE, with_deadline};
pub use error_response::error_response;
pub use event_source::EventSource;
pub use function_context::FunctionContext;
pub use lazy_secret::{LazyMasterSecret, LazySecret, ParseSecret};
pub use observer::{ErrorCause, Observer};
pub use serve::{serve_http, serve_worker};
pub use settings::{ConfigurationError, Settings};
pub use system::{SystemClock, SystemRandom, system_env};
pub use viewer::Viewer;
