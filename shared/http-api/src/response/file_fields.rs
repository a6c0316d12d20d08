//! The query parameter `fields`: names of fields of a file, separated by commas.

use domain::errors::{FieldError, parse_variant};
use schemars::JsonSchema;

use crate::{
    fields::{FieldReader, FromFields},
    response::views::{FIELD_COUNT, FIELD_NAMES, FileField},
};

const FIELDS: &str = "fields";

/// Names of fields of a file, separated by commas.
#[derive(Clone, Copy, JsonSchema)]
#[schemars(extend("x-accepted" = {"type": "string", "pattern": pattern()}))]
pub struct FileFields(
    /// Whether each field is selected, in their order.
    #[schemars(with = "String")]
    [bool; FIELD_COUNT],
);

impl FileFields {
    const ALL: FileFields = FileFields([true; FIELD_COUNT]);

    /// Selects fields by name, and always the id.
    fn parse(names: &str) -> Result<FileFields, FieldError> {
        let mut selected = [false; FIELD_COUNT];
        selected[FileField::id as usize] = true;

        for name in names.split(',') {
            let field: FileField =
                parse_variant(name).map_err(|_| FieldError::NotOneOf(FIELD_NAMES))?;
            selected[field as usize] = true;
        }
        Ok(FileFields(selected))
    }

    pub(crate) fn contains(&self, field: FileField) -> bool {
        self.0[field as usize]
    }

    /// Returns whether one of the fields has delivery URLs.
    pub fn contain_urls(&self) -> bool {
        self.contains(FileField::url) || self.contains(FileField::thumbnails)
    }

    /// Returns whether one of the fields depends on the folders of the file.
    pub fn depend_on_folders(&self) -> bool {
        self.contains(FileField::folder_path) || self.contains(FileField::access_control)
    }
}

impl FromFields for FileFields {
    fn read(fields: &mut impl FieldReader) -> Option<FileFields> {
        let selected = fields.optional(FIELDS, FileFields::parse);
        fields.describe(
            FIELDS,
            "Names of the fields to return, separated by commas; `id` is always returned. Others are then absent, although the \
             schema requires them. Default: all.",
        );

        Some(selected.unwrap_or(FileFields::ALL))
    }
}

/// Returns the pattern of the parameter in JSON Schema.
fn pattern() -> String {
    let name = FIELD_NAMES.replace(", ", "|");
    format!("^({name})(,({name}))*$")
}
