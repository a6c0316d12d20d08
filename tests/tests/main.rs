//! Black-box tests of the whole, over the local stack, mirroring the routes.

mod api;
mod budgets;
mod delivery;
mod faults;
mod persistence;
mod routes;
mod sweep;
mod workspace;
