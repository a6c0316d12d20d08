//! Uploads by signed URLs: spaces and configs, idempotency keys and rate limits.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Dump, PHOTO, Response, Stack, StackOptions, file, form, seconds, stack_test, text};

use crate::{
    routes::creations::{assert_first, assert_replay},
    support::signer::{Parameters, Signer, photo, query, with},
};

/// Window of the rate limit, in milliseconds.
const WINDOW_MS: i64 = 60_000;

#[stack_test]
async fn signed_upload_uses_config_of_url_and_has_no_owner(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({"metadata": {"tags": ["a"]}})).await;
    let uploaded = signer.send(&signer.query(stack)).await.expect_created();
    let record = signer
        .acme
        .get_ok(&format!("/files/{}", text(&uploaded["id"])))
        .await;

    for (field, value) in [
        ("uploaded_by", json!({"type": "signed_url"})),
        ("status", json!("active")),
        ("upload_config_id", json!(signer.config)),
        ("space_id", json!(signer.acme.id)),
        ("tags", json!(["a"])),
        ("size", json!(PHOTO.len())),
        ("ref", Value::Null),
    ] {
        assert_eq!(record[field], value, "{field}");
    }

    assert_eq!(
        stack.anonymous.fetch(&text(&uploaded["url"])).await.body,
        PHOTO
    );
}

#[stack_test]
async fn signed_only_config_rejects_other_uploads(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let client = &signer.acme.client;
    let handle = &signer.acme.handle;
    let with_key =
        form(handle, "photo.jpg", "image/jpeg", PHOTO).text("upload_config", "by-signature");
    client.upload_form(with_key).await.expect_error(403);

    let unsigned = stack
        .anonymous
        .request("POST", &format!("/upload/unsigned/{handle}/by-signature"));
    let unsigned = unsigned
        .header("referer", "https://example.com/")
        .multipart(Form::new().part("file", photo()));
    stack.anonymous.send(unsigned).await.expect_error(403);
    signer.send(&signer.query(stack)).await.expect_created();

    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": true, "max_uploads_per_hour": 1});
    for fields in [
        json!({"name": "plain", "delivery_type": "private"}),
        json!({"name": "open", "allow_unsigned": true, "unsigned_restrictions": restrictions}),
    ] {
        let signer = signer.for_config(fields.clone()).await;
        // The restrictions of unsigned uploads do not apply to signed uploads.
        for _ in 0..2 {
            let uploaded = signer.send(&signer.query(stack)).await.expect_created();
            let record = signer
                .acme
                .get_ok(&format!("/files/{}", text(&uploaded["id"])))
                .await;
            assert_eq!(record["upload_config_id"], signer.config);
            let delivery = fields.get("delivery_type").cloned();
            assert_eq!(
                uploaded["type"],
                delivery.unwrap_or_else(|| json!("upload"))
            );
        }
    }
}

#[stack_test]
async fn current_config_rules_apply_to_signed_uploads(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let client = &signer.acme.client;
    let query = signer.query(stack);

    signer.send(&query).await.expect_created();
    for (rules, message) in [
        (
            json!({"allowed_formats": ["png", "txt"]}),
            "The file field must be a file of type: png, txt.",
        ),
        (
            json!({"max_file_size": 10}),
            "The file field must not be greater than 10 bytes.",
        ),
        (
            json!({"min_image_width": 10_000}),
            "The file field has invalid image dimensions: the image has 960 × 640 pixels, but the \
             upload config requires a width of at least 10000.",
        ),
    ] {
        let change = json!({"id": signer.config, "config": {"validation": rules}});
        client.post_ok("/upload-configs/update", change).await;
        assert_eq!(
            signer.send(&query).await.expect_error(422),
            json!({"file": [message]})
        );
        let text = file("a.txt", "text/plain", "0123456789");
        signer
            .send_form(&query, signer.form(text))
            .await
            .expect_created();
    }

    let deletion = client
        .request("DELETE", "/upload-configs")
        .json(&json!({"id": signer.config}));
    client.send(deletion).await.expect_status(204);
    signer.send(&query).await.expect_error(403);
}

#[stack_test]
async fn disabled_space_rejects_and_creates_no_signed_urls(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let client = &signer.acme.client;
    let query = signer.query(stack);
    let space = signer.acme.path();
    let request = json!({"upload_config_id": signer.config});

    client
        .put_ok(&space, json!({"name": "Acme", "enabled": false}))
        .await;

    signer.send(&query).await.expect_error(403);
    signer.presign(&query, json!({})).await.expect_error(403);
    client
        .post_err(403, "/upload/generate-signed-url", request.clone())
        .await;

    client
        .put_ok(&space, json!({"name": "Acme", "enabled": true}))
        .await;
    signer.send(&query).await.expect_created();
    client.post_ok("/upload/generate-signed-url", request).await;
}

async fn upload_with_key(signer: &Signer, query: &str, key: &str, form: Form) -> Response {
    let request = signer
        .anonymous
        .request("POST", &format!("/upload/signed?{query}"));
    signer
        .anonymous
        .send(request.header("idempotency-key", key).multipart(form))
        .await
}

/// Asserts that the table contains neither signatures nor secrets.
fn assert_no_secrets(dump: &Dump, secrets: &[&String]) {
    for (key, item) in &dump.items {
        let stored = format!("{key:?} {item}");
        assert!(
            !secrets
                .iter()
                .any(|secret| stored.contains(secret.as_str())),
            "{stored}"
        );
    }
}

#[stack_test]
async fn idempotency_key_is_scoped_to_signed_url(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let complete = signer.signed(signer.parameters(stack));
    let reversed: Parameters = complete.iter().rev().cloned().collect();
    let one = query(&complete);
    let reversed = query(&reversed);
    let other = query(&signer.signed(with(signer.parameters(stack), "filename", "photo.jpg")));
    let form = || signer.form(photo());
    let first = assert_first(upload_with_key(&signer, &one, "order 7", form()).await);

    for variant in [&one, &one, &reversed] {
        assert_replay(
            &upload_with_key(&signer, variant, " order 7 ", form()).await,
            &first,
        );
    }

    for changed in [
        form().text("ref", "x"),
        signer.form(file("b.jpg", "image/jpeg", PHOTO)),
    ] {
        let errors = upload_with_key(&signer, &one, "order 7", changed)
            .await
            .expect_error(422);
        assert!(errors["idempotency_key"].is_array(), "{errors}");
    }

    assert!(
        upload_with_key(&signer, &one, "", form())
            .await
            .expect_error(422)["idempotency_key"]
            .is_array()
    );

    let second = assert_first(upload_with_key(&signer, &one, "order 8", form()).await);
    let third = assert_first(upload_with_key(&signer, &other, "order 7", form()).await);
    assert_replay(
        &upload_with_key(&signer, &other, "order 7", form()).await,
        &third,
    );
    assert!(first.body != second.body && first.body != third.body);

    // A replay succeeds although a new upload would be rejected.
    let change = json!({"id": signer.config, "config": {"validation": {"max_file_size": 10}}});
    signer.acme.post_ok("/upload-configs/update", change).await;

    upload_with_key(&signer, &one, "order 9", form())
        .await
        .expect_error(422);
    assert_replay(
        &upload_with_key(&signer, &one, "order 7", form()).await,
        &first,
    );

    let dump = stack.dump().await;
    assert_eq!((dump.objects.len(), dump.files_with_bytes().len()), (3, 3));

    let signature = &complete.last().expect("the signature").1;
    assert_no_secrets(&dump, &[signature, &signer.secret]);
}

/// Options of a stack with a limit of upload requests per minute.
fn limit(requests: u32) -> StackOptions {
    StackOptions::default().with_parameters(&[("UploadRequestsPerMinute", &requests.to_string())])
}

#[stack_test(options = limit(3))]
async fn each_signed_url_has_separate_limit(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let complete = signer.signed(signer.parameters(stack));
    let reversed: Parameters = complete.iter().rev().cloned().collect();
    let one = query(&complete);
    let reversed = query(&reversed);
    let other = query(&signer.signed(with(signer.parameters(stack), "filename", "photo.jpg")));

    for remaining in ["2", "1", "0"] {
        let response = signer.send(&one).await.expect_status(201);
        let reported =
            ["x-ratelimit-limit", "x-ratelimit-remaining"].map(|name| response.header(name));
        assert_eq!(reported, ["3", remaining]);
    }

    let left_ms = WINDOW_MS - stack.now().ms() % WINDOW_MS;
    let left_seconds = u64::try_from((left_ms + 999) / 1_000).expect("it is not over");
    let rejected = [
        signer.send(&one).await,
        signer.send(&reversed).await,
        signer.presign(&one, json!({})).await,
        signer.send_form(&one, Form::new().text("no", "file")).await,
    ];

    for response in rejected {
        assert_eq!(response.header("retry-after"), left_seconds.to_string());
        assert_eq!(response.header("x-ratelimit-remaining"), "0");
        response.expect_error(429);
    }

    let response = signer.send(&other).await.expect_status(201);
    assert_eq!(
        response.header("x-ratelimit-remaining"),
        "2",
        "changed signed URL"
    );

    signer.acme.upload(PHOTO).await;
    stack.clock.advance(seconds(left_seconds - 1));

    let early = signer.send(&one).await;
    assert_eq!(early.header("retry-after"), "1");

    early.expect_error(429);

    stack.clock.advance(seconds(1));
    signer.send(&one).await.expect_created();
}

#[stack_test(options = limit(1))]
async fn signature_case_does_not_create_second_limit(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let complete = signer.signed(signer.parameters(stack));
    signer.send(&query(&complete)).await.expect_created();

    let upper_case = complete.last().expect("the signature").1.to_uppercase();
    let response = signer
        .send(&query(&with(complete, "signature", &upper_case)))
        .await;
    response.expect_status_of(&[403, 429]);
}
