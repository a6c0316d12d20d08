//! `POST /upload-configs`: create an upload config in a space.

use domain::{
    errors::{FieldError, parse_variant},
    naming::Description,
    settings::DeliveryType,
    uploads::{NewUploadConfig, UploadConfig, UploadConfigName},
};
use http_api::{
    caller::{Authenticated, Can, ManageUploadConfigs, Reservation, ResourceId},
    describe::Endpoint,
    fields::{FieldReader, FromFields},
    request::IdempotentJson,
    response::{ApiError, Created},
};

use crate::{
    settings::{read_rules, read_unsigned_restrictions},
    views::UploadConfigView,
};

/// The field error of a config that both requires signed uploads and allows unsigned ones.
pub(crate) const SIGNED_AND_UNSIGNED: FieldError =
    FieldError::Custom("must be false when `is_signed` is true");

pub(crate) const CREATE: Endpoint = Endpoint::post(
    "createUploadConfig",
    "/upload-configs",
    "Create an upload config",
)
.description(
    "Uploads select the upload config by its id or by its name, which is unique in the space; \
     `updateSpace` sets the active one, for uploads that select none. `allow_unsigned` requires \
     `unsigned_restrictions`, and excludes `is_signed`. The response does not contain `config`: \
     `getUploadConfig` returns it.",
);

pub(crate) struct CreateUploadConfig {
    space_id: String,
    new: NewUploadConfig,
}

impl FromFields for CreateUploadConfig {
    fn read(fields: &mut impl FieldReader) -> Option<CreateUploadConfig> {
        let space_id = fields
            .required("space_id", ResourceId::parse)
            .map(|id| id.0);
        let name = fields.required("name", UploadConfigName::parse);
        let description = fields.optional("description", Description::parse);
        let is_signed = fields.boolean("is_signed").unwrap_or_default();
        let allow_unsigned = fields.boolean("allow_unsigned").unwrap_or_default();
        let delivery_type = fields
            .optional("delivery_type", parse_variant)
            .unwrap_or(DeliveryType::Upload);
        let config = fields
            .object("config", |fields| Some(read_rules(fields)))
            .unwrap_or_default();
        let unsigned_restrictions =
            fields.object("unsigned_restrictions", read_unsigned_restrictions);

        if allow_unsigned && !fields.has_value("unsigned_restrictions") {
            fields.reject(
                "unsigned_restrictions",
                &FieldError::RequiredIfTrue("allow_unsigned"),
            );
        }
        if allow_unsigned && is_signed {
            fields.reject("allow_unsigned", &SIGNED_AND_UNSIGNED);
        }
        fields.describe("space_id", "Id of the space.");
        describe_settings(fields);

        Some(CreateUploadConfig {
            space_id: space_id?,
            new: NewUploadConfig {
                name: name?,
                description,
                is_signed,
                allow_unsigned,
                unsigned_restrictions,
                delivery_type,
                config,
            },
        })
    }
}

/// Describes the fields that creation and update share.
pub(crate) fn describe_settings(fields: &mut impl FieldReader) {
    fields.describe(
        "is_signed",
        "Whether uploads require a signed or presigned URL. A new config has false by default.",
    );
    fields.describe(
        "allow_unsigned",
        "Whether uploads without an API key or a signature are allowed. A new config has false by default.",
    );

    fields.describe(
        "delivery_type",
        "Delivery type of uploaded files. A new config has `upload` by default.",
    );
    fields.describe(
        "config",
        "Rules for uploads, replaced as a whole. Absent rules have their defaults.",
    );
    fields.describe(
        "unsigned_restrictions",
        "Restrictions of unsigned uploads. Required if `allow_unsigned` is true.",
    );
}

pub(crate) async fn create(
    auth: Authenticated<ManageUploadConfigs>,
    body: IdempotentJson<CreateUploadConfig>,
) -> Result<Created<UploadConfigView>, ApiError> {
    let authorize = async |request: &CreateUploadConfig| {
        let can: Can<ManageUploadConfigs> = auth
            .authorize_reference("space_id", &request.space_id)
            .await?;
        Ok(can)
    };
    let create = async |can: Can<ManageUploadConfigs>,
                        request: CreateUploadConfig,
                        reservation: &Reservation| {
        let complete =
            |config: &UploadConfig| reservation.complete(&UploadConfigView::from(config));
        let config = can
            .space
            .upload_configs()
            .create(request.new, reservation.ids(), complete)
            .await?;

        Ok(UploadConfigView::from(&config))
    };

    body.run_once_authorized(authorize, create).await
}
