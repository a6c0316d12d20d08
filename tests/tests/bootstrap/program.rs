//! `scripts/bootstrap`, with a script in place of the AWS CLI.

use std::{collections::BTreeMap, ffi::OsString, fs, os::unix::fs::PermissionsExt};

use domain::KeySecret;
use operations::OperationError;
use runtime::FunctionContext;
use tempfile::TempDir;
use tests::{PHOTO, Stack, form, stack_test};

use super::{Empty, register};

/// Access key of an operator with the permissions that `infra/README.md` lists.
const OPERATOR: &str = "LOCALOPERATOR";
const PERMISSIONS: [&str; 3] = [
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
];

/// The AWS CLI with one stack, `larder-test`. `OUTPUTS` is replaced.
const AWS_CLI: &str = r#"#!/bin/sh
if [ "$*" != "cloudformation describe-stacks --stack-name larder-test --region us-east-1 --output json" ]; then
    echo "An error occurred (ValidationError) when calling the DescribeStacks operation: Stack with id $4 does not exist" >&2
    exit 254
fi
echo '{"Stacks": [{"StackName": "larder-test", "Outputs": OUTPUTS}]}'
"#;

/// The environment of an operator.
struct Operator {
    variables: BTreeMap<String, String>,
    _programs: TempDir,
}

/// What the program has printed.
#[derive(Debug)]
struct Printed {
    output: String,
    notes: String,
}

impl Operator {
    /// Returns an operator with the credentials and the table of a context, and with these outputs of the stack.
    fn new(context: &FunctionContext, outputs: &[(&str, &str)]) -> Operator {
        let programs = TempDir::new().expect("a directory");
        let outputs: Vec<_> = outputs
            .iter()
            .map(|(key, value)| format!(r#"{{"OutputKey": "{key}", "OutputValue": "{value}"}}"#))
            .collect();
        let script = AWS_CLI.replace("OUTPUTS", &format!("[{}]", outputs.join(", ")));
        let path = programs.path().join("aws");
        fs::write(&path, script).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("an executable");

        let path = format!("{}:/usr/bin:/bin", programs.path().display());
        let mut variables: BTreeMap<String, String> =
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"]
                .map(|name| (name.to_owned(), context.variables[name].clone()))
                .into();
        let endpoint = context.variables["AWS_ENDPOINT_URL_DYNAMODB"].clone();
        variables.insert("AWS_ENDPOINT_URL".to_owned(), endpoint);
        variables.insert("PATH".to_owned(), path);
        Operator {
            variables,
            _programs: programs,
        }
    }

    /// Returns the operator of an empty stack.
    fn of(empty: &Empty) -> Operator {
        register(&empty.emulators, OPERATOR, &PERMISSIONS);
        let mut operator = Operator::new(&empty.context, &outputs(&empty.context));
        operator.use_key(OPERATOR);
        operator
    }

    fn use_key(&mut self, access_key: &str) {
        let name = "AWS_ACCESS_KEY_ID".to_owned();
        self.variables.insert(name, access_key.to_owned());
    }

    async fn run(&self, arguments: &[&str]) -> Result<Printed, OperationError> {
        let arguments = arguments.iter().map(OsString::from);
        let mut output = Vec::new();
        let mut notes = Vec::new();
        operations::bootstrap(arguments, &self.variables, &mut output, &mut notes).await?;
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Ok(Printed {
            output: text(output),
            notes: text(notes),
        })
    }

    /// Runs the program for the stack.
    async fn bootstrap(&self, options: &[&str]) -> Result<Printed, OperationError> {
        self.run(&[&["--stack", "larder-test"], options].concat())
            .await
    }

    /// Runs the program for the stack, and returns its error.
    async fn error(&self, options: &[&str]) -> String {
        let result = self.bootstrap(options).await;
        result.expect_err("the program fails").to_string()
    }
}

/// Returns the outputs of a stack with the table of a context.
fn outputs(context: &FunctionContext) -> [(&'static str, &str); 3] {
    [
        ("ApiUrl", "https://api.example/api/v1"),
        ("TableName", context.variables["TABLE_NAME"].as_str()),
        ("DeliveryReplicas", "8"),
    ]
}

fn key(printed: &Printed) -> KeySecret {
    KeySecret::parse(printed.output.trim_end()).unwrap_or_else(|| panic!("no key: {printed:?}"))
}

#[tokio::test]
async fn first_run_creates_a_key_and_the_second_run_nothing() {
    let empty = Empty::start().await;
    let operator = Operator::of(&empty);

    let first = operator.bootstrap(&[]).await.expect("a key");
    let user = empty.user(&key(&first)).await;
    assert!(
        first.notes.contains("https://api.example/api/v1"),
        "{first:?}"
    );

    let records = empty.records().await;
    let second = operator.bootstrap(&[]).await.expect("no error");
    assert_eq!(second.output, "");
    assert!(second.notes.contains("nothing was created"), "{second:?}");
    assert_eq!(empty.records().await, records);

    let recovered = operator.bootstrap(&["--recover"]).await.expect("a key");
    assert!(recovered.notes.contains("`recovery`"), "{recovered:?}");
    assert_eq!(empty.user(&key(&recovered)).await, user);
    empty.stop().await;
}

#[tokio::test]
async fn concurrent_runs_create_one_key() {
    let empty = Empty::start().await;
    let operator = Operator::of(&empty);

    let (one, other) = tokio::join!(operator.bootstrap(&[]), operator.bootstrap(&[]));

    let runs = [one.expect("no error"), other.expect("no error")];
    let created: Vec<_> = runs.iter().filter(|run| !run.output.is_empty()).collect();
    assert_eq!(created.len(), 1, "{runs:?}");
    empty.user(&key(created[0])).await;
    empty.stop().await;
}

#[stack_test]
async fn recovered_key_uploads_and_is_listed(stack: &Stack) {
    let context = stack.unrestricted_context();
    let operator = Operator::new(&context, &outputs(&context));

    let printed = operator.bootstrap(&["--recover"]).await.expect("a key");

    let client = stack.anonymous.with_key(key(&printed).reveal());
    let keys = client.get("/account/api-keys").await.expect_ok();
    assert_eq!(keys[0]["name"], "recovery");
    let spaces = client.get("/spaces").await.expect_ok();
    let handle = spaces[0]["handle"].as_str().expect("text");
    let form = form(handle, "photo.jpg", "image/jpeg", PHOTO);
    client.upload(form).await.expect_created();
}

#[tokio::test]
async fn errors_name_their_cause() {
    let empty = Empty::start().await;
    let mut operator = Operator::of(&empty);

    for (arguments, expected) in [
        (vec![], "--stack NAME is required"),
        (vec!["--stack"], "missing argument for option '--stack'"),
        (
            vec!["--stack", "other"],
            "Stack with id other does not exist",
        ),
        (vec!["--stack", "larder-test", "--recover"], "no user yet"),
    ] {
        let error = operator.run(&arguments).await.expect_err("an error");
        assert!(error.to_string().contains(expected), "{error}");
    }

    register(&empty.emulators, OPERATOR, &["dynamodb:GetItem"]);
    let error = operator.error(&[]).await;
    assert!(error.contains("AccessDeniedException"), "{error}");
    assert!(error.contains("dynamodb:UpdateItem"), "{error}");

    operator.use_key("EXPIRED");
    let error = operator.error(&[]).await;
    assert!(error.contains("UnrecognizedClientException"), "{error}");

    let operator = Operator::new(&empty.context, &outputs(&empty.context)[..2]);
    let error = operator.error(&[]).await;
    assert!(error.contains("no output DeliveryReplicas"), "{error}");
    empty.stop().await;
}
