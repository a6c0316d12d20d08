//! `POST /upload-configs/update`: update an upload config. Absent fields are unchanged, and
//! `config` is replaced as a whole.

use domain::{
    errors::{FieldError, FieldErrors, parse_variant},
    naming::Description,
    settings::DeliveryType,
    uploads::{UnsignedRestrictions, UploadConfig, UploadConfigName, UploadRules},
};
use http_api::{
    caller::{Authenticated, Can, ManageUploadConfigs, ResourceId},
    describe::Endpoint,
    fields::{FieldReader, FromFields, Patch},
    request::{ID, ValidJson},
    response::{ApiError, Data},
};

use crate::{
    create::{SIGNED_AND_UNSIGNED, describe_settings},
    settings::{read_rules, read_unsigned_restrictions},
    views::UploadConfigView,
};

pub(crate) const UPDATE: Endpoint = Endpoint::post(
    "updateUploadConfig",
    "/upload-configs/update",
    "Update the upload config with the id in the body",
)
.description(
    "Absent fields stay unchanged; `config` and `unsigned_restrictions` are replaced as a whole. \
     Later uploads follow the new rules, whereas a pending file is validated by those of its \
     presign request. A new name also changes the path of `uploadUnsigned`.",
)
.errors(&[(404, "The upload config does not exist.")]);

/// Another name of that field.
const ID_ALIAS: &str = "upload_config_id";
/// The field error of a request without an id.
pub(crate) const MISSING_ID: FieldError = FieldError::RequiredWithout(ID_ALIAS);

pub(crate) struct UpdateUploadConfig {
    id: String,
    name: Option<UploadConfigName>,
    description: Patch<Description>,
    is_signed: Option<bool>,
    allow_unsigned: Option<bool>,
    delivery_type: Option<DeliveryType>,
    config: Option<UploadRules>,
    unsigned_restrictions: Patch<UnsignedRestrictions>,
}

impl FromFields for UpdateUploadConfig {
    fn read(fields: &mut impl FieldReader) -> Option<UpdateUploadConfig> {
        let id = read_id(fields);
        let update = UpdateUploadConfig {
            id: id.clone().unwrap_or_default(),
            name: fields.non_null("name", UploadConfigName::parse),
            description: fields.patch("description", Description::parse),
            is_signed: fields.boolean("is_signed"),
            allow_unsigned: fields.boolean("allow_unsigned"),
            delivery_type: fields.non_null("delivery_type", parse_variant),
            config: fields.object("config", |fields| Some(read_rules(fields))),
            unsigned_restrictions: fields
                .patch_object("unsigned_restrictions", read_unsigned_restrictions),
        };
        describe_settings(fields);

        id.map(|_| update)
    }
}

/// Reads the id of the upload config from either of its fields, one of which must be present.
fn read_id(fields: &mut impl FieldReader) -> Option<String> {
    let id = read_optional_id(fields);
    if !fields.has_value(ID) && !fields.has_value(ID_ALIAS) {
        fields.reject(ID, &MISSING_ID);
    }
    id
}

/// Reads the id of the upload config from either of its fields.
pub(crate) fn read_optional_id(fields: &mut impl FieldReader) -> Option<String> {
    let id = fields.optional(ID, ResourceId::parse);
    let alias = fields.optional(ID_ALIAS, ResourceId::parse);
    fields.describe(ID, "Id of the upload config.");
    fields.describe(ID_ALIAS, "Alias of `id`.");

    if let (Some(id), Some(alias)) = (&id, &alias)
        && !id.0.eq_ignore_ascii_case(&alias.0)
    {
        fields.reject(ID_ALIAS, &FieldError::Custom("must be the same as id"));
    }

    id.or(alias).map(|id| id.0)
}

impl UpdateUploadConfig {
    /// Applies the changes. Fails with a field error if the result is contradictory.
    fn apply(&self, config: &mut UploadConfig) -> Result<(), FieldErrors> {
        if let Some(name) = &self.name {
            config.name = name.clone();
        }
        self.description.apply(&mut config.description);
        config.is_signed = self.is_signed.unwrap_or(config.is_signed);
        config.allow_unsigned = self.allow_unsigned.unwrap_or(config.allow_unsigned);
        config.delivery_type = self.delivery_type.unwrap_or(config.delivery_type);
        if let Some(rules) = &self.config {
            config.config = rules.clone();
        }
        self.unsigned_restrictions
            .apply(&mut config.unsigned_restrictions);

        if config.allow_unsigned && config.is_signed {
            return Err(("allow_unsigned", SIGNED_AND_UNSIGNED).into());
        }
        if config.allow_unsigned && config.unsigned_restrictions.is_none() {
            return Err((
                "unsigned_restrictions",
                FieldError::RequiredIfTrue("allow_unsigned"),
            )
                .into());
        }
        Ok(())
    }
}

pub(crate) async fn update(
    auth: Authenticated<ManageUploadConfigs>,
    ValidJson(update): ValidJson<UpdateUploadConfig>,
) -> Result<Data<UploadConfigView>, ApiError> {
    let can: Can<ManageUploadConfigs, UploadConfig> = auth.can(&update.id).await?;

    let config = can
        .space
        .upload_configs()
        .change(can.resource, |config| update.apply(config))
        .await?;

    Ok(Data(UploadConfigView::from(&config)))
}
