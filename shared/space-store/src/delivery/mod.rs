//! Delivery of files: who may read them, their bytes and their renditions, and the watermarks of
//! those.

mod access_context;
mod anonymous;
mod authorized_file;
mod objects;
mod watermarks;

pub use access_context::{AccessContext, AccessReason, UrlSignature};
pub use anonymous::AnonymousLimits;
pub use authorized_file::{AuthorizedFile, ResolvedFile};
pub use objects::{FileObjects, GoneBytes, PresignedRead};
pub use watermarks::{NewFolderSecurity, NewSecurity};

use crate::spaces::Tenants;

/// The files of all spaces, as requests for their bytes find them.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    tenants: &'a Tenants,
}

impl Tenants {
    pub fn delivery(&self) -> Delivery<'_> {
        Delivery { tenants: self }
    }
}
