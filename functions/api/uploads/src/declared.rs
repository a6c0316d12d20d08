//! Reads what a client declares of a file before it sends the bytes.

use std::marker::PhantomData;

use axum::extract::{FromRequest, Request};
use domain::{FILE_BYTES, FieldError, OriginalName};
use ingest::DeclaredFile;
use mime::Mime;
use schemars::JsonSchema;
use serde_json::Value;
use web::{
    ApiError, FieldReader, InputFields, JsonObject,
    openapi::{DescribeInput, Operation},
};

use crate::{
    Uploads,
    grant::{Proof, UploadFields, UploadLimits},
};

/// Maximum number of characters of `filename`.
const FILENAME_CHARACTERS: usize = 255;
/// Maximum number of characters of `content_type`.
const CONTENT_TYPE_CHARACTERS: usize = 100;
/// Form of a MIME type: names of RFC 6838, section 4.2, with parameters.
const MIME_PATTERN: &str =
    r"^[A-Za-z0-9][\w!#$&^.+-]*/[A-Za-z0-9][\w!#$&^.+-]*(; ?[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$";

/// The field that holds the MIME type.
const CONTENT_TYPE: &str = "content_type";

/// MIME type of a declared file.
#[derive(JsonSchema)]
#[schemars(with = "String", extend("maxLength" = CONTENT_TYPE_CHARACTERS, "pattern" = MIME_PATTERN))]
pub(crate) struct ContentType {
    /// As it was sent, and has to be sent with the bytes.
    pub(crate) text: String,
    mime: Mime,
}

impl ContentType {
    /// Parses a MIME type of up to 100 characters that a header can hold.
    pub(crate) fn parse(text: &str) -> Result<ContentType, FieldError> {
        if text.chars().count() > CONTENT_TYPE_CHARACTERS {
            return Err(FieldError::TooLong(CONTENT_TYPE_CHARACTERS));
        }
        if !text
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
        {
            return Err(FieldError::Format);
        }
        let mime: Mime = text.parse().map_err(|_| FieldError::Format)?;
        // RFC 6838, 4.2.
        let is_name = |name: mime::Name<'_>| {
            name.as_str()
                .starts_with(|first: char| first.is_ascii_alphanumeric())
        };
        if !is_name(mime.type_()) || !is_name(mime.subtype()) {
            return Err(FieldError::Format);
        }
        Ok(ContentType {
            text: text.to_owned(),
            mime,
        })
    }
}

/// Name of a declared file.
#[derive(JsonSchema)]
#[schemars(transparent, extend("minLength" = 1, "maxLength" = FILENAME_CHARACTERS))]
pub(crate) struct FileName(pub(crate) String);

impl FileName {
    /// Parses a name of up to 255 characters.
    pub(crate) fn parse(text: &str) -> Result<FileName, FieldError> {
        if text.chars().count() > FILENAME_CHARACTERS {
            return Err(FieldError::TooLong(FILENAME_CHARACTERS));
        }
        Ok(FileName(text.to_owned()))
    }
}

/// The JSON body of a request to upload by URL: [`UploadFields`] and [`DeclaredFields`].
pub(crate) struct PresignBody<P> {
    pub(crate) fields: InputFields,
    /// The body as it was sent.
    pub(crate) payload: Value,
    proof: PhantomData<P>,
}

impl<P: Proof> FromRequest<Uploads> for PresignBody<P> {
    type Rejection = ApiError;

    async fn from_request(request: Request, uploads: &Uploads) -> Result<PresignBody<P>, ApiError> {
        let object = JsonObject::read(request, uploads.edge.env.now()).await?;
        Ok(PresignBody {
            fields: object.fields,
            payload: object.value,
            proof: PhantomData,
        })
    }
}

impl<P: Proof> DescribeInput for PresignBody<P> {
    fn describe(operation: &mut Operation<'_>) {
        operation.json_fields(|fields| {
            UploadFields::<P>::read(fields);
            DeclaredFields::read(fields);
        });
    }
}

/// What a client says of a file that it is going to send; `None` only if a field error was
/// recorded.
pub(crate) struct DeclaredFields {
    name: Option<FileName>,
    content_type: Option<ContentType>,
    size: Option<i64>,
}

impl DeclaredFields {
    /// Reads the fields.
    pub(crate) fn read(fields: &mut impl FieldReader) -> DeclaredFields {
        let name = fields.required("filename", FileName::parse);
        let content_type = fields.required(CONTENT_TYPE, ContentType::parse);
        if !fields.has_value("size") {
            fields.reject("size", &FieldError::Required);
        }
        let size = fields.integer("size", 1, FILE_BYTES);
        DeclaredFields {
            name,
            content_type,
            size,
        }
    }

    /// Returns the file under the limits of its grant; `None` only if a field error was recorded.
    pub(crate) fn under(
        self,
        limits: &UploadLimits,
        fields: &mut InputFields,
    ) -> Option<DeclaredFile> {
        let ContentType {
            text: content_type,
            mime,
        } = self.content_type?;
        let original_name = limits
            .original_name
            .clone()
            .unwrap_or(OriginalName::clean(&self.name?.0));
        let file = DeclaredFile {
            original_name,
            content_type,
            mime,
            size: self.size?.unsigned_abs(),
        };

        let expected = limits.content_type.as_ref();
        if let Some(expected) =
            expected.filter(|expected| expected.essence_str() != file.mime.essence_str())
        {
            fields.reject(CONTENT_TYPE, &FieldError::NotOfType(expected.to_string()));
        }
        Some(file)
    }
}
