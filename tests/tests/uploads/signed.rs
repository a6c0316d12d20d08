//! `POST /upload/signed`: uploads by signed URLs, the configs that accept them, and their rate
//! limits.

use reqwest::multipart::Form;
use serde_json::json;
use tests::{
    PHOTO, Stack, StackOptions, assert_fields, field_errors, file_path, minutes, seconds,
    stack_test,
};

use super::{
    routes::{Route, Uploads},
    unsigned_limits::{MINUTE_MS, left_seconds},
};
use crate::{
    support::signer::{PATH, Parameters, Signer, canonical, hmac_sha256, photo, query, with},
    upload_configs::lifecycle::delete,
};

/// Returns a query with every byte percent-encoded, in lower case.
fn fully_encoded(parameters: &[(String, String)]) -> String {
    let encoded_byte = |byte: u8| format!("%{}", hex::encode([byte]));
    let encoded = |text: &str| text.bytes().map(encoded_byte).collect::<String>();
    let pairs = parameters.iter();
    let pairs = pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
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

    for encoding in [
        plain.clone(),
        query(&reversed),
        fully_encoded(&complete),
        plain.replace("%2F", "/").replace("%C3%A9", "%c3%a9"),
        plain.replace('~', "%7E"),
        // A plus is literal, or a space if that is signed.
        plain.replace("%2B", "+"),
        plain.replace("%20", "+"),
    ] {
        let uploaded = signer.send(&encoding).await.expect_created();
        assert_eq!(uploaded["original_name"], name, "{encoding}");
    }
    let with_space = plain.replace("%2B", "%20");
    signer.send(&with_space).await.expect_error(403);
}

/// Returns changes of a signed URL, with the changed queries.
fn tampered(
    signer: &Signer,
    other: &Signer,
    second: &str,
    complete: &Parameters,
) -> Vec<(String, String)> {
    let mut queries = Vec::new();
    for (index, (name, _)) in complete.iter().enumerate() {
        let mut without = complete.clone();
        let mut longer = complete.clone();
        without.remove(index);
        longer[index].1.push('0');
        let twice = [&complete[..], &complete[index..=index]].concat();
        queries.extend([
            (format!("no {name}"), query(&without)),
            (format!("a longer {name}"), query(&longer)),
            (format!("{name} twice"), query(&twice)),
        ]);
    }

    let unsigned = complete.iter().filter(|(name, _)| name != "signature");
    let unsigned: Parameters = unsigned.cloned().collect();
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
        ("upload_config_id", second),
        ("filename", "photo.jpg2"),
        ("content_type", "image/png"),
        ("extra", "1"),
        ("signature", ""),
        ("signature", "é"),
        ("signature", &signature[..62]),
        ("signature", &hmac_sha256(&other.secret, &canonical)),
        ("signature", &hmac_sha256(&signer.secret, &elsewhere)),
    ] {
        let changed = query(&with(complete.clone(), name, value));
        queries.push((format!("{name} is {value}"), changed));
    }

    // The ids of another space, signed with the secret of this one.
    let foreign = with(unsigned, "space_id", &other.acme.id);
    let foreign = signer.signed(with(foreign, "upload_config_id", &other.config));
    queries.push(("another space".to_owned(), query(&foreign)));
    queries.push(("no parameters".to_owned(), String::new()));

    queries
}

#[stack_test]
async fn changed_signed_url_is_rejected(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;
    let second = signer.for_config(json!({"name": "second"})).await.config;
    let parameters = with(signer.parameters(stack), "filename", "photo.jpg");
    let complete = signer.signed(with(parameters, "content_type", "image/jpeg"));
    let before = stack.dump().await;

    for (change, query) in tampered(&signer, &other, &second, &complete) {
        for response in [
            signer.send(&query).await,
            signer.presign(&query, json!({})).await,
        ] {
            let response = response.with_context(&change);
            // The request does not count.
            response.expect_header("x-ratelimit-limit", "");
            response.expect_error(403);
        }
    }

    // Rejected requests create neither files nor counters.
    stack.assert_unchanged(&before, "tampered URLs").await;
    signer.send(&query(&complete)).await.expect_created();
}

#[stack_test]
async fn signed_url_expires_on_the_second(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let minute = json!({"expiration_minutes": 1});
    let query = signer.generated_query(&signer.acme, minute).await;

    signer.send(&query).await.expect_created();
    stack.clock.advance(seconds(59));
    // A signed URL may be used repeatedly until it expires.
    signer.send(&query).await.expect_created();

    stack.clock.advance(seconds(1));
    for _ in 0..2 {
        let late = signer.send(&query).await;
        late.expect_message("expired");
        late.expect_error(403);
        stack.clock.advance(minutes(60));
    }
}

/// A form with the ids of a space and of an upload config.
fn form([space, config]: [&str; 2]) -> Form {
    let form = Form::new().text("space_id", space.to_owned());
    form.text("upload_config_id", config.to_owned())
}

#[stack_test]
async fn ids_of_another_space_or_config_return_422(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let other = Signer::new(stack, "Other", json!({})).await;
    let second = signer.for_config(json!({"name": "second"})).await.config;
    let query = signer.query(stack);
    let space = signer.acme.id.as_str();
    let config = signer.config.as_str();
    let foreign = [other.acme.id.as_str(), &other.config];

    for (ids, invalid) in [
        ([foreign[0], config], &["space_id"][..]),
        (["nonsense", config], &["space_id"]),
        ([space, &second], &["upload_config_id"]),
        ([space, foreign[1]], &["upload_config_id"]),
        ([space, "nonsense"], &["upload_config_id"]),
        (foreign, &["space_id", "upload_config_id"]),
    ] {
        let end = "must be the one that the URL is signed for";
        let expected = field_errors(invalid.iter().map(|field| (field, end)));

        let upload = signer.send_form(&query, form(ids).part("file", photo()));
        assert_eq!(upload.await.expect_error(422), expected);
        let declared = json!({"space_id": ids[0], "upload_config_id": ids[1]});
        let presign = signer.presign(&query, declared).await;
        assert_eq!(presign.expect_error(422), expected);
    }
}

#[stack_test]
async fn signed_form_needs_only_a_file(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let query = signer.query(stack);
    let [space, config] = [&signer.acme.id, &signer.config];

    for form in [
        Form::new(),
        Form::new().text("space_id", " "),
        form([&space.to_lowercase(), &config.to_lowercase()]),
    ] {
        let form = form.text("ref", "order 7").part("file", photo());
        let uploaded = signer.send_form(&query, form).await.expect_created();
        let record = signer.acme.get_ok(&file_path(&uploaded)).await;
        let expected = json!({"upload_config_id": config, "ref": "order 7"});
        assert_fields(&record, expected);
    }
}

#[stack_test]
async fn signed_only_config_rejects_other_uploads(stack: &Stack) {
    let uploads = Uploads::with(stack, json!({"is_signed": true, "allow_unsigned": false})).await;
    for route in [Route::Form, Route::Unsigned, Route::UnsignedPresign] {
        uploads.photo(route).send().await.expect_error(403);
    }
    uploads.photo(Route::Signed).send().await.expect_created();
    uploads.photo(Route::Presign).finish().await.expect_ok();

    let signer = &uploads.signer;
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true, "max_uploads_per_hour": 1});
    for fields in [
        json!({"name": "plain"}),
        json!({"name": "public", "allow_unsigned": true, "unsigned_restrictions": restrictions}),
    ] {
        let signer = signer.for_config(fields).await;
        // The restrictions of unsigned uploads do not apply to signed uploads.
        for _ in 0..2 {
            let uploaded = signer.send(&signer.query(stack)).await;
            let record = uploads.record(uploaded).await;
            assert_eq!(record["upload_config_id"], signer.config);
        }
    }
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn signed_url_of_a_deleted_config_is_rejected(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let query = signer.query(stack);
    signer.send(&query).await.expect_created();

    let deletion = json!({"id": signer.config});
    delete(&signer.acme, deletion).await.expect_status(204);

    signer.send(&query).await.expect_error(403);
}

#[stack_test(options = StackOptions::default().with_parameters(&[("UploadRequestsPerMinute", "3")]))]
async fn each_signed_url_has_separate_limit(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let complete = signer.signed(signer.parameters(stack));
    let reversed: Parameters = complete.iter().rev().cloned().collect();
    let one = query(&complete);
    let reversed = query(&reversed);
    let other = signer.query_with(stack, "filename", "photo.jpg");

    for remaining in ["2", "1", "0"] {
        let response = signer.send(&one).await.expect_status(201);
        response.expect_header("x-ratelimit-limit", "3");
        response.expect_header("x-ratelimit-remaining", remaining);
    }

    let left = left_seconds(stack, MINUTE_MS);
    for response in [
        signer.send(&one).await,
        signer.send(&reversed).await,
        signer.presign(&one, json!({})).await,
        signer.send_form(&one, Form::new().text("no", "file")).await,
    ] {
        response.expect_header("retry-after", left.to_string());
        response.expect_header("x-ratelimit-remaining", "0");
        response.expect_error(429);
    }

    let upper_case = complete.last().expect("the signature").1.to_uppercase();
    let upper_case = query(&with(complete, "signature", &upper_case));
    signer.send(&upper_case).await.expect_status_of(&[403, 429]);

    let changed = signer.send(&other).await.expect_status(201);
    assert_eq!(changed.header("x-ratelimit-remaining"), "2");
    signer.acme.upload(PHOTO).await;

    stack.clock.advance(seconds(left - 1));
    let early = signer.send(&one).await;
    assert_eq!(early.header("retry-after"), "1");
    early.expect_error(429);
    stack.clock.advance(seconds(1));
    signer.send(&one).await.expect_created();
}
