//! Signers in Python and JavaScript that follow the documentation, and the test vectors of all
//! signers.

use domain::QueryParameter;
use serde_json::{Value, json};
use tests::{Response, Stack, authority, stack_test, text};
use tokio::process::Command;

use crate::support::external_programs;
use crate::support::signer::{PATH, Parameters, Signer, canonical, hmac_sha256, photo, with};

/// Test vectors of canonical forms and signatures.
const VECTORS: &str = include_str!("../../signers/vectors.json");

/// Percent-decodes a text. A plus is literal.
fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();

    while let Some((first, after)) = rest.split_first() {
        if *first == b'%' {
            bytes.extend(hex::decode(&after[..2]).expect("two digits"));
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }

    String::from_utf8(bytes).expect("UTF-8")
}

fn parse_query(query: &str) -> Parameters {
    let pairs = query
        .split('&')
        .map(|pair| pair.split_once('=').expect("a name and a value"));
    pairs
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

#[test]
fn all_signers_agree_with_vectors() {
    let file: Value = serde_json::from_str(VECTORS).expect("JSON");
    let secret = text(&file["secret"]);
    let vectors = file["vectors"].as_array().expect("a list");

    assert!(vectors.len() > 10);

    for vector in vectors {
        let what = &vector["what"];
        let parameters: Parameters =
            serde_json::from_value(vector["parameters"].clone()).expect("pairs");
        let expected = text(&vector["canonical"]);
        assert_eq!(canonical(&parameters), expected, "{what}");
        let decoded: Vec<QueryParameter<'_>> = parameters
            .iter()
            .map(|(name, value)| QueryParameter::new(name, value))
            .collect();
        assert_eq!(domain::canonical_form(PATH, &decoded), expected, "{what}");
        assert_eq!(
            hmac_sha256(&secret, &expected),
            text(&vector["signature"]),
            "{what}"
        );
        assert_eq!(parse_query(&text(&vector["sent"])), parameters, "{what}");
    }
}

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
