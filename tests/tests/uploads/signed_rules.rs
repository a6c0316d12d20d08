//! Uploads by signed URLs: configs that accept them alone, changed configs and rate limits.

use reqwest::multipart::Form;
use serde_json::json;
use tests::{PHOTO, Stack, StackOptions, seconds, stack_test};

use super::{
    routes::{Route, Uploads},
    unsigned_limits::{MINUTE_MS, left_seconds},
};
use crate::{
    support::signer::{Parameters, Signer, query, with},
    upload_configs::lifecycle::delete,
};

#[stack_test]
async fn signed_only_config_rejects_other_uploads(stack: &Stack) {
    let uploads = Uploads::with(stack, json!({"is_signed": true, "allow_unsigned": false})).await;
    for route in [Route::Form, Route::Unsigned, Route::UnsignedPresign] {
        uploads.photo(route).send().await.expect_error(403);
    }
    uploads.photo(Route::Signed).send().await.expect_created();

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
    let other = signer.query_with(stack, "filename", "photo.jpg");

    for remaining in ["2", "1", "0"] {
        let response = signer.send(&one).await.expect_status(201);
        assert_eq!(response.header("x-ratelimit-limit"), "3");
        assert_eq!(response.header("x-ratelimit-remaining"), remaining);
    }

    let left = left_seconds(stack, MINUTE_MS);
    for response in [
        signer.send(&one).await,
        signer.send(&reversed).await,
        signer.presign(&one, json!({})).await,
        signer.send_form(&one, Form::new().text("no", "file")).await,
    ] {
        assert_eq!(response.header("retry-after"), left.to_string());
        assert_eq!(response.header("x-ratelimit-remaining"), "0");
        response.expect_error(429);
    }

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

#[stack_test(options = limit(1))]
async fn signature_case_does_not_create_second_limit(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let complete = signer.signed(signer.parameters(stack));
    signer.send(&query(&complete)).await.expect_created();

    let upper_case = complete.last().expect("the signature").1.to_uppercase();
    let changed = query(&with(complete, "signature", &upper_case));
    let response = signer.send(&changed).await;
    response.expect_status_of(&[403, 429]);
}
