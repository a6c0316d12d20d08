//! Signers of upload URLs in Python and JavaScript that follow the documentation. `delivery::signers` has the test vectors.

use serde_json::json;
use tests::{Response, Stack, authority, stack_test};
use tokio::process::Command;

use crate::support::external_programs;
use crate::support::signer::{Signer, canonical, hmac_sha256, photo, with};

#[test]
fn secret_is_used_verbatim_as_key() {
    let master = domain::MasterSecret::new("master");
    let secret = domain::SigningSecret::of(domain::SpaceId::MIN, 1, &master);

    for message in ["", "/api/v1/upload/signed?expires=1", "é"] {
        assert_eq!(
            secret.sign(message),
            hmac_sha256(secret.reveal(), message),
            "{message}"
        );
    }
}

/// Runs a signer, and returns the URL that it prints.
pub(crate) async fn run_signer(program: &str, script: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(program);
    command
        .arg(external_programs::root().join("tests/signers").join(script))
        .args(arguments);
    external_programs::run(&mut command).await.trim().to_owned()
}

async fn upload_to(stack: &Stack, signer: &Signer, url: &str) -> Response {
    let request = stack.anonymous.request("POST", url);
    let request = request.multipart(signer.form(photo()));
    stack.anonymous.send(request).await
}

#[stack_test]
async fn urls_signed_by_python_and_javascript_are_accepted(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let base_url = stack.local.api_url();
    let expires = (stack.now().seconds() + 1_800).to_string();
    let name = "crème brûlée & 50% of a+b = (1)*.jpg";
    let filename = format!("filename={name}");
    let key_id = signer.acme.key_id.to_string();

    let required_arguments = [
        base_url,
        &signer.secret,
        &signer.kid,
        &key_id,
        &signer.acme.id,
        &signer.config,
        &expires,
    ];
    let named = [&filename, "content_type=image/jpeg"];
    let all_arguments = [&required_arguments[..], &named].concat();
    let required_parameters = with(signer.parameters(stack), "expires", &expires);
    let named = with(required_parameters.clone(), "filename", name);
    let all_parameters = with(named, "content_type", "image/jpeg");

    for (program, script) in [("python3", "sign.py"), ("node", "sign.mjs")] {
        if !external_programs::installed(script, &[program], &[]) {
            continue;
        }
        for (arguments, parameters, stored_name) in [
            (&required_arguments[..], &required_parameters, "photo.jpg"),
            (&all_arguments, &all_parameters, name),
        ] {
            let url = run_signer(program, script, arguments).await;
            let canonical = canonical(parameters);
            let signature = hmac_sha256(&signer.secret, &canonical);
            let host = authority(base_url);
            let expected = format!("http://{host}{canonical}&signature={signature}");
            assert_eq!(url, expected, "{script}");

            let uploaded = upload_to(stack, &signer, &url).await.expect_created();
            assert_eq!(uploaded["original_name"], stored_name, "{script}");
        }

        let issued = run_signer(program, script, &required_arguments).await;
        let changed = issued.replace(&expires, "99999999999");
        upload_to(stack, &signer, &changed).await.expect_error(403);
    }
}
