//! The program: acknowledged writes survive restarts, and a failed start names its cause.

use std::{fs, net::TcpListener, os::unix::fs::PermissionsExt, process::Command};

use tests::{Client, PHOTO, Stack, StackOptions, stack_test, text};

use super::program::{DataDir, program};
use crate::lambda::emulate::cargo_lambda_path;

#[stack_test]
async fn data_directory_is_private_to_its_owner(stack: &Stack) {
    let data = fs::metadata(stack.data_dir()).expect("a data directory");
    assert_eq!(data.permissions().mode() & 0o777, 0o700);
}

#[tokio::test]
async fn restart_keeps_data_and_replaces_a_lost_key() {
    for is_key_lost in [false, true] {
        let stack = Stack::start().await;
        let acme = stack.space("Acme").await;
        let file = acme.upload(PHOTO).await;
        let directory = stack.directory();
        let key = stack.account().key;
        stack.stop().await;
        if is_key_lost {
            fs::remove_file(directory.path().join("data/local.json")).expect("it was written");
        }

        let options = StackOptions {
            seed: 2,
            ..StackOptions::default()
        };
        let stack = Stack::start_in(directory, options).await;
        let stack = stack.expect("a restart");

        assert_eq!(stack.account().key != key, is_key_lost);
        stack.account().get_ok(&acme.path()).await;
        let owner = acme.client.key.as_deref().expect("a key");
        let again = stack.anonymous.with_key(owner).get_ok(file.path()).await;
        assert_eq!(again["checksum_sha256"], file["checksum_sha256"]);
        let delivered = stack.anonymous.fetch(&text(&again["url"])).await;
        delivered.expect_body(PHOTO);
        stack.stop().await;
    }
}

#[tokio::test]
async fn acknowledged_writes_survive_kill() {
    let data = DataDir::new();
    let first = data.start(&[]);
    let key = first.account.key.clone().expect("a key");
    let link = format!("/#key={key}");
    assert!(first.banner.contains(&link), "{}", first.banner);
    let file = first.space().await.upload(PHOTO).await;
    first.kill();

    let second = data.start(&[]);
    assert!(second.banner.contains(&link), "{}", second.banner);
    let again = second.account.get_ok(file.path()).await;
    let delivered = second.account.fetch(&text(&again["url"])).await;
    delivered.expect_body(PHOTO);

    let locked = data.rejected(&[]);
    assert!(locked.contains("in use by another process"), "{locked}");
    second.end();
}

#[tokio::test]
async fn start_failure_names_its_cause() {
    let data = DataDir::new();
    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("a URL").port().to_string();
    let message = data.rejected(&["--port", &port]);
    let cause = format!("cannot listen on 127.0.0.1:{port}");
    assert!(message.contains(&cause), "{message}");

    let message = data.rejected(&["--parameter", "NoSuch=1"]);
    assert!(message.contains("NoSuch"), "{message}");

    data.start(&[]).kill();
    let no_database = b"this is no database at all, not even remotely";
    fs::write(data.path().join("sqs.sqlite"), no_database).expect("written");
    let message = data.rejected(&[]);
    assert!(message.contains("sqs.sqlite"), "{message}");
    assert!(message.contains("damaged"), "{message}");

    data.start(&["--reset"]).kill();
    let foreign = data.path().join("thesis.txt");
    fs::write(&foreign, b"precious").expect("written");
    let message = data.rejected(&["--reset"]);
    assert!(message.contains("thesis.txt"), "{message}");
    assert!(foreign.exists());
}

#[tokio::test]
async fn data_directory_of_other_format_is_rejected_until_reset() {
    let data = DataDir::new();
    let format_file = data.path().join("format");
    data.start(&[]).kill();
    let format = fs::read_to_string(&format_file).expect("a format");

    let name = data.path();
    let name = name.display();
    let old = format!(
        "the data directory {name} has format 3, but this version reads format {format}. Start with --reset to delete \
         its data"
    );
    let new = format!(
        "the data directory {name} was written by a newer version. Use that version, or start with --reset to delete \
         its data"
    );
    let unknown = format!(
        "the data directory {name} has data of an unknown format, but this version reads format {format}. Start with \
         --reset to delete its data"
    );
    for (content, expected) in [
        (Some("3"), &old),
        (Some("1000"), &new),
        (Some("four"), &unknown),
        (None, &unknown),
    ] {
        match content {
            Some(content) => fs::write(&format_file, content).expect("written"),
            None => fs::remove_file(&format_file).expect("removed"),
        }
        let message = data.rejected(&[]);
        assert!(message.contains(expected), "{message}");
        let left = fs::read_to_string(&format_file).ok();
        assert_eq!(left.as_deref(), content);
    }

    data.start(&["--reset"]).kill();
    assert_eq!(fs::read_to_string(&format_file).ok(), Some(format));
}

#[tokio::test]
async fn missing_or_truncated_object_is_rejected() {
    let data = DataDir::new();
    let first = data.start(&[]);
    first.space().await.upload(PHOTO).await;
    first.kill();

    let entries = |directory| fs::read_dir(directory).expect("a directory");
    let shards = entries(data.path().join("s3/blobs"));
    let mut files = shards.flat_map(|shard| entries(shard.expect("an entry").path()));
    let path = files.next().expect("a file").expect("an entry").path();
    let expected = format!("It should contain the {} bytes of ", PHOTO.len());

    fs::write(&path, &PHOTO[..10]).expect("written");
    let truncated = data.rejected(&[]);
    let found = format!("{} contains 10 bytes. {expected}", path.display());
    assert!(truncated.contains(&found), "{truncated}");

    fs::remove_file(&path).expect("removed");
    let missing = data.rejected(&[]);
    let found = format!("{} is missing. {expected}", path.display());
    assert!(missing.contains(&found), "{missing}");
}

#[tokio::test]
async fn reset_is_rejected_if_directory_is_in_use_or_start_fails() {
    let data = DataDir::new();
    let first = data.start(&[]);
    let acme = first.space().await;
    let space = acme.path();
    for _ in 0..2 {
        let message = data.rejected(&["--reset"]);
        assert!(message.contains("in use by another process"), "{message}");
    }
    acme.get_ok(&space).await;
    first.kill();

    let taken = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = taken.local_addr().expect("a URL").port().to_string();
    data.rejected(&["--reset", "--port", &port]);

    let second = data.start(&[]);
    second.account.get_ok(&space).await;
    second.kill();

    let again = data.start(&["--reset"]);
    let key = again.account.key.as_deref().expect("a key");
    assert!(again.banner.contains(key), "a new key is shown");
    assert_ne!(Some(key), acme.client.key.as_deref());
    again.account.get_err(404, &space).await;
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
    let verbose = ["--log", "trace", "--parameter", "LogLevel=trace"];
    let data = DataDir::new();
    let program = data.start(&[&verbose[..], arguments].concat());
    let acme = program.space().await;
    let created = acme.create_key("new").await;
    let account_key = program.account.key.clone().expect("a key");
    let mut keys = vec![account_key, text(&created.record["key"])];
    let anonymous = Client::new(&text(&program.local["api_url"]));
    for key in &keys {
        acme.with_key(key).get_ok(&acme.path()).await;
        let path = format!("/spaces/x?api_key={key}");
        anonymous.get_err(404, &path).await;
    }

    keys.push(format!("{}x", keys[0]));
    acme.with_key(&keys[2]).get_err(401, "/spaces/x").await;
    let log = program.end();
    let has_requests = log.contains("/api/v1/spaces/x");
    assert!(has_requests, "requests are logged: {log}");
    for key in keys {
        let line = log.lines().find(|line| line.contains(&key[3..]));
        assert_eq!(line, None, "{key} is in the log");
    }
}

#[tokio::test]
async fn keys_are_never_logged() {
    assert_no_key_in_log(&[]).await;
    assert_no_key_in_log(&["--cargo-lambda", &cargo_lambda_path()]).await;
}
