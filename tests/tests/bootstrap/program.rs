//! The program of `scripts/bootstrap`.

use bootstrap::BootstrapError;
use domain::keys::KeySecret;
use runtime::context::FunctionContext;
use tests::{PHOTO, Stack, form, stack_test};

use super::{Empty, register};

/// Access key of an operator with the permissions that `infra/README.md` lists.
const OPERATOR: &str = "LOCALOPERATOR";
const PERMISSIONS: [&str; 3] = [
    "dynamodb:GetItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
];

/// What the program has printed.
#[derive(Debug)]
struct Printed {
    output: String,
    notes: String,
}

/// Returns the variables of an operator of an empty stack.
fn operator(empty: &Empty) -> FunctionContext {
    register(&empty.emulators, OPERATOR, &PERMISSIONS);
    with_variable(&empty.context, "AWS_ACCESS_KEY_ID", OPERATOR)
}

fn with_variable(context: &FunctionContext, name: &str, value: &str) -> FunctionContext {
    let mut context = context.clone();
    context.variables.insert(name.to_owned(), value.to_owned());
    context
}

/// Runs the program without options.
async fn run(context: &FunctionContext) -> Result<Printed, BootstrapError> {
    run_with(context, false).await
}

/// Runs the program with `--recover`.
async fn recover(context: &FunctionContext) -> Result<Printed, BootstrapError> {
    run_with(context, true).await
}

async fn run_with(context: &FunctionContext, recover: bool) -> Result<Printed, BootstrapError> {
    let mut output = Vec::new();
    let mut notes = Vec::new();
    bootstrap::run(context, recover, &mut output, &mut notes).await?;
    let text = |bytes| String::from_utf8(bytes).expect("text");
    Ok(Printed {
        output: text(output),
        notes: text(notes),
    })
}

fn key(printed: &Printed) -> KeySecret {
    KeySecret::parse(printed.output.trim_end()).unwrap_or_else(|| panic!("no key: {printed:?}"))
}

#[tokio::test]
async fn first_run_creates_a_key_and_the_second_run_nothing() {
    let empty = Empty::start().await;
    let operator = operator(&empty);

    let first = run(&operator).await.expect("a key");
    let user = empty.user(&key(&first)).await;

    let records = empty.records().await;
    let second = run(&operator).await.expect("no error");
    assert_eq!(second.output, "");
    assert!(second.notes.contains("nothing was created"), "{second:?}");
    assert_eq!(empty.records().await, records);

    let recovered = recover(&operator).await.expect("a key");
    assert!(recovered.notes.contains("`recovery`"), "{recovered:?}");
    assert_eq!(empty.user(&key(&recovered)).await, user);
    empty.stop().await;
}

#[tokio::test]
async fn concurrent_runs_create_one_key() {
    let empty = Empty::start().await;
    let operator = operator(&empty);

    let (one, other) = tokio::join!(run(&operator), run(&operator));

    let runs = [one.expect("no error"), other.expect("no error")];
    let created: Vec<_> = runs.iter().filter(|run| !run.output.is_empty()).collect();
    assert_eq!(created.len(), 1, "{runs:?}");
    empty.user(&key(created[0])).await;
    empty.stop().await;
}

#[stack_test]
async fn recovered_key_uploads_and_is_listed(stack: &Stack) {
    let context = stack.unrestricted_context();

    let printed = recover(&context).await.expect("a key");

    let client = stack.anonymous.with_key(key(&printed).reveal());
    let keys = client.get_ok("/account/api-keys").await;
    assert_eq!(keys[0]["name"], "recovery");
    let spaces = client.get_ok("/spaces").await;
    let handle = spaces[0]["handle"].as_str().expect("text");
    let form = form(handle, "photo.jpg", "image/jpeg", PHOTO);
    client.upload_form(form).await.expect_created();
}

#[tokio::test]
async fn errors_name_their_cause() {
    let empty = Empty::start().await;
    let operator = operator(&empty);

    let error = recover(&operator).await.expect_err("no user").to_string();
    assert!(error.contains("no user yet"), "{error}");

    register(&empty.emulators, OPERATOR, &["dynamodb:GetItem"]);
    let error = run(&operator).await.expect_err("no permission").to_string();
    assert!(error.contains("AccessDeniedException"), "{error}");
    assert!(error.contains("dynamodb:UpdateItem"), "{error}");

    let expired = with_variable(&operator, "AWS_ACCESS_KEY_ID", "EXPIRED");
    let error = run(&expired).await.expect_err("no access").to_string();
    assert!(error.contains("UnrecognizedClientException"), "{error}");

    let incomplete = with_variable(&operator, "TABLE_NAME", "");
    let error = run(&incomplete).await.expect_err("no name").to_string();
    assert!(error.contains("TABLE_NAME is not set"), "{error}");
    empty.stop().await;
}
