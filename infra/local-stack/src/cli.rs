//! The command line.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt::Write,
    path::{Path, PathBuf},
};

use lexopt::{Arg, Parser, ValueExt};
use local_stack::{CargoLambda, LOCAL_PARAMETERS, Ports, TEMPLATE};
use sam_template::Template;
use tracing_subscriber::filter::LevelFilter;

/// Default port of the API.
const DEFAULT_PORT: u16 = 9000;
/// Maximum port of the API.
const MAX_PORT: u16 = u16::MAX - 2;
const DEFAULT_DATA_DIR: &str = ".larder";

/// A parsed command line.
pub(crate) enum Parsed {
    /// Print a text and exit.
    Print(String),
    /// Run the local stack.
    Run(Box<Arguments>),
}

/// Options of a run.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) data_dir: PathBuf,
    pub(crate) ports: Ports,
    pub(crate) parameters: BTreeMap<String, String>,
    pub(crate) cargo_lambda: Option<CargoLambda>,
    pub(crate) reset: bool,
    pub(crate) log: LevelFilter,
}

pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Parsed, String> {
    let mut parser = Parser::from_iter(arguments);
    let mut parsed = Arguments {
        data_dir: PathBuf::from(DEFAULT_DATA_DIR),
        ports: ports_from(DEFAULT_PORT),
        parameters: BTreeMap::new(),
        cargo_lambda: None,
        reset: false,
        log: LevelFilter::WARN,
    };

    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Arg::Long("data-dir") => parsed.data_dir = value(&mut parser)?.into(),
            Arg::Long("port") => parsed.ports = parse_ports(&text(value(&mut parser)?)?)?,
            Arg::Long("parameter") => {
                let text = text(value(&mut parser)?)?;
                let (name, value) = text.split_once('=').ok_or("--parameter takes NAME=VALUE")?;
                parsed.parameters.insert(name.to_owned(), value.to_owned());
            }
            Arg::Long("cargo-lambda") => {
                let program = PathBuf::from(value(&mut parser)?);
                parsed.cargo_lambda = Some(CargoLambda {
                    program,
                    binaries: directory_of_this_program()?,
                });
            }
            Arg::Long("reset") => parsed.reset = true,
            Arg::Long("log") => {
                let level = text(value(&mut parser)?)?;
                parsed.log = level
                    .parse()
                    .map_err(|_| format!("--log: `{level}` is not a log level"))?;
            }
            Arg::Short('h') | Arg::Long("help") => return help().map(Parsed::Print),
            Arg::Short('V') | Arg::Long("version") => {
                return Ok(Parsed::Print(format!(
                    "larder {}",
                    env!("CARGO_PKG_VERSION")
                )));
            }
            other => return Err(other.unexpected().to_string()),
        }
    }

    Ok(Parsed::Run(Box::new(parsed)))
}

fn value(parser: &mut Parser) -> Result<OsString, String> {
    parser.value().map_err(|error| error.to_string())
}

fn text(value: OsString) -> Result<String, String> {
    value.string().map_err(|error| error.to_string())
}

/// Parses the port of the API. 0 selects free ports.
fn parse_ports(text: &str) -> Result<Ports, String> {
    match text.parse() {
        Ok(0) => Ok(Ports::default()),
        Ok(api @ 1..=MAX_PORT) => Ok(ports_from(api)),
        _ => Err(format!(
            "--port: `{text}` is not a port from 1 to {MAX_PORT} (the CDN and S3 use the two after it), or 0"
        )),
    }
}

/// Returns three consecutive ports.
fn ports_from(api: u16) -> Ports {
    Ports {
        api,
        cdn: api + 1,
        s3: api + 2,
    }
}

fn directory_of_this_program() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    program
        .parent()
        .map(Path::to_owned)
        .ok_or_else(|| "the directory of this program is unknown".to_owned())
}

fn help() -> Result<String, String> {
    let mut text = format!(
        "Runs Larder on this machine: the API, the CDN, and the AWS services that they use.

Usage: cargo run -- [OPTION …]

  --data-dir DIR           Directory of all data; default `{DEFAULT_DATA_DIR}`.
  --port N                 Port of the API; the CDN uses N+1, S3 N+2, all on 127.0.0.1; default {DEFAULT_PORT}.
                           0 selects free ports and writes them to DIR/local.json.
  --parameter NAME=VALUE   Parameter of this program or of template.yaml; can be repeated.
  --reset                  Delete the data of earlier runs in DIR, and start with an empty directory.
  --cargo-lambda PROGRAM   Run the functions as Lambda binaries under this cargo-lambda, as scripts/emulate does.
  --log LEVEL              error, warn, info, debug or trace; default `warn`.
  --help, --version

Parameters, with their defaults:
"
    );
    let mut add = |name: &str, default: &str, description: &str| {
        let _ = write!(text, "\n  {name} ({default:?})\n      {description}\n");
    };
    for local in LOCAL_PARAMETERS {
        add(local.name, local.default, local.description);
    }
    let template = Template::parse(TEMPLATE).map_err(|error| error.to_string())?;
    for (name, parameter) in template.parameters() {
        let default = parameter.default.as_deref().unwrap_or_default();
        let description = parameter.description.as_deref().unwrap_or_default();
        add(name, default, description);
    }
    Ok(text)
}
