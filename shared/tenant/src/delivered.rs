//! What delivery needs of a file: its record, what its space demands, and its bytes.
//!
//! Invariant: an address leads to a [`Located`], which tells nothing; only [`Tenants::open`], which decides on access,
//! makes it a [`Delivered`], which has record and bytes.

use std::time::Duration;

use bucket::{AnswerHeaders, Error};
use bytes::Bytes;
use domain::{
    Fault, File, FileStatus, Handle, ResourceType, Role, Space, Timestamp, Violation, Violations, original_needs_proof,
};
use futures::Stream;

use crate::{Caller, Originals, Tenants, assets::original};

/// A file that an address names, in a space that delivers; nobody has been admitted to it yet.
#[derive(Debug)]
pub struct Located {
    file: File,
    space: Space,
}

/// A file whose original the caller may see.
#[derive(Debug)]
pub struct Delivered {
    file: File,
    needs_proof: bool,
}

impl Tenants {
    /// The active file at a path, in a space that is enabled; `None` where there is none.
    pub async fn located(&self, storage_path: &str) -> Result<Option<Located>, Fault> {
        let Some((handle, _)) = storage_path.split_once('/') else { return Ok(None) };
        let Ok(handle) = Handle::parse(handle) else { return Ok(None) };
        let (file, space) = self.table.delivered(&handle, storage_path).await?;
        let found = file
            .zip(space)
            .filter(|(file, space)| file.space_id == space.id && file.status == FileStatus::Active && space.enabled);
        Ok(found.map(|(file, space)| Located { file, space }))
    }

    /// Lets a caller see the original: everyone, where neither the file's type nor its space demands proof; else whoever
    /// has a role in the space. An image that has to carry a watermark is never seen without it.
    pub async fn open(&self, located: Located, caller: Option<&Caller>) -> Result<Delivered, Fault> {
        let Located { file, space } = located;
        let needs_proof = original_needs_proof(&file, &space);
        let admitted = match caller {
            _ if !needs_proof => true,
            Some(caller) => self.may_view(caller, &space).await?,
            None => false,
        };
        if !admitted {
            let message = "This file is delivered only with a key of its space in the Authorization header.";
            return Err(Fault::forbidden(message));
        }
        if file.resource_type == ResourceType::Image && space.security.watermark.enabled {
            let violation = Violation::Must("is enabled, and this image cannot be rendered with it");
            return Err(Violations::from(("watermark", violation)).into());
        }
        Ok(Delivered { file, needs_proof })
    }

    async fn may_view(&self, caller: &Caller, space: &Space) -> Result<bool, Fault> {
        let role = match (caller.own_space(), caller.user()) {
            (Some((own, role)), _) => (own == space.id).then_some(role),
            (None, Some(user)) => self.table.membership(user, space.id).await?.map(|membership| membership.role),
            (None, None) => None,
        };
        Ok(role.is_some_and(|role| role >= Role::Viewer))
    }
}

impl Delivered {
    /// The file's record.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether the original is delivered only to those who prove that they may see it.
    pub fn needs_proof(&self) -> bool {
        self.needs_proof
    }

    /// The file's bytes, or those from the first to the last position, both inclusive.
    pub async fn bytes(
        &self,
        originals: &Originals,
        positions: Option<(u64, u64)>,
    ) -> Result<impl Stream<Item = Result<Bytes, Error>> + Send + use<>, Fault> {
        let object = originals.0.get(&original(&self.file)?, positions).await?;
        object.ok_or_else(|| Fault::internal(format!("the file {} has lost its bytes", self.file.id)))
    }

    /// An address of the bytes at storage itself, good for so long.
    pub async fn presign(
        &self,
        originals: &Originals,
        headers: AnswerHeaders,
        now: Timestamp,
        lifetime: Duration,
    ) -> Result<String, Fault> {
        Ok(originals.0.presign_get(&original(&self.file)?, headers, now, lifetime).await?)
    }
}
