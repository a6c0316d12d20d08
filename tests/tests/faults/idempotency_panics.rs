//! Idempotency keys of requests whose handler panics.

use axum::{Router, routing};
use http_api::{
    caller::{ApiState, Authenticated, RateLimitTier, with_layers},
    fields::{FieldReader, FromFields},
    request::IdempotentJson,
    response::{ApiError, Created},
};
use local_stack::all_functions;
use runtime::context::{ConfigurationError, FunctionContext, Settings};
use serde_json::json;
use tests::{StackOptions, TestSpace, stack_test};

use crate::routes::creations::Creation;

/// Options of a stack whose `POST /folders` panics.
fn with_panicking_folders() -> StackOptions {
    StackOptions {
        registry: all_functions().http("folders", panicking_folders),
        ..StackOptions::default()
    }
}

/// A function `folders` whose only handler panics.
fn panicking_folders(context: &FunctionContext) -> Result<Router, ConfigurationError> {
    let mut settings = Settings::of(context);
    let edge = ApiState::read(&mut settings, RateLimitTier::Admin);
    settings.finish()?;

    let create =
        async |_: Authenticated, body: IdempotentJson<Anything>| -> Result<Created<()>, ApiError> {
            body.run_once(async |_, _| panic!("on purpose")).await
        };
    Ok(with_layers(
        Router::new()
            .route("/api/v1/folders", routing::post(create))
            .with_state(edge),
    ))
}

/// A body without fields.
struct Anything;

impl FromFields for Anything {
    fn read(_: &mut impl FieldReader) -> Option<Anything> {
        Some(Anything)
    }
}

#[stack_test(options = with_panicking_folders())]
async fn panicking_request_can_be_retried_at_once(acme: &TestSpace) {
    let creation = Creation::json(&acme.client, "/folders", json!({}));

    for _ in 0..2 {
        creation.send("one").await.expect_error(500);
    }
}
