//! The template as SAM deploys it, into an emulator of AWS that others wrote.

use tests::is_thorough;
use tokio::process::Command;

use crate::{
    local_stack::program::program,
    support::external_programs::{installed, root, run},
};

/// Only in thorough runs: it takes half a minute of CPU time, and its programs 0.7 GB.
#[tokio::test]
async fn deployed_stack_accepts_and_delivers_files() {
    if !is_thorough() {
        return;
    }
    let tools = root().join(".tools/deploy-check");
    let stamps = ["ministack", "sam"].map(|name| tools.join(name).join("installed"));
    let programs = ["curl", "node", "openssl", "strip"];
    if !installed(
        "deployment",
        &programs,
        &stamps.each_ref().map(AsRef::as_ref),
    ) {
        return;
    }

    let binaries = program().parent().expect("a directory").to_owned();
    let mut check = Command::new(root().join("scripts/deploy-check"));
    run(check.args(["--journey", "--binaries"]).arg(binaries)).await;
}
