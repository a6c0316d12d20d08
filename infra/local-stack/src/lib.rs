//! Runs Larder on one machine: the AWS emulators, provisioned from a template, the functions, the
//! gateways in front of them, and the pollers of the queues.
//!
//! Invariants:
//! - The template is the only definition of what exists. Routes, variables, permissions and queues
//!   that it does not define do not exist here either; the paths of `demo` are the only exception.
//! - The functions are the deployed ones. Only URLs differ.

mod bootstrap;
mod cargo_lambda;
mod cdn_key_pair;
mod credentials;
mod demo;
mod drain;
mod function;
mod function_contexts;
mod functions;
mod gateway;
mod hosting;
mod invoke_error;
mod local_stack;
mod messages;
mod options;
mod paused;
mod poller;
mod recursion;
mod registry;
mod s3_client;
mod schedule;
mod server;
mod sqs_client;
mod start_error;
mod stopping;

pub use cargo_lambda::CargoLambda;
pub use drain::NotDrained;
pub use functions::all_functions;
pub use gateway::reduced_accept;
pub use local_stack::LocalStack;
pub use messages::Messages;
pub use options::{LOCAL_PARAMETERS, LocalParameter, Options, Ports};
pub use registry::Registry;
pub use start_error::StartError;

/// The template of Larder.
pub const TEMPLATE: &str = include_str!("../../../template.yaml");
