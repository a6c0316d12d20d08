//! Parses YAML to [`Node`]s.
//!
//! Invariants:
//! - Only YAML that CloudFormation accepts is accepted: no aliases, one document, tags that name a
//!   supported function, text keys, no duplicate keys.
//! - Size, depth and number of nodes are limited.
//! - Parsing continues after an error unless the YAML parser itself fails.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

use crate::diagnostic::{Diagnostic, Diagnostics, Report};
use crate::node::{Entry, Intrinsic, Node, Value};

/// CloudFormation's maximum size of a template in S3, in bytes.
const MAX_TEMPLATE_BYTES: usize = 1_048_576;

/// Maximum nesting of mappings and lists.
const MAX_DEPTH: usize = 40;

/// Maximum number of values.
const MAX_NODES: usize = 100_000;

/// Fails if parsing cannot continue.
type ParseResult<T> = Result<T, Diagnostic>;

const BROKEN: Node = Node {
    line: 1,
    value: Value::Broken,
};

/// Parses a template, which is one document.
pub(crate) fn parse(text: &str) -> Result<Node, Diagnostics> {
    let report = Report::default();
    if text.len() > MAX_TEMPLATE_BYTES {
        report.add(
            1,
            format!("the template is longer than {MAX_TEMPLATE_BYTES} bytes"),
        );
        return report.finish(BROKEN);
    }

    let mut reader = Reader {
        parser: Parser::new_from_str(text),
        report: &report,
        nodes: 0,
    };
    let document = reader.document().unwrap_or_else(|diagnostic| {
        report.add(diagnostic.line, diagnostic.message);
        BROKEN
    });

    report.finish(document)
}

struct Reader<'input, 'report> {
    parser: Parser<'input, StrInput<'input>>,
    report: &'report Report,
    nodes: usize,
}

impl<'input> Reader<'input, '_> {
    fn document(&mut self) -> ParseResult<Node> {
        let mut document = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::StreamEnd => break,
                Event::Nothing
                | Event::StreamStart
                | Event::DocumentStart(_)
                | Event::DocumentEnd => {}
                _ if document.is_some() => {
                    return fail(line(span), "a template is one YAML document");
                }
                event => document = Some(self.node(event, span, 0)?),
            }
        }

        document.ok_or_else(|| Diagnostic {
            line: 1,
            message: "the template is empty".to_owned(),
        })
    }

    /// Returns the next event in the form of `saphyr_parser`.
    fn next(&mut self) -> ParseResult<(Event<'input>, Span)> {
        match self.parser.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => fail(error.marker().line(), format!("not YAML: {}", error.info())),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'input>, span: Span, depth: usize) -> ParseResult<Node> {
        let line = line(span);
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return fail(line, format!("more than {MAX_NODES} values"));
        }

        if depth > MAX_DEPTH {
            return fail(line, format!("nested more than {MAX_DEPTH} levels deep"));
        }

        let (value, tag) = match event {
            Event::Scalar(text, style, _, tag) => (scalar(&text, style), tag),
            Event::SequenceStart(_, tag) => (Value::List(self.items(depth)?), tag),
            Event::MappingStart(_, tag) => (self.mapping(depth)?, tag),
            Event::Alias(_) => return fail(line, "CloudFormation does not support YAML aliases"),
            _ => return fail(line, "a value is missing"),
        };
        let node = Node { line, value };

        Ok(match tag {
            None => node,
            Some(tag) => self.short_form(&tag, node),
        })
    }

    fn items(&mut self, depth: usize) -> ParseResult<Vec<Node>> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> ParseResult<Value> {
        let mut entries = Vec::new();
        let mut lines = BTreeMap::new();

        loop {
            let (key, line) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(self.long_form(entries)),
                (Event::Scalar(key, _, _, None), span) => (key.into_owned(), line(span)),
                (_, span) => return fail(line(span), "a key must be text"),
            };
            let (event, span) = self.next()?;
            let node = self.node(event, span, depth + 1)?;
            if let Some(first) = lines.get(&key) {
                self.report.add(
                    line,
                    format!("the key `{key}` is a duplicate of the one on line {first}"),
                );
            } else {
                lines.insert(key.clone(), line);
                entries.push(Entry { key, line, node });
            }
        }
    }

    /// Turns `!Name x` into a call.
    fn short_form(&self, tag: &Tag, node: Node) -> Node {
        let line = node.line;
        let intrinsic = if tag.handle == "!" {
            Intrinsic::from_short(&tag.suffix)
        } else {
            None
        };
        let value = match intrinsic {
            Some(intrinsic) => Value::Call(intrinsic, Box::new(node)),
            None => self.broken(line, format!("the function `{tag}` is not supported")),
        };
        Node { line, value }
    }

    /// Turns `{Ref: x}` and `{Fn::Name: x}` into calls. Other mappings stay.
    fn long_form(&self, mut entries: Vec<Entry>) -> Value {
        let Some(entry) = entries.iter().find(|entry| Intrinsic::is_long(&entry.key)) else {
            return Value::Map(entries);
        };
        let line = entry.line;
        let key = entry.key.clone();

        match (Intrinsic::from_long(&key), entries.pop()) {
            (Some(intrinsic), Some(entry)) if entries.is_empty() => {
                Value::Call(intrinsic, Box::new(entry.node))
            }
            (Some(_), _) => {
                self.broken(line, format!("`{key}` must be the only key of its mapping"))
            }
            (None, _) => self.broken(line, format!("the function `{key}` is not supported")),
        }
    }

    fn broken(&self, line: usize, message: String) -> Value {
        self.report.add(line, message);
        Value::Broken
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" if style == ScalarStyle::Plain => Value::Null,
        _ => Value::Scalar(text.to_owned()),
    }
}

fn line(span: Span) -> usize {
    span.start.line().max(1)
}

fn fail<T>(line: usize, message: impl Into<String>) -> ParseResult<T> {
    Err(Diagnostic {
        line,
        message: message.into(),
    })
}
