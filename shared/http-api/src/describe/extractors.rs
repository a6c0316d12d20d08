//! Descriptions of extractors.

use axum::extract::State;
use domain::{
    id::{SpaceId, WebhookMessageId},
    keys::KeyId,
};
use http::{Extensions, HeaderMap};
use serde_json::json;

use super::{DescribeInput, OperationBuilder};
use crate::{
    caller::{
        AccountHolder, Action, Authenticated, Can, ID_PARAMETER, KeyPath, Resource, SpacePath,
        WebhookMessagePath,
    },
    fields::FromFields,
    request::{
        IdempotentJson, ListQuery, PageParameters, PageQuery, UnreadJson, ValidJson, ValidQuery,
    },
};

/// Security schemes of API keys: in `Authorization`, or in the query.
const KEY_SCHEMES: [&str; 2] = ["bearer", "api_key"];
/// Errors of every endpoint with an API key.
const KEY_ERRORS: [u16; 4] = [401, 429, 500, 503];
/// When a list responds with 422.
const UNKNOWN_PARAMETERS: &str =
    "Parameters are not valid, or are none of this list; `errors` names all of them.";

impl<T> DescribeInput for State<T> {
    fn describe(_: &mut OperationBuilder<'_>) {}
}

impl DescribeInput for HeaderMap {
    fn describe(_: &mut OperationBuilder<'_>) {}
}

impl DescribeInput for Extensions {
    fn describe(_: &mut OperationBuilder<'_>) {}
}

impl DescribeInput for Authenticated {
    fn describe(operation: &mut OperationBuilder<'_>) {
        for scheme in KEY_SCHEMES {
            operation.authenticated_by(scheme);
        }
        for status in KEY_ERRORS {
            operation.error(status);
        }
    }
}

impl<A: Action> DescribeInput for Authenticated<A> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        <Authenticated>::describe(operation);
        operation.requires_role::<A>();
    }
}

impl DescribeInput for AccountHolder {
    fn describe(operation: &mut OperationBuilder<'_>) {
        <Authenticated>::describe(operation);
        operation.extension("x-requires-account-key", json!(true));
        operation.error(403);
    }
}

impl<A: Action, T: Resource> DescribeInput for Can<A, T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        Authenticated::<A>::describe(operation);
        operation.path_parameter::<T::Id>(ID_PARAMETER);
    }
}

impl<A: Action> DescribeInput for SpacePath<A> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        Authenticated::<A>::describe(operation);
        operation.path_parameter::<SpaceId>(ID_PARAMETER);
    }
}

impl DescribeInput for KeyPath {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.path_parameter::<KeyId>(KeyPath::PARAMETER);
    }
}

impl DescribeInput for WebhookMessagePath {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.path_parameter::<WebhookMessageId>(WebhookMessagePath::PARAMETER);
    }
}

impl<T: FromFields> DescribeInput for ValidJson<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.json_body::<T>();
    }
}

impl<T: FromFields> DescribeInput for UnreadJson<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.json_body::<T>();
    }
}

impl<T: FromFields> DescribeInput for IdempotentJson<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.json_body::<T>();
        operation.idempotency_key();
    }
}

impl DescribeInput for PageQuery {
    fn describe(operation: &mut OperationBuilder<'_>) {
        ListQuery::<()>::describe(operation);
    }
}

impl<F: FromFields, V: FromFields> DescribeInput for ListQuery<F, V> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.query(|fields| {
            PageParameters::read(fields);
            F::read(fields);
            V::read(fields);
        });
        operation.described_error(422, UNKNOWN_PARAMETERS);
    }
}

impl<T: FromFields> DescribeInput for ValidQuery<T> {
    fn describe(operation: &mut OperationBuilder<'_>) {
        operation.query(|fields| {
            T::read(fields);
        });
    }
}
