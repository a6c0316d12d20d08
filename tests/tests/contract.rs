//! `openapi.json`, checked by a tool of others.

use tokio::process::Command;

use crate::foreign;

#[tokio::test]
async fn redocly_finds_nothing() {
    let root = foreign::root();
    let tests = root.join("tests/contract");
    let program = tests.join("node_modules/@redocly/cli/bin/cli.js");
    if !foreign::installed("redocly", &["node"], &[&program]) {
        return;
    }
    let mut command = Command::new("node");
    command.arg(program).arg("lint").arg(root.join("openapi.json")).arg("--config").arg(tests.join("redocly.yaml"));
    // It neither reports how it is used nor asks for a newer version.
    command.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    foreign::succeeds(&mut command).await;
}
