//! Parses YAML to JSON: scalars become texts, and `!Sub x` becomes `{"Fn::Sub": "x"}`.

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput, Tag};
use serde_json::{Map, Value};

use crate::error::TemplateError;

/// Functions whose long form has no prefix.
const WITHOUT_PREFIX: [&str; 2] = ["Condition", "Ref"];

/// Parses the first document of a text.
pub(crate) fn parse(text: &str) -> Result<Value, TemplateError> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
    };
    loop {
        match reader.next()? {
            (Event::Nothing | Event::StreamStart | Event::DocumentStart(_), _) => {}
            (first, line) => return reader.value(first, line),
        }
    }
}

struct Reader<'input> {
    parser: Parser<'input, StrInput<'input>>,
}

impl<'input> Reader<'input> {
    /// Returns the next event and its line, counted from 1.
    fn next(&mut self) -> Result<(Event<'input>, usize), TemplateError> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, span.start.line())),
            Some(Err(error)) => fail(error.marker().line(), error.info()),
            None => Ok((Event::StreamEnd, 1)),
        }
    }

    /// Reads the value that starts with an event.
    fn value(&mut self, first: Event<'input>, line: usize) -> Result<Value, TemplateError> {
        let (value, tag) = match first {
            Event::Scalar(text, ScalarStyle::Plain, ..) if matches!(&*text, "" | "~" | "null") => {
                return fail(line, "a value is missing");
            }
            Event::Scalar(text, _, _, tag) => (Value::String(text.into_owned()), tag),
            Event::SequenceStart(_, tag) => (self.items()?, tag),
            Event::MappingStart(_, tag) => (self.entries()?, tag),
            Event::Alias(_) => return fail(line, "CloudFormation does not support aliases"),
            _ => return fail(line, "a value is missing"),
        };

        Ok(match tag {
            None => value,
            Some(tag) => Value::Object(Map::from_iter([(long_name(&tag), value)])),
        })
    }

    fn items(&mut self) -> Result<Value, TemplateError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::Array(items)),
                (first, line) => items.push(self.value(first, line)?),
            }
        }
    }

    fn entries(&mut self) -> Result<Value, TemplateError> {
        let mut entries = Map::new();
        loop {
            let (key, key_line) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(Value::Object(entries)),
                (Event::Scalar(key, ..), line) => (key.into_owned(), line),
                (_, line) => return fail(line, "a key must be text"),
            };
            let (first, line) = self.next()?;
            let value = self.value(first, line)?;
            if entries.contains_key(&key) {
                return fail(key_line, format!("the key `{key}` is a duplicate"));
            }
            entries.insert(key, value);
        }
    }
}

/// Returns the name of a function in its long form.
fn long_name(tag: &Tag) -> String {
    let name = &*tag.suffix;
    let prefix = if WITHOUT_PREFIX.contains(&name) {
        ""
    } else {
        "Fn::"
    };
    format!("{prefix}{name}")
}

fn fail<T>(line: usize, message: impl Into<String>) -> Result<T, TemplateError> {
    Err(TemplateError::new(&format!("line {line}"), message))
}
