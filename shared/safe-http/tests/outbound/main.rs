//! Black-box tests of the client: against a network in memory, whose clock is paused, and against
//! a socket of this machine.

mod addresses;
mod loopback;
mod post;
mod responses;
mod support;
mod tls;
