//! What every upload has in common, whatever proves the right to it and however the bytes come: an
//! [`UploadRequest`] is read, reserved and validated, with all field errors reported together; then
//! it is an [`Upload`], which is carried out.

use domain::{HourlyQuota, Principal, Reference, ServiceError, UploadTarget};
use ingest::{DeclaredFile, ReceivedFile, ValidatedFile, ValidationOutcome};
use tenant::{FileStore, FolderSelector, Placement, UploadScope};
use web::{FieldReader, IdempotencyScope, InputFields};

use crate::{
    Uploads,
    grant::{Destination, Proof, UploadFields, UploadGrant, UploadLimits},
    in_time,
};

/// An upload whose fields are being validated.
pub(crate) struct UploadRequest {
    /// The fields, with the field errors found so far.
    pub(crate) fields: InputFields,
    /// The uploader.
    pub(crate) principal: Principal,
    /// What the grant fixes or limits.
    pub(crate) limits: UploadLimits,
    /// In whose name the request is done once.
    pub(crate) idempotency: IdempotencyScope,
    /// Where the files go.
    destination: Destination,
    /// The caller's own reference.
    reference: Option<Reference>,
}

/// An upload without field errors.
pub(crate) struct Upload {
    pub(crate) principal: Principal,
    pub(crate) limits: UploadLimits,
    scope: UploadScope,
    reference: Option<Reference>,
    placement: Placement,
}

impl UploadRequest {
    /// Reads what the fields specify of every upload. Fails with 403 if the grant does not cover
    /// it.
    pub(crate) async fn read<P: Proof>(
        grant: UploadGrant<P>,
        mut fields: InputFields,
    ) -> Result<UploadRequest, ServiceError> {
        let UploadFields {
            selection,
            reference,
        } = UploadFields::<P>::read(&mut fields);
        let destination = match selection {
            Some(selection) => grant.proof.destination(selection, &mut fields).await?,
            None => Destination::default(),
        };

        let UploadGrant {
            principal,
            limits,
            idempotency,
            ..
        } = grant;
        Ok(UploadRequest {
            fields,
            principal,
            limits,
            idempotency,
            destination,
            reference,
        })
    }

    /// Validates and transforms the files of a form, by the default rules if the config is unknown.
    /// Fails with 422 and all field errors, and with 403 if the config takes no direct uploads with
    /// a key.
    pub(crate) async fn validate_files(
        mut self,
        mut files: Vec<ReceivedFile>,
    ) -> Result<(Upload, Vec<ValidatedFile>), ServiceError> {
        let placement = self.resolve_placement().await?;
        if let Some(name) = &self.limits.original_name {
            for file in &mut files {
                file.original_name = name.clone();
            }
        }

        let scope = self.destination.scope.as_ref();
        let rules = scope
            .map(|scope| scope.config.rules_for(self.principal))
            .unwrap_or_default();
        let validating = ingest::validate(
            files,
            &rules,
            self.principal,
            self.limits.content_type.as_ref(),
        );
        let validated = match in_time(validating, "validating took too long").await? {
            ValidationOutcome::Valid(validated) => Some(validated),
            ValidationOutcome::Invalid(field_errors) => {
                self.fields.merge(field_errors);
                None
            }
        };

        let (upload, files) = self.finish(placement, validated)?;
        if upload.scope.config.is_signed && !upload.principal.is_anonymous() {
            return Err(ServiceError::forbidden(
                "This upload config takes signed and presigned uploads only.",
            ));
        }
        Ok((upload, files))
    }

    /// Validates a declared file. Fails with 422 and all field errors.
    pub(crate) async fn validate_declared(
        mut self,
        declared: Option<DeclaredFile>,
    ) -> Result<(Upload, DeclaredFile), ServiceError> {
        if let Some((file, scope)) = declared.as_ref().zip(self.destination.scope.as_ref()) {
            let rules = scope.config.rules_for(self.principal);
            self.fields
                .merge(file.validate(&rules.validation, self.principal));
        }
        let placement = self.resolve_placement().await?;
        self.finish(placement, declared)
    }

    /// Returns an upload that is replayed, which was validated when it was completed. Fails with
    /// 422 and the field errors of its fields alone.
    pub(crate) fn without_validation<T>(
        self,
        read: Option<T>,
    ) -> Result<(Upload, T), ServiceError> {
        self.finish(None, read)
    }

    /// Resolves the folder that the request selects, or else that of the config; `None` only if a
    /// field error was recorded. Fails with 403 if the caller selects one that would have to be
    /// created and may not create it; an admin wrote the config.
    async fn resolve_placement(&mut self) -> Result<Option<Placement>, ServiceError> {
        let Destination { scope, folder } = &self.destination;
        let Some(UploadScope { space, config }) = scope else {
            return Ok(None);
        };
        let configured = FolderSelector {
            from: None,
            path: config.config.storage.folder.clone(),
        };
        let selector = folder.as_ref().unwrap_or(&configured);

        let placement = space.placement(selector).await?;
        if let (Ok(placement), true) = (&placement, folder.is_some()) {
            space.require_placeable(placement)?;
        }
        Ok(placement
            .map_err(|field_errors| self.fields.merge(field_errors))
            .ok())
    }

    fn finish<T>(
        self,
        placement: Option<Placement>,
        validated: Option<T>,
    ) -> Result<(Upload, T), ServiceError> {
        let (scope, validated) = self.fields.finish(self.destination.scope.zip(validated))?;
        let upload = Upload {
            principal: self.principal,
            limits: self.limits,
            scope,
            reference: self.reference,
            placement: placement.unwrap_or_default(),
        };
        Ok((upload, validated))
    }
}

impl Upload {
    /// Returns what its files have in common. Creates the folders that are missing.
    pub(crate) async fn target(&self) -> Result<UploadTarget<'_>, ServiceError> {
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
    pub(crate) fn assets<'a>(&'a self, uploads: &'a Uploads) -> FileStore<'a> {
        self.scope.space.file_store(&uploads.originals)
    }

    /// Returns the quota that the upload counts against, if any.
    pub(crate) fn quota(&self) -> Option<HourlyQuota> {
        self.limits
            .quota(self.scope.config.id, self.scope.space.env().now())
    }
}
