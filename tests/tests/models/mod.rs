//! Random sequences of requests, compared with a model.

pub(crate) mod access;
pub(crate) mod upload_states;
