//! Wire-compatible DynamoDB, S3 and SQS in one process, kept on disk in one data directory.

mod clock;
mod principals;

pub use clock::{Clock, ManualClock, SystemClock};
pub use principals::Principal;
