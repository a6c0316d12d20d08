//! The command line.

use std::{ffi::OsString, path::PathBuf};

use lexopt::{Arg, Parser, ValueExt};

use crate::OperationError;

/// Text of `--help`, which scripts/dead-letters prints too.
pub(crate) const HELP: &str = include_str!("dead-letters.txt");

/// Default data directory of the local stack.
const DEFAULT_DATA_DIR: &str = ".larder";

/// A parsed command line.
pub(crate) enum Parsed {
    Help,
    Run(Arguments),
}

/// A command and the stack that it concerns.
pub(crate) struct Arguments {
    pub(crate) command: Command,
    pub(crate) target: Target,
}

pub(crate) enum Command {
    List,
    /// Read this queue.
    Read(String),
    /// Redrive this queue.
    Redrive(String),
}

/// The stack whose queues a command concerns.
pub(crate) enum Target {
    /// The local stack with this data directory.
    Local(PathBuf),
    Aws {
        stack: String,
        endpoint: Option<String>,
    },
}

/// Options as they were specified.
#[derive(Default)]
struct Options {
    stack: Option<String>,
    endpoint: Option<String>,
    local: Option<PathBuf>,
}

pub(crate) fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Parsed, OperationError> {
    let usage = |error: lexopt::Error| OperationError::Usage(error.to_string());
    let mut parser = Parser::from_args(arguments);
    let mut words = Vec::new();
    let mut options = Options::default();

    while let Some(argument) = parser.next().map_err(usage)? {
        match argument {
            Arg::Long("stack") => options.stack = Some(text(&mut parser).map_err(usage)?),
            Arg::Long("endpoint") => options.endpoint = Some(text(&mut parser).map_err(usage)?),
            Arg::Long("local") => options.local = Some(data_dir(&mut parser).map_err(usage)?),
            Arg::Short('h') | Arg::Long("help") => return Ok(Parsed::Help),
            Arg::Value(word) => words.push(word.string().map_err(usage)?),
            other => return Err(usage(other.unexpected())),
        }
    }

    Ok(Parsed::Run(Arguments {
        command: command(words)?,
        target: options.target()?,
    }))
}

fn text(parser: &mut Parser) -> Result<String, lexopt::Error> {
    parser.value()?.string()
}

/// Returns the argument after `--local`, unless it is an option.
fn data_dir(parser: &mut Parser) -> Result<PathBuf, lexopt::Error> {
    if let Some(value) = parser.optional_value() {
        return Ok(value.into());
    }
    let next = parser.try_raw_args();
    let has_value = next
        .and_then(|next| {
            next.peek()
                .map(|value| !value.as_encoded_bytes().starts_with(b"-"))
        })
        .unwrap_or(false);
    if has_value {
        return Ok(parser.value()?.into());
    }
    Ok(PathBuf::from(DEFAULT_DATA_DIR))
}

fn command(words: Vec<String>) -> Result<Command, OperationError> {
    let mut words = words.into_iter();
    let name = words.next();
    let queue = words.next();
    match (name.as_deref(), queue, words.next()) {
        (Some("list"), None, None) => Ok(Command::List),
        (Some("read"), Some(queue), None) => Ok(Command::Read(queue)),
        (Some("redrive"), Some(queue), None) => Ok(Command::Redrive(queue)),
        _ => Err(OperationError::Usage(
            "the command must be `list`, `read QUEUE` or `redrive QUEUE`".to_owned(),
        )),
    }
}

impl Options {
    fn target(self) -> Result<Target, OperationError> {
        let usage = |message: &str| Err(OperationError::Usage(message.to_owned()));
        match self {
            Options {
                local: Some(data_dir),
                stack: None,
                endpoint: None,
            } => Ok(Target::Local(data_dir)),
            Options { local: Some(_), .. } => {
                usage("--local cannot be combined with --stack and --endpoint")
            }
            Options {
                stack: Some(stack),
                endpoint,
                local: None,
            } => Ok(Target::Aws { stack, endpoint }),
            Options { .. } => usage("--stack NAME or --local is required"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Arguments, String> {
        let words = line.split_whitespace().map(OsString::from);
        match parse(words) {
            Ok(Parsed::Run(arguments)) => Ok(arguments),
            Ok(Parsed::Help) => Err("help".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn data_directory_is_optional() {
        for (line, expected) in [
            ("list --local", ".larder"),
            ("list --local data", "data"),
            ("--local=data list", "data"),
        ] {
            let target = parsed(line).expect("valid").target;
            assert!(
                matches!(target, Target::Local(path) if path.to_str() == Some(expected)),
                "{line}"
            );
        }
    }

    #[test]
    fn incomplete_and_contradictory_lines_are_rejected() {
        for line in [
            "",
            "list",
            "read --stack larder",
            "read a b --stack larder",
            "list --local --stack larder",
            "purge a --stack larder",
            "list --stack",
            "list --stack larder --force",
        ] {
            assert!(parsed(line).is_err(), "{line}");
        }
    }
}
