//! Deserializes JSON whose scalars are texts.

use std::{fmt::Display, str::FromStr};

use serde::{Deserialize, Deserializer, de::DeserializeOwned, de::Error};
use serde_json::Value;

use crate::error::TemplateError;

/// Deserializes a value. An error has the path of the property.
pub(crate) fn typed<T: DeserializeOwned>(value: Value) -> Result<T, TemplateError> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let place = path.trim_start_matches('.');
        TemplateError::new(place, error.into_inner().to_string())
    })
}

pub(crate) fn parsed<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let text = String::deserialize(deserializer)?;
    text.parse()
        .map_err(|error| D::Error::custom(format!("`{text}`: {error}")))
}

/// Parses the text of an optional property, if it is present.
pub(crate) fn some_parsed<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    parsed(deserializer).map(Some)
}

/// Returns a list. A single text counts as a list of one item.
pub(crate) fn one_or_more<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum OneOrMore {
        One(String),
        More(Vec<String>),
    }

    Ok(match OneOrMore::deserialize(deserializer)? {
        OneOrMore::One(text) => vec![text],
        OneOrMore::More(texts) => texts,
    })
}
