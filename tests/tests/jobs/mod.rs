//! Queues, the jobs that consume them, and the scheduled sweep.

pub(crate) mod batches;
pub(crate) mod confirm_check;
pub(crate) mod confirm_check_failures;
pub(crate) mod orphan_sweep;
pub(crate) mod rendition_sweep;
pub(crate) mod triggers;
