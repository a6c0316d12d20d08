//! Parses YAML to [`Node`]s.
//!
//! Invariants:
//! - Only YAML that CloudFormation accepts is accepted: no aliases, one document, tags that name a
//!   supported function, text keys, no duplicate keys.
//! - Size, depth and number of nodes are limited.
//! - Parsing continues after an error unless the YAML parser itself fails.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput, Tag};

use crate::diagnostic::{Diagnostic, Diagnostics, Report};
use crate::node::{Entry, Intrinsic, Node, NodeValue};

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
    value: NodeValue::Broken,
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

/// An event of the parser and its line, counted from 1.
struct LocatedEvent<'input> {
    event: Event<'input>,
    line: usize,
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
            let next = self.next()?;
            match next.event {
                Event::StreamEnd => break,
                Event::Nothing
                | Event::StreamStart
                | Event::DocumentStart(_)
                | Event::DocumentEnd => {}
                _ if document.is_some() => {
                    return fail(next.line, "a template is one YAML document");
                }
                _ => document = Some(self.node(next, 0)?),
            }
        }

        document.ok_or_else(|| Diagnostic {
            line: 1,
            message: "the template is empty".to_owned(),
        })
    }

    /// Returns the next event, or `StreamEnd` after the last one.
    fn next(&mut self) -> ParseResult<LocatedEvent<'input>> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok(LocatedEvent {
                event,
                line: span.start.line().max(1),
            }),
            Some(Err(error)) => fail(error.marker().line(), format!("not YAML: {}", error.info())),
            None => Ok(LocatedEvent {
                event: Event::StreamEnd,
                line: 1,
            }),
        }
    }

    /// Reads the value that starts with `first`.
    fn node(&mut self, first: LocatedEvent<'input>, depth: usize) -> ParseResult<Node> {
        let line = first.line;
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return fail(line, format!("more than {MAX_NODES} values"));
        }
        if depth > MAX_DEPTH {
            return fail(line, format!("nested more than {MAX_DEPTH} levels deep"));
        }

        match first.event {
            Event::Scalar(text, style, _, tag) => {
                let value = scalar(&text, style);
                Ok(self.tagged(tag.as_deref(), Node { line, value }))
            }
            Event::SequenceStart(_, tag) => {
                let value = NodeValue::List(self.items(depth)?);
                Ok(self.tagged(tag.as_deref(), Node { line, value }))
            }
            Event::MappingStart(_, tag) => {
                let value = self.mapping(depth)?;
                Ok(self.tagged(tag.as_deref(), Node { line, value }))
            }
            Event::Alias(_) => fail(line, "CloudFormation does not support YAML aliases"),
            _ => fail(line, "a value is missing"),
        }
    }

    fn items(&mut self, depth: usize) -> ParseResult<Vec<Node>> {
        let mut items = Vec::new();
        loop {
            let next = self.next()?;
            if next.event == Event::SequenceEnd {
                return Ok(items);
            }
            items.push(self.node(next, depth + 1)?);
        }
    }

    fn mapping(&mut self, depth: usize) -> ParseResult<NodeValue> {
        let mut entries = Vec::new();
        let mut lines = BTreeMap::new();

        loop {
            let next = self.next()?;
            let line = next.line;
            let key = match next.event {
                Event::MappingEnd => return Ok(self.long_form(entries)),
                Event::Scalar(key, _, _, None) => key.into_owned(),
                _ => return fail(line, "a key must be text"),
            };

            let first = self.next()?;
            let node = self.node(first, depth + 1)?;

            if let Some(first_line) = lines.get(&key) {
                self.report.add(
                    line,
                    format!("the key `{key}` is a duplicate of the one on line {first_line}"),
                );
            } else {
                lines.insert(key.clone(), line);
                entries.push(Entry { key, line, node });
            }
        }
    }

    /// Turns `!Name x` into a call. A node without a tag stays.
    fn tagged(&self, tag: Option<&Tag>, node: Node) -> Node {
        let Some(tag) = tag else { return node };
        let line = node.line;

        let intrinsic = if tag.handle == "!" {
            Intrinsic::from_short(&tag.suffix)
        } else {
            None
        };

        let value = match intrinsic {
            Some(intrinsic) => NodeValue::Call(intrinsic, Box::new(node)),
            None => self.broken(line, format!("the function `{tag}` is not supported")),
        };

        Node { line, value }
    }

    /// Turns `{Ref: x}` and `{Fn::Name: x}` into calls. Other mappings stay.
    fn long_form(&self, mut entries: Vec<Entry>) -> NodeValue {
        let Some(entry) = entries.iter().find(|entry| Intrinsic::is_long(&entry.key)) else {
            return NodeValue::Map(entries);
        };

        let line = entry.line;
        let key = entry.key.clone();

        match (Intrinsic::from_long(&key), entries.pop()) {
            (Some(intrinsic), Some(entry)) if entries.is_empty() => {
                NodeValue::Call(intrinsic, Box::new(entry.node))
            }
            (Some(_), _) => {
                self.broken(line, format!("`{key}` must be the only key of its mapping"))
            }
            (None, _) => self.broken(line, format!("the function `{key}` is not supported")),
        }
    }

    fn broken(&self, line: usize, message: String) -> NodeValue {
        self.report.add(line, message);
        NodeValue::Broken
    }
}

fn scalar(text: &str, style: ScalarStyle) -> NodeValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" if style == ScalarStyle::Plain => NodeValue::Null,
        _ => NodeValue::Scalar(text.to_owned()),
    }
}

fn fail<T>(line: usize, message: impl Into<String>) -> ParseResult<T> {
    Err(Diagnostic {
        line,
        message: message.into(),
    })
}
