//! Handler of a delivery.

use std::ops::RangeInclusive;

use axum::{
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use domain::{ErrorKind, ServiceError, SignatureError, SignedDelivery, Timestamp, Variant};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use renditions::{Rendition, VariantRequest};
use tenant::{AccessContext, AuthorizedFile, UrlSignature, VariantInfo};
use web::{ApiError, authenticate_optional};

use crate::{
    Delivery, METHODS, VIEWER_AUTHORIZATION, VIEWER_ORIGIN,
    byte_range::{self, ByteRange},
    delivery_request::DeliveryRequest,
    file_response::{FileResponse, insert},
    negotiation::choose_variant,
    object_url::ViewerOrigin,
    precondition::Precondition,
    preflight,
    redirect::Redirect,
};

/// Route of all requests in log and metrics.
const ROUTE: &str = "/{storage_path}";

pub(crate) async fn deliver(
    State(delivery): State<Delivery>,
    request: Request,
) -> Result<Response, ApiError> {
    telemetry::record_route(ROUTE);
    let method = request.method();
    if method == Method::OPTIONS {
        return Ok(preflight());
    }
    if method != Method::GET && method != Method::HEAD {
        return Ok(method_not_allowed());
    }

    let delivery_request = DeliveryRequest::parse(request.uri())?;
    let headers = request.headers();
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
    let file = access.authorize(&delivery).await?;
    let transformation = delivery_request.transformation?;

    let variant = choose_variant(transformation, &file, headers);
    let variant_id = variant.map(|variant| variant.id());
    let response = FileResponse::of(&file, variant_id, delivery_request.download, now);
    let mut delivered = match response.validators().evaluate(headers) {
        Precondition::NotModified => {
            (StatusCode::NOT_MODIFIED, response.not_modified_headers()).into_response()
        }
        Precondition::Failed => {
            return Err(ServiceError::new(
                ErrorKind::PreconditionFailed,
                "The file does not match the conditions of the request.",
            )
            .into());
        }
        Precondition::Passed => {
            let transfer = Transfer {
                delivery: &delivery,
                file: &file,
                response: &response,
                now,
            };
            match variant {
                Some(variant) => {
                    transfer
                        .respond_with_variant(variant, method, headers)
                        .await?
                }
                None => transfer.respond(method, headers).await?,
            }
        }
    };

    if variant.is_some_and(|variant| variant.is_negotiated()) {
        let accept = HeaderValue::from_static("accept");
        delivered.headers_mut().append(header::VARY, accept);
    }
    Ok(delivered)
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
            tenants.resolve_file(storage_path),
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
        tenants.authorize_file(resolved, context).await
    }
}

/// A response with bytes of a file.
struct Transfer<'a> {
    delivery: &'a Delivery,
    file: &'a AuthorizedFile,
    response: &'a FileResponse<'a>,
    now: Timestamp,
}

impl Transfer<'_> {
    async fn respond(
        &self,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Response, ServiceError> {
        let size = self.file.file().size;
        let max_bytes = self.delivery.max_body_bytes;
        let range = match self.requested_range(method, headers) {
            ByteRange::Full if method == Method::GET && size > max_bytes => {
                return self.redirect(None, headers).await;
            }
            ByteRange::Full => None,
            ByteRange::Partial(range) => Some(byte_range::truncate(&range, max_bytes)),
            ByteRange::Unsatisfiable => return Ok(range_not_satisfiable(size)),
        };

        let status = if range.is_some() {
            StatusCode::PARTIAL_CONTENT
        } else {
            StatusCode::OK
        };
        let response_headers = self.response_headers(range.as_ref());
        if method == Method::HEAD {
            return Ok((status, response_headers).into_response());
        }

        let Delivery {
            tenants, originals, ..
        } = self.delivery;
        let bytes = self.file.bytes(tenants, originals, range).await?;
        Ok((status, response_headers, Body::from_stream(bytes)).into_response())
    }

    /// Responds with a variant. Ranges are ignored, since the bytes are in memory anyway.
    async fn respond_with_variant(
        &self,
        variant: Variant,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Response, ServiceError> {
        let request = VariantRequest {
            file: self.file,
            variant,
        };
        let Rendition { info, bytes } = self.delivery.renditions.get(request).await?;
        let size = bytes.len() as u64;
        if method == Method::GET && size > self.delivery.max_body_bytes {
            return self.redirect(Some(&info), headers).await;
        }

        let mut response_headers = self.response.variant_headers(&info);
        insert(
            &mut response_headers,
            header::CONTENT_LENGTH,
            &size.to_string(),
        );
        if method == Method::HEAD {
            return Ok((StatusCode::OK, response_headers).into_response());
        }
        Ok((StatusCode::OK, response_headers, bytes).into_response())
    }

    /// Redirects to the object with a variant, or with the original for `None`.
    async fn redirect(
        &self,
        variant: Option<&VariantInfo>,
        headers: &HeaderMap,
    ) -> Result<Response, ServiceError> {
        let redirect = Redirect {
            delivery: self.delivery,
            file: self.file,
            response: self.response,
            variant,
            origin: headers.get(&VIEWER_ORIGIN).and_then(ViewerOrigin::parse),
            now: self.now,
        };
        redirect.respond().await
    }

    fn requested_range(&self, method: &Method, headers: &HeaderMap) -> ByteRange {
        let header = headers
            .get(header::RANGE)
            .and_then(|value| value.to_str().ok())
            .filter(|_| method == Method::GET)
            .filter(|_| self.response.validators().range_applies(headers));
        header.map_or(ByteRange::Full, |header| {
            ByteRange::parse(header, self.file.file().size)
        })
    }

    fn response_headers(&self, range: Option<&RangeInclusive<u64>>) -> HeaderMap {
        let size = self.file.file().size;
        let length = range.map_or(size, |range| range.end() - range.start() + 1);

        let mut headers = self.response.headers();
        insert(&mut headers, header::CONTENT_LENGTH, &length.to_string());
        if let Some(range) = range {
            let content_range = format!("bytes {}-{}/{size}", range.start(), range.end());
            insert(&mut headers, header::CONTENT_RANGE, &content_range);
        }
        headers
    }
}

fn method_not_allowed() -> Response {
    let message = format!("This path supports the methods {METHODS}.");
    let error = ServiceError::new(ErrorKind::MethodNotAllowed, message);
    ([(header::ALLOW, METHODS)], ApiError::from(error)).into_response()
}

fn range_not_satisfiable(size: u64) -> Response {
    let message = format!("The range is outside of the file, which has {size} bytes.");
    let error = ServiceError::new(ErrorKind::RangeNotSatisfiable, message);
    let content_range = format!("bytes */{size}");
    (
        [(header::CONTENT_RANGE, content_range)],
        ApiError::from(error),
    )
        .into_response()
}
