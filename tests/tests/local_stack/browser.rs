//! A browser on the demo page, and on a page of another origin.

use std::path::Path;

use tests::{Client, Stack, stack_test};
use tokio::process::Command;

use crate::support::external_programs;

#[stack_test(multi_thread, undrained)]
async fn browser_uploads_from_demo_and_other_origin(stack: &Stack) {
    let tests = external_programs::root().join("tests/browser");
    let needed = [
        Path::new("/usr/bin/chromium"),
        &tests.join("node_modules/.package-lock.json"),
    ];

    if !external_programs::installed("the browser", &["node"], &needed) {
        return;
    }

    let mut command = Command::new("node");
    command
        .arg(tests.join("run.mjs"))
        .env("LARDER_API_URL", stack.cloud.api_url());

    external_programs::run(command.env("LARDER_API_KEY", stack.account().key.expect("a key")))
        .await;
    // The queues hold the confirm-checks of interrupted uploads.
}

#[stack_test]
async fn demo_is_served_at_its_path_only(stack: &Stack) {
    let demo = stack.cloud.demo_url();
    let page = stack.anonymous.get(&demo).await.expect_status(200);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(
        page.header("content-security-policy")
            .starts_with("default-src 'none'; script-src 'sha256-")
    );
    assert!(page.body.starts_with(b"<!doctype html>") && page.body.ends_with(b"</html>\n"));

    let head = stack.anonymous.head(&demo).await.expect_status(200);
    assert_eq!(
        (head.header("content-length"), head.body.len()),
        (page.body.len().to_string().as_str(), 0)
    );
    stack
        .anonymous
        .get(&format!("{demo}?space=abc123"))
        .await
        .expect_status(200);

    let post = stack.anonymous.request("POST", &demo);
    stack.anonymous.send(post).await.expect_error(404);
    stack
        .anonymous
        .get(&format!("{demo}/"))
        .await
        .expect_error(404);
    Client::new(stack.cloud.cdn_url())
        .get("/demo")
        .await
        .expect_error(404);
}
