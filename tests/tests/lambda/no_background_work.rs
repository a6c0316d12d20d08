//! Nothing outlives its response: Lambda stops a function with its answer, so whatever it has still
//! to do then is never done, or done in the time of another request.

use domain::KeySecret;
use tenant::Tenants;
use tests::{PHOTO, Response, Stack, stack_test};

use crate::routes::fixture::{ROUTES, RouteFixture};

/// Round trips to the table, in which whatever a function left behind would get its turn.
const ROUND_TRIPS: usize = 5;

/// Calls of functions so far.
fn calls(stack: &Stack) -> Vec<String> {
    let calls = stack
        .cloud
        .call_log()
        .calls()
        .into_iter()
        .filter(|call| call.principal != "operator");
    calls
        .map(|call| format!("{} {}", call.principal, call.operation))
        .collect()
}

/// Demands that a function is done once its answer is read.
async fn ends_with_its_answer(stack: &Stack, request: impl Future<Output = Response>) {
    stack.cloud.call_log().clear();

    let response = request.await;
    let with_the_answer = calls(stack);
    let environment = stack.admin_environment();
    let tenants = Tenants::new(runtime::Settings::of(&environment).table());
    let unknown = KeySecret::new(&environment.env);

    for _ in 0..ROUND_TRIPS {
        let caller = tenants.authenticate(&unknown).await.expect("a table");
        assert!(caller.is_none());
    }

    assert_eq!(calls(stack), with_the_answer, "after {}", response.request);
}

#[stack_test]
async fn no_aws_call_runs_after_response(stack: &Stack) {
    let (fixture, other) = (
        RouteFixture::new(stack, "Acme").await,
        stack.space("Other").await,
    );
    let viewer = fixture.tenant.role("viewer").await;

    for route in ROUTES.iter() {
        for client in [&stack.account(), &viewer, &other.client, &stack.anonymous] {
            ends_with_its_answer(stack, fixture.call(route, client)).await;
        }
    }

    let record = fixture.tenant.upload(PHOTO).await;
    let url = record["url"].as_str().expect("an address");
    let etag = stack.anonymous.head(url).await.header("etag").to_owned();

    for headers in [
        &[][..],
        &[("range", "bytes=0-9")],
        &[("range", "bytes=9999999-")],
        &[("if-none-match", &etag)],
    ] {
        ends_with_its_answer(stack, stack.anonymous.get_with(url, headers)).await;
        ends_with_its_answer(stack, viewer.get_with(url, headers)).await;
    }

    ends_with_its_answer(stack, stack.anonymous.head(url)).await;
    ends_with_its_answer(stack, stack.anonymous.get(&format!("{url}x"))).await;
    stack.run_confirm_checks().await;
}
