//! What a function needs from the place it runs in: variables, time, randomness, AWS clients, and
//! the Lambda runtime itself.
//!
//! Invariant: this is the only crate of `functions` and `shared` that reads the process: its
//! environment, its clock, its randomness. A function is handed an [`Environment`], so many can
//! live in one process and differ.

mod arrival;
mod aws;
mod aws_calls;
mod container;
mod credentials;
mod deadline;
mod environment;
mod event_source;
mod lambda;
mod master_secret;
mod observer;
mod refusal;
mod serve;
mod settings;
mod system;
mod viewer;

pub use arrival::{BodyDeadlines, BodyWatch};
pub use deadline::{ANSWER_DEADLINE, with_deadline};
pub use environment::Environment;
pub use event_source::EventSource;
pub use master_secret::LazyMasterSecret;
pub use observer::{Cause, Observer};
pub use refusal::refusal;
pub use serve::{serve_http, serve_worker};
pub use settings::{ConfigurationError, Settings};
pub use system::{SystemClock, SystemRandom, system_sources};
pub use viewer::Viewer;
