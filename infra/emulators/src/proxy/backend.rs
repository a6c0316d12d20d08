//! What stands behind the proxies: how each service's requests are read, and how they are handed on.

use axum::{Router, body::Body};
use bytes::Bytes;
use http::{
    Method, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
    request::Parts,
};
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use serde_json::Value;
use tower::ServiceExt;

use super::{
    Service, batch,
    conflict::ItemAccess,
    operation::{self, Operation},
    permission::RequiredPermission,
    rejection::Rejection,
};
use crate::{
    anomaly::Anomaly, arn, dynamodb::Forwarder, principals::Principal, secrets::Secrets, sqs::Sqs,
};

/// Bytes of the largest body that DynamoDB takes; SQS and Secrets Manager take less.
const JSON_BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Bytes of a refused body that are read to its end; the connection of a larger one breaks.
const DISCARDED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A request, read as far as the proxy required.
pub(crate) struct Attempt<Payload> {
    pub(super) head: Parts,
    pub(super) payload: Payload,
    pub(super) operation: Operation,
    /// Name of the principal whose credentials it carries, once that is known.
    pub(super) principal: String,
}

/// A service behind its proxy.
pub(crate) trait Backend: Send + Sync + 'static {
    /// Which one it is.
    const SERVICE: Service;

    /// A body: read where its content matters to the proxy, else passed on as it comes.
    type Payload: Send;

    /// Whether a request goes through without credentials, and uncounted.
    fn is_open(_head: &Parts) -> bool {
        false
    }

    /// Reads what a request asks for.
    fn read(
        head: &Parts,
        body: Body,
    ) -> impl Future<Output = Result<(Operation, Self::Payload), Rejection>> + Send;

    /// What a call works on, where transactions may meet there; only DynamoDB knows such.
    fn work(_attempt: &Attempt<Self::Payload>) -> Option<ItemAccess> {
        None
    }

    /// The service's own answer, with a anomaly that does nothing where it makes no sense.
    fn forward(
        &self,
        attempt: Attempt<Self::Payload>,
        anomaly: Option<Anomaly>,
    ) -> impl Future<Output = Response<Body>> + Send;

    /// Reads what is left of a request that is refused: a client that is still sending may miss the
    /// answer.
    fn discard(_payload: Self::Payload) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// The answer as this principal may see it.
    fn disclose(
        answer: Response<Body>,
        _operation: &str,
        _path: &str,
        _principal: &Principal,
    ) -> Response<Body> {
        answer
    }
}

impl Backend for Forwarder {
    const SERVICE: Service = Service::DynamoDb;

    type Payload = Bytes;

    async fn read(head: &Parts, body: Body) -> Result<(Operation, Bytes), Rejection> {
        read_json(Self::SERVICE, head, body).await
    }

    fn work(attempt: &Attempt<Bytes>) -> Option<ItemAccess> {
        ItemAccess::read(&attempt.operation.name, &attempt.payload)
    }

    async fn forward(&self, attempt: Attempt<Bytes>, anomaly: Option<Anomaly>) -> Response<Body> {
        let request = || serde_json::from_slice(&attempt.payload).ok();
        let halves = anomaly
            .filter(|anomaly| *anomaly == Anomaly::PartialBatch)
            .and_then(|_| request());
        let halves =
            halves.and_then(|request: Value| batch::split(&attempt.operation.name, &request));
        let Some(halves) = halves else {
            return self.send(attempt.head, attempt.payload).await;
        };
        let answer = match &halves.processed {
            Some(half) => self.send(attempt.head, Bytes::from(half.to_string())).await,
            None => Response::new(Body::from(halves.nothing_processed().to_string())),
        };
        if !answer.status().is_success() {
            return answer;
        }
        let processed = answer
            .into_body()
            .collect()
            .await
            .map(Collected::to_bytes)
            .unwrap_or_default();
        let processed =
            serde_json::from_slice(&processed).unwrap_or_else(|_| halves.nothing_processed());
        Response::new(Body::from(halves.hand_back(processed).to_string()))
    }
}

impl Backend for Sqs {
    const SERVICE: Service = Service::Sqs;

    type Payload = Bytes;

    async fn read(head: &Parts, body: Body) -> Result<(Operation, Bytes), Rejection> {
        read_json(Self::SERVICE, head, body).await
    }

    async fn forward(&self, attempt: Attempt<Bytes>, anomaly: Option<Anomaly>) -> Response<Body> {
        self.answer(
            &attempt.operation.name,
            attempt.payload,
            &attempt.principal,
            anomaly,
        )
        .await
    }
}

impl Backend for Secrets {
    const SERVICE: Service = Service::SecretsManager;

    type Payload = Bytes;

    async fn read(head: &Parts, body: Body) -> Result<(Operation, Bytes), Rejection> {
        read_json(Self::SERVICE, head, body).await
    }

    async fn forward(&self, attempt: Attempt<Bytes>, _anomaly: Option<Anomaly>) -> Response<Body> {
        self.answer(&attempt.operation.name, &attempt.payload)
    }
}

/// S3, whose bodies may be large and are not read here.
impl Backend for Router {
    const SERVICE: Service = Service::S3;

    type Payload = Body;

    /// A CORS preflight carries no credentials.
    fn is_open(head: &Parts) -> bool {
        head.method == Method::OPTIONS
    }

    async fn read(head: &Parts, body: Body) -> Result<(Operation, Body), Rejection> {
        Ok((Operation::of_s3(head), body))
    }

    async fn forward(&self, attempt: Attempt<Body>, anomaly: Option<Anomaly>) -> Response<Body> {
        let mut request = Request::from_parts(attempt.head, attempt.payload);
        if let Some(anomaly) = anomaly {
            request.extensions_mut().insert(anomaly);
        }
        match self.clone().oneshot(request).await {
            Ok(answer) => answer,
            Err(never) => match never {},
        }
    }

    async fn discard(mut payload: Body) {
        let mut left = DISCARDED_BYTES_MAX;
        while let Some(Ok(frame)) = payload.frame().await {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            let Some(rest) = left.checked_sub(bytes) else {
                return;
            };
            left = rest;
        }
    }

    /// S3 says that an object is absent only to those who may list its bucket; to others it denies
    /// access.
    fn disclose(
        answer: Response<Body>,
        operation: &str,
        path: &str,
        principal: &Principal,
    ) -> Response<Body> {
        let method = match operation {
            "GetObject" => Method::GET,
            "HeadObject" => Method::HEAD,
            _ => return answer,
        };
        let listing =
            RequiredPermission::new("s3:ListBucket", arn::bucket(&operation::bucket_of(path)));
        if answer.status() != StatusCode::NOT_FOUND || listing.is_met(&principal.permissions) {
            return answer;
        }
        let (denied, body) = Rejection::denied(Service::S3, &principal.name, &listing)
            .xml(&method)
            .into_parts();
        // The answer keeps its CORS headers: a browser has to see the rejection.
        let (mut head, _) = answer.into_parts();
        head.status = denied.status;
        head.headers.remove(CONTENT_LENGTH);
        head.headers.extend(
            denied
                .headers
                .get(CONTENT_TYPE)
                .map(|kind| (CONTENT_TYPE, kind.clone())),
        );
        Response::from_parts(head, body)
    }
}

/// Reads a whole request to a service that speaks AWS JSON.
async fn read_json(
    service: Service,
    head: &Parts,
    body: Body,
) -> Result<(Operation, Bytes), Rejection> {
    match Limited::new(body, JSON_BODY_BYTES_MAX).collect().await {
        Ok(body) => {
            let body = body.to_bytes();
            Ok((Operation::of_json(service, head, &body), body))
        }
        Err(error) if error.is::<LengthLimitError>() => Err(Rejection::too_large()),
        Err(_) => Err(Rejection::incomplete()),
    }
}
