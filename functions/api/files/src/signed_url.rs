//! `POST /files/:id/signed-url`: sign a URL that delivers a file without an API key.

use axum::extract::State;
use domain::{
    Crop, File, Gravity, ImageFormat, QueryParameter, SigningSecret, TRANSFORMATION_PARAMETERS,
    Timestamp, Transformation, misnamed_transformation_fields, signed_query,
};
use http_api::{
    ApiError, Can, Data, Endpoint, FieldReader, FromFields, ReadFiles, Rfc3339, ValidJson,
    file_url, read_expires_seconds,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::FilesState;

/// Minutes until a signed URL expires if the request does not specify any.
const DEFAULT_MINUTES: i64 = 60;
/// The field and the query parameter that deliver a file as a download.
const DOWNLOAD: &str = "download";

/// Width or height in pixels, from 1 to 8,192.
#[derive(JsonSchema)]
#[schemars(with = "u32", extend("minimum" = 1, "maximum" = 8192, "x-accepted" = {"anyOf": [
    {"type": "integer", "minimum": 1, "maximum": 8192},
    {"type": "string", "pattern": r"^0*([1-9]\d{0,2}|[1-7]\d{3}|80\d\d|81[0-8]\d|819[0-2])$"},
]}))]
enum PixelCount {}

/// Quality of an encoded image: 1 to 100, or automatic.
#[derive(JsonSchema)]
#[schemars(with = "Value", extend("anyOf" = [
    {"type": "string", "const": "auto"},
    {"type": "integer", "minimum": 1, "maximum": 100},
], "x-accepted" = {"anyOf": [
    {"type": "integer", "minimum": 1, "maximum": 100},
    {"type": "string", "pattern": r"^(0*([1-9]\d?|100)|auto)$"},
]}))]
enum TransformationQuality {}

/// The part of an image that is kept, or `auto`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the type only describes a field")]
enum RequestedGravity {
    Of(Gravity),
    Auto(Auto),
}

/// An image format, `auto`, or the other name of `jpeg`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the type only describes a field")]
enum RequestedFormat {
    Of(ImageFormat),
    Other(AutoOrJpg),
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
#[expect(dead_code, reason = "the type only describes a field")]
enum Auto {
    Auto,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "snake_case")]
#[expect(dead_code, reason = "the type only describes a field")]
enum AutoOrJpg {
    Auto,
    Jpg,
}

pub(crate) const SIGN_URL: Endpoint = Endpoint::post(
    "signFileUrl",
    "/files/{id}/signed-url",
    "Sign a delivery URL of a file",
)
.description(
    "The URL delivers the file without an API key until `expires_at`, after 1 to 1,440 minutes \
     (default 60). The signature covers the transformation and `download`: parameters cannot be \
     added or changed afterwards. To end the URL earlier, delete the file, or end all signed URLs \
     of the space with `rotateSigningSecret` and `immediate: true`.",
);

pub(crate) struct SignDeliveryUrl {
    /// Time of expiry, in seconds since 1970.
    expires_seconds: i64,
    /// The query parameters of the URL.
    parameters: Vec<QueryParameter<'static>>,
}

impl FromFields for SignDeliveryUrl {
    fn read(fields: &mut impl FieldReader) -> Option<SignDeliveryUrl> {
        let expires_seconds = read_expires_seconds(fields, DEFAULT_MINUTES);

        let mut parameters = read_transformation(fields);
        if let Err(field_errors) = Transformation::parse(&parameters) {
            fields.merge(field_errors);
        }

        // Unknown fields are ignored, but a URL of the original would be signed instead of the intended one.
        for (name, field_error) in misnamed_transformation_fields() {
            if fields.has_value(name) {
                fields.reject(name, &field_error);
            }
        }

        if fields.boolean(DOWNLOAD) == Some(true) {
            parameters.push(QueryParameter::new(DOWNLOAD, "1"));
        }
        describe_parameters(fields);

        Some(SignDeliveryUrl {
            expires_seconds,
            parameters,
        })
    }
}

/// Reads the parameters of a transformation as they are in the query of a delivery URL.
fn read_transformation(fields: &mut impl FieldReader) -> Vec<QueryParameter<'static>> {
    let mut parameters = Vec::new();
    for name in TRANSFORMATION_PARAMETERS {
        let text = match name {
            "w" | "h" => fields.text_or_number::<PixelCount>(name),
            "r" => fields.text_or_number::<Crop>(name),
            "g" => fields.text_or_number::<RequestedGravity>(name),
            "f" => fields.text_or_number::<RequestedFormat>(name),
            _ => fields.text_or_number::<TransformationQuality>(name),
        };
        parameters.extend(text.map(|text| QueryParameter::new(name, text)));
    }
    parameters
}

fn describe_parameters(fields: &mut impl FieldReader) {
    fields.describe(
        "expiration_minutes",
        "Minutes until the URL expires. Default: 60.",
    );
    fields.describe("w", "Transformation: width in pixels.");
    fields.describe("h", "Transformation: height in pixels.");
    fields.describe("r", "Transformation: how the image is resized.");
    fields.describe("g", "Transformation: the part of the image that is kept.");
    fields.describe("f", "Transformation: image format.");
    fields.describe("q", "Transformation: quality.");
    fields.describe(
        DOWNLOAD,
        "Whether browsers save the file instead of showing it. Default: false.",
    );
}

/// A signed delivery URL.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SignedUrl")]
pub(crate) struct SignedUrlView {
    /// The signed URL. Null while the file is pending.
    url: Option<String>,
    /// Time from which the URL is rejected.
    expires_at: Rfc3339,
}

pub(crate) async fn signed_url(
    can: Can<ReadFiles, File>,
    State(files): State<FilesState>,
    ValidJson(request): ValidJson<SignDeliveryUrl>,
) -> Result<Data<SignedUrlView>, ApiError> {
    let space = can.space.record();
    let file = &can.resource;
    let expires_seconds = request.expires_seconds;

    let master_secret = files.master_secret.get().await?;
    let secret = SigningSecret::of(space.id, space.signing.generation, master_secret);
    let path = format!("/{}", file.storage_path);
    let query = signed_query(&path, &request.parameters, expires_seconds, &secret);

    Ok(Data(SignedUrlView {
        url: file_url(file, space, &files.cdn_url).map(|url| format!("{url}?{query}")),
        expires_at: Timestamp::from_seconds(expires_seconds).into(),
    }))
}
