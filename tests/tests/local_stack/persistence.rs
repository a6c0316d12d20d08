//! The program: acknowledged writes survive restarts, and a failed start names its cause.

use std::{os::unix::fs::PermissionsExt, process::Command};

use serde_json::json;
use tempfile::TempDir;
use tests::{Client, PHOTO, Stack, StackOptions, form, stack_test};

use super::program::{Program, Ready, client, program};

#[stack_test]
async fn data_directory_is_private_to_its_owner(stack: &Stack) {
    let data = std::fs::metadata(stack.data_dir()).expect("a data directory");
    assert_eq!(data.permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn restart_keeps_data_and_key() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let record = acme.upload(PHOTO).await;
    let directory = stack.directory();
    let key = stack.account().key;

    stack.stop().await;

    let stack = Stack::start_in(
        directory,
        StackOptions {
            seed: 2,
            ..StackOptions::default()
        },
    )
    .await
    .expect("a restart");
    assert_eq!(stack.account().key, key);

    let client = stack
        .anonymous
        .with_key(acme.client.key.as_deref().expect("a key"));
    let again = client
        .get_ok(&format!("/files/{}", record["id"].as_str().expect("an id")))
        .await;

    assert_eq!(again["checksum_sha256"], record["checksum_sha256"]);
    assert!(
        stack
            .anonymous
            .fetch(again["url"].as_str().expect("a URL"))
            .await
            .body
            == PHOTO
    );
    stack.stop().await;
}

#[tokio::test]
async fn lost_key_is_replaced_for_same_user() {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let directory = stack.directory();
    let key = stack.account().key;

    stack.stop().await;
    std::fs::remove_file(directory.path().join("data/local.json")).expect("it was written");

    let stack = Stack::start_in(
        directory,
        StackOptions {
            seed: 2,
            ..StackOptions::default()
        },
    )
    .await
    .expect("a restart");
    assert_ne!(stack.account().key, key);
    stack.account().get_ok(&acme.path()).await;
    stack.stop().await;
}

#[tokio::test]
async fn acknowledged_writes_survive_kill() {
    let directory = TempDir::new().expect("a temporary directory");
    let data_dir = directory.path().join("data");
    let mut first = Program::start(&data_dir, &[]);
    let Ready { banner, local } = first.ready();
    let account = client(&local);

    assert!(
        banner.contains(account.key.as_deref().expect("a key")),
        "a new key is shown"
    );

    let space = account.create("/spaces", json!({"name": "Acme"})).await;
    let handle = space["handle"].as_str().expect("a handle");
    let record = account
        .upload_form(form(handle, "photo.jpg", "image/jpeg", PHOTO))
        .await
        .expect_created();

    first.kill();

    let mut second = Program::start(&data_dir, &[]);
    let Ready { banner, local } = second.ready();
    let account = client(&local);

    assert!(
        !banner.contains(account.key.as_deref().expect("a key")),
        "a known key is not shown again"
    );

    let again = account
        .get_ok(&format!("/files/{}", record["id"].as_str().expect("an id")))
        .await;
    assert!(
        account
            .fetch(again["url"].as_str().expect("a URL"))
            .await
            .body
            == PHOTO
    );

    let locked = Program::start(&data_dir, &[]).rejected();
    assert!(locked.contains("in use by another process"), "{locked}");
    second.signal("-TERM");
    second.expect_success();
}

#[tokio::test]
async fn start_failure_names_its_cause() {
    let directory = TempDir::new().expect("a temporary directory");
    let data_dir = directory.path().join("data");
    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("a URL").port().to_string();
    let message = Program::start(&data_dir, &["--port", &port]).rejected();

    assert!(
        message.contains(&format!("cannot listen on 127.0.0.1:{port}")),
        "{message}"
    );

    let message = Program::start(&data_dir, &["--parameter", "NoSuch=1"]).rejected();
    assert!(message.contains("NoSuch"), "{message}");

    let mut program = Program::start(&data_dir, &[]);
    program.ready();
    program.kill();
    std::fs::write(
        data_dir.join("sqs.sqlite"),
        b"this is no database at all, not even remotely",
    )
    .expect("written");

    let message = Program::start(&data_dir, &[]).rejected();
    assert!(
        message.contains("sqs.sqlite") && message.contains("damaged"),
        "{message}"
    );

    let mut reset = Program::start(&data_dir, &["--reset"]);
    reset.ready();
    reset.kill();
    std::fs::write(data_dir.join("thesis.txt"), b"precious").expect("written");

    let message = Program::start(&data_dir, &["--reset"]).rejected();
    assert!(
        message.contains("thesis.txt") && data_dir.join("thesis.txt").exists(),
        "{message}"
    );
}

#[tokio::test]
async fn data_directory_of_other_format_is_rejected_until_reset() {
    let directory = TempDir::new().expect("a temporary directory");
    let data_dir = directory.path().join("data");
    let format_file = data_dir.join("format");
    let mut first = Program::start(&data_dir, &[]);
    first.ready();
    first.kill();
    let format = std::fs::read_to_string(&format_file).expect("a format");

    let directory_name = data_dir.display();
    let old = format!(
        "the data directory {directory_name} has format 3, but this version reads format \
         {format}. Start with --reset to delete its data"
    );
    let new = format!(
        "the data directory {directory_name} was written by a newer version. Use that version, \
         or start with --reset to delete its data"
    );
    let unknown = format!(
        "the data directory {directory_name} has data of an unknown format, but this version \
         reads format {format}. Start with --reset to delete its data"
    );
    for (content, expected) in [
        (Some("3"), &old),
        (Some("1000"), &new),
        (Some("four"), &unknown),
        (None, &unknown),
    ] {
        match content {
            Some(content) => std::fs::write(&format_file, content).expect("written"),
            None => std::fs::remove_file(&format_file).expect("removed"),
        }
        let message = Program::start(&data_dir, &[]).rejected();
        assert!(message.contains(expected), "{message}");
        let left = std::fs::read_to_string(&format_file).ok();
        assert_eq!(left.as_deref(), content);
    }

    let mut second = Program::start(&data_dir, &["--reset"]);
    second.ready();
    second.kill();
    assert_eq!(std::fs::read_to_string(&format_file).ok(), Some(format));
}

#[tokio::test]
async fn missing_or_truncated_object_is_rejected() {
    let directory = TempDir::new().expect("a temporary directory");
    let data_dir = directory.path().join("data");
    let mut first = Program::start(&data_dir, &[]);
    let local = first.ready().local;
    let account = client(&local);
    let space = account.create("/spaces", json!({"name": "Acme"})).await;
    let handle = space["handle"].as_str().expect("a handle");
    account
        .upload_form(form(handle, "photo.jpg", "image/jpeg", PHOTO))
        .await
        .expect_created();
    first.kill();

    let blobs = data_dir.join("s3/blobs");
    let shards = std::fs::read_dir(blobs).expect("a directory");
    let mut files = shards
        .flat_map(|shard| std::fs::read_dir(shard.expect("an entry").path()).expect("a directory"));
    let path = files.next().expect("a file").expect("an entry").path();
    let expected = format!("It should contain the {} bytes of ", PHOTO.len());

    std::fs::write(&path, &PHOTO[..10]).expect("written");
    let truncated = Program::start(&data_dir, &[]).rejected();
    let found = format!("{} contains 10 bytes. {expected}", path.display());
    assert!(truncated.contains(&found), "{truncated}");

    std::fs::remove_file(&path).expect("removed");
    let missing = Program::start(&data_dir, &[]).rejected();
    let found = format!("{} is missing. {expected}", path.display());
    assert!(missing.contains(&found), "{missing}");
}

#[tokio::test]
async fn reset_is_rejected_if_directory_is_in_use_or_start_fails() {
    let directory = TempDir::new().expect("a temporary directory");
    let data_dir = directory.path().join("data");
    let mut first = Program::start(&data_dir, &[]);
    let local = first.ready().local;
    let account = client(&local);
    let space = account.create("/spaces", json!({"name": "Acme"})).await;
    let space = format!("/spaces/{}", space["id"].as_str().expect("an id"));

    for _ in 0..2 {
        let message = Program::start(&data_dir, &["--reset"]).rejected();
        assert!(message.contains("in use by another process"), "{message}");
    }

    account.get_ok(&space).await;
    first.kill();

    let taken = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("a URL").port().to_string();

    Program::start(&data_dir, &["--reset", "--port", &port]).rejected();

    let mut second = Program::start(&data_dir, &[]);
    client(&second.ready().local).get_ok(&space).await;
    second.kill();

    let mut again = Program::start(&data_dir, &["--reset"]);
    let Ready { banner, local } = again.ready();
    assert!(
        banner.contains(local["api_key"].as_str().expect("a key")),
        "a new key is shown"
    );
    assert_ne!(local["api_key"], account.key.as_deref().expect("a key"));
    client(&local).get_err(404, &space).await;
}

#[test]
fn usage_error_and_failure_have_different_exit_codes() {
    let run = |arguments: &[&str]| {
        let output = Command::new(program()).args(arguments).output();
        output.expect("the program is built")
    };
    for (arguments, message) in [
        (&["--nonsense"][..], "--nonsense"),
        (&["--port", "many"], "`many` is not a port from 1 to 65533"),
        (&["--port", "65534"], "`65534` is not a port"),
        (&["--port", "70000"], "`70000` is not a port"),
        (&["--parameter", "x"], "NAME=VALUE"),
        (&["--log", "loud"], "`loud` is not a log level"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(printed.contains(message), "{arguments:?}: {printed}");
    }

    let help = String::from_utf8(run(&["--help"]).stdout).expect("UTF-8");
    for named in [
        "--data-dir",
        "--port",
        "--parameter",
        "--reset",
        "RedirectAboveBytes (\"1125899906842624\")",
        "AllowLoopbackUrls (\"true\")",
    ] {
        assert!(help.contains(named), "{named}");
    }
}

/// Starts the program at its most verbose level, and asserts that its log contains requests and no
/// key.
async fn assert_no_key_in_log(arguments: &[&str]) {
    let directory = TempDir::new().expect("a temporary directory");
    let arguments = [
        &["--log", "trace", "--parameter", "LogLevel=trace"],
        arguments,
    ]
    .concat();
    let mut program = Program::start(&directory.path().join("data"), &arguments);
    let local = program.ready().local;
    let account = client(&local);
    let space = account.create("/spaces", json!({"name": "Acme"})).await;
    let space = format!("/spaces/{}", space["id"].as_str().expect("an id"));
    let created = account
        .create(&format!("{space}/api-keys"), json!({"name": "new"}))
        .await;
    let mut keys = vec![
        account.key.clone().expect("a key"),
        created["key"].as_str().expect("a key").to_owned(),
    ];
    for key in &keys {
        account.with_key(key).get_ok(&space).await;
        Client::new(local["api_url"].as_str().expect("a URL"))
            .get_err(404, &format!("/spaces/x?api_key={key}"))
            .await;
    }

    keys.push(format!("{}x", keys[0]));
    account.with_key(&keys[2]).get_err(401, "/spaces/x").await;
    program.signal("-TERM");
    let log = program.expect_success();
    assert!(
        log.contains("/api/v1/spaces/x"),
        "requests are logged: {log}"
    );

    for key in keys {
        let line = log.lines().find(|line| line.contains(&key[3..]));
        assert_eq!(line, None, "{key} is in the log");
    }
}

#[tokio::test]
async fn keys_are_never_logged() {
    assert_no_key_in_log(&[]).await;
    let cargo_lambda = crate::lambda::emulate::cargo_lambda().program;
    assert_no_key_in_log(&["--cargo-lambda", cargo_lambda.to_str().expect("UTF-8")]).await;
}
