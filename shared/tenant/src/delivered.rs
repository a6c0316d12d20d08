//! What delivery needs of a file: its record, its space's, and its bytes.

use std::time::Duration;

use bucket::{AnswerHeaders, Error, ObjectKey};
use bytes::Bytes;
use domain::{Fault, File, FileStatus, Handle, Role, Space, Timestamp};
use futures::Stream;

use crate::{Caller, Originals, Tenants};

/// A file that an address names, in a space that delivers.
#[derive(Clone, Debug)]
pub struct Delivered {
    /// The file.
    pub file: File,
    /// Its space.
    pub space: Space,
}

impl Tenants {
    /// The active file at a path, in a space that is enabled; `None` where there is none.
    pub async fn delivered(&self, storage_path: &str) -> Result<Option<Delivered>, Fault> {
        let Some((handle, _)) = storage_path.split_once('/') else { return Ok(None) };
        let Ok(handle) = Handle::parse(handle) else { return Ok(None) };
        let (file, space) = self.table.delivered(&handle, storage_path).await?;
        let found = file
            .zip(space)
            .filter(|(file, space)| file.space_id == space.id && file.status == FileStatus::Active && space.enabled);
        Ok(found.map(|(file, space)| Delivered { file, space }))
    }

    /// Whether the caller may see the files of this space that are not for everyone.
    pub async fn may_view(&self, caller: &Caller, space: &Space) -> Result<bool, Fault> {
        let role = match (caller.own_space(), caller.user()) {
            (Some((own, role)), _) => (own == space.id).then_some(role),
            (None, Some(user)) => self.table.membership(user, space.id).await?.map(|membership| membership.role),
            (None, None) => None,
        };
        Ok(role.is_some_and(|role| role >= Role::Viewer))
    }
}

impl Delivered {
    /// The file's bytes, or those from the first to the last position, both inclusive.
    pub async fn bytes(
        &self,
        originals: &Originals,
        positions: Option<(u64, u64)>,
    ) -> Result<impl Stream<Item = Result<Bytes, Error>> + Send + use<>, Fault> {
        let object = originals.0.get(&self.key(), positions).await?;
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
        Ok(originals.0.presign_get(&self.key(), headers, now, lifetime).await?)
    }

    fn key(&self) -> ObjectKey {
        ObjectKey::original(self.space.id, self.file.id)
    }
}
