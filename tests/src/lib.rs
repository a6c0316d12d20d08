//! The harness of the black-box tests: each test has its own local stack with a stopped clock and
//! seeded ids.

mod attempts;
mod builders;
mod client;
mod contract;
mod cpu_time;
mod dump;
mod echo;
mod keys;
mod raw;
mod records;
mod response;
mod samples;
mod search;
mod space;
mod stack;
mod used_permissions;
mod users;
mod webhook_receiver;

pub use attempts::{DEFAULT_ATTEMPTS, DYNAMODB_ATTEMPTS, failed_calls, max_attempts};
pub use builders::{File, Folder, NewFolder, NewUploadConfig, Upload, UploadConfig};
pub use client::{Client, file, form};
pub use cpu_time::run_test;
pub use dump::Dump;
pub use echo::{ECHO_TEMPLATE, echo_worker};
pub use keys::{Key, NewKey};
pub use raw::{RawConnection, authority};
pub use records::{
    Ends, UNKNOWN_ID, assert_fields, column, field_error, field_errors, field_names, file_path,
    folder_path, merged, name_taken, rows, text,
};
pub use response::Response;
pub use samples::{PHOTO, large_photo, noise};
pub use search::{Extent, distributed, is_thorough, share_of};
pub use stack::{
    CDN_DOMAIN, Observed, POST_UPLOAD_WORKERS, SeededRandom, Stack, StackOptions, TestSpace,
    minutes, parse_template, seconds,
};
pub use test_macros::stack_test;
pub use users::User;
pub use webhook_receiver::{Answer, ReceivedWebhook, WebhookReceiver};
