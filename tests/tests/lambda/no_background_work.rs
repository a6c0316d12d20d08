//! Functions do no work after their response: Lambda freezes a function with its response, so later
//! work never runs or runs during another request. The exception is a rendering that outlasts its
//! request, since codecs cannot be cancelled (`delivery::rendition_races`).

use domain::keys::KeySecret;
use space_store::spaces::Tenants;
use tests::{PHOTO, Response, Stack, stack_test};

use crate::routes::fixture::{ROUTES, RouteFixture};

/// Number of table reads that give remaining work of a function time to run.
const ROUND_TRIPS: usize = 5;

/// Returns the AWS calls of functions since the log was cleared.
fn calls(stack: &Stack) -> Vec<String> {
    let calls = stack
        .local
        .call_log()
        .calls()
        .into_iter()
        .filter(|call| call.principal != "unrestricted");
    calls
        .map(|call| format!("{} {}", call.principal, call.operation))
        .collect()
}

/// Asserts that a function makes no AWS call after its response.
async fn assert_ends_with_response(stack: &Stack, request: impl Future<Output = Response>) {
    stack.local.call_log().clear();

    let response = request.await;
    let before_response = calls(stack);
    let context = stack.unrestricted_context();
    let tenants = Tenants::new(runtime::context::Settings::of(&context).table());
    let unknown = KeySecret::new(&context.env);

    for _ in 0..ROUND_TRIPS {
        let caller = tenants
            .requests()
            .authenticate(&unknown)
            .await
            .expect("a table");
        assert!(caller.is_none());
    }

    assert_eq!(calls(stack), before_response, "after {}", response.request);
}

#[stack_test]
async fn no_aws_call_runs_after_response(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let other = stack.space("Other").await;
    let viewer = fixture.tenant.role("viewer").await;

    for route in ROUTES.iter() {
        for client in [&stack.account(), &viewer, &other.client, &stack.anonymous] {
            assert_ends_with_response(stack, fixture.call(route, client)).await;
        }
    }

    let file = fixture.tenant.upload(PHOTO).await;
    let url = file.url();
    let etag = stack.anonymous.head(url).await.header("etag").to_owned();

    for headers in [
        &[][..],
        &[("range", "bytes=0-9")],
        &[("range", "bytes=9999999-")],
        &[("if-none-match", &etag)],
    ] {
        assert_ends_with_response(stack, stack.anonymous.get_with(url, headers)).await;
        assert_ends_with_response(stack, viewer.get_with(url, headers)).await;
    }

    assert_ends_with_response(stack, stack.anonymous.head(url)).await;
    assert_ends_with_response(stack, stack.anonymous.get(&format!("{url}x"))).await;
    stack.run_confirm_checks().await;
}
