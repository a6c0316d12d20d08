//! Parameters of a signed URL's query.

use std::{borrow::Cow, str::Utf8Error};

use percent_encoding::percent_decode_str;

use crate::signing::SignatureError;

/// Decoded parameter of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryParameter<'a> {
    pub name: Cow<'a, str>,
    /// Value; empty for a parameter without `=`.
    pub value: Cow<'a, str>,
}

impl<'a> QueryParameter<'a> {
    /// Creates a parameter from its decoded name and value.
    pub fn new(
        name: impl Into<Cow<'a, str>>,
        value: impl Into<Cow<'a, str>>,
    ) -> QueryParameter<'a> {
        QueryParameter {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// Decodes the parameters of a query: percent-encoded UTF-8, in which a plus is a plus.
pub fn decoded_parameters(query: &str) -> Result<Vec<QueryParameter<'_>>, Utf8Error> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(decoded_parameter)
        .collect()
}

fn decoded_parameter(pair: &str) -> Result<QueryParameter<'_>, Utf8Error> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));

    Ok(QueryParameter {
        name: percent_decode_str(name).decode_utf8()?,
        value: percent_decode_str(value).decode_utf8()?,
    })
}

/// Returns the value of an optional parameter. Fails if it is repeated.
pub(crate) fn optional_parameter<'a>(
    parameters: &'a [QueryParameter<'_>],
    name: &str,
) -> Result<Option<&'a str>, SignatureError> {
    let mut values = parameters
        .iter()
        .filter(|parameter| parameter.name == name)
        .map(|parameter| parameter.value.as_ref());

    let value = values.next();
    if values.next().is_some() {
        return Err(SignatureError::Incomplete);
    }
    Ok(value)
}

/// Returns the value of a required parameter. Fails if it is missing or repeated.
pub(crate) fn required_parameter<'a>(
    parameters: &'a [QueryParameter<'_>],
    name: &str,
) -> Result<&'a str, SignatureError> {
    optional_parameter(parameters, name)?.ok_or(SignatureError::Incomplete)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_is_decoded_once_and_must_be_utf8() {
        for (query, expected) in [
            ("a=1&b=2&a=3", &[("a", "1"), ("b", "2"), ("a", "3")][..]),
            ("", &[]),
            (
                "&a&b=&&=c&d=e=f",
                &[("a", ""), ("b", ""), ("", "c"), ("d", "e=f")],
            ),
            ("a+b=c%2Bd%20e", &[("a+b", "c+d e")]),
            ("%C3%A9=%2541&a=%zz%", &[("é", "%41"), ("a", "%zz%")]),
        ] {
            let expected: Vec<QueryParameter<'_>> = expected
                .iter()
                .map(|(name, value)| QueryParameter::new(*name, *value))
                .collect();
            assert_eq!(decoded_parameters(query), Ok(expected), "{query}");
        }

        for wrong in ["a=%FF", "%FF=1&a=b", "a=b&c=%C3"] {
            assert!(decoded_parameters(wrong).is_err(), "{wrong}");
        }
    }
}
