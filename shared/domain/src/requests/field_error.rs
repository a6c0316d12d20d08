//! What may be wrong with one field of a request, and the sentence that says so.

use std::collections::BTreeMap;

use serde::de::{DeserializeOwned, IntoDeserializer as _, value};

/// Why a field's value is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// It is missing, null or empty.
    Required,
    /// It, or the other one, has to be given.
    RequiredWithout(&'static str),
    /// The other one was given, and needs it.
    RequiredWith(&'static str),
    /// It is no string.
    NotAString,
    /// It is no whole number.
    NotAnInteger,
    /// It is neither true nor false.
    NotABoolean,
    /// It is no object.
    NotAnObject,
    /// It is no list.
    NotAnArray,
    /// It is no file.
    NotAFile,
    /// It was given more than once.
    Duplicate,
    /// It has more characters than this.
    TooLong(usize),
    /// The file has more than this many kilobytes (of 1024 bytes).
    TooManyKilobytes(u64),
    /// The file has more than this many bytes.
    TooManyBytes(u64),
    /// The file's stored type has none of these extensions.
    WrongFileType(String),
    /// The image is too narrow, too low, too wide or too high, or does not say how large it is.
    WrongDimensions,
    /// The image has more than this many pixels.
    TooManyPixels(u64),
    /// The number is below this.
    TooSmall(i64),
    /// The number is above this.
    TooLarge(i64),
    /// It has to be unlike every other one's, and is not.
    Taken,
    /// It names nothing that the caller could name, or is not one of the allowed values.
    InvalidSelection,
    /// It is no date with a time.
    NotADate,
    /// It is no address that we would call.
    NotAUrl,
    /// It is no number.
    NotANumber,
    /// It has more items than this.
    TooMany(usize),
    /// It is no key of its object.
    UnknownKey,
    /// The other one, given in full, is true, and needs it.
    RequiredIfTrue(&'static str),
    /// The moment is past.
    NotInTheFuture,
    /// Its characters are not those allowed.
    InvalidFormat,
    /// It is what it is, and another value was given.
    ReadOnly,
    /// Something else, said as the end of a sentence: "must not be empty".
    Custom(&'static str),
}

impl FieldError {
    /// The sentence, with the field's name put in.
    pub fn message(&self, field: &str) -> String {
        let name = field.replace('_', " ");
        let end = match self {
            FieldError::InvalidSelection => return format!("The selected {name} is invalid."),
            FieldError::WrongDimensions => {
                return format!("The {name} field has invalid image dimensions.");
            }
            FieldError::Taken => return format!("The {name} has already been taken."),
            FieldError::Required => "is required".to_owned(),
            FieldError::RequiredWithout(other) => format!(
                "is required when {} is not present",
                other.replace('_', " ")
            ),
            FieldError::RequiredWith(other) => {
                format!("is required when {} is present", other.replace('_', " "))
            }
            FieldError::NotAString => "must be a string".to_owned(),
            FieldError::NotAnInteger => "must be an integer".to_owned(),
            FieldError::NotABoolean => "must be true or false".to_owned(),
            FieldError::NotAnObject => "must be an object".to_owned(),
            FieldError::NotAnArray => "must be an array".to_owned(),
            FieldError::NotAFile => "must be a file".to_owned(),
            FieldError::Duplicate => "must appear only once".to_owned(),
            FieldError::TooLong(most) => format!("must not be greater than {most} characters"),
            FieldError::TooManyKilobytes(most) => {
                format!("must not be greater than {most} kilobytes")
            }
            FieldError::TooManyBytes(most) => format!("must not be greater than {most} bytes"),
            FieldError::WrongFileType(extensions) => {
                format!("must be a file of type: {extensions}")
            }
            FieldError::TooManyPixels(most) => format!("must not have more than {most} pixels"),
            FieldError::TooSmall(least) => format!("must be at least {least}"),
            FieldError::TooLarge(most) => format!("must not be greater than {most}"),
            FieldError::NotADate => "must be a valid date".to_owned(),
            FieldError::NotAUrl => "must be a valid URL".to_owned(),
            FieldError::NotANumber => "must be a number".to_owned(),
            FieldError::TooMany(most) => format!("must not have more than {most} items"),
            FieldError::UnknownKey => "is not supported".to_owned(),
            FieldError::RequiredIfTrue(other) => {
                format!("is required when {} is true", other.replace('_', " "))
            }
            FieldError::NotInTheFuture => "must be a date after now".to_owned(),
            FieldError::InvalidFormat => "format is invalid".to_owned(),
            FieldError::ReadOnly => "must not be changed".to_owned(),
            FieldError::Custom(end) => (*end).to_owned(),
        };
        format!("The {name} field {end}.")
    }
}

/// Returns the variant of an enum that has this name in JSON.
pub fn parse_variant<T: DeserializeOwned>(name: &str) -> Result<T, FieldError> {
    T::deserialize(name.into_deserializer()).map_err(|_: value::Error| FieldError::InvalidSelection)
}

/// Maximum number of messages of one request. Lambda answers with at most 6 MB.
const MESSAGES_MAX: usize = 100;

/// Everything that is wrong with one request, as messages by field: the first 100 that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldErrors {
    messages: BTreeMap<String, Vec<String>>,
    count: usize,
}

impl FieldErrors {
    /// Records one error.
    pub fn add(&mut self, field: &str, field_error: &FieldError) {
        self.push(field.to_owned(), field_error.message(field));
    }

    /// Returns the value, or records why there is none.
    pub fn record<T>(&mut self, field: &str, result: Result<T, FieldError>) -> Option<T> {
        result
            .map_err(|field_error| self.add(field, &field_error))
            .ok()
    }

    /// Records all of `others`.
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

    /// Whether an error of this field was recorded.
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
    fn sentences_name_the_field_with_spaces() {
        assert_eq!(
            FieldError::Required.message("name"),
            "The name field is required."
        );
        assert_eq!(
            FieldError::TooManyKilobytes(51_200).message("file"),
            "The file field must not be greater than 51200 kilobytes."
        );
        assert_eq!(
            FieldError::RequiredWithout("files").message("file"),
            "The file field is required when files is not present."
        );
        assert_eq!(
            FieldError::InvalidSelection.message("upload_config"),
            "The selected upload config is invalid."
        );
        assert_eq!(
            FieldError::Taken.message("name"),
            "The name has already been taken."
        );
    }
}
