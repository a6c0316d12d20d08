//! What extractors read and refuse.

use axum::extract::{Request, State};
use domain::{Handle, IdempotencyKey, KeyId, UploadConfigName};
use http::{Extensions, HeaderMap};
use serde_json::json;

use super::{DescribeInput, Operation};
use crate::{
    AccountHolder, Action, ApiKeyUpload, Authenticated, Can, FromFields, IdempotentJson, KeyPath, ListQuery,
    OptionalJson, PageRequest, SignedUrlUpload, Subject, UnreadJson, UnsignedUpload, Upload, ValidJson, ValidQuery,
    can::ID_PARAMETER, page::PageParameters,
};

/// Security schemes of callers with a key: in `Authorization`, or in the query.
const KEY_SCHEMES: [&str; 2] = ["bearer", "api_key"];
/// Errors of every endpoint that takes a key.
const KEY_ERRORS: [u16; 4] = [401, 429, 500, 503];

/// What the function keeps.
impl<T> DescribeInput for State<T> {
    fn describe(_: &mut Operation<'_>) {}
}

/// What the handler reads itself.
impl DescribeInput for Request {
    fn describe(_: &mut Operation<'_>) {}
}

impl DescribeInput for HeaderMap {
    fn describe(_: &mut Operation<'_>) {}
}

impl DescribeInput for Extensions {
    fn describe(_: &mut Operation<'_>) {}
}

/// Describes what the handlers of uploads refuse, whatever the proof.
fn describe_upload(operation: &mut Operation<'_>) {
    describe_idempotency(operation);
    for status in [400, 404, 413, 415, 422] {
        operation.error(status);
    }
}

fn describe_idempotency(operation: &mut Operation<'_>) {
    let description = "Names the request: sent again within 24 hours, it is answered as before and not done again.";
    operation.header::<IdempotencyKey>("Idempotency-Key", description);
    operation.error(409);
}

impl DescribeInput for ApiKeyUpload {
    fn describe(operation: &mut Operation<'_>) {
        Authenticated::<Upload>::describe(operation);
        describe_upload(operation);
    }
}

impl DescribeInput for SignedUrlUpload {
    fn describe(operation: &mut Operation<'_>) {
        operation.authenticated_by("signed_url");
        describe_upload(operation);
        for status in [403, 429, 500, 503] {
            operation.error(status);
        }
    }
}

impl DescribeInput for UnsignedUpload {
    fn describe(operation: &mut Operation<'_>) {
        operation.path_parameter::<Handle>("spaceHandle");
        operation.path_parameter::<UploadConfigName>("configName");
        describe_upload(operation);
        for status in [403, 429, 500, 503] {
            operation.error(status);
        }
    }
}

impl DescribeInput for Authenticated {
    fn describe(operation: &mut Operation<'_>) {
        for scheme in KEY_SCHEMES {
            operation.authenticated_by(scheme);
        }
        for status in KEY_ERRORS {
            operation.error(status);
        }
    }
}

impl<A: Action> DescribeInput for Authenticated<A> {
    fn describe(operation: &mut Operation<'_>) {
        <Authenticated>::describe(operation);
        operation.requires_role::<A>();
    }
}

impl DescribeInput for AccountHolder {
    fn describe(operation: &mut Operation<'_>) {
        <Authenticated>::describe(operation);
        operation.extension("x-requires-account-key", json!(true));
        operation.error(403);
    }
}

impl<A: Action, T: Subject> DescribeInput for Can<A, T> {
    fn describe(operation: &mut Operation<'_>) {
        Authenticated::<A>::describe(operation);
        operation.path_parameter::<T::Id>(ID_PARAMETER);
    }
}

impl DescribeInput for KeyPath {
    fn describe(operation: &mut Operation<'_>) {
        operation.path_parameter::<KeyId>(KeyPath::PARAMETER);
    }
}

impl<T: FromFields> DescribeInput for ValidJson<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.json_body::<T>();
    }
}

impl<T: FromFields> DescribeInput for OptionalJson<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.json_body::<T>();
    }
}

impl<T: FromFields> DescribeInput for UnreadJson<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.json_body::<T>();
    }
}

impl<T: FromFields> DescribeInput for IdempotentJson<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.json_body::<T>();
        describe_idempotency(operation);
    }
}

impl DescribeInput for PageRequest {
    fn describe(operation: &mut Operation<'_>) {
        operation.query(|fields| {
            PageParameters::read(fields);
        });
    }
}

impl<F: FromFields> DescribeInput for ListQuery<F> {
    fn describe(operation: &mut Operation<'_>) {
        operation.query(|fields| {
            PageParameters::read(fields);
            F::read(fields);
        });
    }
}

impl<T: FromFields> DescribeInput for ValidQuery<T> {
    fn describe(operation: &mut Operation<'_>) {
        operation.query(|fields| {
            T::read(fields);
        });
    }
}
