//! The end of the program: running requests finish, and no process remains.

use std::time::Duration;

use local_stack::all_functions;
use serde_json::json;
use tempfile::TempDir;
use tests::{RawConnection, authority, seconds};
use tokio::net::TcpStream;

use super::program::{Program, client};

/// Ends the program during an upload, and asserts that the upload succeeds.
async fn assert_upload_finishes(arguments: &[&str]) {
    let directory = TempDir::new().expect("a temporary directory");
    let mut program = Program::start(&directory.path().join("data"), arguments);
    let local = program.ready().local;
    let account = client(&local);
    let space = account.create("/spaces", json!({"name": "Acme"})).await;
    let handle = space["handle"].as_str().expect("a handle");
    let body = format!(
        "--x\r\ncontent-disposition: form-data; name=\"space\"\r\n\r\n{handle}\r\n--x\r\ncontent-disposition: form-data; \
         name=\"file\"; filename=\"a.txt\"\r\n\r\ntext\r\n--x--\r\n"
    );
    let api_url = local["api_url"].as_str().expect("a URL");
    let key = account.key.expect("a key");
    let mut upload = RawConnection::connect(api_url).await;

    upload
        .send(format!(
            "POST /api/v1/upload HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {key}\r\ncontent-type: multipart/form-data; \
             boundary=x\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
            authority(api_url),
            body.len()
        ))
        .await;
    upload.expect_continue().await;
    program.signal("-INT");

    // The program is ending once it rejects connections.
    let closed = async {
        while TcpStream::connect(authority(api_url)).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(seconds(20), closed)
        .await
        .expect("the program stops listening");
    upload.send(body).await;
    upload
        .response()
        .await
        .expect("a response")
        .expect_created();
    program.expect_success();
}

#[tokio::test]
async fn running_requests_finish_before_shutdown() {
    assert_upload_finishes(&[]).await;
    let cargo_lambda = crate::lambda::emulate::cargo_lambda().program;
    assert_upload_finishes(&["--cargo-lambda", cargo_lambda.to_str().expect("UTF-8")]).await;
}

/// Returns the ids of the child processes.
fn children_of(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |id: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // State and parent follow the name, which is in parentheses and may contain any character.
        let parent_field = stat
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().nth(1))
            .map(str::to_owned);
        parent_field == Some(parent.to_string())
    };

    ids.filter(is_child).collect()
}

#[test]
fn ctrl_c_ends_all_processes() {
    let directory = TempDir::new().expect("a temporary directory");
    let cargo_lambda = crate::lambda::emulate::cargo_lambda().program;
    let data_dir = directory.path().join("data");
    let mut program = Program::start(
        &data_dir,
        &["--cargo-lambda", cargo_lambda.to_str().expect("UTF-8")],
    );

    program.ready();

    let children = children_of(program.id());
    assert_eq!(
        children.len(),
        1 + all_functions().names().count(),
        "cargo-lambda and every function"
    );
    program.signal("-INT");
    program.expect_success();

    let left: Vec<u32> = children.into_iter().filter(|id| is_running(*id)).collect();
    assert!(left.is_empty(), "{left:?} still run");
}

/// Returns whether a process exists and has not ended.
fn is_running(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}
