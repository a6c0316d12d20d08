//! `POST /files/:id/signed-url`: an address by which its holder sees a file, or a rendering of it,
//! without a key.

use axum::extract::State;
use domain::{
    Crop, File, ImageFormat, Position, SigningSecret, TRANSFORMATION_PARAMETERS, Timestamp,
    signed_query, validate_transformation,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use web::{
    ApiError, Can, Data, Endpoint, FieldReader, FromFields, ReadFiles, Rfc3339, ValidJson,
    expires_seconds, file_url,
};

use crate::Files;

/// Minutes for which an address is good, where the request does not say.
const DEFAULT_MINUTES: i64 = 60;
/// The field, and the parameter, by which a file is saved, not shown.
const DOWNLOAD: &str = "download";

/// Number of pixels of a side, or its digits.
#[derive(JsonSchema)]
#[schemars(with = "Value", extend("anyOf" = [
    {"type": "integer", "minimum": 1, "maximum": 8192},
    {"type": "string", "pattern": r"^0*([1-9]\d{0,2}|[1-7]\d{3}|80\d\d|81[0-8]\d|819[0-2])$"},
]))]
enum Pixels {}

/// Quality of 1 to 100, or its digits, or `auto`.
#[derive(JsonSchema)]
#[schemars(with = "Value", extend("anyOf" = [
    {"type": "integer", "minimum": 1, "maximum": 100},
    {"type": "string", "pattern": r"^(0*([1-9]\d?|100)|auto)$"},
]))]
enum RenderingQuality {}

/// One of several values, or `auto`.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it only describes what `Transformation` reads")]
enum OrAuto<T> {
    Of(T),
    Auto(Auto),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "it only describes what `Transformation` reads")]
enum Auto {
    Auto,
}

pub(crate) const SIGN_URL: Endpoint = Endpoint::post(
    "signFileUrl",
    "/files/{id}/signed-url",
    "Sign a delivery URL",
);

/// The signed URL that a request asks for.
pub(crate) struct SignUrlRequest {
    /// Seconds since 1970.
    expires_seconds: i64,
    /// The parameters of the URL, by name.
    parameters: Vec<(&'static str, String)>,
}

impl FromFields for SignUrlRequest {
    fn read(fields: &mut impl FieldReader) -> Option<SignUrlRequest> {
        let expires_seconds = expires_seconds(fields, DEFAULT_MINUTES);
        let mut parameters = Vec::new();
        for name in TRANSFORMATION_PARAMETERS {
            let text = match name {
                "w" | "h" => fields.text_or_number::<Pixels>(name),
                "r" => fields.text_or_number::<Crop>(name),
                "g" => fields.text_or_number::<OrAuto<Position>>(name),
                "f" => fields.text_or_number::<OrAuto<ImageFormat>>(name),
                _ => fields.text_or_number::<RenderingQuality>(name),
            };
            parameters.extend(text.map(|text| (name, text)));
        }
        let given = parameters
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        if let Err(field_errors) = validate_transformation(given) {
            fields.merge(field_errors);
        }
        if fields.boolean(DOWNLOAD) == Some(true) {
            parameters.push((DOWNLOAD, "1".to_owned()));
        }

        Some(SignUrlRequest {
            expires_seconds,
            parameters,
        })
    }
}

/// A signed URL and its expiry; there is no URL while the file is pending.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SignedUrlView {
    url: Option<String>,
    expires_at: Rfc3339,
}

pub(crate) async fn signed_url(
    can: Can<ReadFiles, File>,
    State(files): State<Files>,
    ValidJson(request): ValidJson<SignUrlRequest>,
) -> Result<Data<SignedUrlView>, ApiError> {
    let SignUrlRequest {
        expires_seconds,
        parameters,
    } = request;
    let space = can.space.record();
    let file = &can.resource;

    let secret = SigningSecret::of(
        space.id,
        space.signing.generation,
        files.master.get().await?,
    );
    let parameters: Vec<(&str, &str)> = parameters
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let path = format!("/{}", file.storage_path);
    let query = signed_query(&path, &parameters, expires_seconds, space.signing, &secret);

    Ok(Data(SignedUrlView {
        url: file_url(file, space, &files.cdn_url).map(|url| format!("{url}?{query}")),
        expires_at: Timestamp::from_seconds(expires_seconds).into(),
    }))
}
