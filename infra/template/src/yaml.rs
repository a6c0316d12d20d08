//! YAML text to [`Node`]s.
//!
//! Invariant: what CloudFormation does not read is refused: aliases, a second document, tags that
//! are no known function, keys that are no text, a key twice. Size, depth and count of nodes are
//! bounded. Only what ends the parsing itself ends the search for further problems.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput, Tag};

use crate::node::{Entry, Intrinsic, Node, Value};
use crate::problem::{Problem, Problems, Report};

/// What CloudFormation accepts from S3: bytes of text.
const MAX_TEMPLATE_BYTES: usize = 1_048_576;

/// Mappings and lists within one another.
const MAX_DEPTH: usize = 40;

/// Values in one template.
const MAX_NODES: usize = 100_000;

/// Fails where parsing cannot go on.
type Read<T> = Result<T, Problem>;

const BROKEN: Node = Node {
    line: 1,
    value: Value::Broken,
};

/// Parses the text of a template: one document.
pub(crate) fn parse(text: &str) -> Result<Node, Problems> {
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
    let document = reader.document().unwrap_or_else(|problem| {
        report.add(problem.line, problem.message);
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
    fn document(&mut self) -> Read<Node> {
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
                    return problem(line(span), "a template is one YAML document");
                }
                event => document = Some(self.node(event, span, 0)?),
            }
        }
        document.ok_or_else(|| Problem {
            line: 1,
            message: "the template is empty".to_owned(),
        })
    }

    fn next(&mut self) -> Read<(Event<'input>, Span)> {
        match self.parser.next_event() {
            Some(Ok(next)) => Ok(next),
            Some(Err(error)) => {
                problem(error.marker().line(), format!("not YAML: {}", error.info()))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, event: Event<'input>, span: Span, depth: usize) -> Read<Node> {
        let line = line(span);
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return problem(line, format!("more than {MAX_NODES} values"));
        }
        if depth > MAX_DEPTH {
            return problem(line, format!("nested more than {MAX_DEPTH} deep"));
        }
        let (value, tag) = match event {
            Event::Scalar(text, style, _, tag) => (scalar(&text, style), tag),
            Event::SequenceStart(_, tag) => (Value::List(self.items(depth)?), tag),
            Event::MappingStart(_, tag) => (self.mapping(depth)?, tag),
            Event::Alias(_) => return problem(line, "CloudFormation reads no YAML aliases"),
            _ => return problem(line, "a value is missing"),
        };
        let node = Node { line, value };
        Ok(match tag {
            None => node,
            Some(tag) => self.short_form(&tag, node),
        })
    }

    fn items(&mut self, depth: usize) -> Read<Vec<Node>> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Read<Value> {
        let mut entries = Vec::new();
        let mut lines = BTreeMap::new();
        loop {
            let (key, line) = match self.next()? {
                (Event::MappingEnd, _) => return Ok(self.long_form(entries)),
                (Event::Scalar(key, _, _, None), span) => (key.into_owned(), line(span)),
                (_, span) => return problem(line(span), "a key must be text"),
            };
            let (event, span) = self.next()?;
            let node = self.node(event, span, depth + 1)?;
            if let Some(first) = lines.get(&key) {
                self.report.add(
                    line,
                    format!("the key `{key}` stands here twice, first on line {first}"),
                );
            } else {
                lines.insert(key.clone(), line);
                entries.push(Entry { key, line, node });
            }
        }
    }

    /// `!Name x`.
    fn short_form(&self, tag: &Tag, node: Node) -> Node {
        let line = node.line;
        let intrinsic = if tag.handle == "!" {
            Intrinsic::from_short(&tag.suffix)
        } else {
            None
        };
        let value = match intrinsic {
            Some(intrinsic) => Value::Call(intrinsic, Box::new(node)),
            None => self.broken(line, format!("the function `{tag}` is not understood")),
        };
        Node { line, value }
    }

    /// `{Ref: x}` and `{Fn::Name: x}` are calls; every other mapping is itself.
    fn long_form(&self, mut entries: Vec<Entry>) -> Value {
        let Some(entry) = entries.iter().find(|entry| Intrinsic::is_long(&entry.key)) else {
            return Value::Map(entries);
        };
        let (line, key) = (entry.line, entry.key.clone());
        match (Intrinsic::from_long(&key), entries.pop()) {
            (Some(intrinsic), Some(entry)) if entries.is_empty() => {
                Value::Call(intrinsic, Box::new(entry.node))
            }
            (Some(_), _) => self.broken(line, format!("`{key}` must be alone in its mapping")),
            (None, _) => self.broken(line, format!("the function `{key}` is not understood")),
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

fn problem<T>(line: usize, message: impl Into<String>) -> Read<T> {
    Err(Problem {
        line,
        message: message.into(),
    })
}
