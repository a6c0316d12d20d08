//! The steps that all uploads share, independent of their authorization and of how the bytes are
//! sent: an [`UploadRequest`] is read and validated, reports all field errors together, and becomes
//! an [`AcceptedUpload`].

use domain::{
    env::Timestamp,
    errors::{FieldError, ServiceError},
    files::{Decoders, File, UploadTarget},
    keys::Principal,
    naming::Reference,
    requests::{HourlyQuota, QuotaScope},
    uploads::{UploadConfig, UploadRules},
};
use http_api::{
    caller::IdempotencyScope,
    fields::{FOLDER_ID, FOLDER_PATH, FieldSource, InputFields},
};
use intake::{
    ConfirmationTerms, DeclaredFile, ReceivedFile, UploadContext, ValidatedFile, ValidationOutcome,
};
use space_store::{
    folders::{FolderSelector, Placement},
    uploads::{UploadScope, Uploads, require_replaceable},
};

use crate::{
    UploadsState,
    grant::{ResolvedTarget, UploadAuthorization, UploadFields, UploadGrant, UploadLimits},
    presigned::{CONTENT_TYPE, REPLACES},
};

/// Fields of what a file keeps when its bytes are replaced.
const KEPT_FIELDS: [&str; 4] = ["upload_config", "ref", FOLDER_ID, FOLDER_PATH];

/// An upload whose fields are being validated.
pub(crate) struct UploadRequest {
    /// The fields, with the field errors recorded so far.
    pub(crate) fields: InputFields,
    pub(crate) principal: Principal,
    /// Properties that the grant fixes, and limits that it sets.
    pub(crate) limits: UploadLimits,
    /// The scope of the request's `Idempotency-Key`.
    pub(crate) idempotency: IdempotencyScope,
    /// Id of the file whose bytes a presigned upload replaces.
    pub(crate) replaces: Option<String>,
    target: ResolvedTarget,
    reference: Option<Reference>,
}

/// An upload without field errors.
pub(crate) struct AcceptedUpload {
    limits: UploadLimits,
    /// Whether it replaces the bytes of a file.
    pub(crate) is_replacement: bool,
    /// The file whose bytes it replaces; `None` for a replayed request.
    replaced: Option<File>,
    principal: Principal,
    pub(crate) scope: UploadScope,
    reference: Option<Reference>,
    placement: Placement,
}

/// An upload without field errors, and its validated content.
pub(crate) struct ValidUpload<T> {
    pub(crate) upload: AcceptedUpload,
    pub(crate) content: T,
}

impl UploadRequest {
    /// Reads the fields that every upload has. Fails with 403 if the grant does not cover the
    /// target.
    pub(crate) async fn read<A: UploadAuthorization>(
        grant: UploadGrant<A>,
        mut fields: InputFields,
    ) -> Result<UploadRequest, ServiceError> {
        let upload_fields = UploadFields::<A>::read(&mut fields);
        let target = match upload_fields.target {
            Some(target) => {
                grant
                    .authorization
                    .resolve_target(target, &mut fields)
                    .await?
            }
            None => ResolvedTarget::default(),
        };

        Ok(UploadRequest {
            fields,
            principal: grant.principal,
            limits: grant.limits,
            idempotency: grant.idempotency,
            replaces: None,
            target,
            reference: upload_fields.reference,
        })
    }

    /// Validates and transforms the files of a form, by the default rules if the config is unknown.
    /// Fails with 422 and all field errors, and with 403 if the config requires a signature.
    pub(crate) async fn validate_files(
        mut self,
        mut files: Vec<ReceivedFile>,
        decoders: Decoders,
    ) -> Result<ValidUpload<Vec<ValidatedFile>>, ServiceError> {
        let placement = self.resolve_placement().await?;
        if let Some(name) = &self.limits.original_name {
            for file in &mut files {
                file.original_name = name.clone();
            }
        }

        let scope = self.target.scope.as_ref();
        let rules = scope
            .map(|scope| scope.config.rules_for(self.principal))
            .unwrap_or_default();
        let context = UploadContext {
            rules: &rules,
            uploaded_by: self.principal,
            expected_type: self.limits.content_type.as_ref(),
            extension: None,
            decoders,
        };
        let validated = match intake::validate(files, context).await? {
            ValidationOutcome::Valid(validated) => Some(validated),
            ValidationOutcome::Invalid(field_errors) => {
                self.fields.merge(field_errors);
                None
            }
        };

        let valid = self.finish(placement, validated)?;
        let upload = &valid.upload;
        if upload.scope.config.is_signed && !upload.principal.is_anonymous() {
            return Err(ServiceError::forbidden(
                "This upload config accepts signed and presigned uploads only.",
            ));
        }
        Ok(valid)
    }

    /// Validates a declared file. Fails with 422 and all field errors.
    pub(crate) async fn validate_declared(
        mut self,
        declared: Option<DeclaredFile>,
        decoders: Decoders,
    ) -> Result<ValidUpload<DeclaredFile>, ServiceError> {
        let replaced = self.resolve_replaced().await?;

        if let (Some(file), Some(scope)) = (&declared, &self.target.scope) {
            let rules = scope.config.rules_for(self.principal);
            let field_errors = file.validate(&rules, self.principal, decoders);
            self.fields.merge(field_errors);
            if let Some(replaced) = &replaced {
                let extension = file.require_extension(&replaced.extension, &rules, self.principal);
                self.fields.record(CONTENT_TYPE, extension);
            }
        }

        let placement = if self.replaces.is_some() {
            None
        } else {
            self.resolve_placement().await?
        };

        let valid = self.finish(placement, declared)?;
        let upload = AcceptedUpload {
            replaced,
            ..valid.upload
        };
        Ok(ValidUpload { upload, ..valid })
    }

    /// Returns the file whose bytes the upload replaces, and selects its upload config. `None` if
    /// it replaces none, or if a field error was recorded. Fails with 403 if the caller may not
    /// manage the file, and with 409 if it is pending.
    async fn resolve_replaced(&mut self) -> Result<Option<File>, ServiceError> {
        let (Some(id), Some(scope)) = (&self.replaces, &mut self.target.scope) else {
            return Ok(None);
        };
        for field in KEPT_FIELDS {
            if self.fields.has_value(field) {
                let kept = FieldError::Custom("must be missing when replaces is present");
                self.fields.reject(field, &kept);
            }
        }
        let found = match id.parse() {
            Ok(id) => scope.space.files().shown(id).await?,
            Err(_) => None,
        };
        let Some(file) = found else {
            self.fields.reject(REPLACES, &FieldError::InvalidSelection);
            return Ok(None);
        };
        scope
            .space
            .files()
            .require_managing(&file, self.principal)?;
        require_replaceable(&file, REPLACES)?;

        if scope.config.id != file.upload_config_id {
            let rules = scope.space.upload_configs().rules_of(&file, self.principal);
            scope.config = UploadConfig {
                id: file.upload_config_id,
                config: rules.await?,
                ..scope.config.clone()
            };
        }
        Ok(Some(file))
    }

    /// Accepts a replayed upload without validating its files again. Fails with 422 if the
    /// fields have errors, for example an unknown space.
    ///
    /// `read` is the content of the request, `None` only if a field error was recorded.
    pub(crate) fn without_validation<T>(
        self,
        read: Option<T>,
    ) -> Result<AcceptedUpload, ServiceError> {
        Ok(self.finish(None, read)?.upload)
    }

    /// Resolves the folder that the request names, by default that of the config. Returns `None`
    /// only if a field error was recorded. Fails with 403 if the request names missing folders that
    /// the caller may not create. Missing folders of the config are created for every caller.
    async fn resolve_placement(&mut self) -> Result<Option<Placement>, ServiceError> {
        let Some(UploadScope { space, config }) = &self.target.scope else {
            return Ok(None);
        };
        let configured = FolderSelector {
            from: None,
            path: config.config.storage.folder.clone(),
        };
        let selected = self.target.folder.as_ref();

        let folders = space.folders();
        let placement = folders.placement(selected.unwrap_or(&configured)).await?;
        if let (Ok(placement), Some(_)) = (&placement, selected) {
            folders.require_placeable(placement)?;
        }
        Ok(placement
            .map_err(|field_errors| self.fields.merge(field_errors))
            .ok())
    }

    fn finish<T>(
        self,
        placement: Option<Placement>,
        content: Option<T>,
    ) -> Result<ValidUpload<T>, ServiceError> {
        let (scope, content) = self.fields.finish(self.target.scope.zip(content))?;
        let upload = AcceptedUpload {
            is_replacement: self.replaces.is_some(),
            replaced: None,
            limits: self.limits,
            principal: self.principal,
            scope,
            reference: self.reference,
            placement: placement.unwrap_or_default(),
        };
        Ok(ValidUpload { upload, content })
    }
}

impl AcceptedUpload {
    /// Returns the target that all files of the upload share. Creates missing folders.
    pub(crate) async fn target(&self) -> Result<UploadTarget<'_>, ServiceError> {
        let UploadScope { space, config } = &self.scope;
        let folders = space
            .folders()
            .create_missing(self.placement.clone())
            .await?;
        Ok(UploadTarget {
            space: space.record(),
            config,
            folders,
            reference: self.reference.clone(),
            uploaded_by: self.principal,
        })
    }

    /// Returns the uploads to the upload's space.
    pub(crate) fn uploads<'a>(&'a self, uploads: &'a UploadsState) -> Uploads<'a> {
        self.scope.space.uploads(&uploads.storage)
    }

    /// Returns what the confirmation of the upload requires.
    pub(crate) fn confirmation_terms(&self) -> ConfirmationTerms<'_> {
        ConfirmationTerms {
            replaces: self.replaced.as_ref().map(|file| file.id),
            ..self.limits.confirmation_terms()
        }
    }

    /// Returns the rules of the upload's config.
    pub(crate) fn rules(&self) -> &UploadRules {
        &self.scope.config.config
    }

    /// Fails with 429 if the hourly quota of a presigned unsigned upload is exhausted.
    pub(crate) async fn require_presign_quota(&self, now: Timestamp) -> Result<(), ServiceError> {
        let Some(quota) = self.quota(now) else {
            return Ok(());
        };
        self.scope.require_quota(quota, QuotaScope::PRESIGNED).await
    }

    /// Returns the hourly quota that the upload counts against, if uploads are counted.
    pub(crate) fn quota(&self, now: Timestamp) -> Option<HourlyQuota> {
        self.limits.quota(self.scope.config.id, now)
    }
}
