//! The number of AWS calls that each request makes.

pub(crate) mod changes;
pub(crate) mod library;
pub(crate) mod reads;
pub(crate) mod requests;
pub(crate) mod uploads;
