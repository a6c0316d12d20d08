//! External clients: boto3 and curl against storage, signers in other languages, the packages of
//! Standard Webhooks, the TypeScript client, and a client that is generated from `openapi.json`.

use std::path::Path;

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, WebhookReceiver, stack_test, text};
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

#[stack_test(multi_thread)]
async fn generated_python_client_lists_files(stack: &Stack, acme: &TestSpace) {
    let python = external_programs::root().join(".tools/clients/bin/python");
    let generator = python.with_file_name("openapi-python-client");
    acme.upload(PHOTO).await;
    run_client("generated_client.py", &python, &generator, (stack, acme)).await;
}

#[stack_test(multi_thread, undrained)]
async fn typescript_client_uploads_signs_and_lists(stack: &Stack, acme: &TestSpace) {
    let built = external_programs::root().join("clients/typescript/dist/api.js");
    run_client("typescript.mjs", Path::new("node"), &built, (stack, acme)).await;
}

/// The vectors of signatures and the sizes are among them.
#[tokio::test]
async fn typescript_client_passes_its_own_tests() {
    let client = external_programs::root().join("clients/typescript");
    let built = client.join("dist/api.js");
    if external_programs::installed("the TypeScript client", &["node"], &[&built]) {
        let tests = "node --test test/*.test.mjs && node test/size.mjs";
        let mut command = Command::new("bash");
        command.args(["-ec", tests]).current_dir(client);
        external_programs::run(&mut command).await;
    }
}

/// Runs a script of `tests/clients` with a space, if a file that it needs exists.
async fn run_client(
    name: &str,
    program: &Path,
    needed: &Path,
    (stack, acme): (&Stack, &TestSpace),
) {
    if !external_programs::installed(name, &["node"], &[needed]) {
        return;
    }

    let mut command = Command::new(program);
    command
        .arg(external_programs::root().join("tests/clients").join(name))
        .env("LARDER_API_URL", stack.local.api_url())
        .env("LARDER_API_KEY", acme.client.key.as_deref().expect("a key"))
        .env("LARDER_SPACE", &acme.handle);
    external_programs::run(&mut command).await;
}

/// Verifies a webhook with the package of each language.
async fn assert_verified(webhook: &Value) {
    let root = external_programs::root();
    let clients = root.join("tests/clients");
    let python = root.join(".tools/clients/bin/python");
    let stamp = root.join(".tools/clients/installed");
    let package = clients.join("node_modules/standardwebhooks");
    let directory = tempfile::TempDir::new().expect("a temporary directory");
    let file = directory.path().join("webhook.json");
    std::fs::write(&file, webhook.to_string()).expect("a file");

    if external_programs::installed("verify_webhook.py", &[], &[&python, &stamp]) {
        let script = clients.join("verify_webhook.py");
        external_programs::run(Command::new(python).arg("-B").arg(script).arg(&file)).await;
    }
    let client = root.join("clients/typescript/dist/sign.js");
    if external_programs::installed("verify-webhook.mjs", &["node"], &[&package, &client]) {
        let script = clients.join("verify-webhook.mjs");
        external_programs::run(Command::new("node").arg(script).arg(&file)).await;
    }
}

#[stack_test]
async fn standard_webhooks_packages_verify_webhooks_with_each_valid_secret(
    stack: &Stack,
    acme: &TestSpace,
) {
    let receiver = WebhookReceiver::start().await;
    let body = json!({"name": "Acme", "webhook_url": receiver.url()});
    acme.put_ok(&acme.path(), body).await;
    let path = format!("{}/webhook-secret", acme.path());
    let first = acme.get_ok(&path).await;
    let rotate = format!("{path}/rotate");
    let mut secrets = vec![text(&first["secret"])];

    for _ in 0..2 {
        acme.upload(PHOTO).await;
        stack.run_post_upload().await;
        let webhook = receiver.received().pop().expect("a webhook");
        let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
        let headers: Value = headers
            .map(|name| (name.to_owned(), json!(webhook.header(name))))
            .into_iter()
            .collect();
        let body = String::from_utf8(webhook.body.to_vec()).expect("UTF-8");
        let signed = json!({"headers": headers, "body": body, "secrets": secrets});
        assert_verified(&signed).await;

        let request = acme.request("POST", &rotate);
        let rotated = acme.send(request).await.expect_ok();
        secrets.push(text(&rotated["secret"]));
    }
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
