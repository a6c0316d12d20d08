//! Parses the `Content-Disposition` header of a form's part (RFC 7578), in any encoding.

use http::{HeaderMap, header};
use percent_encoding::percent_decode_str;

/// The field name of a part, and the name of its file. Bytes that are not UTF-8 are replaced by
/// U+FFFD.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Disposition {
    /// The name of the field.
    pub name: Option<String>,
    /// The name of the file. A part that has one is a file.
    pub file_name: Option<String>,
}

impl Disposition {
    /// Returns the names in the headers of a part.
    pub fn of(headers: &HeaderMap) -> Disposition {
        let value = headers
            .get(header::CONTENT_DISPOSITION)
            .map(|value| String::from_utf8_lossy(value.as_bytes()));
        let parameters = parameters(value.as_deref().unwrap_or_default());

        let mut disposition = Disposition::default();
        let mut extended_file_name = None;
        for HeaderParameter { name, value } in parameters {
            match name.as_str() {
                "name" => disposition.name = Some(value),
                "filename" => disposition.file_name = Some(value),
                "filename*" => extended_file_name = decode_extended(&value),
                _ => {}
            }
        }

        // RFC 6266, section 4.3: `filename*` takes precedence over the fallback in `filename`.
        disposition.file_name = extended_file_name.or(disposition.file_name);
        disposition
    }
}

/// A parameter of a header.
struct HeaderParameter {
    /// The name, in lower case.
    name: String,
    value: String,
}

/// Returns the parameters of a header's value.
fn parameters(value: &str) -> Vec<HeaderParameter> {
    let mut parameters = Vec::new();
    let mut rest = after_semicolon(value);
    while let Some((name, after_name)) = rest.split_once('=') {
        let parsed = match after_name.trim_start().strip_prefix('"') {
            Some(quoted) => parse_quoted(quoted),
            None => parse_token(after_name),
        };
        parameters.push(HeaderParameter {
            name: name.trim().to_ascii_lowercase(),
            value: parsed.value,
        });
        rest = after_semicolon(parsed.rest);
    }
    parameters
}

fn after_semicolon(text: &str) -> &str {
    text.split_once(';').map_or("", |(_, after)| after)
}

/// A parameter's value, and the text after it.
struct ParsedValue<'a> {
    value: String,
    rest: &'a str,
}

/// Parses an unquoted value.
fn parse_token(text: &str) -> ParsedValue<'_> {
    let token = text.split(';').next().unwrap_or_default();
    ParsedValue {
        value: token.trim().to_owned(),
        rest: text,
    }
}

/// Parses a quoted value after its opening quote. Only quotes are unescaped, since some clients
/// send paths with unescaped backslashes.
fn parse_quoted(quoted: &str) -> ParsedValue<'_> {
    let mut value = String::new();
    let mut rest = quoted;
    while let Some((before, after)) = rest.split_once('"') {
        let Some(before_escape) = before.strip_suffix('\\') else {
            value.push_str(before);
            return ParsedValue { value, rest: after };
        };
        value.push_str(before_escape);
        value.push('"');
        rest = after;
    }

    // The closing quote is missing.
    value.push_str(rest);
    ParsedValue { value, rest: "" }
}

/// Decodes an extended value (RFC 8187): `UTF-8''%e2%82%ac`.
fn decode_extended(value: &str) -> Option<String> {
    let encoded = value.splitn(3, '\'').nth(2)?;
    Some(percent_decode_str(encoded).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the field name and file name that are parsed from a header.
    #[track_caller]
    fn assert_parsed(header: &[u8], name: Option<&str>, file_name: Option<&str>) {
        let value = header.try_into().expect("a header value");
        let headers = [(header::CONTENT_DISPOSITION, value)].into_iter().collect();

        let expected = Disposition {
            name: name.map(str::to_owned),
            file_name: file_name.map(str::to_owned),
        };
        assert_eq!(Disposition::of(&headers), expected);
    }

    #[test]
    fn tokens_and_quoted_values_are_parsed() {
        assert_parsed(b"form-data; name=\"space\"", Some("space"), None);
        assert_parsed(
            b"form-data; name=file; filename=a.jpg",
            Some("file"),
            Some("a.jpg"),
        );
        assert_parsed(
            b"form-data; filename=\"a;b=c.jpg\"; name=\"file\"",
            Some("file"),
            Some("a;b=c.jpg"),
        );

        assert_parsed(
            b"form-data;Name = \"file\" ; FILENAME=\"\"",
            Some("file"),
            Some(""),
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_parsed(
            b"form-data; name=\"file\"; filename=\"caf\xE9.jpg\"",
            Some("file"),
            Some("caf\u{FFFD}.jpg"),
        );
    }

    #[test]
    fn only_quotes_are_unescaped() {
        assert_parsed(
            b"form-data; name=\"file\"; filename=\"C:\\me.jpg\"",
            Some("file"),
            Some("C:\\me.jpg"),
        );
        assert_parsed(
            b"form-data; name=\"file\"; filename=\"a\\\"b.jpg\"",
            Some("file"),
            Some("a\"b.jpg"),
        );
    }

    #[test]
    fn extended_file_name_takes_precedence_if_it_is_valid() {
        assert_parsed(
            b"form-data; name=\"file\"; filename*=UTF-8''%C3%A9.jpg",
            Some("file"),
            Some("é.jpg"),
        );
        assert_parsed(
            b"form-data; name=\"file\"; filename*=utf-8'en'a; filename=b",
            Some("file"),
            Some("a"),
        );

        assert_parsed(
            b"form-data; name=\"file\"; filename*=nonsense; filename=b",
            Some("file"),
            Some("b"),
        );
    }

    #[test]
    fn incomplete_headers_are_tolerated() {
        assert_parsed(b"form-data; name=\"open", Some("open"), None);
        assert_parsed(b"form-data; myname=x", None, None);
        assert_parsed(b"form-data", None, None);
        assert_eq!(Disposition::of(&HeaderMap::new()), Disposition::default());
    }
}
