//! A part's `Content-Disposition` (RFC 7578): which field it is, and what its file is called, in
//! whatever bytes that was sent.

use axum::http::{HeaderMap, header};
use percent_encoding::percent_decode_str;

/// What a part says of itself. What is no UTF-8 is shown by replacement characters.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Disposition {
    /// The field.
    pub(crate) name: Option<String>,
    /// The file's name; a part that has one is a file.
    pub(crate) file_name: Option<String>,
}

impl Disposition {
    pub(crate) fn of(headers: &HeaderMap) -> Disposition {
        let value = headers
            .get(header::CONTENT_DISPOSITION)
            .map(|value| String::from_utf8_lossy(value.as_bytes()));
        let (mut disposition, mut extended) = (Disposition::default(), None);
        for (name, value) in parameters(value.as_deref().unwrap_or_default()) {
            match name.as_str() {
                "name" => disposition.name = Some(value),
                "filename" => disposition.file_name = Some(value),
                "filename*" => extended = decoded(&value),
                _ => {}
            }
        }
        // Clients that send both have put a stand-in into the plain one.
        disposition.file_name = extended.or(disposition.file_name);
        disposition
    }
}

/// The parameters of a header's value, their names in lower case.
fn parameters(value: &str) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    let mut rest = value.split_once(';').map_or("", |(_, rest)| rest);
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.trim_start().strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => (
                after
                    .split(';')
                    .next()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
                after,
            ),
        };
        parameters.push((name.trim().to_ascii_lowercase(), value));
        rest = after.split_once(';').map_or("", |(_, rest)| rest);
    }
    parameters
}

/// A quoted text up to its closing quote, and what follows. Only quotes are escaped: to some
/// clients a backslash is part of a path.
fn unquoted(quoted: &str) -> (String, &str) {
    let mut text = String::new();
    let mut rest = quoted;
    while let Some((before, after)) = rest.split_once('"') {
        let Some(before) = before.strip_suffix('\\') else {
            return (text + before, after);
        };
        text = text + before + "\"";
        rest = after;
    }
    (text + rest, "")
}

/// The text of an extended value (RFC 8187): `UTF-8''%e2%82%ac`.
fn decoded(value: &str) -> Option<String> {
    let encoded = value.splitn(3, '\'').nth(2)?;
    Some(percent_decode_str(encoded).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_whatever_form_and_bytes() {
        for (value, name, file_name) in [
            (&b"form-data; name=\"space\""[..], Some("space"), None),
            (
                b"form-data; name=file; filename=a.jpg",
                Some("file"),
                Some("a.jpg"),
            ),
            (
                b"form-data; filename=\"a;b=c.jpg\"; name=\"file\"",
                Some("file"),
                Some("a;b=c.jpg"),
            ),
            (
                b"form-data;Name = \"file\" ; FILENAME=\"\"",
                Some("file"),
                Some(""),
            ),
            (
                b"form-data; name=\"file\"; filename=\"caf\xE9.jpg\"",
                Some("file"),
                Some("caf\u{FFFD}.jpg"),
            ),
            (
                b"form-data; name=\"file\"; filename=\"C:\\me.jpg\"",
                Some("file"),
                Some("C:\\me.jpg"),
            ),
            (
                b"form-data; name=\"file\"; filename=\"a\\\"b.jpg\"",
                Some("file"),
                Some("a\"b.jpg"),
            ),
            (
                b"form-data; name=\"file\"; filename*=UTF-8''%C3%A9.jpg",
                Some("file"),
                Some("é.jpg"),
            ),
            (
                b"form-data; name=\"file\"; filename*=utf-8'en'a; filename=b",
                Some("file"),
                Some("a"),
            ),
            (
                b"form-data; name=\"file\"; filename*=nonsense; filename=b",
                Some("file"),
                Some("b"),
            ),
            (b"form-data; name=\"open", Some("open"), None),
            (b"form-data; myname=x", None, None),
            (b"form-data", None, None),
        ] {
            let headers = [(
                header::CONTENT_DISPOSITION,
                value.try_into().expect("a header"),
            )]
            .into_iter()
            .collect();
            let expected = Disposition {
                name: name.map(str::to_owned),
                file_name: file_name.map(str::to_owned),
            };
            assert_eq!(
                Disposition::of(&headers),
                expected,
                "{}",
                String::from_utf8_lossy(value)
            );
        }
        assert_eq!(Disposition::of(&HeaderMap::new()), Disposition::default());
    }
}
