//! What delivery needs of a file: its record, what its folders and its space demand, and its bytes.
//!
//! Invariant: an address leads to a [`ResolvedFile`], which tells nothing; only [`Tenants::authorize_file`],
//! which decides on access, makes it a [`AuthorizedFile`], which has record and bytes. What it
//! decides on is read as it was at one moment, so nobody is let in who would not have been at any.

use std::time::Duration;

use bucket::{BucketError, ResponseHeaders};
use bytes::Bytes;
use domain::{
    DeliveryType, EffectiveSecurity, FieldError, FieldErrors, File, FileStatus, FolderChain,
    FolderId, Handle, MAX_FOLDER_DEPTH, MasterSecret, Resolution, ResourceType, Role, ServiceError,
    SignatureError, SignedDelivery, Space, SpaceId, Timestamp, access_revision, requires_auth,
};
use futures::Stream;
use tracing::instrument;

use crate::{Caller, FileBucket, Tenants, file_store::original};

/// Times that a file's folders are read which others keep moving.
const READS: usize = MAX_FOLDER_DEPTH;
/// Most folders that are read at once.
const FOLDERS: usize = 90;

/// A file that an address names, in a space that delivers; nobody has been admitted to it yet.
#[derive(Debug)]
pub struct ResolvedFile {
    file: File,
    /// Nothing, where a folder is missing.
    folders: Option<FolderChain>,
    space: Space,
}

/// Who asks for a file.
pub struct AccessContext<'a> {
    /// Whose key they send.
    pub caller: Option<&'a Caller>,
    /// What their address claims to prove, and the secret to verify it by.
    pub proof: Option<Result<(SignedDelivery, &'a MasterSecret), SignatureError>>,
    /// When they ask.
    pub now: Timestamp,
}

/// Why somebody may see a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grant {
    /// Everyone may.
    Public,
    /// Their address is signed.
    Signature,
    /// They have a role in the space.
    ApiKey,
}

/// A signed address that was verified.
#[derive(Clone, Copy, Debug)]
struct SignedAddress {
    /// The second since 1970 from which on it is refused.
    expires_seconds: i64,
}

/// A file whose original somebody may see.
#[derive(Debug)]
pub struct AuthorizedFile {
    file: File,
    grant: Grant,
    signed: Option<SignedAddress>,
    access_revision: String,
}

impl Tenants {
    /// The active file at a path, in a space that is enabled; `None` where there is none.
    pub async fn resolve_file(
        &self,
        storage_path: &str,
    ) -> Result<Option<ResolvedFile>, ServiceError> {
        let Some((handle, _)) = storage_path.split_once('/') else {
            return Ok(None);
        };
        let Ok(handle) = Handle::parse(handle) else {
            return Ok(None);
        };
        let mut asked: Option<(SpaceId, Vec<FolderId>)> = None;
        for read in 0..READS {
            let folders = asked.as_ref().map(|(space, ids)| (*space, ids.as_slice()));
            let records = self.table.delivered(&handle, storage_path, folders).await?;
            let Some((file, space)) = records.file.zip(records.space) else {
                return Ok(None);
            };
            if file.space_id != space.id || file.status != FileStatus::Active || !space.enabled {
                return Ok(None);
            }
            let needs = match FolderChain::resolve(file.folder_id(), &records.folders) {
                Resolution::Orphaned => {
                    return Ok(Some(ResolvedFile {
                        file,
                        folders: None,
                        space,
                    }));
                }
                Resolution::Complete(folders) => {
                    // More than two reads show that hints were old.
                    if let Some(found) = folders.leaf_ref().filter(|_| read > 1) {
                        self.hints.note(found.id, found.ancestor_ids);
                    }
                    return Ok(Some(ResolvedFile {
                        file,
                        folders: Some(folders),
                        space,
                    }));
                }
                Resolution::Missing(ids) => ids,
            };
            let known = asked.map(|(_, ids)| ids).unwrap_or_default();
            let hinted = file.folder.iter().flat_map(|folder| {
                folder
                    .path_ids()
                    .chain(self.hints.get(&folder.id).unwrap_or_default())
            });
            let mut ids: Vec<FolderId> = known.into_iter().chain(hinted).chain(needs).collect();
            ids.sort_unstable();
            ids.dedup();
            if ids.len() > FOLDERS {
                break;
            }
            asked = Some((space.id, ids));
        }
        Err(ServiceError::contended(
            "others kept moving the folders of the file",
        ))
    }

    /// Opens the original for a visitor: for everyone if neither the file nor anything around it
    /// requires proof, else for the holder of a signed address or of a role in the space. A
    /// signature that does not verify is refused in both cases. An image that has to carry a
    /// watermark is never delivered without it.
    #[instrument(skip_all)]
    pub async fn authorize_file(
        &self,
        located: ResolvedFile,
        visitor: AccessContext<'_>,
    ) -> Result<AuthorizedFile, ServiceError> {
        let ResolvedFile {
            file,
            folders,
            space,
        } = located;
        telemetry::record_space(space.id);
        let Some(folders) = folders else {
            return Err(ServiceError::forbidden(
                "The folder of this file does not exist. Move the file to another folder.",
            ));
        };
        let signed = verify(visitor.proof, &space, visitor.now)?;
        let needs_proof = requires_auth(&file, &folders, &space);
        let grant = match (needs_proof, signed) {
            (false, _) => Grant::Public,
            (true, Some(_)) => Grant::Signature,
            (true, None) => self.grant_by_key(visitor.caller, &space).await?,
        };

        let security = EffectiveSecurity::of(&folders, &space).security;
        if file.resource_type == ResourceType::Image && security.watermark.enabled {
            let field_error =
                FieldError::Custom("is enabled, but watermarks cannot be rendered yet");
            return Err(FieldErrors::from(("watermark", field_error)).into());
        }
        let access_revision = access_revision(&file, &folders, &space);
        Ok(AuthorizedFile {
            file,
            grant,
            signed,
            access_revision,
        })
    }

    /// Fails with 403 unless the caller has a role in the space.
    async fn grant_by_key(
        &self,
        caller: Option<&Caller>,
        space: &Space,
    ) -> Result<Grant, ServiceError> {
        if let Some(caller) = caller
            && self.may_view(caller, space).await?
        {
            return Ok(Grant::ApiKey);
        }

        let message = "This file requires a signed URL, or an API key of its space in the Authorization header.";
        Err(ServiceError::forbidden(message))
    }

    async fn may_view(&self, caller: &Caller, space: &Space) -> Result<bool, ServiceError> {
        let role = match (caller.own_space(), caller.user()) {
            (Some((own, role)), _) => (own == space.id).then_some(role),
            (None, Some(user)) => self
                .table
                .membership(user, space.id)
                .await?
                .map(|membership| membership.role),
            (None, None) => None,
        };
        Ok(role.is_some_and(|role| role >= Role::Viewer))
    }
}

/// Verifies the signature of an address; `None` for an address without one. Fails with 403 if the
/// signature is wrong, incomplete or expired, whatever else comes with the request, and on open
/// files too.
fn verify(
    proof: Option<Result<(SignedDelivery, &MasterSecret), SignatureError>>,
    space: &Space,
    now: Timestamp,
) -> Result<Option<SignedAddress>, ServiceError> {
    let Some(proof) = proof else { return Ok(None) };
    let left_seconds =
        proof.and_then(|(proof, master)| proof.verify(space.id, space.signing, master, now))?;
    Ok(Some(SignedAddress {
        expires_seconds: now.seconds().saturating_add(left_seconds),
    }))
}

impl AuthorizedFile {
    /// The file's record.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns a text that changes with every change of access to the file, at any level, and of
    /// its type.
    pub fn access_revision(&self) -> &str {
        &self.access_revision
    }

    /// Why it may be seen.
    pub fn grant(&self) -> Grant {
        self.grant
    }

    /// Returns the second since 1970 at which the signed address of the request expires; `None` for
    /// one without a signature.
    pub fn expires_seconds(&self) -> Option<i64> {
        self.signed.map(|signed| signed.expires_seconds)
    }

    /// Whether browsers may store the file until the address expires.
    pub fn is_cacheable(&self) -> bool {
        match self.grant {
            Grant::Public => true,
            Grant::Signature => self.file.delivery_type != DeliveryType::Authenticated,
            Grant::ApiKey => false,
        }
    }

    /// The file's bytes, or those from the first to the last position, both inclusive; not found,
    /// where it was deleted meanwhile.
    pub async fn bytes(
        &self,
        tenants: &Tenants,
        originals: &FileBucket,
        positions: Option<(u64, u64)>,
    ) -> Result<impl Stream<Item = Result<Bytes, BucketError>> + Send + use<>, ServiceError> {
        if let Some(object) = originals.0.get(&original(&self.file)?, positions).await? {
            return Ok(object);
        }
        let is_there = !tenants
            .table
            .files(self.file.space_id, &[self.file.id])
            .await?
            .is_empty();
        Err(if is_there {
            ServiceError::internal(format!("the file {} has lost its bytes", self.file.id))
        } else {
            ServiceError::not_found()
        })
    }

    /// An address of the bytes at storage itself, good from then on for so long.
    pub async fn presign(
        &self,
        originals: &FileBucket,
        headers: ResponseHeaders,
        start: Timestamp,
        lifetime: Duration,
    ) -> Result<String, ServiceError> {
        Ok(originals
            .0
            .presign_get(&original(&self.file)?, headers, start, lifetime)
            .await?)
    }
}
