//! The functions as Lambda runs them: binaries, cold starts, logs and metrics.

pub(crate) mod console;
pub(crate) mod container;
pub(crate) mod deployment;
pub(crate) mod emulate;
pub(crate) mod log_capture;
pub(crate) mod logs;
pub(crate) mod master_secret;
pub(crate) mod metrics;
pub(crate) mod no_background_work;
pub(crate) mod viewer;
pub(crate) mod viewer_function;
