//! `POST /upload/generate-signed-url`, and signers of upload URLs in Python and JavaScript that
//! follow the documentation.

use domain::env::Timestamp;
use serde_json::{Value, json};
use tests::{Client, Response, Stack, UNKNOWN_ID, authority, field_error, rows, stack_test, text};
use tokio::process::Command;

use crate::support::{
    external_programs,
    signer::{Parameters, Signer, canonical, hmac_sha256, photo, with},
};

/// Replaces the key among the parameters of a URL by the key of a client.
async fn with_key_of(client: &Client, parameters: Parameters) -> Parameters {
    let account = client.get_ok("/account").await;
    let parameters = with(parameters, "key_id", &account["key"]["id"].to_string());
    match account["user_id"].as_str() {
        Some(user) => with(parameters, "user_id", user),
        None => parameters,
    }
}

#[stack_test]
async fn signed_url_matches_documented_format(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let user = signer.acme.role("user").await;
    let account = stack.account();
    let host = authority(stack.local.api_url());
    let name = "crème & co + 1.jpg";
    let mime = "image/jpeg";
    let named = json!({"expiration_minutes": 1, "filename": name});
    let blank = json!({"expiration_minutes": null, "filename": "  ", "content_type": null});
    let typed =
        json!({"expiration_minutes": 1440, "filename": name, "content_type": mime, "unknown": 1});

    for (client, fields, minutes, signed_fields) in [
        (&signer.acme.client, json!({}), 30, vec![]),
        (&user, named, 1, vec![("filename", name)]),
        (&account, blank, 30, vec![]),
        (
            &signer.acme.client,
            typed,
            1440,
            vec![("filename", name), ("content_type", mime)],
        ),
    ] {
        let generated = signer.generate(client, fields).await.expect_ok();

        let expires = stack.now().seconds() + minutes * 60;
        let parameters = with(signer.parameters(stack), "expires", &expires.to_string());
        let parameters = with_key_of(client, parameters).await;
        let add = |all, (name, value): &(&str, &str)| with(all, name, value);
        let parameters = signed_fields.iter().fold(parameters, add);
        let canonical = canonical(&parameters);
        let signature = hmac_sha256(&signer.secret, &canonical);
        let url = format!("http://{host}{canonical}&signature={signature}");
        let expected = json!({
            "url": url, "presign_url": url.replace("/upload/signed?", "/upload/signed/presign?"), "method": "POST",
            "expires_at": Timestamp::from_ms(expires * 1_000).rfc3339(), "upload_config_id": signer.config,
            "space_id": signer.acme.id,
        });
        assert_eq!(generated, expected);
        upload_to(stack, &signer, &url).await.expect_created();
    }
}

#[stack_test]
async fn signed_url_uses_requested_host_and_is_valid_on_any(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let request = signer.acme.request("POST", "/upload/generate-signed-url");
    let request = request.header("host", "api.example.com:8443");
    let body = json!({"upload_config_id": signer.config.to_lowercase()});

    let generated = signer.acme.send(request.json(&body)).await.expect_ok();

    let url = text(&generated["url"]);
    let (host, query) = url.split_once("/api/v1/upload/signed?").expect("the path");
    assert_eq!(host, "http://api.example.com:8443");
    signer.send(query).await.expect_created();
}

#[stack_test]
async fn invalid_sign_request_reports_errors(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;
    let client = &signer.acme.client;

    let not_type = "must be a MIME type, such as image/jpeg";
    let not_signed = "must not be present: a URL is signed for a folder by its id";
    for (field, value, end) in rows::<(String, Value, String)>(json!([
        ["upload_config_id", other.config, ""],
        ["upload_config_id", UNKNOWN_ID, ""],
        ["upload_config_id", "nonsense", ""],
        ["upload_config_id", signer.acme.id, ""],
        ["upload_config_id", null, "is required"],
        ["expiration_minutes", 0, "must be at least 1"],
        ["expiration_minutes", 1441, "must not be greater than 1440"],
        ["expiration_minutes", "30", "must be an integer"],
        ["filename", 1, "must be a string"],
        ["content_type", "nonsense", not_type],
        ["folder_path", "private", not_signed],
    ])) {
        let rejected = signer.generate(client, json!({ &*field: value })).await;
        assert_eq!(rejected.expect_error(422), field_error(&field, &end));
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
