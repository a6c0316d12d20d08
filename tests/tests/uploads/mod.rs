//! `/upload`: the four upload routes, presigned uploads and their confirmation.

pub(crate) mod anonymous;
pub(crate) mod config_rules;
pub(crate) mod confirm;
pub(crate) mod confirm_interleaved;
pub(crate) mod confirm_storage;
pub(crate) mod fixed_folders;
pub(crate) mod folders;
pub(crate) mod generate_signed_url;
pub(crate) mod image_rules;
pub(crate) mod image_transformations;
pub(crate) mod multiple_files;
pub(crate) mod multiple_into_folder;
pub(crate) mod presign;
pub(crate) mod presign_validation;
pub(crate) mod replacements;
pub(crate) mod replays;
pub(crate) mod routes;
pub(crate) mod signed;
pub(crate) mod signed_parameters;
pub(crate) mod signing_secrets;
pub(crate) mod unsigned;
pub(crate) mod unsigned_limits;
pub(crate) mod unsigned_quotas;
pub(crate) mod upload;
