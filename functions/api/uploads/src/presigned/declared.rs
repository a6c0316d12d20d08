//! Reads the declaration of a file whose bytes the client will send to storage.

use std::marker::PhantomData;

use axum::extract::{FromRequest, Request};
use domain::{errors::FieldError, files::MAX_FILE_BYTES, naming::OriginalName};
use http_api::{
    caller::ResourceId,
    describe::{DescribeInput, OperationBuilder},
    fields::{FieldReader, FieldSource, InputFields},
    request::JsonObject,
    response::ApiError,
};
use intake::DeclaredFile;
use mime::Mime;
use schemars::JsonSchema;
use serde_json::Value;

use crate::{
    UploadsState,
    grant::{UploadAuthorization, UploadFields, UploadLimits},
};

/// Maximum number of characters of `filename`.
const MAX_FILENAME_CHARACTERS: usize = 255;
/// Maximum number of characters of `content_type`.
const MAX_CONTENT_TYPE_CHARACTERS: usize = 100;
/// Pattern of a MIME type: names of RFC 6838, section 4.2, with parameters.
const MIME_PATTERN: &str =
    r"^[A-Za-z0-9][\w!#$&^.+-]*/[A-Za-z0-9][\w!#$&^.+-]*(; ?[\w!#$&^.+-]+=[\w!#$&^.+-]+)*$";

/// The field of the MIME type.
pub(crate) const CONTENT_TYPE: &str = "content_type";
/// The field of the file whose bytes are replaced.
pub(crate) const REPLACES: &str = "replaces";

/// MIME type of the file: up to 100 characters.
#[derive(JsonSchema)]
#[schemars(with = "String", extend("maxLength" = MAX_CONTENT_TYPE_CHARACTERS, "pattern" = MIME_PATTERN))]
pub(crate) struct ContentType {
    /// The value as received, which has to be sent with the bytes unchanged.
    pub(crate) text: String,
    mime: Mime,
}

const NOT_A_MIME_TYPE: FieldError = FieldError::Custom("must be a MIME type, such as image/jpeg");

impl ContentType {
    /// Parses a MIME type that is valid in a header.
    pub(crate) fn parse(text: &str) -> Result<ContentType, FieldError> {
        if text.chars().count() > MAX_CONTENT_TYPE_CHARACTERS {
            return Err(FieldError::TooLong(MAX_CONTENT_TYPE_CHARACTERS));
        }
        let is_header_value = text
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic());
        if !is_header_value {
            return Err(NOT_A_MIME_TYPE);
        }

        let mime: Mime = text.parse().map_err(|_| NOT_A_MIME_TYPE)?;
        // RFC 6838, section 4.2: `mime` accepts other first characters.
        let is_name = |name: mime::Name<'_>| {
            name.as_str()
                .starts_with(|first: char| first.is_ascii_alphanumeric())
        };
        if !is_name(mime.type_()) || !is_name(mime.subtype()) {
            return Err(NOT_A_MIME_TYPE);
        }
        Ok(ContentType {
            text: text.to_owned(),
            mime,
        })
    }
}

/// Name of the file: 1 to 255 characters.
#[derive(JsonSchema)]
#[schemars(transparent, extend("minLength" = 1, "maxLength" = MAX_FILENAME_CHARACTERS))]
pub(crate) struct DeclaredName(pub(crate) String);

impl DeclaredName {
    pub(crate) fn parse(text: &str) -> Result<DeclaredName, FieldError> {
        if text.chars().count() > MAX_FILENAME_CHARACTERS {
            return Err(FieldError::TooLong(MAX_FILENAME_CHARACTERS));
        }
        Ok(DeclaredName(text.to_owned()))
    }
}

/// The JSON body of a presign request: [`UploadFields`] and [`DeclaredFields`].
pub(crate) struct PresignBody<A> {
    pub(crate) fields: InputFields,
    /// The body as received.
    pub(crate) payload: Value,
    authorization: PhantomData<A>,
}

impl<A: UploadAuthorization> FromRequest<UploadsState> for PresignBody<A> {
    type Rejection = ApiError;

    async fn from_request(
        request: Request,
        uploads: &UploadsState,
    ) -> Result<PresignBody<A>, ApiError> {
        let object = JsonObject::read(request, uploads.api.env.now()).await?;
        Ok(PresignBody {
            fields: object.fields,
            payload: object.value,
            authorization: PhantomData,
        })
    }
}

impl<A: UploadAuthorization> DescribeInput for PresignBody<A> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.json_fields(|fields| {
            UploadFields::<A>::read(fields);
            DeclaredFields::read::<A>(fields);
        });
    }
}

/// The fields that declare a file. A field is `None` only if a field error was recorded.
pub(crate) struct DeclaredFields {
    name: Option<DeclaredName>,
    content_type: Option<ContentType>,
    size: Option<i64>,
    /// Id of the file whose bytes the upload replaces.
    replaces: Option<ResourceId>,
}

impl DeclaredFields {
    pub(crate) fn read<A: UploadAuthorization>(fields: &mut impl FieldReader) -> DeclaredFields {
        let name = fields.required("filename", DeclaredName::parse);
        let content_type = fields.required(CONTENT_TYPE, ContentType::parse);
        if !fields.has_value("size") {
            fields.reject("size", &FieldError::Required);
        }
        let size = fields.file_size("size", MAX_FILE_BYTES);
        fields.describe("filename", "Name of the file.");
        fields.describe(CONTENT_TYPE, "MIME type of the file.");
        fields.describe("size", "Size of the file, in bytes.");
        let replaces = if A::MAY_REPLACE {
            fields.optional(REPLACES, ResourceId::parse)
        } else {
            None
        };
        if A::MAY_REPLACE {
            fields.describe(
                REPLACES,
                "Id of the file whose bytes the upload replaces when it is confirmed. Its upload config applies.",
            );
        } else if fields.has_value(REPLACES) {
            fields.reject(REPLACES, &FieldError::Custom("requires an API key"));
        }

        DeclaredFields {
            name,
            content_type,
            size,
            replaces,
        }
    }

    /// Takes the id of the file whose bytes the upload replaces.
    pub(crate) fn take_replaces(&mut self) -> Option<String> {
        self.replaces.take().map(|id| id.0)
    }

    /// Returns the file, with the name that the grant fixes, if any. Records a field error if the
    /// grant does not allow the MIME type. `None` only if a field error was recorded.
    pub(crate) fn into_file(
        self,
        limits: &UploadLimits,
        fields: &mut InputFields,
    ) -> Option<DeclaredFile> {
        let content_type = self.content_type?;
        let name = OriginalName::clean(&self.name?.0);
        let file = DeclaredFile {
            original_name: limits.original_name.clone().unwrap_or(name),
            content_type: content_type.text,
            mime: content_type.mime,
            size: self.size?.unsigned_abs(),
        };

        if let Some(expected) = &limits.content_type
            && formats::canonical(expected.essence_str())
                != formats::canonical(file.mime.essence_str())
        {
            fields.reject(
                CONTENT_TYPE,
                &FieldError::WrongFileType(expected.to_string()),
            );
        }
        Some(file)
    }
}
