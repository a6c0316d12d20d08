//! The viewer function of the distribution: its code in the template, run by Node.js, and the same
//! rules in the local CDN.

use local_stack::{TEMPLATE, reduced_accept};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::external_programs;

/// The line before the code, in the template.
const CODE_START: &str = "      FunctionCode: |\n";
/// Indentation of the code in the template.
const CODE_INDENTATION: &str = "        ";

/// Values of `Accept`, and what they are reduced to.
const ACCEPTED: [(&str, &str); 23] = [
    (
        "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
        "image/avif,image/webp",
    ),
    ("image/avif,*/*", "image/avif"),
    (
        "image/avif;q=0.4,image/webp;q=0.2,image/gif",
        "image/avif;q=0.5,image/webp;q=0.5,image/gif",
    ),
    ("image/webp,*/*", "image/webp"),
    ("IMAGE/WEBP;Q=0.3", "image/webp"),
    ("*/*", "*/*"),
    ("", "*/*"),
    ("text/html", "*/*"),
    ("image/avif;q=0,image/webp", "image/webp"),
    ("image/avif;q=0,image/webp;q=0.000,image/*", "*/*"),
    ("image/avif;q=0.5,image/webp;q=0.8", "image/webp"),
    ("image/avif;q=0.5,image/webp;q=0.5", "image/avif,image/webp"),
    ("image/webp;q=0.5,image/jpeg", "image/webp;q=0.5,image/jpeg"),
    ("image/webp;q=0.5,*/*;q=0.4", "image/webp"),
    ("image/avif;q=0.9,*/*", "image/avif;q=0.5,*/*"),
    (
        "image/webp;q=0.5,image/*;q=0.1,image/png;q=0.6,*/*",
        "image/webp;q=0.5,image/png,image/*;q=0,*/*",
    ),
    ("image/webp;q=2,image/avif;q=x", "*/*"),
    ("image/webp;q=1.001", "*/*"),
    ("image/webp;q=", "*/*"),
    ("image/webp;q=0.1234", "*/*"),
    ("image/webp; level=1 ; q = 1. ,*/*;q=0.1", "image/webp"),
    ("image/webp;q=0.2;q=0,image/webp;q=0", "image/webp"),
    ("constructor,image/webp", "image/webp"),
];

/// Returns the code of the viewer function.
fn code() -> String {
    let (_, rest) = TEMPLATE.split_once(CODE_START).expect("the function");
    let is_code = |line: &&str| line.is_empty() || line.starts_with(CODE_INDENTATION);
    let lines: Vec<&str> = rest.lines().take_while(is_code).collect();
    lines.join("\n")
}

/// Runs the function for each request's headers, and returns the headers that it sends to the
/// origin.
async fn run(requests: &[Value]) -> Vec<Value> {
    let events = json!(requests);
    let script = format!(
        "{}\nconst headers = {events}.map((headers) => handler({{ request: {{ headers }} }}).headers);\nconsole.log(JSON.stringify(headers));",
        code()
    );
    let output = external_programs::run(Command::new("node").args(["-e", &script])).await;
    serde_json::from_str(&output).expect("JSON")
}

#[tokio::test]
async fn accept_is_reduced_to_the_order_of_preference() {
    for (accept, reduced) in ACCEPTED {
        assert_eq!(reduced_accept(accept), reduced, "{accept}");
        assert_eq!(reduced_accept(reduced), reduced, "{accept}");
    }
    if !external_programs::installed("the viewer function", &["node"], &[]) {
        return;
    }

    let request = |accept: &str| json!({"host": {"value": "h"}, "accept": {"value": accept}});
    let requests: Vec<Value> = ACCEPTED.iter().map(|(accept, _)| request(accept)).collect();
    let sent = run(&requests).await;

    for ((accept, reduced), headers) in ACCEPTED.iter().zip(sent) {
        assert_eq!(headers["accept"]["value"], *reduced, "{accept}");
    }
}

#[tokio::test]
async fn headers_of_the_cdn_replace_those_of_the_viewer() {
    if !external_programs::installed("the viewer function", &["node"], &[]) {
        return;
    }
    let forged = json!({
        "host": {"value": "d111.cloudfront.net"},
        "x-larder-authorization": {"value": "forged"},
        "x-larder-origin": {"value": "https://evil.test"},
    });
    let mut with_key = forged.clone();
    with_key["authorization"] = json!({"value": "Bearer key"});
    with_key["accept"] = json!({
        "value": "text/html",
        "multiValue": [{"value": "text/html"}, {"value": "image/webp"}],
    });

    let sent = run(&[forged, with_key]).await;

    let origin = json!({"value": "https://d111.cloudfront.net"});
    assert_eq!(
        sent[0],
        json!({
            "host": {"value": "d111.cloudfront.net"},
            "accept": {"value": "*/*"},
            "x-larder-origin": origin,
        })
    );
    assert_eq!(
        sent[1],
        json!({
            "host": {"value": "d111.cloudfront.net"},
            "accept": {"value": "image/webp"},
            "x-larder-authorization": {"value": "Bearer key"},
            "x-larder-origin": origin,
        })
    );
}
