//! What every upload has in common, whatever proves the right to it and however the bytes come: an [`UploadRequest`] is read,
//! reserved and validated, with all violations reported together; then it is an [`Upload`], which is carried out.

use domain::{Fault, HourlyQuota, Principal, Reference, UploadTarget, Violation};
use ingest::{DeclaredFile, ReceivedFile, ValidatedFile};
use tenant::{Assets, FolderSelector, Placement, UploadScope};
use web::{AllowedFolders, FOLDER_ID, FOLDER_PATH, FieldReader, Fields, Patch, UploadGrant, UploadLimits, read_folder};

use crate::{Uploads, in_time};

/// The violation of a folder on an upload whose config decides where its files go.
const NOT_SELECTABLE: Violation = Violation::Must("must not be given: the upload config says where its files go");
/// The violation of a path on a signed upload.
const NOT_SIGNED: Violation =
    Violation::Must("must not be given: the URL or its upload config says where its files go");

/// An upload whose fields are being validated.
pub(crate) struct UploadRequest {
    /// The fields, with the violations found so far.
    pub(crate) fields: Fields,
    /// The permission.
    pub(crate) grant: UploadGrant,
    /// The space and the config; `None` only if a violation was recorded.
    scope: Option<UploadScope>,
    /// The folder that the request selects, if any.
    folder: Option<FolderSelector>,
    /// The caller's own reference.
    reference: Option<Reference>,
}

/// An upload without violations.
pub(crate) struct Upload {
    pub(crate) principal: Principal,
    pub(crate) limits: UploadLimits,
    scope: UploadScope,
    reference: Option<Reference>,
    placement: Placement,
}

impl UploadRequest {
    /// Reads what the fields specify of every upload. Fails with 403 if the grant does not cover it.
    pub(crate) async fn read(grant: UploadGrant, mut fields: Fields) -> Result<UploadRequest, Fault> {
        let scope = grant.scope(&mut fields).await?;
        let folder = selected_folder(&mut fields, grant.limits.folders)?;
        let reference = fields.optional("ref", Reference::parse);
        Ok(UploadRequest { fields, grant, scope, folder, reference })
    }

    /// Validates and transforms the files of a form, by the default rules if the config is unknown. Fails with 422 and all
    /// violations, and with 403 if the config takes no direct uploads with a key.
    pub(crate) async fn validate_files(
        mut self,
        mut files: Vec<ReceivedFile>,
    ) -> Result<(Upload, Vec<ValidatedFile>), Fault> {
        let placement = self.resolve_placement().await?;
        let UploadGrant { principal, limits, .. } = &self.grant;
        if let Some(name) = &limits.original_name {
            for file in &mut files {
                file.original_name = name.clone();
            }
        }

        let rules = self.scope.as_ref().map(|scope| scope.config.rules_for(*principal)).unwrap_or_default();
        let validating = ingest::validate(files, &rules, *principal, limits.content_type.as_ref());
        let validated = in_time(validating, "validating took too long").await?;
        let validated = validated.map_err(|violations| self.fields.note(violations)).ok();

        let (upload, files) = self.finish(placement, validated)?;
        if upload.scope.config.is_signed && !upload.principal.is_anonymous() {
            return Err(Fault::forbidden("This upload config takes signed and presigned uploads only."));
        }
        Ok((upload, files))
    }

    /// Validates a declared file. Fails with 422 and all violations.
    pub(crate) async fn validate_declared(
        mut self,
        declared: Option<DeclaredFile>,
    ) -> Result<(Upload, DeclaredFile), Fault> {
        if let Some((file, scope)) = declared.as_ref().zip(self.scope.as_ref()) {
            let rules = scope.config.rules_for(self.grant.principal);
            self.fields.note(file.validate(&rules.validation, self.grant.principal));
        }
        let placement = self.resolve_placement().await?;
        self.finish(placement, declared)
    }

    /// Returns an upload that is replayed, which was validated when it was completed. Fails with 422 and the violations of
    /// its fields alone.
    pub(crate) fn without_validation<T>(self, read: Option<T>) -> Result<(Upload, T), Fault> {
        self.finish(None, read)
    }

    /// Resolves the folder that the request selects, or else that of the config; `None` only if a violation was recorded.
    /// Fails with 403 if the caller selects one that would have to be created and may not create it; an admin wrote the
    /// config.
    async fn resolve_placement(&mut self) -> Result<Option<Placement>, Fault> {
        let Some(UploadScope { space, config }) = &self.scope else { return Ok(None) };
        let configured = FolderSelector { from: None, path: config.config.storage.folder.clone() };
        let selector = self.folder.as_ref().unwrap_or(&configured);

        let placement = space.placement(selector).await?;
        if let (Ok(placement), true) = (&placement, self.folder.is_some()) {
            space.require_placeable(placement)?;
        }
        Ok(placement.map_err(|violations| self.fields.note(violations)).ok())
    }

    fn finish<T>(self, placement: Option<Placement>, validated: Option<T>) -> Result<(Upload, T), Fault> {
        let (scope, validated) = self.fields.finish(self.scope.zip(validated))?;
        let upload = Upload {
            principal: self.grant.principal,
            limits: self.grant.limits,
            scope,
            reference: self.reference,
            placement: placement.unwrap_or_default(),
        };
        Ok((upload, validated))
    }
}

/// Reads the folder that a request selects, if any. Fails with 403 if it is another one than its URL is signed for.
fn selected_folder(fields: &mut Fields, allowed: AllowedFolders) -> Result<Option<FolderSelector>, Fault> {
    match allowed {
        AllowedFolders::Any => Ok(match read_folder(fields) {
            Patch::Set(folder) => Some(folder),
            Patch::Keep | Patch::Clear => None,
        }),
        AllowedFolders::Signed(signed) => {
            if fields.has(FOLDER_PATH) {
                fields.violate(FOLDER_PATH, &NOT_SIGNED);
            }
            let named = fields.optional(FOLDER_ID, |id| Ok(id.to_owned()));
            if !named.is_none_or(|id| signed.is_some_and(|folder| id.parse() == Ok(folder))) {
                return Err(Fault::forbidden("The URL is signed for another folder."));
            }
            Ok(signed.map(|folder| FolderSelector { from: folder.id(), path: None }))
        }
        AllowedFolders::Configured => {
            for name in [FOLDER_ID, FOLDER_PATH] {
                if fields.has(name) {
                    fields.violate(name, &NOT_SELECTABLE);
                }
            }
            Ok(None)
        }
    }
}

impl Upload {
    /// Returns what its files have in common. Creates the folders that are missing.
    pub(crate) async fn target(&self) -> Result<UploadTarget<'_>, Fault> {
        let UploadScope { space, config } = &self.scope;
        let folders = space.create_missing_folders(self.placement.clone()).await?;
        Ok(UploadTarget {
            space: space.record(),
            config,
            folders,
            reference: self.reference.clone(),
            uploaded_by: self.principal,
        })
    }

    /// Returns the files of its space.
    pub(crate) fn assets<'a>(&'a self, uploads: &'a Uploads) -> Assets<'a> {
        self.scope.space.assets(&uploads.originals)
    }

    /// Returns the quota that the upload counts against, if any.
    pub(crate) fn quota(&self) -> Option<HourlyQuota> {
        self.limits.quota(self.scope.config.id, self.scope.space.sources().now())
    }
}
