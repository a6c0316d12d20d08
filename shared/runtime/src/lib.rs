//! Process-level runtime of a function: configuration from environment variables, time,
//! randomness, AWS clients, and the servers that run it (Lambda or plain HTTP).
//!
//! Invariants:
//! - Of `functions` and `shared`, only this crate reads the process environment, the wall clock and
//!   the random source.
//! - A function gets its configuration from a [`FunctionContext`](context::FunctionContext), so one
//!   process can run many functions with different configurations.

mod connections;

pub mod context;

pub mod aws;

pub mod http;
