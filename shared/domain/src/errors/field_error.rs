//! Errors of single request fields and their messages.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IntoDeserializer as _, value};

/// Reason why the value of a field is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// Missing, null or empty.
    Required,
    /// Missing although the other field is not present.
    RequiredWithout(&'static str),
    /// Missing although the other field is present.
    RequiredWith(&'static str),
    NotAString,
    NotAnInteger,
    /// Neither true nor false.
    NotABoolean,
    NotAnObject,
    NotAnArray,
    NotAFile,
    /// Present more than once.
    Duplicate,
    /// More characters than this maximum.
    TooLong(usize),
    /// File larger than this maximum, in kilobytes of 1024 bytes.
    TooManyKilobytes(u64),
    /// File larger than this maximum, in bytes.
    TooManyBytes(u64),
    /// File whose stored type has none of these extensions.
    WrongFileType(String),
    /// File whose bytes contradict its declared type.
    ContradictsType {
        declared: String,
        /// Type of the bytes: a MIME type, or "not recognized".
        detected: String,
    },
    /// Image dimensions out of bounds.
    WrongDimensions {
        /// Width of the image, in pixels.
        width: u32,
        /// Height of the image, in pixels.
        height: u32,
        /// The bounds in words: "a width of at least 10".
        bounds: String,
    },
    /// Image without readable dimensions.
    NoDimensions,
    /// Image with more pixels than this maximum.
    TooManyPixels(u64),
    /// Image with a side of more pixels than this maximum.
    SideTooLarge(u32),
    /// Number below this minimum.
    TooSmall(i64),
    /// Number above this maximum.
    TooLarge(i64),
    Taken,
    /// Not one of the allowed values, or no resource that the caller can access.
    InvalidSelection,
    /// Not one of these values, which are listed in words: "`auto` or 1 to 100".
    NotOneOf(&'static str),
    /// Not a date with a time.
    NotADate,
    /// Not a valid URL.
    NotAUrl,
    NotANumber,
    /// More items than this maximum.
    TooMany(usize),
    /// Path of more names than this maximum.
    TooManyNames(usize),
    /// Path with a name of more characters than this maximum.
    NameTooLong(usize),
    /// Unknown key of an object.
    UnknownKey,
    /// Unknown parameter of a list that takes these.
    UnknownParameter(String),
    /// Missing although the other field, named with its full path, is true.
    RequiredIfTrue(&'static str),
    /// Not a future time.
    NotInTheFuture,
    /// Wrong format or characters.
    ControlCharacters,
    /// Different from the current value of a field that cannot change.
    ReadOnly,
    /// Another error, as the predicate of a sentence: "must not be empty".
    Custom(&'static str),
    /// URL that cannot be fetched, with the reason as a whole sentence.
    NotFetched(String),
    /// An error of a request header, as a whole sentence.
    Header(&'static str),
}

impl FieldError {
    /// Returns the message for a field with this name.
    pub fn message(&self, field: &str) -> String {
        let name = field.replace('_', " ");
        self.sentence(&name, &format!("The {name} field"))
    }

    /// Returns the message for a resource that is not a field of the request, such as the `file` of
    /// a delivery.
    pub fn message_of_resource(&self, resource: &str) -> String {
        self.sentence(resource, &format!("The {resource}"))
    }

    fn sentence(&self, name: &str, subject: &str) -> String {
        match self {
            FieldError::InvalidSelection => format!("The selected {name} is invalid."),
            FieldError::NotOneOf(values) => {
                format!("The selected {name} is invalid. Use {values}.")
            }
            FieldError::Header(sentence) => (*sentence).to_owned(),
            FieldError::NotFetched(reason) => format!("{subject} cannot be fetched. {reason}"),
            FieldError::Taken => format!("The {name} has already been taken."),
            _ => format!("{subject} {}.", self.predicate()),
        }
    }

    /// Returns what a sentence says of its subject.
    fn predicate(&self) -> String {
        match self {
            // `sentence` has whole sentences for these.
            FieldError::InvalidSelection
            | FieldError::NotOneOf(_)
            | FieldError::Header(_)
            | FieldError::NotFetched(_)
            | FieldError::Taken => String::new(),
            FieldError::Required => "is required".to_owned(),
            FieldError::RequiredWithout(other) => required_when(other, "not present"),
            FieldError::RequiredWith(other) => required_when(other, "present"),
            FieldError::NotAString => "must be a string".to_owned(),
            FieldError::NotAnInteger => "must be an integer".to_owned(),
            FieldError::NotABoolean => "must be true or false".to_owned(),
            FieldError::NotAnObject => "must be an object".to_owned(),
            FieldError::NotAnArray => "must be an array".to_owned(),
            FieldError::NotAFile => "must be a file".to_owned(),
            FieldError::Duplicate => "must appear only once".to_owned(),
            FieldError::TooLong(max) => format!("must not be greater than {max} characters"),
            FieldError::TooManyKilobytes(max) => {
                format!("must not be greater than {max} kilobytes")
            }
            FieldError::TooManyBytes(max) => format!("must not be greater than {max} bytes"),
            FieldError::WrongFileType(extensions) => {
                format!("must be a file of type: {extensions}")
            }
            FieldError::ContradictsType { declared, detected } => {
                format!("must be {declared} as declared, but is {detected}")
            }
            FieldError::WrongDimensions {
                width,
                height,
                bounds,
            } => format!(
                "has invalid image dimensions: the image has {width} × {height} pixels, but the upload config requires {bounds}"
            ),
            FieldError::NoDimensions => {
                "has invalid image dimensions: they cannot be read".to_owned()
            }
            FieldError::TooManyPixels(max) => format!("must not have more than {max} pixels"),
            FieldError::SideTooLarge(max) => {
                format!("must not have a side of more than {max} pixels")
            }
            FieldError::TooSmall(min) => format!("must be at least {min}"),
            FieldError::TooLarge(max) => format!("must not be greater than {max}"),
            FieldError::NotADate => "must be a valid date".to_owned(),
            FieldError::NotAUrl => "must be a valid URL".to_owned(),
            FieldError::NotANumber => "must be a number".to_owned(),
            FieldError::TooMany(max) => format!("must not have more than {max} items"),
            FieldError::TooManyNames(max) => format!("must not contain more than {max} names"),
            FieldError::NameTooLong(max) => {
                format!("must not contain names of more than {max} characters")
            }
            FieldError::UnknownKey => "is not supported".to_owned(),
            FieldError::UnknownParameter(allowed) => {
                format!("is not supported; this list takes {allowed}")
            }
            FieldError::RequiredIfTrue(other) => required_when(other, "true"),
            FieldError::NotInTheFuture => "must be a date after now".to_owned(),
            FieldError::ControlCharacters => "must not contain control characters".to_owned(),
            FieldError::ReadOnly => "must not be changed".to_owned(),
            FieldError::Custom(predicate) => (*predicate).to_owned(),
        }
    }
}

/// Returns the predicate of a field that is required while another one is in this state.
fn required_when(other: &str, state: &str) -> String {
    let name = other.replace('_', " ");
    format!("is required when {name} is {state}")
}

/// Parses digits, with or without a minus sign. Numbers beyond 64 bits become the nearest `i64`, so
/// that callers report their own bound. Fails with [`FieldError::NotAnInteger`].
pub fn parse_integer(text: &str) -> Result<i64, FieldError> {
    let (digits, nearest) = match text.strip_prefix('-') {
        Some(digits) => (digits, i64::MIN),
        None => (text, i64::MAX),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(FieldError::NotAnInteger);
    }
    Ok(text.parse().unwrap_or(nearest))
}

/// Returns the variant of an enum that has this name in JSON.
pub fn parse_variant<T: DeserializeOwned>(name: &str) -> Result<T, FieldError> {
    T::deserialize(name.into_deserializer()).map_err(|_: value::Error| FieldError::InvalidSelection)
}

/// Maximum number of messages of one request, since a Lambda response has at most 6 MB.
const MESSAGES_MAX: usize = 100;

/// Errors of one request as messages by field. Only the first 100 messages are recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    messages: BTreeMap<String, Vec<String>>,
    count: usize,
}

impl FieldErrors {
    /// Returns the error of a resource that is not a field of the request, under its name.
    pub fn of_resource(resource: &str, field_error: &FieldError) -> FieldErrors {
        let mut field_errors = FieldErrors::default();
        let message = field_error.message_of_resource(resource);
        field_errors.push(resource.to_owned(), message);
        field_errors
    }

    pub fn add(&mut self, field: &str, field_error: &FieldError) {
        self.push(field.to_owned(), field_error.message(field));
    }

    /// Returns the value, or records the error.
    pub fn record<T>(&mut self, field: &str, result: Result<T, FieldError>) -> Option<T> {
        result
            .map_err(|field_error| self.add(field, &field_error))
            .ok()
    }

    /// Records all errors of `others`.
    pub fn extend(&mut self, others: FieldErrors) {
        for (field, messages) in others.messages {
            for message in messages {
                self.push(field.clone(), message);
            }
        }
    }

    fn push(&mut self, field: String, message: String) {
        if self.count < MESSAGES_MAX {
            self.count += 1;
            self.messages.entry(field).or_default().push(message);
        }
    }

    /// Whether the field has an error.
    pub fn has(&self, field: &str) -> bool {
        self.messages.contains_key(field)
    }

    /// Returns the fields with errors.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.messages.keys().map(String::as_str)
    }

    /// Whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Returns the messages by field.
    pub fn into_messages(self) -> BTreeMap<String, Vec<String>> {
        self.messages
    }
}

impl From<(&str, FieldError)> for FieldErrors {
    fn from((field, field_error): (&str, FieldError)) -> FieldErrors {
        let mut field_errors = FieldErrors::default();
        field_errors.add(field, &field_error);
        field_errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_hundred_messages_are_recorded() {
        let mut field_errors = FieldErrors::default();
        for number in 0..1_000 {
            field_errors.add(&format!("field{number}"), &FieldError::UnknownKey);
        }
        let mut all = FieldErrors::from(("first", FieldError::Required));
        all.extend(field_errors);

        let messages = all.into_messages();
        assert_eq!(messages.len(), 100);
        assert!(messages.contains_key("first"));
    }

    #[test]
    fn messages_contain_the_field_name_with_spaces() {
        let messages = [
            FieldError::Required.message("name"),
            FieldError::TooManyKilobytes(51_200).message("file"),
            FieldError::RequiredWithout("files").message("file"),
            FieldError::InvalidSelection.message("upload_config"),
            FieldError::TooManyNames(20).message("folder_path"),
            FieldError::NameTooLong(255).message("folder_path"),
            FieldError::Taken.message("name"),
        ];
        let expected = [
            "The name field is required.",
            "The file field must not be greater than 51200 kilobytes.",
            "The file field is required when files is not present.",
            "The selected upload config is invalid.",
            "The folder path field must not contain more than 20 names.",
            "The folder path field must not contain names of more than 255 characters.",
            "The name has already been taken.",
        ];
        assert_eq!(messages, expected);

        assert_eq!(
            FieldError::TooManyPixels(9).message_of_resource("file"),
            "The file must not have more than 9 pixels."
        );
    }
}
