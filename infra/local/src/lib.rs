//! The whole cloud on one machine: the emulators, provisioned from a template, behind them the
//! functions, in front of them the gateway and the queue triggers.
//!
//! Invariant: the template is all that says what exists. A route, a variable, a permission or a
//! queue that it does not name does not exist here either, and the functions that run are the ones
//! that are deployed; only addresses differ. The demo's page alone stands beside it.

mod bootstrap;
mod callee;
mod cloud;
mod demo;
mod emulate;
mod environment;
mod gateway;
mod product;
mod recursion;
mod registry;
mod schedule;
mod server;
mod start_error;
mod trigger;

pub use cloud::{Cloud, NotDrained, Options, Ports};
pub use emulate::CargoLambda;
pub use product::product;
pub use registry::Registry;
pub use start_error::StartError;
pub use trigger::Messages;

/// The template of the product.
pub const TEMPLATE: &str = include_str!("../../../template.yaml");
