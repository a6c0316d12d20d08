//! External clients: boto3 and curl against storage, and signers in other languages.

use tests::Stack;
use tokio::process::Command;

use crate::support::external_programs;

/// Runs a script of `tests/clients` against a stack, with a key, a space and the permissions of an
/// operator.
async fn script_succeeds(name: &str) {
    let root = external_programs::root();
    let python = root.join(".tools/clients/bin/python");
    let stamp = root.join(".tools/clients/installed");

    if !external_programs::installed(name, &["curl"], &[&python, &stamp]) {
        return;
    }

    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let context = stack
        .local
        .unrestricted_context("uploads")
        .expect("a function");
    let mut command = Command::new(python);

    command
        .args(["-B", "-W", "error::ResourceWarning"])
        .arg(root.join("tests/clients").join(name))
        .envs(context.variables)
        .env("LARDER_API_URL", stack.local.api_url())
        .env("LARDER_API_KEY", acme.client.key.as_deref().expect("a key"))
        .env("LARDER_SPACE", &acme.handle);
    external_programs::run(&mut command).await;
    // The queues hold the confirm-checks of rejected uploads.
    stack.stop_undrained().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn local_s3_is_compatible_with_boto3() {
    Box::pin(script_succeeds("storage.py")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_python_and_boto3_upload_to_presigned_urls() {
    Box::pin(script_succeeds("presign.py")).await;
}

#[tokio::test]
async fn python_and_javascript_signers_agree_with_vectors() {
    let signers = external_programs::root().join("tests/signers");
    for (program, script) in [("python3", "sign.py"), ("node", "sign.mjs")] {
        if external_programs::installed(script, &[program], &[]) {
            let mut command = Command::new(program);
            command
                .arg(signers.join(script))
                .arg("--check")
                .arg(signers.join("vectors.json"));
            external_programs::run(&mut command).await;
        }
    }
}
