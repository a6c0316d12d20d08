//! Fields of a transformation, in the bodies of requests that sign URLs.

use domain::{
    renditions::{
        Crop, ImageFormat, TRANSFORMATION_PARAMETERS, Transformation,
        misnamed_transformation_fields,
    },
    settings::Gravity,
    signing::QueryParameter,
};
use http_api::fields::FieldReader;
use schemars::JsonSchema;
use serde_json::Value;

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

/// Reads the parameters of a transformation as they are in the query of a delivery URL, and rejects
/// invalid ones.
pub(crate) fn read_transformation(fields: &mut impl FieldReader) -> Vec<QueryParameter<'static>> {
    let mut parameters = Vec::new();
    for name in TRANSFORMATION_PARAMETERS {
        let text = match name {
            "w" | "h" => fields.text_or_number::<PixelCount>(name),
            "r" => fields.text_or_number::<Crop>(name),
            "g" => fields.text_or_number::<RequestedGravity>(name),
            "f" => fields.text_or_number::<RequestedFormat>(name),
            _ => fields.text_or_number::<TransformationQuality>(name),
        };
        let Some(text) = text else { continue };
        if let Err(field_error) = Transformation::validate_parameter(name, &text) {
            fields.reject(name, &field_error);
        }
        parameters.push(QueryParameter::new(name, text));
    }
    fields.describe("w", "Transformation: width in pixels.");
    fields.describe("h", "Transformation: height in pixels.");
    fields.describe("r", "Transformation: how the image is resized.");
    fields.describe("g", "Transformation: the part of the image that is kept.");
    fields.describe("f", "Transformation: image format.");
    fields.describe("q", "Transformation: quality.");

    // Unknown fields are ignored, but a URL of the original would be signed instead of the intended
    // one.
    for (name, field_error) in misnamed_transformation_fields() {
        if fields.has_value(name) {
            fields.reject(name, &field_error);
        }
    }
    parameters
}
