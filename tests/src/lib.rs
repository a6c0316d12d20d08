//! The harness of the black-box tests: a whole local stack for each, a clock that stands still,
//! seeded ids, clients that demand a status.

mod answer;
mod client;
mod contract;
mod dump;
mod echo;
mod raw;
mod samples;
mod search;
mod stack;
mod tries;
mod users;

pub use answer::Answer;
pub use client::{Client, file, form};
pub use dump::Dump;
pub use echo::{ECHO_TEMPLATE, echo_worker};
pub use raw::{Raw, authority};
pub use samples::{PHOTO, large_photo, noise};
pub use search::{Extent, is_thorough};
pub use stack::{Seeded, Stack, StackOptions, Tenant, minutes, parsed, seconds};
pub use tries::{DYNAMODB_TRIES, OTHER_TRIES, failed_calls, tries};
pub use users::User;
