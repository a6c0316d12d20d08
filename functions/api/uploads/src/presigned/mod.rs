//! Presigned uploads: declared, and confirmed after the client has sent the bytes.

pub(crate) mod confirm;
mod declared;
pub(crate) mod presign;

pub(crate) use declared::{CONTENT_TYPE, ContentType, DeclaredName, REPLACES};
