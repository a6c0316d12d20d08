//! Presigned URLs of functions that assume a role to sign them: they end with its sessions.

use domain::Timestamp;
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, StackOptions, TestSpace, minutes, seconds};

use super::presign::{PendingFile, presign_body};
use crate::{
    delivery::fixture::{DeliveryFixture, options_with_redirects},
    support::sts::FakeSts,
};

/// Time for which a function does not repeat a request to STS that failed.
const FAILURE_SECONDS: u64 = 3;
/// Lifetime of a session that STS shortens.
const SHORT_MINUTES: i64 = 20;

fn after(stack: &Stack, minutes: i64) -> Timestamp {
    stack.now().plus_ms(minutes * 60_000)
}

async fn presign(acme: &TestSpace) -> Response {
    let body = presign_body(acme, json!({}));
    acme.post("/upload/presign", body).await
}

/// Requires that a session of the role signed a URL. The function's own credentials have no session token.
#[track_caller]
pub(crate) fn assert_signed_by_session(url: &str) {
    let mut parameters = url.split(['?', '&']);
    let token = parameters.find(|pair| *pair == "X-Amz-Security-Token=session");
    assert!(token.is_some(), "{url}");
}

/// Presigns an upload, and returns it if its lifetime is this number of seconds.
async fn presign_for(acme: &TestSpace, expected: i64) -> PendingFile {
    let response: Value = presign(acme).await.expect_status(201).json();
    assert_eq!(response["expires_in"], expected);
    let pending = PendingFile { response };
    let parameter = format!("X-Amz-Expires={expected}&");
    assert!(pending.url().contains(&parameter), "{}", pending.url());
    assert_signed_by_session(pending.url());
    pending
}

#[tokio::test]
async fn upload_url_ends_with_the_session_of_its_role() {
    let sts = FakeSts::start().await;
    let stack = Stack::start_with(sts.options(StackOptions::default())).await;
    let acme = stack.space("Acme").await;

    let before = stack.dump().await;
    presign(&acme).await.expect_busy();
    let unchanged = stack.dump().await;
    unchanged.assert_unchanged(&before, "presigning without a session");
    let all = join_all((0..8).map(|_| presign(&acme))).await;
    all.into_iter().for_each(Response::expect_busy);
    assert_eq!(sts.take_requests(), 1);
    stack.clock.advance(seconds(FAILURE_SECONDS));

    // A session with an early end, which is replaced as soon as STS may be asked again.
    sts.end_sessions_at(after(&stack, SHORT_MINUTES));
    let pending = presign_for(&acme, 1_200).await;
    pending.put(&stack, PHOTO).await;
    pending.confirm(&acme.client).await.expect_ok();
    let late = presign_for(&acme, 1_200).await;
    stack.clock.advance(seconds(59));
    sts.end_sessions_at(after(&stack, 60));
    presign_for(&acme, 1_141).await;
    stack.clock.advance(seconds(2));
    presign_for(&acme, 3_598).await;
    assert_eq!(sts.take_requests(), 2);

    // Refreshed when less than 50 minutes are left, once for all requests, which do not wait for it.
    stack.clock.advance(minutes(9));
    presign_for(&acme, 3_058).await;
    sts.end_sessions_at(after(&stack, 61));
    stack.clock.advance(minutes(1));
    for response in join_all((0..8).map(|_| presign(&acme))).await {
        let response: Value = response.expect_status(201).json();
        let expires_in = &response["expires_in"];
        assert!(*expires_in == 3_600 || *expires_in == 2_998, "{response}");
    }
    presign_for(&acme, 3_600).await;
    assert_eq!(sts.take_requests(), 1);

    // Without STS the session is used up.
    sts.reject_requests();
    stack.clock.advance(minutes(58));
    presign_for(&acme, 120).await;
    late.send(&stack, PHOTO).await.expect_status(403);
    stack.clock.advance(minutes(1));
    presign(&acme).await.expect_busy();

    stack.run_confirm_checks().await;
    stack.stop().await;
}

#[tokio::test]
async fn redirect_ends_with_the_session_of_its_role() {
    let sts = FakeSts::start().await;
    let options = options_with_redirects().with_parameters(&[("RedirectAboveBytes", "1000")]);
    let stack = Stack::start_with(sts.options(options)).await;
    let fixture = DeliveryFixture::new(&stack).await;
    let original = fixture.put("upload", "root").await.url().to_owned();
    let variant = format!("{original}?w=400");

    stack.anonymous.get(&original).await.expect_busy();
    stack.clock.advance(seconds(FAILURE_SECONDS));
    sts.end_sessions_at(after(&stack, SHORT_MINUTES));
    let mut locations = Vec::new();
    for url in [&original, &variant] {
        let redirect = stack.anonymous.get(url).await.expect_status(307);
        let location = redirect.header("location").to_owned();
        assert_signed_by_session(&location);
        stack.anonymous.fetch(&location).await;
        locations.push(location);
    }
    assert_eq!(sts.take_requests(), 2);

    stack
        .clock
        .advance(minutes(SHORT_MINUTES.unsigned_abs()) + seconds(1));
    for location in locations {
        stack.anonymous.get(&location).await.expect_status(403);
    }
    stack.stop().await;
}
