//! The services behind the proxies: how requests are parsed and forwarded.

use axum::{Router, body::Body};
use bytes::Bytes;
use http::{
    Method, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::{BodyExt, Collected, Limited};
use tower::ServiceExt;

use super::{
    attempt::{Attempt, AwsOperation},
    batch::{self, SplitBatch},
    conflict::{AccessKind, ItemAccess},
    operation,
    permission::RequiredPermission,
    rejection::ProxyRejection,
    service::Service,
    signature::SignedBody,
};
use crate::{
    anomaly::Anomaly,
    arn,
    dynamodb::{self, CostedCall, Tables},
    secrets::SecretsManager,
    sqs::SqsEmulator,
};

/// Maximum body of DynamoDB, in bytes. SQS and Secrets Manager have lower limits.
const JSON_BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Maximum body of `DeleteObjects`, in bytes: 1,000 keys of 1,024 characters, each escaped in six
/// bytes at most, with their elements.
const DELETE_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Maximum rejected body that is read to its end, in bytes. The connection of a larger one closes.
const DISCARDED_BYTES_MAX: usize = 64 * 1024 * 1024;

pub(crate) struct ParsedRequest<RequestBody> {
    pub(super) operation: AwsOperation,
    pub(super) body: RequestBody,
}

/// A service behind its proxy.
pub(crate) trait Backend: Send + Sync + 'static {
    const SERVICE: Service;

    /// The request body: buffered if the operation is in it, else streamed.
    type RequestBody: Send + SignedBody;

    /// Returns whether a request needs no credentials. Such a request is not logged.
    fn is_public(_head: &Parts) -> bool {
        false
    }

    /// Parses which operation a request calls.
    fn parse(
        head: &Parts,
        body: Body,
    ) -> impl Future<Output = Result<ParsedRequest<Self::RequestBody>, ProxyRejection>> + Send;

    /// Returns the items that a call accesses, if it can conflict with transactions.
    fn item_access(&self, _attempt: &Attempt<Self::RequestBody>) -> Option<ItemAccess> {
        None
    }

    /// Returns the call whose items have limited throughput; `None` if the service has no items.
    fn costed_call(&self, _attempt: &Attempt<Self::RequestBody>) -> Option<CostedCall> {
        None
    }

    /// Returns the response of the service. An anomaly that does not fit the operation is ignored.
    fn forward(
        &self,
        attempt: Attempt<Self::RequestBody>,
        anomaly: Option<Anomaly>,
    ) -> impl Future<Output = Response<Body>> + Send;

    /// Reads the rest of a rejected request: a client that is still sending may miss the response.
    fn discard(_body: Self::RequestBody) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Returns the permission that a principal needs to know what a response says, besides those of
    /// the call.
    fn disclosing_permission(
        _response: &Response<Body>,
        _operation: &str,
        _path: &str,
    ) -> Option<RequiredPermission> {
        None
    }

    /// Replaces a response to a principal that lacks the permission to know it.
    fn hide(
        response: Response<Body>,
        _denied: &ProxyRejection,
        _operation: &str,
    ) -> Response<Body> {
        response
    }
}

impl Backend for Tables {
    const SERVICE: Service = Service::DynamoDb;

    type RequestBody = Bytes;

    async fn parse(head: &Parts, body: Body) -> Result<ParsedRequest<Bytes>, ProxyRejection> {
        parse_json(Self::SERVICE, head, body).await
    }

    fn item_access(&self, attempt: &Attempt<Bytes>) -> Option<ItemAccess> {
        let operation = &attempt.operation.name;
        Some(ItemAccess {
            kind: AccessKind::of(operation)?,
            items: dynamodb::item_names(self, operation, &attempt.body),
        })
    }

    fn costed_call(&self, attempt: &Attempt<Bytes>) -> Option<CostedCall> {
        Some(CostedCall {
            tables: self.clone(),
            operation: attempt.operation.name.clone(),
            body: attempt.body.clone(),
        })
    }

    async fn forward(&self, attempt: Attempt<Bytes>, anomaly: Option<Anomaly>) -> Response<Body> {
        let batch = anomaly
            .filter(|anomaly| *anomaly == Anomaly::PartialBatch)
            .and_then(|_| serde_json::from_slice(&attempt.body).ok())
            .and_then(|request| batch::split(&attempt.operation.name, &request));
        match batch {
            Some(batch) => self.forward_partially(attempt.operation.name, batch).await,
            None => self.respond(attempt.operation.name, attempt.body).await,
        }
    }
}

impl Tables {
    async fn forward_partially(&self, operation: String, batch: SplitBatch) -> Response<Body> {
        let Some(request) = &batch.forwarded else {
            let empty = batch.empty_response();
            return Response::new(Body::from(batch.add_unprocessed(empty).to_string()));
        };
        let response = self
            .respond(operation, Bytes::from(request.to_string()))
            .await;
        if !response.status().is_success() {
            return response;
        }

        let body = response
            .into_body()
            .collect()
            .await
            .map(Collected::to_bytes)
            .unwrap_or_default();
        let processed = serde_json::from_slice(&body).unwrap_or_else(|_| batch.empty_response());
        Response::new(Body::from(batch.add_unprocessed(processed).to_string()))
    }
}

impl Backend for SqsEmulator {
    const SERVICE: Service = Service::Sqs;

    type RequestBody = Bytes;

    async fn parse(head: &Parts, body: Body) -> Result<ParsedRequest<Bytes>, ProxyRejection> {
        parse_json(Self::SERVICE, head, body).await
    }

    async fn forward(&self, attempt: Attempt<Bytes>, anomaly: Option<Anomaly>) -> Response<Body> {
        self.handle(
            &attempt.operation.name,
            attempt.body,
            &attempt.principal,
            anomaly,
        )
        .await
    }
}

impl Backend for SecretsManager {
    const SERVICE: Service = Service::SecretsManager;

    type RequestBody = Bytes;

    async fn parse(head: &Parts, body: Body) -> Result<ParsedRequest<Bytes>, ProxyRejection> {
        parse_json(Self::SERVICE, head, body).await
    }

    async fn forward(&self, attempt: Attempt<Bytes>, _anomaly: Option<Anomaly>) -> Response<Body> {
        self.handle(&attempt.operation.name, &attempt.body)
    }
}

/// S3. Its bodies may be large and are streamed.
impl Backend for Router {
    const SERVICE: Service = Service::S3;

    type RequestBody = Body;

    /// A CORS preflight has no credentials.
    fn is_public(head: &Parts) -> bool {
        head.method == Method::OPTIONS
    }

    async fn parse(head: &Parts, body: Body) -> Result<ParsedRequest<Body>, ProxyRejection> {
        let mut operation = operation::parse_s3(head);
        if operation.name != "DeleteObjects" {
            return Ok(ParsedRequest { operation, body });
        }

        let bytes = buffered(body, DELETE_BODY_BYTES_MAX).await?;
        operation.required = operation::s3_deletions(head.uri.path(), &bytes);
        let body = Body::from(bytes);
        Ok(ParsedRequest { operation, body })
    }

    async fn forward(&self, attempt: Attempt<Body>, anomaly: Option<Anomaly>) -> Response<Body> {
        let mut request = Request::from_parts(attempt.head, attempt.body);
        if let Some(anomaly) = anomaly {
            request.extensions_mut().insert(anomaly);
        }
        match self.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    async fn discard(mut body: Body) {
        let mut remaining_bytes = DISCARDED_BYTES_MAX;
        while let Some(Ok(frame)) = body.frame().await {
            let frame_bytes = frame.data_ref().map_or(0, Bytes::len);
            let Some(remaining) = remaining_bytes.checked_sub(frame_bytes) else {
                return;
            };
            remaining_bytes = remaining;
        }
    }

    /// S3 reports a missing object only to principals that may list the bucket. Others get an
    /// `AccessDenied` (`GetObject` in the S3 API Reference). A copy is within one bucket.
    fn disclosing_permission(
        response: &Response<Body>,
        operation: &str,
        path: &str,
    ) -> Option<RequiredPermission> {
        let is_missing = response.status() == StatusCode::NOT_FOUND;
        let is_read = matches!(operation, "CopyObject" | "GetObject" | "HeadObject");
        let bucket = arn::bucket(&operation::s3_bucket(path));
        (is_missing && is_read).then(|| RequiredPermission::new("s3:ListBucket", bucket))
    }

    fn hide(response: Response<Body>, denied: &ProxyRejection, operation: &str) -> Response<Body> {
        let method = if operation == "HeadObject" {
            Method::HEAD
        } else {
            Method::GET
        };
        let (denied, body) = denied.xml(&method).into_parts();
        // Keeps the CORS headers, so that a browser can read the error.
        let (mut head, _) = response.into_parts();
        head.status = denied.status;
        head.headers.remove(CONTENT_LENGTH);
        if let Some(content_type) = denied.headers.get(CONTENT_TYPE) {
            head.headers.insert(CONTENT_TYPE, content_type.clone());
        }

        Response::from_parts(head, body)
    }
}

/// Buffers and parses a request in AWS JSON.
async fn parse_json(
    service: Service,
    head: &Parts,
    body: Body,
) -> Result<ParsedRequest<Bytes>, ProxyRejection> {
    let bytes = buffered(body, JSON_BODY_BYTES_MAX).await?;

    Ok(ParsedRequest {
        operation: operation::parse_json(service, head, &bytes),
        body: bytes,
    })
}

/// Reads a body of limited size.
async fn buffered(body: Body, limit_bytes: usize) -> Result<Bytes, ProxyRejection> {
    let collected = Limited::new(body, limit_bytes).collect().await;
    collected
        .map(Collected::to_bytes)
        .map_err(|error| ProxyRejection::unreadable_body(&error.to_string()))
}
