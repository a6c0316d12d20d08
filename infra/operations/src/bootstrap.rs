//! `scripts/bootstrap`: the first user, space and account key of a stack on AWS.
//!
//! Invariant: the key is the only text of the output; everything else is a note.

use std::{collections::BTreeMap, error::Error, ffi::OsString, io::Write};

use domain::{KeySecret, ServiceError, error_chain};
use lexopt::{Arg, Parser, ValueExt};
use runtime::{FunctionContext, Settings, system_env};
use serde::Deserialize;
use tenant::{Bootstrap, Tenants};

use crate::{
    OperationError,
    aws::{aws_cli, credentials, region},
};

/// Text of `--help`, which scripts/bootstrap prints too.
const HELP: &str = include_str!("bootstrap.txt");

/// Variables with the endpoint of the table.
const ENDPOINTS: [&str; 2] = ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"];

/// A parsed command line.
#[derive(Default)]
struct Arguments {
    stack: String,
    region: Option<String>,
    recover: bool,
}

/// Outputs of a stack by name.
struct Outputs {
    stack: String,
    values: BTreeMap<String, String>,
}

/// The response of `DescribeStacks`, as the AWS CLI prints it.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Described {
    stacks: Vec<DescribedStack>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DescribedStack {
    #[serde(default)]
    outputs: Vec<Output>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Output {
    output_key: String,
    output_value: String,
}

/// Runs a command line without the name of the program. `variables` is the environment. Writes a created
/// key to `output`, and what happened to `notes`.
pub async fn bootstrap(
    arguments: impl IntoIterator<Item = OsString>,
    variables: &BTreeMap<String, String>,
    output: &mut impl Write,
    notes: &mut impl Write,
) -> Result<(), OperationError> {
    let Some(arguments) = parse(arguments)? else {
        output.write_all(HELP.as_bytes())?;
        return Ok(());
    };
    let region = match arguments.region {
        Some(region) => region,
        None => region(variables)?,
    };
    let outputs = Outputs::read(arguments.stack, &region, variables)?;
    let tenants = outputs.tenants(region, variables)?;

    if arguments.recover {
        let key = tenant::recover_key(&tenants)
            .await
            .map_err(|error| table_error(&error))?;
        let key = key.ok_or(OperationError::NoUser)?;
        print_key(&key, output)?;
        writeln!(
            notes,
            "Created another account key of the first user, which is listed as `recovery`. Lost keys are valid until you revoke them."
        )?;
        return Ok(());
    }
    match tenant::bootstrap(&tenants)
        .await
        .map_err(|error| table_error(&error))?
    {
        Bootstrap::Created(key) => {
            print_key(&key, output)?;
            writeln!(
                notes,
                "Created the first user, the space `My assets`, and this account key, which is not shown again."
            )?;
            writeln!(notes, "API: {}", outputs.value("ApiUrl")?)?;
        }
        Bootstrap::Exists => {
            writeln!(
                notes,
                "The stack has a first user, so nothing was created. If all account keys are lost, --recover creates another one."
            )?;
        }
    }
    Ok(())
}

fn print_key(key: &KeySecret, output: &mut impl Write) -> Result<(), OperationError> {
    writeln!(output, "{}", key.reveal())?;
    Ok(output.flush()?)
}

/// Returns the cause of a failed call to DynamoDB. The error itself is the one that API callers get.
fn table_error(error: &ServiceError) -> OperationError {
    let reason = error
        .source()
        .map_or_else(|| error_chain(error), error_chain);
    OperationError::Table(reason)
}

impl Outputs {
    fn read(
        stack: String,
        region: &str,
        variables: &BTreeMap<String, String>,
    ) -> Result<Outputs, OperationError> {
        let printed = aws_cli(
            &[
                "cloudformation",
                "describe-stacks",
                "--stack-name",
                &stack,
                "--region",
                region,
                "--output",
                "json",
            ],
            variables,
        )?;
        let described: Described = serde_json::from_str(&printed).map_err(|error| {
            OperationError::AwsCli(format!(
                "the AWS CLI printed an invalid description of the stack: {error}"
            ))
        })?;

        let outputs = described.stacks.into_iter().flat_map(|stack| stack.outputs);
        let values = outputs.map(|output| (output.output_key, output.output_value));
        Ok(Outputs {
            stack,
            values: values.collect(),
        })
    }

    fn value(&self, name: &'static str) -> Result<String, OperationError> {
        let missing = || OperationError::MissingOutput {
            stack: self.stack.clone(),
            name,
        };
        self.values.get(name).cloned().ok_or_else(missing)
    }

    /// Opens the table of the stack, with the credentials of the operator.
    fn tenants(
        &self,
        region: String,
        environment: &BTreeMap<String, String>,
    ) -> Result<Tenants, OperationError> {
        let credentials = credentials(environment)?;
        let mut variables = BTreeMap::from([
            ("TABLE_NAME", self.value("TableName")?),
            ("DELIVERY_REPLICAS", self.value("DeliveryReplicas")?),
            ("AWS_REGION", region),
            ("AWS_ACCESS_KEY_ID", credentials.access_key_id().to_owned()),
            (
                "AWS_SECRET_ACCESS_KEY",
                credentials.secret_access_key().to_owned(),
            ),
        ]);
        let token = credentials.session_token();
        variables.extend(token.map(|token| ("AWS_SESSION_TOKEN", token.to_owned())));
        let endpoints = ENDPOINTS.map(|name| environment.get(name).map(|url| (name, url.clone())));
        variables.extend(endpoints.into_iter().flatten());

        let context = FunctionContext {
            function: "bootstrap".to_owned(),
            variables: variables
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            env: system_env(),
        };
        let mut settings = Settings::of(&context);
        let table = settings.table();
        settings
            .finish()
            .map_err(|error| OperationError::Table(error.to_string()))?;
        Ok(Tenants::new(table))
    }
}

/// Returns `None` for `--help`.
fn parse(
    arguments: impl IntoIterator<Item = OsString>,
) -> Result<Option<Arguments>, OperationError> {
    let usage = |error: lexopt::Error| OperationError::Usage(error.to_string());
    let mut parser = Parser::from_args(arguments);
    let mut parsed = Arguments::default();

    while let Some(argument) = parser.next().map_err(usage)? {
        let text = |parser: &mut Parser| parser.value()?.string();
        match argument {
            Arg::Long("stack") => parsed.stack = text(&mut parser).map_err(usage)?,
            Arg::Long("region") => parsed.region = Some(text(&mut parser).map_err(usage)?),
            Arg::Long("recover") => parsed.recover = true,
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            other => return Err(usage(other.unexpected())),
        }
    }

    if parsed.stack.is_empty() {
        return Err(OperationError::Usage("--stack NAME is required".to_owned()));
    }
    Ok(Some(parsed))
}
