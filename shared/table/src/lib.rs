//! Stores every record of Larder in one DynamoDB table.
//!
//! Invariants:
//! - This is the only crate that defines table keys; the module `key` lists all of them.
//! - Every read is strongly consistent and complete. An incomplete read is an error, never an
//!   absent record.
//! - Every write has a condition or is idempotent, and determines its own outcome if the response
//!   of the first attempt is lost.
//! - A record that is read by several keys is stored under each of them with all that is read
//!   there, and one transaction changes all copies. API keys are the exception: the item that
//!   counts requests is changed outside of transactions, which would conflict with the requests
//!   that it counts.

pub mod errors;

mod connection;
mod key;

pub mod item_keys;

mod condition;
mod read;

mod query;
mod write;

mod filtered_page;
mod transaction;

pub mod change;

pub mod spaces;

pub mod folders;

pub mod files;

pub mod keys;
pub mod purges;
pub mod renditions;
pub mod requests;
mod upload_configs;
pub mod webhooks;

pub use connection::Table;
