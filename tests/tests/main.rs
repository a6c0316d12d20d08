//! Black-box tests of the whole, over the local stack, mirroring the routes.

mod api;
mod bootstrap;
mod browser;
mod bucket;
mod budgets;
mod clients;
mod container;
mod delivery;
mod emulate;
mod faults;
mod foreign;
mod harness;
mod hostile;
mod malformed;
mod moods;
mod outlive;
mod persistence;
mod purge;
mod races;
mod readme;
mod routes;
mod sweep;
mod triggers;
mod upload_budgets;
mod viewer;
mod workspace;
