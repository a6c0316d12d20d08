//! Black-box tests of Larder over the local stack.

mod alarms;
mod bootstrap;
mod bucket;
mod budgets;
mod costs;
mod dashboard;
mod delivery;
mod faults;
mod files;
mod folders;
mod hostile;
mod jobs;
mod lambda;
mod local_stack;
mod malformed;
mod models;
mod processing;
mod races;
mod routes;
mod spaces;
mod support;
mod upload_configs;
mod uploads;
mod webhooks;
mod workspace;
