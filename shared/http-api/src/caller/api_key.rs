//! Extracts the API key of a request from `Authorization: Bearer …` or the parameter `api_key`.

use std::borrow::Cow;

use domain::keys::KeySecret;
use http::{HeaderMap, header};

/// Query parameter that may contain a key.
pub(crate) const KEY_PARAMETER: &str = "api_key";

/// Whether a request has a key, valid or not.
pub fn has_key(headers: &HeaderMap, query: Option<&str>) -> bool {
    let is_key = |(name, _): (Cow<'_, str>, Cow<'_, str>)| name == KEY_PARAMETER;
    headers.contains_key(header::AUTHORIZATION)
        || form_urlencoded::parse(query.unwrap_or_default().as_bytes()).any(is_key)
}

/// Returns the key of a request; `None` if it is missing, malformed or ambiguous. The header takes
/// precedence over the parameter, even if it does not contain a key.
pub(crate) fn request_key(headers: &HeaderMap, query: Option<&str>) -> Option<KeySecret> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    if let Some(value) = values.next() {
        if values.next().is_some() {
            return None;
        }
        return value.to_str().ok().and_then(bearer_key);
    }

    let mut parameters =
        form_urlencoded::parse(query?.as_bytes()).filter(|(name, _)| name == KEY_PARAMETER);
    let (_, key) = parameters.next()?;
    if parameters.next().is_some() {
        return None;
    }
    KeySecret::parse(key.trim())
}

/// Returns the key of an `Authorization` header.
pub(crate) fn bearer_key(header: &str) -> Option<KeySecret> {
    let (scheme, key) = header.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    KeySecret::parse(key.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk_00000000000000000000000000000000000000002kaqcA";

    fn headers(values: &[&str]) -> HeaderMap {
        values
            .iter()
            .map(|value| (header::AUTHORIZATION, value.parse().expect("a header")))
            .collect()
    }

    #[test]
    fn key_comes_from_header_or_parameter_and_the_header_wins() {
        let parameter = format!("limit=1&api_key={KEY}");
        let cases: [(&[&str], Option<&str>, bool); 9] = [
            (&[&format!("Bearer {KEY}")], None, true),
            (&[&format!("bearer   {KEY} ")], None, true),
            (&[], Some(&parameter), true),
            (&["Basic abc"], Some(&parameter), false),
            (&[KEY], None, false),
            (&["Bearer"], None, false),
            (
                &[&format!("Bearer {KEY}"), &format!("Bearer {KEY}")],
                None,
                false,
            ),
            (&[], Some(&format!("{parameter}&{parameter}")), false),
            (&[], None, false),
        ];

        for (values, query, expected) in cases {
            let key = request_key(&headers(values), query);
            assert_eq!(key.is_some(), expected, "{values:?} {query:?}");
        }
    }
}
