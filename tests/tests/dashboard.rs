//! The dashboard at `/` of the API's address.

use std::io::Read as _;

use flate2::read::GzDecoder;
use tests::{Client, Stack, StackOptions, stack_test};

const DIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../dashboard/dist/");
/// Path, name in `dist`, and type of each file.
const FILES: [(&str, &str, &str); 4] = [
    ("/", "index.html", "text/html; charset=utf-8"),
    ("/app.js", "app.js", "text/javascript; charset=utf-8"),
    ("/app.css", "app.css", "text/css; charset=utf-8"),
    ("/logo.svg", "logo.svg", "image/svg+xml"),
];

fn origin(stack: &Stack) -> Client {
    let api = stack.local.api_url();
    Client::new(api.trim_end_matches("/api/v1"))
}

#[stack_test]
async fn dashboard_is_served_with_its_policy(stack: &Stack) {
    let origin = origin(stack);
    let cdn = stack.local.cdn_url();
    let s3 = stack.local.s3_url();
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' {s3} {cdn} https://assets.example.com; \
         img-src 'self' data: blob: https: http://127.0.0.1:*; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );

    for (path, name, content_type) in FILES {
        let expected = std::fs::read(format!("{DIST}{name}")).expect("a built file");
        let plain = origin.fetch(path).await;
        plain.expect_header("content-type", content_type);
        plain.expect_header("content-security-policy", &policy);
        plain.expect_header("x-content-type-options", "nosniff");
        plain.expect_header("referrer-policy", "no-referrer");
        plain.expect_header("cache-control", "no-cache");
        assert_eq!(plain.body, expected, "{path}");

        let accepting = [("accept-encoding", "br, GZIP;q=0.8")];
        let compressed = origin.fetch_as(200, path, &accepting).await;
        compressed.expect_header("content-encoding", "gzip");
        compressed.expect_header("vary", "accept-encoding");
        let mut bytes = Vec::new();
        let mut decoder = GzDecoder::new(&*compressed.body);
        decoder.read_to_end(&mut bytes).expect("gzip");
        assert!(bytes == expected, "{path}");

        let rejecting = [("accept-encoding", "gzip;q=0, br")];
        let rejected = origin.fetch_as(200, path, &rejecting).await;
        assert_eq!(rejected.body, expected, "{path}");

        let etag = compressed.header("etag");
        assert_ne!(etag, plain.header("etag"));
        let known = [accepting[0], ("if-none-match", etag)];
        let unchanged = origin.fetch_as(304, path, &known).await;
        unchanged.expect_header("content-security-policy", &policy);
        origin.head(path).await.expect_status(200);
    }
}

#[stack_test]
async fn dashboard_has_no_other_path_and_no_other_host(stack: &Stack) {
    let origin = origin(stack);
    for path in [
        "/index.html",
        "/app.js/",
        "/app.js.map",
        "/dist/app.js",
        "/demo",
        "/demo/gallery",
        "/demo/webhooks",
    ] {
        origin.get_err(404, path).await;
    }
    let posted = origin.send(origin.request("POST", "/")).await;
    posted.expect_header("allow", "GET, HEAD, OPTIONS");
    posted.expect_error(405);

    let cdn = Client::new(stack.local.cdn_url());
    for path in FILES
        .map(|(path, ..)| path)
        .into_iter()
        .chain(["/demo/queues"])
    {
        cdn.get_err(404, path).await;
    }
}

#[stack_test(options = StackOptions::default().with_parameters(&[("Dashboard", "false")]))]
async fn dashboard_can_be_switched_off(stack: &Stack) {
    let origin = origin(stack);
    for (path, ..) in FILES {
        origin.get_err(404, path).await;
    }
    origin.fetch("/api/v1/openapi.json").await;
}
