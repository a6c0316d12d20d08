//! The end of the program: running requests finish, and no process remains.

use std::time::Duration;

use local_stack::all_functions;
use tests::{RawConnection, authority, seconds, text};
use tokio::net::TcpStream;

use super::program::DataDir;
use crate::lambda::emulate::cargo_lambda_path;

/// Ends the program during an upload, and asserts that the upload succeeds.
async fn assert_upload_finishes(arguments: &[&str]) {
    let data = DataDir::new();
    let program = data.start(arguments);
    let handle = program.space().await.handle;
    let body = format!(
        "--x\r\ncontent-disposition: form-data; name=\"space\"\r\n\r\n{handle}\r\n--x\r\ncontent-disposition: form-data; \
         name=\"file\"; filename=\"a.txt\"\r\n\r\ntext\r\n--x--\r\n"
    );
    let api_url = text(&program.local["api_url"]);
    let key = program.account.key.as_deref().expect("a key");
    let mut upload = RawConnection::connect(&api_url).await;

    let host = authority(&api_url);
    let length = body.len();
    let head = format!(
        "POST /api/v1/upload HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {key}\r\ncontent-type: multipart/form-data; \
         boundary=x\r\ncontent-length: {length}\r\nexpect: 100-continue\r\n\r\n"
    );
    upload.send(head).await;
    upload.expect_continue().await;
    program.signal("-INT");

    // The program is ending once it rejects connections.
    let closed = async {
        while TcpStream::connect(host).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let closed = tokio::time::timeout(seconds(20), closed).await;
    closed.expect("the program stops listening");
    upload.send(body).await;
    let response = upload.response().await.expect("a response");
    response.expect_created();
    program.expect_success();
}

#[tokio::test]
async fn running_requests_finish_before_shutdown() {
    assert_upload_finishes(&[]).await;
    assert_upload_finishes(&["--cargo-lambda", &cargo_lambda_path()]).await;
}

/// Returns the fields of a process that follow its name: state, parent, and others.
fn fields_of(process: u32) -> Vec<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name is in parentheses, and may contain any character.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    fields.split_whitespace().map(str::to_owned).collect()
}

/// Returns the ids of the child processes.
fn children_of(parent: u32) -> Vec<u32> {
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent = parent.to_string();
    ids.filter(|id| fields_of(*id).get(1) == Some(&parent))
        .collect()
}

#[test]
fn ctrl_c_ends_all_processes() {
    let data = DataDir::new();
    let program = data.start(&["--cargo-lambda", &cargo_lambda_path()]);

    let children = children_of(program.id());
    assert_eq!(
        children.len(),
        1 + all_functions().names().count(),
        "cargo-lambda and every function"
    );
    program.signal("-INT");
    program.expect_success();

    let is_running = |id: &u32| {
        let state = fields_of(*id).into_iter().next();
        state.is_some_and(|state| state != "Z" && state != "X")
    };
    let left: Vec<u32> = children.into_iter().filter(is_running).collect();
    assert!(left.is_empty(), "{left:?} still run");
}
