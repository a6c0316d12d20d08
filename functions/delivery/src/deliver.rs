//! Handler of a delivery.

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use domain::{
    env::Timestamp,
    errors::{ErrorKind, ServiceError},
    signing::{SignatureError, SignedDelivery},
};
use http::{HeaderValue, Method, header, request::Parts};
use http_api::{caller::authenticate_optional, response::ApiError};
use space_store::delivery::{AccessContext, AuthorizedFile, GoneBytes, UrlSignature};

use crate::{
    Delivery, METHODS, VIEWER_AUTHORIZATION, delivery_request::DeliveryRequest,
    file_response::FileResponse, negotiation::choose_rendition, preflight, transfer::Transfer,
};

/// Route of all requests in log and metrics.
const ROUTE: &str = "/{storage_path}";

pub(crate) async fn deliver(
    State(delivery): State<Delivery>,
    request: Request,
) -> Result<Response, ApiError> {
    telemetry::record_route(ROUTE);
    let (request, _) = request.into_parts();
    let method = &request.method;
    if method == Method::OPTIONS {
        return Ok(preflight());
    }
    if method != Method::GET && method != Method::HEAD {
        return Ok(method_not_allowed());
    }

    // The bytes of a record remain for longer than a request takes, so one repetition finds those
    // of the current one.
    let mut response = respond(&delivery, &request).await?;
    if response.is_none() {
        response = respond(&delivery, &request).await?;
    }
    Ok(response.ok_or_else(|| ServiceError::from(GoneBytes::Replaced))?)
}

/// Responds with what the records refer to at one moment. Returns `None` if the bytes were replaced
/// since.
async fn respond(delivery: &Delivery, request: &Parts) -> Result<Option<Response>, ServiceError> {
    let delivery_request = DeliveryRequest::parse(&request.uri)?;
    let headers = &request.headers;
    let now = delivery.env.now();
    let access = AccessRequest {
        storage_path: &delivery_request.storage_path,
        signature: delivery_request.signature,
        is_transformed: !matches!(delivery_request.transformation, Ok(None)),
        authorization: headers
            .get(&VIEWER_AUTHORIZATION)
            .or_else(|| headers.get(header::AUTHORIZATION)),
        now,
    };
    let file = access.authorize(delivery).await?;
    let transformation = delivery_request.transformation?;

    let rendition = choose_rendition(transformation, &file, headers);
    let rendition_id = rendition.map(|rendition| rendition.id());
    let response = FileResponse::of(&file, rendition_id, delivery_request.download, now);
    let transfer = Transfer {
        delivery,
        file: &file,
        response: &response,
        method: &request.method,
        headers,
        now,
    };
    let Some(rendition) = rendition else {
        return transfer.respond().await;
    };
    let mut delivered = transfer.respond_with_rendition(rendition).await?;

    if rendition.is_negotiated() {
        let accept = HeaderValue::from_static("accept");
        delivered.headers_mut().append(header::VARY, accept);
    }
    Ok(Some(delivered))
}

/// A file, and the credentials of a request for it.
struct AccessRequest<'a> {
    storage_path: &'a str,
    signature: Option<Result<SignedDelivery, SignatureError>>,
    is_transformed: bool,
    authorization: Option<&'a HeaderValue>,
    now: Timestamp,
}

impl AccessRequest<'_> {
    /// Finds the file, and authorizes access to it.
    async fn authorize(self, delivery: &Delivery) -> Result<AuthorizedFile, ServiceError> {
        let AccessRequest {
            storage_path,
            signature,
            is_transformed,
            authorization,
            now,
        } = self;
        let tenants = &delivery.tenants;
        let signature = async {
            Ok(match signature {
                Some(Ok(signed)) => Some(Ok(UrlSignature {
                    delivery: signed,
                    master: delivery.master.get().await?,
                })),
                Some(Err(error)) => Some(Err(error)),
                None => None,
            })
        };

        let (resolved, caller, signature) = tokio::try_join!(
            tenants.delivery().resolve(storage_path),
            authenticate_optional(authorization, tenants),
            signature
        )?;
        let context = AccessContext {
            caller: caller.as_ref(),
            signature,
            is_transformed,
            now,
        };
        let resolved = resolved.ok_or_else(ServiceError::not_found)?;
        tenants.delivery().authorize(resolved, context).await
    }
}

fn method_not_allowed() -> Response {
    let message = format!("This path supports the methods {METHODS}.");
    let error = ServiceError::new(ErrorKind::MethodNotAllowed, message);
    ([(header::ALLOW, METHODS)], ApiError::from(error)).into_response()
}
