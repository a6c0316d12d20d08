//! `POST /upload-configs/update`: change an upload config. What is absent stays; `config` is replaced as a whole.

use domain::{
    DeliveryType, Description, UnsignedRestrictions, UploadConfig, UploadConfigName, UploadRules, Violation, Violations,
};
use web::{Authenticated, Can, Change, Failure, Fields, ManageUploadConfigs, Ok, Request, Valid};

use crate::{
    create::SIGNED_AND_UNSIGNED,
    settings::{rules, unsigned_restrictions},
    views::UploadConfigView,
};

pub(crate) struct UpdateUploadConfig {
    id: String,
    name: Option<UploadConfigName>,
    description: Change<Description>,
    is_signed: Option<bool>,
    allow_unsigned: Option<bool>,
    delivery_type: Option<DeliveryType>,
    config: Option<UploadRules>,
    unsigned_restrictions: Change<UnsignedRestrictions>,
}

impl Request for UpdateUploadConfig {
    fn read(fields: &mut Fields) -> Option<UpdateUploadConfig> {
        let id = identifier(fields);
        let update = UpdateUploadConfig {
            id: id.clone().unwrap_or_default(),
            name: fields.present("name", UploadConfigName::parse),
            description: fields.change("description", Description::parse),
            is_signed: fields.boolean("is_signed"),
            allow_unsigned: fields.boolean("allow_unsigned"),
            delivery_type: fields.present("delivery_type", DeliveryType::parse),
            config: fields.object("config", |fields| Some(rules(fields))),
            unsigned_restrictions: restrictions(fields),
        };
        id.map(|_| update)
    }
}

/// Reads the restrictions; null clears them, which a config that allows unsigned uploads does not take.
fn restrictions(fields: &mut Fields) -> Change<UnsignedRestrictions> {
    if !fields.is_given("unsigned_restrictions") {
        return Change::Keep;
    }
    if !fields.has("unsigned_restrictions") {
        return Change::Clear;
    }
    fields.object("unsigned_restrictions", unsigned_restrictions).map_or(Change::Keep, Change::Set)
}

/// The config's id, under either name.
pub(crate) fn identifier(fields: &mut Fields) -> Option<String> {
    let name = if fields.has("upload_config_id") && !fields.has("id") { "upload_config_id" } else { "id" };
    fields.required(name, |id| Result::Ok(id.to_owned()))
}

impl UpdateUploadConfig {
    fn apply(&self, config: &mut UploadConfig) -> Result<(), Violations> {
        config.name = self.name.clone().unwrap_or_else(|| config.name.clone());
        self.description.apply(&mut config.description);
        config.is_signed = self.is_signed.unwrap_or(config.is_signed);
        config.allow_unsigned = self.allow_unsigned.unwrap_or(config.allow_unsigned);
        config.delivery_type = self.delivery_type.unwrap_or(config.delivery_type);
        if let Some(rules) = &self.config {
            config.config = rules.clone();
        }
        self.unsigned_restrictions.apply(&mut config.unsigned_restrictions);
        if config.allow_unsigned && config.is_signed {
            return Err(("allow_unsigned", SIGNED_AND_UNSIGNED).into());
        }
        if config.allow_unsigned && config.unsigned_restrictions.is_none() {
            return Err(("unsigned_restrictions", Violation::RequiredIfTrue("allow_unsigned")).into());
        }
        Result::Ok(())
    }
}

pub(crate) async fn update(
    by: Authenticated,
    Valid(update): Valid<UpdateUploadConfig>,
) -> Result<Ok<UploadConfigView>, Failure> {
    let can: Can<ManageUploadConfigs, UploadConfig> = by.can(&update.id).await?;
    let config = can.space.change_upload_config(can.subject, |config| update.apply(config)).await?;
    Result::Ok(Ok(UploadConfigView::from(&config)))
}
