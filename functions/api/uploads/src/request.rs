//! What every upload has in common, whatever proves the right to it and however the bytes come: the fields are read, the
//! request is claimed, the folders are resolved, and all that is wrong is reported together.

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
    options: UploadOptions,
    /// Where the files go; `None` until it is resolved.
    placement: Option<Placement>,
}

/// What a request specifies for its files.
struct UploadOptions {
    reference: Option<Reference>,
    folder: Option<FolderSelector>,
}

/// An upload without violations.
pub(crate) struct Upload {
    pub(crate) principal: Principal,
    pub(crate) limits: UploadLimits,
    scope: UploadScope,
    reference: Option<Reference>,
    placement: Placement,
}

impl UploadOptions {
    /// Reads the options. Fails with 403 if the request names another folder than its URL is signed for.
    fn read(fields: &mut Fields, folders: AllowedFolders) -> Result<UploadOptions, Fault> {
        let folder = match folders {
            AllowedFolders::Any => match read_folder(fields) {
                Patch::Set(folder) => Some(folder),
                Patch::Keep | Patch::Clear => None,
            },
            AllowedFolders::Signed(signed) => {
                if fields.has(FOLDER_PATH) {
                    fields.violate(FOLDER_PATH, &NOT_SIGNED);
                }
                let named = fields.optional(FOLDER_ID, |id| Ok(id.to_owned()));
                if !named.is_none_or(|id| signed.is_some_and(|folder| id.parse() == Ok(folder))) {
                    return Err(Fault::forbidden("The URL is signed for another folder."));
                }
                signed.map(|folder| FolderSelector { from: folder.id(), path: None })
            }
            AllowedFolders::Configured => {
                for name in [FOLDER_ID, FOLDER_PATH] {
                    if fields.has(name) {
                        fields.violate(name, &NOT_SELECTABLE);
                    }
                }
                None
            }
        };
        Ok(UploadOptions { folder, reference: fields.optional("ref", Reference::parse) })
    }
}

impl UploadRequest {
    /// Reads what the fields specify of the upload. Fails with 403 if the grant does not cover it.
    pub(crate) async fn read(grant: UploadGrant, mut fields: Fields) -> Result<UploadRequest, Fault> {
        let scope = grant.scope(&mut fields).await?;
        let options = UploadOptions::read(&mut fields, grant.limits.folders)?;
        Ok(UploadRequest { fields, grant, scope, options, placement: None })
    }

    /// Validates and transforms the files of a form, by the default rules if the config is unknown; `None` if a violation was
    /// recorded.
    pub(crate) async fn validate(&mut self, mut files: Vec<ReceivedFile>) -> Result<Option<Vec<ValidatedFile>>, Fault> {
        let UploadGrant { principal, limits, .. } = &self.grant;
        if let Some(name) = &limits.original_name {
            for file in &mut files {
                file.original_name = name.clone();
            }
        }

        let rules = self.scope.as_ref().map(|scope| scope.config.rules_for(*principal)).unwrap_or_default();
        let validating = ingest::validate(files, &rules, *principal, limits.content_type.as_ref());
        match in_time(validating, "validating took too long").await? {
            Ok(validated) => Ok(Some(validated)),
            Err(violations) => {
                self.fields.note(violations);
                Ok(None)
            }
        }
    }

    /// Records what the rules refuse of a declared file.
    pub(crate) fn validate_declared(&mut self, file: Option<&DeclaredFile>) {
        let Some((file, scope)) = file.zip(self.scope.as_ref()) else { return };
        let rules = scope.config.rules_for(self.grant.principal);
        self.fields.note(file.validate(&rules.validation, self.grant.principal));
    }

    /// Resolves the folder that the request selects, or else that of the config. Fails with 403 if the caller selects one
    /// that would have to be created and may not create it; an admin wrote the config.
    pub(crate) async fn resolve_placement(&mut self) -> Result<(), Fault> {
        let Some(UploadScope { space, config }) = &self.scope else { return Ok(()) };
        let configured = FolderSelector { from: None, path: config.config.storage.folder.clone() };
        let selector = self.options.folder.as_ref().unwrap_or(&configured);

        match space.placement(selector).await? {
            Ok(placement) => {
                if self.options.folder.is_some() {
                    space.require_placeable(&placement)?;
                }
                self.placement = Some(placement);
            }
            Err(violations) => self.fields.note(violations),
        }
        Ok(())
    }

    /// Returns the upload and what was validated with it, or fails with 422 and all violations.
    pub(crate) fn finish<T>(self, validated: Option<T>) -> Result<(Upload, T), Fault> {
        let UploadRequest { fields, grant, scope, options, placement } = self;
        let (scope, validated) = fields.finish(scope.zip(validated))?;
        let upload = Upload {
            principal: grant.principal,
            limits: grant.limits,
            scope,
            reference: options.reference,
            placement: placement.unwrap_or_default(),
        };
        Ok((upload, validated))
    }
}

impl Upload {
    /// Fails with 403 if a caller with a key uploads directly under a config that requires signed URLs or presigned uploads.
    pub(crate) fn require_direct(&self) -> Result<(), Fault> {
        if self.scope.config.is_signed && !self.principal.is_anonymous() {
            return Err(Fault::forbidden("This upload config takes signed and presigned uploads only."));
        }
        Ok(())
    }

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
