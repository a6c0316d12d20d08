//! Delivery of files: lookup by storage path, access control, and access to the bytes.
//!
//! Invariants:
//! - A [`ResolvedFile`] has no accessors. Only [`Delivery::authorize`], which evaluates access
//!   control, turns it into an [`AuthorizedFile`] with record and bytes.
//! - File, space and folders are read as a consistent snapshot, so access is never granted by a
//!   combination of settings that did not exist.

use std::collections::HashMap;

use domain::{
    access::{EffectiveSecurity, access_revision, renditions_require_auth, requires_auth},
    env::Timestamp,
    errors::ServiceError,
    files::File,
    folders::{Folder, FolderChain, FolderRef, MAX_FOLDER_DEPTH, Resolution},
    id::FolderId,
    keys::Role,
    settings::{AppliedWatermark, DeliveryType, FileStatus, TransformationPolicy},
    signing::SignatureError,
    spaces::{DeliverySpace, Handle},
};
use table::folders::{DeliveryRecords, FolderSelection};
use tracing::instrument;

use super::{AccessContext, AccessReason, Delivery, UrlSignature};
use crate::spaces::Caller;

/// Maximum reads to resolve the folders of a file, which concurrent moves may invalidate.
const MAX_READS: usize = MAX_FOLDER_DEPTH;
/// Maximum folders of one read. A transactional read has at most 100 items.
const MAX_FOLDERS: usize = 90;

/// An active file, before its access control is evaluated.
#[derive(Debug)]
pub struct ResolvedFile {
    pub(crate) file: File,
    /// The folders of the file; `None` if one of them is missing.
    pub(crate) folders: Option<FolderChain>,
    pub(crate) space: DeliverySpace,
}

/// A signed URL that was verified.
#[derive(Clone, Copy, Debug)]
struct VerifiedUrl {
    /// Expiry, in seconds since 1970.
    expires_seconds: i64,
}

/// A file that the request is authorized to read.
#[derive(Clone, Debug)]
pub struct AuthorizedFile {
    file: File,
    reason: AccessReason,
    url: Option<VerifiedUrl>,
    access_revision: String,
    watermark: Option<AppliedWatermark>,
    has_credentials: bool,
    /// Which transformed images the request may create.
    pub(crate) creatable: TransformationPolicy,
}

/// Outcome of resolving the folders of a file with those that were read: more are missing, or one
/// was deleted.
enum FileResolution {
    Resolved(Box<ResolvedFile>),
    Deleted,
    Missing {
        folder: Option<FolderRef>,
        ids: Vec<FolderId>,
    },
}

impl Delivery<'_> {
    /// Returns the active file with a storage path in an enabled space; `None` if there is none.
    pub async fn resolve(self, storage_path: &str) -> Result<Option<ResolvedFile>, ServiceError> {
        let resolved = self.resolve_active(storage_path).await?;
        Ok(resolved.filter(|resolved| resolved.space.enabled))
    }

    /// Returns the active file with a storage path, also in a disabled space; `None` if there is
    /// none.
    pub(crate) async fn resolve_active(
        self,
        storage_path: &str,
    ) -> Result<Option<ResolvedFile>, ServiceError> {
        let Some((handle, _)) = storage_path.split_once('/') else {
            return Ok(None);
        };
        let Ok(handle) = Handle::parse(handle) else {
            return Ok(None);
        };

        let mut space_id = None;
        let mut folder_ids: Vec<FolderId> = Vec::new();
        for read in 0..MAX_READS {
            let folders = space_id.map(|space| FolderSelection {
                space,
                ids: &folder_ids,
            });
            let records = self
                .tenants
                .table
                .folders()
                .for_delivery(&handle, storage_path, folders)
                .await?;
            let Some(found) = deliverable(records) else {
                return Ok(None);
            };
            space_id = Some(found.space.id);

            match found.resolve() {
                FileResolution::Resolved(resolved) => {
                    // More than two reads mean that the known ancestors are outdated.
                    if read > 1 {
                        self.remember_ancestors(&resolved);
                    }
                    return Ok(Some(*resolved));
                }
                FileResolution::Deleted => return Ok(None),
                FileResolution::Missing { folder, ids } => {
                    folder_ids.extend(self.known_ancestors(folder.as_ref()));
                    folder_ids.extend(ids);
                }
            }
            folder_ids.sort_unstable();
            folder_ids.dedup();
            if folder_ids.len() > MAX_FOLDERS {
                break;
            }
        }
        Err(ServiceError::contended(
            "concurrent requests kept moving the folders of the file",
        ))
    }

    /// Returns a file's folder with the ancestors that the file and the cache name.
    fn known_ancestors(self, folder: Option<&FolderRef>) -> Vec<FolderId> {
        let Some(folder) = folder else {
            return Vec::new();
        };
        let mut known: Vec<FolderId> = folder.path_ids().collect();
        known.extend(self.tenants.ancestors.get(&folder.id).unwrap_or_default());
        known
    }

    fn remember_ancestors(self, resolved: &ResolvedFile) {
        let folder = resolved.folders.as_ref().and_then(FolderChain::leaf_ref);
        if let Some(folder) = folder {
            self.tenants
                .ancestors
                .insert(folder.id, folder.ancestor_ids);
        }
    }

    /// Authorizes a request for a file. If the file, one of its folders or its space requires
    /// authentication, the request needs a signed URL or a role in the space.
    ///
    /// Fails with 403 if the URL has an invalid signature, even for a public file, and with 422 if
    /// the file is an image that must have a watermark whose image is not stored.
    #[instrument(name = "authorize_file", skip_all)]
    pub async fn authorize(
        self,
        resolved: ResolvedFile,
        context: AccessContext<'_>,
    ) -> Result<AuthorizedFile, ServiceError> {
        let ResolvedFile {
            file,
            folders,
            space,
        } = resolved;
        telemetry::record_space(space.id);
        let Some(folders) = folders else {
            return Err(ServiceError::forbidden(
                "The folder of this file does not exist. Move the file to another folder.",
            ));
        };

        let url = verify(context.signature, &space, context.now)?;
        let is_protected = if context.is_transformed {
            renditions_require_auth(&file, &folders, &space)
        } else {
            requires_auth(&file, &folders, &space)
        };
        let reason = if !is_protected {
            AccessReason::Public
        } else if url.is_some() {
            AccessReason::Signature
        } else {
            self.require_key(context.caller, &space).await?
        };

        let security = EffectiveSecurity::of(&folders, &space);
        let watermark = security.watermark_of(&file)?;
        let policy = security.transformations_of(&file);
        let is_rendered = context.is_transformed || watermark.is_some();
        let has_credentials = url.is_some()
            || reason != AccessReason::Public
            || (is_rendered && self.is_viewer(context.caller, &space).await?);
        let is_unrestricted = !context.is_transformed || has_credentials;

        let access_revision = access_revision(&file, &folders, &space);
        Ok(AuthorizedFile {
            file,
            reason,
            url,
            access_revision,
            watermark,
            has_credentials,
            creatable: if is_unrestricted {
                TransformationPolicy::Any
            } else {
                policy
            },
        })
    }

    /// Fails with 403 unless the caller has a role in the space.
    async fn require_key(
        self,
        caller: Option<&Caller>,
        space: &DeliverySpace,
    ) -> Result<AccessReason, ServiceError> {
        if self.is_viewer(caller, space).await? {
            return Ok(AccessReason::ApiKey);
        }
        Err(ServiceError::forbidden(
            "This file requires a signed URL, or an API key of its space in the Authorization header.",
        ))
    }

    /// Whether the caller has a role in the space.
    async fn is_viewer(
        self,
        caller: Option<&Caller>,
        space: &DeliverySpace,
    ) -> Result<bool, ServiceError> {
        let Some(caller) = caller else {
            return Ok(false);
        };

        if let Some(own) = caller.space_role() {
            return Ok(own.space_id == space.id && own.role >= Role::Viewer);
        }

        let Some(user) = caller.user() else {
            return Ok(false);
        };
        let membership = self
            .tenants
            .table
            .members()
            .membership(user, space.id)
            .await?;

        Ok(membership.is_some_and(|membership| membership.role >= Role::Viewer))
    }
}

/// The records of an active file.
struct DeliverableFile {
    file: File,
    space: DeliverySpace,
    folders: HashMap<FolderId, Option<Folder>>,
}

/// Returns the records if the file is active and belongs to this space.
fn deliverable(records: DeliveryRecords) -> Option<DeliverableFile> {
    let file = records.file?;
    let space = records.space?;
    let is_deliverable = file.space_id == space.id && file.status == FileStatus::Active;
    is_deliverable.then_some(DeliverableFile {
        file,
        space,
        folders: records.folders,
    })
}

impl DeliverableFile {
    fn resolve(self) -> FileResolution {
        let folders = match FolderChain::resolve(self.file.folder_id(), &self.folders) {
            Resolution::Missing(ids) => {
                return FileResolution::Missing {
                    folder: self.file.folder,
                    ids,
                };
            }
            Resolution::Deleted => return FileResolution::Deleted,
            Resolution::Orphaned => None,
            Resolution::Complete(folders) => Some(folders),
        };

        FileResolution::Resolved(Box::new(ResolvedFile {
            file: self.file,
            folders,
            space: self.space,
        }))
    }
}

/// Verifies the signature of a URL. Returns `None` for a URL without one. Fails with 403 if the
/// signature is wrong, incomplete or expired.
fn verify(
    signature: Option<Result<UrlSignature<'_>, SignatureError>>,
    space: &DeliverySpace,
    now: Timestamp,
) -> Result<Option<VerifiedUrl>, ServiceError> {
    let Some(signature) = signature else {
        return Ok(None);
    };
    let UrlSignature { delivery, master } = signature?;
    let left_seconds = delivery.verify(space.id, space.signing, master, now)?;
    Ok(Some(VerifiedUrl {
        expires_seconds: now.seconds().saturating_add(left_seconds),
    }))
}

impl AuthorizedFile {
    /// Creates the file for a background job, which may create all renditions.
    pub(crate) fn for_background_job(
        file: File,
        watermark: Option<AppliedWatermark>,
    ) -> AuthorizedFile {
        AuthorizedFile {
            file,
            reason: AccessReason::Public,
            url: None,
            access_revision: String::new(),
            watermark,
            has_credentials: true,
            creatable: TransformationPolicy::Any,
        }
    }

    /// Returns the file's record.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns a string that changes with every change of the file's type or of its access control
    /// at any level.
    pub fn access_revision(&self) -> &str {
        &self.access_revision
    }

    /// Returns the watermark that the file must be delivered with.
    pub fn watermark(&self) -> Option<AppliedWatermark> {
        self.watermark
    }

    /// Returns whether the request for a rendered image has a signed URL, or a key with a role in
    /// the space.
    pub(crate) fn has_credentials(&self) -> bool {
        self.has_credentials
    }

    /// Returns why access is granted.
    pub fn reason(&self) -> AccessReason {
        self.reason
    }

    /// Returns the expiry of the signed URL, in seconds since 1970; `None` for a URL without a
    /// signature.
    pub fn expires_seconds(&self) -> Option<i64> {
        self.url.map(|url| url.expires_seconds)
    }

    /// Returns whether a key permits the request, because the file is not public and its URL is not
    /// signed.
    pub fn is_opened_by_key(&self) -> bool {
        self.reason == AccessReason::ApiKey
    }

    /// Returns whether browsers and the CDN may cache the bytes: the file is neither
    /// `authenticated` nor delivered to a key.
    pub fn is_cacheable(&self) -> bool {
        match self.reason {
            AccessReason::Public => true,
            AccessReason::Signature => self.file.delivery_type != DeliveryType::Authenticated,
            AccessReason::ApiKey => false,
        }
    }
}
