//! What a function starts with: its variables, clock and randomness.

mod function_context;
mod served_queue;
mod settings;
mod system;

pub use function_context::FunctionContext;
pub use settings::{ConfigurationError, Settings};
pub use system::{SystemClock, SystemRandom, system_env};
