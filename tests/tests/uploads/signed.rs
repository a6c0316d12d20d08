//! `POST /upload/signed`: uploads by signed URLs.

use reqwest::multipart::Form;
use serde_json::json;
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
        .client
        .post("/upload/generate-signed-url", body)
        .await
        .expect_ok();

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

#[stack_test]
async fn form_must_match_signed_parameters(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;
    let second = signer.for_config(json!({"name": "second"})).await;
    let query = signer.query(stack);
    let space = signer.acme.id.as_str();
    let config = signer.config.as_str();
    let form = |space: &str, config: &str| {
        Form::new()
            .text("space_id", space.to_owned())
            .text("upload_config_id", config.to_owned())
    };

    for (space, config) in [
        (other.acme.id.as_str(), config),
        (space, &other.config),
        (space, &second.config),
        (&other.acme.id, &other.config),
        ("nonsense", config),
        (space, "nonsense"),
    ] {
        signer
            .send_form(&query, form(space, config).part("file", photo()))
            .await
            .expect_error(403);
    }

    let required = |name: &str| json!([format!("The {name} field is required.")]);
    let ids =
        json!({"space_id": required("space id"), "upload_config_id": required("upload config id")});
    let mut nothing = ids.clone();
    nothing["file"] = required("file");

    let valid = || form(space, config);
    for (form, expected) in [
        (Form::new().text("x", "y"), nothing),
        (Form::new().text("space_id", " ").part("file", photo()), ids),
        (valid(), json!({"file": required("file")})),
        (
            valid().part("files", photo()),
            json!({"file": required("file")}),
        ),
        (
            valid().text("file", "hello"),
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

    let lower = form(&space.to_lowercase(), &config.to_lowercase())
        .text("ref", "order 7")
        .part("file", photo());
    let uploaded = signer.send_form(&query, lower).await.expect_created();
    let record = signer
        .acme
        .client
        .get(&format!("/files/{}", text(&uploaded["id"])))
        .await
        .expect_ok();

    assert_eq!(record["ref"], "order 7");
}
