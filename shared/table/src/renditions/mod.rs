//! The numbers of stored renditions.

pub(crate) mod counts;
