//! A browser on the dashboard, and on pages of other origins.

use std::{path::Path, time::Duration};

use tests::{Stack, StackOptions, minutes, stack_test};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    process::Command,
};

use crate::support::external_programs;

/// Maximum size of a response of delivery, the default of a deployment.
const REDIRECT_ABOVE_BYTES: &str = "4194304";
/// Step of a clock that runs.
const CLOCK_TICK: Duration = Duration::from_millis(20);

/// Returns a script of the browser tests with its environment; `None` without Node and Chromium.
pub(crate) fn script(name: &str, stack: &Stack) -> Option<Command> {
    let tests = external_programs::root().join("tests/browser");
    let needed = [
        Path::new("/usr/bin/chromium"),
        &tests.join("node_modules/.package-lock.json"),
    ];
    if !external_programs::installed("the browser", &["node"], &needed) {
        return None;
    }

    let mut command = Command::new("node");
    command
        .arg(tests.join(name))
        .env("LARDER_API_URL", stack.local.api_url())
        .env("LARDER_API_KEY", stack.account().key.expect("a key"));
    Some(command)
}

#[stack_test(multi_thread, undrained, options = StackOptions { runs_post_upload: true, ..StackOptions::default() })]
async fn browser_uploads_from_other_origin(stack: &Stack) {
    if let Some(mut command) = script("run.mjs", stack) {
        external_programs::run(&mut command).await;
    }
    // The queues hold the confirm-checks of interrupted uploads.
}

#[stack_test(multi_thread, undrained, options = dashboard_options())]
async fn dashboard_of_files_and_keys_in_a_browser(stack: &Stack) {
    run_dashboard(
        stack,
        &["session", "files", "trash", "uploads", "file", "keys"],
    )
    .await;
}

#[stack_test(multi_thread, undrained, options = dashboard_options())]
async fn dashboard_of_settings_in_a_browser(stack: &Stack) {
    let tests = ["upload-configs", "access", "webhooks", "settings", "walk"];
    run_dashboard(stack, &tests).await;
}

#[stack_test(multi_thread, undrained, options = dashboard_options())]
async fn all_screens_of_the_dashboard_in_a_browser(stack: &Stack) {
    run_dashboard(stack, &["names", "appearance"]).await;
}

/// Options of a stack whose one key sends the requests of all pages.
fn dashboard_options() -> StackOptions {
    StackOptions {
        runs_post_upload: true,
        ..StackOptions::without_rate_limits()
    }
}

/// Runs tests of the dashboard, each a file in `tests/browser/dashboard`.
async fn run_dashboard(stack: &Stack, tests: &[&str]) {
    let Some(mut command) = script("run-dashboard.mjs", stack) else {
        return;
    };
    tokio::select! {
        _ = external_programs::run(command.args(tests)) => {}
        () = run_clock(stack) => {}
    }
}

/// Advances the clock as fast as the time of the browser, which waits for jobs and sees an order of
/// times.
async fn run_clock(stack: &Stack) {
    let mut ticks = tokio::time::interval(CLOCK_TICK);
    loop {
        ticks.tick().await;
        stack.clock.advance(CLOCK_TICK);
    }
}

#[stack_test(multi_thread, undrained)]
async fn clients_in_a_browser_report_progress_and_store_one_file(stack: &Stack) {
    if let Some(mut command) = script("run-client.mjs", stack) {
        external_programs::run(&mut command).await;
    }
}

#[stack_test(multi_thread, options = StackOptions::default().with_parameters(&[("RedirectAboveBytes", REDIRECT_ABOVE_BYTES)]))]
async fn browser_seeks_in_large_files_and_caches_them(stack: &Stack) {
    let Some(mut command) = script("run-large.mjs", stack) else {
        return;
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
    let address = listener.local_addr().expect("an address");
    command.env("LARDER_CLOCK_URL", format!("http://{address}"));

    tokio::select! {
        _ = external_programs::run(&mut command) => {}
        () = advance_on_request(&listener, stack) => {}
    }
}

/// Advances the clock by two hours with each request.
async fn advance_on_request(listener: &TcpListener, stack: &Stack) {
    loop {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut request = [0; 4096];
        let length = stream.read(&mut request).await.expect("a request");
        assert!(request[..length].starts_with(b"GET "));
        stack.clock.advance(minutes(120));
        let response = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";
        stream.write_all(response).await.expect("a client");
    }
}

#[stack_test]
async fn state_of_the_stack_is_readable_at_loopback_hosts_only(stack: &Stack) {
    let demo = format!("{}demo", stack.local.dashboard_url());
    let cases = [
        ("127.0.0.1:9000", 200),
        ("LOCALHOST:9000", 200),
        ("[::1]", 200),
        ("attacker.example:9000", 421),
        ("127.0.0.1.attacker.example", 421),
    ];

    for path in ["/queues", "/webhooks/received"] {
        for (host, status) in cases {
            let request = stack
                .anonymous
                .request("GET", &format!("{demo}{path}"))
                .header("host", host);

            let response = stack.anonymous.send(request).await;
            response.with_context(host).expect_status(status);
        }
    }
}

#[stack_test]
async fn pages_of_other_origins_cannot_send_webhooks(stack: &Stack) {
    let receiver = format!("{}demo/webhooks", stack.local.dashboard_url());
    let own = |host: &str| format!("http://{host}");
    let rebound = "attacker.example:9000";

    for (host, origin, status) in [
        ("127.0.0.1:9000", None, 204),
        ("127.0.0.1:9000", Some(own("127.0.0.1:9000")), 204),
        ("localhost:9000", Some(own("localhost:9000")), 204),
        ("127.0.0.1:9000", Some(own("localhost:3000")), 403),
        ("127.0.0.1:9000", Some(own("attacker.example")), 403),
        // A page in a sandbox, and a file.
        ("127.0.0.1:9000", Some("null".to_owned()), 403),
        (rebound, Some(own(rebound)), 421),
    ] {
        let request = stack.anonymous.request("POST", &receiver);
        let mut request = request.header("host", host).body(r#"{"event":"x"}"#);
        if let Some(origin) = &origin {
            request = request.header("origin", origin);
        }

        let response = stack.anonymous.send(request).await;
        response
            .with_context(&format!("{origin:?}"))
            .expect_status(status);
    }
}
