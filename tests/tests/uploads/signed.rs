//! `POST /upload/signed`: uploads by signed URLs.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Stack, minutes, seconds, stack_test, text};

use crate::support::signer::{
    PATH, Parameters, Signer, canonical, hmac_sha256, photo, query, with,
};

/// Returns a query with every byte percent-encoded, in lower case.
fn fully_encoded(parameters: &[(String, String)]) -> String {
    let encoded = |text: &str| {
        text.bytes()
            .map(|byte| String::from("%") + &hex::encode([byte]))
            .collect::<String>()
    };
    let pairs = parameters
        .iter()
        .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    pairs.collect::<Vec<_>>().join("&")
}

#[stack_test]
async fn parameter_order_and_encoding_do_not_change_signature(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let name = "a+b c&d=é~.jpg";
    let parameters = with(signer.parameters(stack), "filename", name);
    let complete = signer.signed(with(parameters, "content_type", "image/jpeg"));
    let reversed: Parameters = complete.iter().rev().cloned().collect();
    let plain = query(&complete);
    let encodings = [
        plain.clone(),
        query(&reversed),
        fully_encoded(&complete),
        plain.replace("%2F", "/").replace("%C3%A9", "%c3%a9"),
        plain.replace('~', "%7E"),
    ];

    for encoding in &encodings {
        assert_eq!(
            signer.send(encoding).await.expect_created()["original_name"],
            name,
            "{encoding}"
        );
    }
}

#[stack_test]
async fn plus_in_signed_url_is_literal(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let complete = signer.signed(with(signer.parameters(stack), "filename", "a+b c.jpg"));
    let bare = query(&complete).replace("%2B", "+");

    assert_eq!(
        signer.send(&bare).await.expect_created()["original_name"],
        "a+b c.jpg"
    );
    signer
        .send(&query(&complete).replace("%20", "+"))
        .await
        .expect_error(403);
}

/// A changed query of a signed URL.
struct TamperedQuery {
    change: String,
    query: String,
}

impl TamperedQuery {
    fn new(change: impl Into<String>, query: String) -> TamperedQuery {
        TamperedQuery {
            change: change.into(),
            query,
        }
    }
}

fn tampered(
    signer: &Signer,
    other: &Signer,
    second: &Signer,
    complete: &[(String, String)],
) -> Vec<TamperedQuery> {
    let mut queries = Vec::new();
    for (index, (name, _)) in complete.iter().enumerate() {
        let mut without = complete.to_vec();
        let mut longer = complete.to_vec();
        without.remove(index);
        longer[index].1.push('0');
        let twice = [complete, &complete[index..=index]].concat();
        queries.extend([
            TamperedQuery::new(format!("no {name}"), query(&without)),
            TamperedQuery::new(format!("a longer {name}"), query(&longer)),
            TamperedQuery::new(format!("{name} twice"), query(&twice)),
        ]);
    }

    let unsigned: Parameters = complete
        .iter()
        .filter(|(name, _)| name != "signature")
        .cloned()
        .collect();
    let canonical = canonical(&unsigned);
    let elsewhere = canonical.replace(PATH, "/api/v1/upload/signed/presign");
    let signature = hmac_sha256(&signer.secret, &canonical);

    for (name, value) in [
        ("expires", "99999999999"),
        ("expires", "-1"),
        ("kid", "0"),
        ("kid", "2"),
        ("kid", "01"),
        ("space_id", &other.acme.id),
        ("upload_config_id", &other.config),
        ("upload_config_id", &second.config),
        ("filename", "photo.jpg2"),
        ("content_type", "image/png"),
        ("extra", "1"),
        ("signature", ""),
        ("signature", "é"),
        ("signature", &signature[..62]),
        ("signature", &hmac_sha256(&other.secret, &canonical)),
        ("signature", &hmac_sha256(&signer.secret, &elsewhere)),
    ] {
        queries.push(TamperedQuery::new(
            format!("{name} is {value}"),
            query(&with(complete.to_vec(), name, value)),
        ));
    }

    // The ids of another space, signed with the secret of this one.
    let foreign = with(
        with(unsigned, "space_id", &other.acme.id),
        "upload_config_id",
        &other.config,
    );
    queries.push(TamperedQuery::new(
        "another space",
        query(&signer.signed(foreign)),
    ));
    queries.push(TamperedQuery::new("no parameters", String::new()));

    queries
}

#[stack_test]
async fn changed_signed_url_is_rejected(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;
    let second = signer.for_config(json!({"name": "second"})).await;
    let parameters = with(signer.parameters(stack), "filename", "photo.jpg");
    let complete = signer.signed(with(parameters, "content_type", "image/jpeg"));
    let before = stack.dump().await;

    for TamperedQuery { change, query } in tampered(&signer, &other, &second, &complete) {
        for response in [
            signer.send(&query).await,
            signer.presign(&query, json!({})).await,
        ] {
            let response = response.with_context(&change).expect_status(403);
            assert_eq!(
                response.header("x-ratelimit-limit"),
                "",
                "{change}: the request does not count"
            );
            response.expect_error(403);
        }
    }

    // Rejected requests create neither files nor counters.
    stack
        .dump()
        .await
        .assert_unchanged(&before, "requests with tampered URLs");
    signer.send(&query(&complete)).await.expect_created();
}

#[stack_test]
async fn signed_url_expires_on_the_second(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let body = json!({"upload_config_id": signer.config, "expiration_minutes": 1});
    let generated = signer
        .acme
        .post_ok("/upload/generate-signed-url", body)
        .await;

    let url = text(&generated["url"]);

    let upload = || {
        stack.anonymous.send(
            stack
                .anonymous
                .request("POST", &url)
                .multipart(signer.form(photo())),
        )
    };
    upload().await.expect_created();
    stack.clock.advance(seconds(59));

    // A signed URL may be used repeatedly until it expires.
    upload().await.expect_created();
    stack.clock.advance(seconds(1));

    for _ in 0..2 {
        let late = upload().await;
        assert!(
            late.json()["message"]
                .as_str()
                .is_some_and(|message| message.contains("expired")),
            "{late:?}"
        );
        late.expect_error(403);
        stack.clock.advance(minutes(60));
    }
}

/// A form with the ids of a space and of an upload config.
fn form(ids: [&str; 2]) -> Form {
    let [space, config] = ids.map(str::to_owned);
    Form::new()
        .text("space_id", space)
        .text("upload_config_id", config)
}

#[stack_test]
async fn ids_of_another_space_or_config_return_422(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;
    let second = signer.for_config(json!({"name": "second"})).await;
    let query = signer.query(stack);
    let [space, config] = [signer.acme.id.as_str(), &signer.config];
    let [other_space, other_config] = [other.acme.id.as_str(), &other.config];

    for (ids, invalid) in [
        ([other_space, config], vec!["space_id"]),
        (["nonsense", config], vec!["space_id"]),
        ([space, &second.config], vec!["upload_config_id"]),
        ([space, other_config], vec!["upload_config_id"]),
        ([space, "nonsense"], vec!["upload_config_id"]),
        (
            [other_space, other_config],
            vec!["space_id", "upload_config_id"],
        ),
    ] {
        let message = |name: &str| {
            let field = name.replace('_', " ");
            format!("The {field} field must be the one that the URL is signed for.")
        };
        let errors = invalid.iter().map(|name| (*name, json!([message(name)])));
        let expected: Value = errors.collect();

        let upload = signer.send_form(&query, form(ids).part("file", photo()));
        assert_eq!(upload.await.expect_error(422), expected);
        let declared = json!({"space_id": ids[0], "upload_config_id": ids[1]});
        let presign = signer.presign(&query, declared);
        assert_eq!(presign.await.expect_error(422), expected);
    }
}

#[stack_test]
async fn signed_form_needs_only_a_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let query = signer.query(stack);
    let [space, config] = [signer.acme.id.as_str(), &signer.config];
    let missing = json!({"file": ["The file field is required."]});

    for (form, expected) in [
        (Form::new().text("x", "y"), missing.clone()),
        (form([space, config]), missing.clone()),
        (Form::new().part("files", photo()), missing),
        (
            Form::new().text("file", "hello"),
            json!({"file": ["The file field must be a file."]}),
        ),
    ] {
        assert_eq!(
            signer.send_form(&query, form).await.expect_error(422),
            expected
        );
    }

    assert!(
        stack.dump().await.objects.is_empty(),
        "rejected uploads store nothing"
    );

    let (lower_space, lower_config) = (space.to_lowercase(), config.to_lowercase());
    for form in [
        Form::new(),
        Form::new().text("space_id", " "),
        form([&lower_space, &lower_config]),
    ] {
        let form = form.text("ref", "order 7").part("file", photo());
        let uploaded = signer.send_form(&query, form).await.expect_created();
        let path = format!("/files/{}", text(&uploaded["id"]));
        let record = signer.acme.get_ok(&path).await;
        assert_eq!(record["upload_config_id"], signer.config);
        assert_eq!(record["ref"], "order 7");
    }
}
