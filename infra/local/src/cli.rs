//! The command line.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt::Write,
    path::{Path, PathBuf},
};

use lexopt::{Arg, Parser, ValueExt};
use local::{CargoLambda, Ports, TEMPLATE};
use template::Template;
use tracing_subscriber::filter::LevelFilter;

/// The API's port, where none is named.
const DEFAULT_PORT: u16 = 9000;
/// The data directory, where none is named.
const DEFAULT_DATA_DIR: &str = ".larder";
/// What a command line asks for.
pub(crate) enum Parsed {
    /// To print this and end.
    Print(String),
    /// To run.
    Run(Box<Arguments>),
}

/// How to run.
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
        ports: ports(DEFAULT_PORT)?,
        parameters: BTreeMap::new(),
        cargo_lambda: None,
        reset: false,
        log: LevelFilter::WARN,
    };
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Arg::Long("data-dir") => parsed.data_dir = value(&mut parser)?.into(),
            Arg::Long("port") => parsed.ports = ports(number(&value(&mut parser)?)?)?,
            Arg::Long("parameter") => {
                let text = text(value(&mut parser)?)?;
                let (name, value) = text.split_once('=').ok_or("--parameter takes NAME=VALUE")?;
                parsed.parameters.insert(name.to_owned(), value.to_owned());
            }
            Arg::Long("cargo-lambda") => {
                let program = PathBuf::from(value(&mut parser)?);
                parsed.cargo_lambda = Some(CargoLambda {
                    program,
                    binaries: beside_this_program()?,
                });
            }
            Arg::Long("reset") => parsed.reset = true,
            Arg::Long("log") => {
                let level = text(value(&mut parser)?)?;
                parsed.log = level
                    .parse()
                    .map_err(|_| format!("--log: `{level}` is no level"))?;
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

fn number(value: &OsString) -> Result<u16, String> {
    value.parse().map_err(|error| format!("--port: {error}"))
}

fn ports(api: u16) -> Result<Ports, String> {
    if api == 0 {
        return Ok(Ports::default());
    }
    let next = |step| {
        api.checked_add(step)
            .ok_or_else(|| "--port must be 65533 or less".to_owned())
    };
    Ok(Ports {
        api,
        cdn: next(1)?,
        s3: next(2)?,
    })
}

fn beside_this_program() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    program
        .parent()
        .map(Path::to_owned)
        .ok_or_else(|| "this program is nowhere".to_owned())
}

fn help() -> Result<String, String> {
    let mut text = format!(
        "Runs Larder on this machine: the API, the CDN, and everything behind them.

Usage: cargo run -- [OPTION …]

  --data-dir DIR           Where everything is kept; `{DEFAULT_DATA_DIR}` if absent.
  --port N                 The API listens on N, the CDN on N+1, S3 on N+2, all on 127.0.0.1; {DEFAULT_PORT} if absent.
                           0 takes free ones; DIR/local.json says which.
  --parameter NAME=VALUE   A parameter of template.yaml; may be given more than once.
  --reset                  Begin anew: removes what earlier runs left in DIR.
  --cargo-lambda PROGRAM   Run the functions as Lambda binaries under this cargo-lambda; scripts/emulate does so.
  --log LEVEL              error, warn, info, debug or trace; `warn` if absent.
  --help, --version

Parameters:
"
    );
    let parameters = Template::parse(TEMPLATE).and_then(|template| template.parameters());
    for parameter in parameters.map_err(|diagnostics| diagnostics.to_string())? {
        let default = parameter.default.unwrap_or_default();
        let description = parameter.description.unwrap_or_default();
        let _ = write!(
            text,
            "\n  {} ({default:?})\n      {description}\n",
            parameter.name
        );
    }
    Ok(text)
}
