//! Signed URLs: validity, scope, and that no part of them can be changed; signers in Python and
//! JavaScript, and the test vectors of all signers.

use std::time::Duration;

use domain::signing::{QueryParameter, canonical_form, decoded_parameters};
use serde_json::Value;
use tests::{File, PHOTO, Stack, StackOptions, seconds, stack_test, text};

use super::fixture::{CACHED_SECONDS, DeliveryFixture, HOUR_SECONDS, NOT_CACHED, cached};
use crate::{
    support::{
        external_programs,
        signer::{PATH, Parameters, SigningSecret, canonical_at, hmac_sha256},
    },
    uploads::generate_signed_url::run_signer,
};

/// An expiry long after all secrets of these tests.
const LATE_SECONDS: i64 = 99_999_999_999;

/// Returns the query of a URL, and the signature at its end.
fn query_of(signed: &str) -> (&str, &str) {
    let query = signed.split_once('?').expect("a query").1;
    let signature = signed.rsplit_once("&signature=").expect("it is signed").1;
    (query, signature)
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn equivalent_spellings_of_signed_url_are_accepted(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let file = acme.put_here("private").await;
    let expires = acme.now() + HOUR_SECONDS;
    let more = [("download", ""), ("v", "a+b é")];
    let signed = acme.signer.sign(file.url(), expires, &more);
    let (query, signature) = query_of(&signed);
    let reversed: Vec<&str> = query.split('&').rev().collect();
    let upper = signature.to_uppercase();

    for query in [
        query.to_owned(),
        reversed.join("&"),
        query.replace("download=", "download"),
        format!("&{}&", query.replace('&', "&&")),
        format!("v=a+b%20%c3%a9&%64ownload=&kid=%31&expires={expires}&signature={upper}"),
    ] {
        let url = file.url_with(&query);
        for url in [&url, &url.replace("image-", "%69mage%2D")] {
            let response = stack.anonymous.fetch(url).await;
            response.expect_body(PHOTO);
            let disposition = response.header("content-disposition");
            assert!(disposition.starts_with("attachment"), "{url}");
        }
    }
}

/// Returns the query of a signed URL with one part changed, repeated or added.
fn changed_queries(signed: &str, expires: i64) -> Vec<String> {
    let (query, signature) = query_of(signed);
    let expiring = format!("expires={expires}");
    let changes = [
        ("v=a%2Bb", "v=a%252Bb"),
        (&expiring, &format!("expires={}", expires + 1)),
        (&expiring, &format!("expires=0{expires}")),
        (&expiring, &format!("expires={expires}.0")),
        (&expiring, "expires="),
        (&format!("{expiring}&"), ""),
        ("kid=1", "kid=2"),
        ("kid=1", "kid=01"),
        ("kid=1&", ""),
        (signature, ""),
        (signature, &signature[..62]),
        (signature, &"0".repeat(64)),
        (signature, &format!("{signature}00")),
        (signature, &format!("%20{signature}")),
    ];

    let replaced = changes.map(|(old, new)| {
        assert!(query.contains(old), "{old} is in {query}");
        query.replacen(old, new, 1)
    });
    let repeated = query.split('&').map(|pair| format!("{query}&{pair}"));
    let extended = ["x=1", "=", "V=a%2Bb", "signature="].map(|pair| format!("{query}&{pair}"));
    let queries = replaced.into_iter().chain(repeated);
    queries.chain(extended).collect()
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn changed_signed_url_is_rejected(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let anonymous = &stack.anonymous;
    let file = acme.put_here("private").await;
    let other = acme.put_here("private").await;
    let public = acme.put_here("upload").await;
    let expires = acme.now() + HOUR_SECONDS;
    let more = [("download", ""), ("v", "a+b")];
    let signed = acme.signer.sign(file.url(), expires, &more);

    anonymous.fetch(&signed).await;
    let (query, _) = query_of(&signed);
    anonymous.get_err(403, &other.url_with(query)).await;

    for query in changed_queries(&signed, expires) {
        // A signature must be valid even if none is required.
        for file in [&file, &public] {
            let changed = file.url_with(&query);
            anonymous.get_err(403, &changed).await;
            anonymous.head(&changed).await.expect_status(403);
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn max_age_ends_with_signed_url(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let [private, authenticated, public] = [
        acme.put_here("private").await,
        acme.put_here("authenticated").await,
        acme.put_here("upload").await,
    ];
    let anonymous = &stack.anonymous;
    let fetch = async |file: &File, expires: i64| {
        let signed = acme.signer.sign(file.url(), expires, &[]);
        anonymous.fetch(&signed).await
    };

    let now = acme.now();
    for (expires, max_age) in [
        (now + 301, 300),
        (now + 299, 299),
        (now + 1, 1),
        (LATE_SECONDS, CACHED_SECONDS),
        (i64::MAX, CACHED_SECONDS),
    ] {
        for file in [&private, &public] {
            let response = fetch(file, expires).await;
            response.expect_header("cache-control", cached(max_age));
        }
        let response = fetch(&authenticated, expires).await;
        response.expect_header("cache-control", NOT_CACHED);
    }
    for file in [&private, &public] {
        for past in [now, now - 1, 0, -1, i64::MIN] {
            let expired = acme.signer.sign(file.url(), past, &[]);
            anonymous.get_err(403, &expired).await;
        }

        let signed = acme.signed_for(10, file.url());
        stack.clock.advance(seconds(9) + Duration::from_millis(999));
        anonymous.fetch(&signed).await;
        stack.clock.advance(Duration::from_millis(1));
        anonymous.get_err(403, &signed).await;
    }
}

/// Test vectors that all languages share.
const VECTORS: &str = include_str!("../../signers/vectors.json");
/// The guide whose Python function `sign` signs URLs of files.
const GUIDE: &str = include_str!("../../../docs/guides/private-files.md");

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
            let pairs = parameters.iter();
            let pairs = pairs.map(|(name, value)| QueryParameter::new(name, value));
            let decoded: Vec<QueryParameter<'_>> = pairs.collect();
            assert_eq!(canonical_form(path, &decoded), expected, "{what}");
            let signature = hmac_sha256(&secret, &expected);
            assert_eq!(vector["signature"], signature, "{what}");
            let sent = text(&vector["sent"]);
            assert_eq!(decoded_parameters(&sent), Ok(decoded), "{what}");
        }
    }
}

#[stack_test]
async fn urls_signed_by_python_and_javascript_open_private_file(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let photo = acme.put_here("private").await;
    let url = photo.url();
    stack.anonymous.get_err(403, url).await;

    let signer = &acme.signer;
    let expires_seconds = acme.now() + HOUR_SECONDS;
    let expires = expires_seconds.to_string();
    let least = ["--delivery", url, &signer.secret, &signer.kid, &expires];
    let saved = ("download", "");
    let marked = ("v", "crème & 50% of a+b = (1)*");
    for (program, script) in [("python3", "sign.py"), ("node", "sign.mjs")] {
        if !external_programs::installed(script, &[program], &[]) {
            continue;
        }
        for more in [&[saved, marked][..], &[saved], &[]] {
            let named = more.iter().map(|(name, value)| format!("{name}={value}"));
            let named: Vec<String> = named.collect();
            let mut arguments = least.to_vec();
            arguments.extend(named.iter().map(String::as_str));
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
async fn example_of_the_guide_signs_url(stack: &Stack) {
    let start = "```python file=sign.py\n";
    let (_, block) = GUIDE.split_once(start).expect("a block");
    let (example, _) = block.split_once("\nprint(sign(").expect("an example");
    if !external_programs::installed("the example of the guide", &["python3"], &[]) {
        return;
    }

    let acme = DeliveryFixture::new(stack).await;
    let photo = acme.put_here("private").await;
    let SigningSecret { kid, secret } = &acme.signer;
    let expires = acme.now() + HOUR_SECONDS;

    let url = photo.url();
    let call = format!("print(sign({url:?}, {secret:?}, {kid}, {expires}, w=40, f=\"webp\"))");
    let script = format!("{example}\n{call}");
    let mut python = tokio::process::Command::new("python3");
    let output = python.args(["-c", &script]).output();
    let output = output.await.expect("python3");
    let signed = String::from_utf8(output.stdout).expect("a URL");

    let rendered = stack.anonymous.fetch(signed.trim()).await;
    rendered.expect_header("content-type", "image/webp");
    let changed = signed.trim().replace("w=40", "w=41");
    stack.anonymous.get_err(403, &changed).await;
}
