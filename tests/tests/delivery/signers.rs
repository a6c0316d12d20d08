//! Signs URLs of files by the documentation alone, here and in other languages, and compares all
//! signers with the same test vectors.

use domain::QueryParameter;
use serde_json::Value;
use tests::{File, PHOTO, Stack, TestSpace, authority, stack_test, text};

use crate::support::external_programs;
use crate::{
    support::signer::{PATH, Parameters, SigningSecret, canonical_at, hmac_sha256, with},
    uploads::signers::run_signer,
};

/// Test vectors that all languages share.
const VECTORS: &str = include_str!("../../signers/vectors.json");
/// The API reference, whose only Python function `sign` signs URLs of files.
const REFERENCE: &str = include_str!("../../../docs/api.md");
/// Validity of signed URLs, in seconds.
const LIFETIME_SECONDS: i64 = 3_600;

/// Signs URLs of the files of a space, without code of Larder.
#[derive(Clone)]
pub(crate) struct DeliverySigner {
    pub(crate) kid: String,
    pub(crate) secret: String,
}

impl DeliverySigner {
    /// Creates a signer with the current secret of a space.
    pub(crate) async fn of(tenant: &TestSpace) -> DeliverySigner {
        let SigningSecret { kid, secret } = SigningSecret::of(tenant).await;
        DeliverySigner { kid, secret }
    }

    /// Returns a URL, signed with an expiry and more parameters.
    pub(crate) fn sign(&self, url: &str, expires_seconds: i64, more: &[(&str, &str)]) -> String {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let parameters: Parameters = more.iter().map(owned).collect();
        let parameters = with(parameters, "kid", &self.kid);
        let parameters = with(parameters, "expires", &expires_seconds.to_string());
        let (_, path) = url.split_once(authority(url)).expect("a host");

        let canonical = canonical_at(path, &parameters);
        let query = canonical.split_once('?').expect("a query").1;
        let signature = hmac_sha256(&self.secret, &canonical);
        format!("{url}?{query}&signature={signature}")
    }
}

/// Uploads a private photo.
async fn private_photo(acme: &TestSpace) -> File {
    let config = acme.upload_config("private");
    config.with_delivery_type("private").await;
    acme.upload(PHOTO).of_type("private").await
}

#[test]
fn all_signers_agree_with_vectors() {
    let file: Value = serde_json::from_str(VECTORS).expect("JSON");
    let secret = text(&file["secret"]);

    for (kind, min_vectors) in [("vectors", 11), ("delivery", 6)] {
        let vectors = file[kind].as_array().expect("a list");
        assert!(vectors.len() >= min_vectors, "{kind}");
        for vector in vectors {
            let what = &vector["what"];
            let parameters = serde_json::from_value(vector["parameters"].clone());
            let parameters: Parameters = parameters.expect("pairs");
            let path = vector["path"].as_str().unwrap_or(PATH);
            let expected = text(&vector["canonical"]);
            assert_eq!(canonical_at(path, &parameters), expected, "{what}");
            let decoded: Vec<QueryParameter<'_>> = parameters
                .iter()
                .map(|(name, value)| QueryParameter::new(name, value))
                .collect();
            assert_eq!(domain::canonical_form(path, &decoded), expected, "{what}");
            let signature = hmac_sha256(&secret, &expected);
            assert_eq!(vector["signature"], signature, "{what}");
            let sent = text(&vector["sent"]);
            assert_eq!(domain::decoded_parameters(&sent), Ok(decoded), "{what}");
        }
    }
}

#[stack_test]
async fn urls_signed_by_python_and_javascript_open_private_file(stack: &Stack, acme: &TestSpace) {
    let photo = private_photo(acme).await;
    let url = photo.url();
    stack.anonymous.get_err(403, url).await;

    let signer = DeliverySigner::of(acme).await;
    let expires_seconds = stack.now().seconds() + LIFETIME_SECONDS;
    let expires = expires_seconds.to_string();
    let least = ["--delivery", url, &signer.secret, &signer.kid, &expires];
    let saved = ("download", "");
    let marked = ("v", "crème & 50% of a+b = (1)*");
    for (program, script) in [("python3", "sign.py"), ("node", "sign.mjs")] {
        if !external_programs::installed(script, &[program], &[]) {
            continue;
        }
        for more in [&[saved, marked][..], &[saved], &[]] {
            let named: Vec<String> = more
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            let arguments: Vec<&str> = least
                .into_iter()
                .chain(named.iter().map(String::as_str))
                .collect();
            let address = run_signer(program, script, &arguments).await;
            let expected = signer.sign(url, expires_seconds, more);
            assert_eq!(address, expected, "{script}");
            let response = stack.anonymous.fetch(&address).await;
            response.expect_body(PHOTO);
            let changed = address.replace(&expires, "99999999999");
            stack.anonymous.get_err(403, &changed).await;
        }
    }
}

#[stack_test]
async fn example_of_the_reference_signs_url(stack: &Stack, acme: &TestSpace) {
    let blocks = REFERENCE.split("```python\n").skip(1);
    let example = blocks
        .filter_map(|block| block.split("```").next())
        .find_map(|block| Some(block.split_once("\n# `secret`")?.0))
        .expect("an example");
    if !external_programs::installed("the example of docs/api.md", &["python3"], &[]) {
        return;
    }

    let photo = private_photo(acme).await;
    let DeliverySigner { kid, secret } = DeliverySigner::of(acme).await;
    let expires = stack.now().seconds() + LIFETIME_SECONDS;

    let url = photo.url();
    let call = format!("print(sign({url:?}, {secret:?}, {kid}, {expires}, w=40, f=\"webp\"))");
    let script = format!("{example}\n{call}");
    let output = tokio::process::Command::new("python3")
        .args(["-c", &script])
        .output();
    let output = output.await.expect("python3");
    let signed = String::from_utf8(output.stdout).expect("a URL");

    let rendered = stack.anonymous.fetch(signed.trim()).await;
    rendered.expect_header("content-type", "image/webp");
    let changed = signed.trim().replace("w=40", "w=41");
    stack.anonymous.get_err(403, &changed).await;
}
