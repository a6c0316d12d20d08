//! One delivery: who asks, may they, what do they have already, and which bytes.

use axum::{
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use domain::{ErrorKind, ServiceError, Timestamp};
use http::{HeaderMap, Method, StatusCode, header};
use tenant::{AccessContext, AuthorizedFile};
use web::{ApiError, authenticate_optional};

use crate::{
    Delivery, METHODS, MOVED_AUTHORIZATION,
    address::Address,
    answer::{Original, insert},
    conditions::{self, Verdict},
    preflight,
    range::{self, Wanted},
    redirect::redirect,
};

/// The one route, as the log names it.
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
        let error = ServiceError::new(
            ErrorKind::MethodNotAllowed,
            format!("This path takes the methods {METHODS}."),
        );
        return Ok(([(header::ALLOW, METHODS)], ApiError::from(error)).into_response());
    }
    let Address {
        storage_path,
        download,
        rendering,
        proof: presented,
    } = Address::read(request.uri())?;
    let headers = request.headers();
    let authorization = headers
        .get(&MOVED_AUTHORIZATION)
        .or_else(|| headers.get(header::AUTHORIZATION));
    let tenants = &delivery.tenants;
    let now = delivery.env.now();
    let proof = async {
        Ok(match presented {
            Some(Ok(proof)) => Some(Ok((proof, delivery.master.get().await?))),
            Some(Err(incomplete)) => Some(Err(incomplete)),
            None => None,
        })
    };

    let (located, caller, proof) = tokio::try_join!(
        tenants.resolve_file(&storage_path),
        authenticate_optional(authorization, tenants),
        proof
    )?;
    let visitor = AccessContext {
        caller: caller.as_ref(),
        proof,
        now,
    };
    let found = tenants
        .authorize_file(located.ok_or_else(ServiceError::not_found)?, visitor)
        .await?;
    rendering?;

    let original = Original::of(&found, download, now);
    match conditions::judge(headers, &original.etag(), original.last_modified()) {
        Verdict::NotModified => {
            Ok((StatusCode::NOT_MODIFIED, original.validators()).into_response())
        }
        Verdict::Failed => Err(ServiceError::new(
            ErrorKind::PreconditionFailed,
            "The file is not the one that the request takes it for.",
        )
        .into()),
        Verdict::Answer => Ok(body(&delivery, &found, &original, method, headers, now).await?),
    }
}

async fn body(
    delivery: &Delivery,
    found: &AuthorizedFile,
    original: &Original<'_>,
    method: &Method,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<Response, ServiceError> {
    let size = found.file().size;
    let range = headers
        .get(header::RANGE)
        .and_then(|value| value.to_str().ok())
        .filter(|_| {
            method == Method::GET
                && conditions::range_is_meant(headers, &original.etag(), original.last_modified())
        });
    let part = match range.map_or(Wanted::All, |header| range::wanted(header, size)) {
        Wanted::All if method == Method::GET && size > delivery.redirect_above => {
            return redirect(delivery, found, original, now).await;
        }
        Wanted::All => None,
        Wanted::Part(first, last) => Some(range::first_bytes(first, last, delivery.redirect_above)),
        Wanted::Nothing => return Ok(not_in_the_file(size)),
    };

    let length = part.map_or(size, |(first, last)| last - first + 1);
    let mut answer = original.headers();
    insert(&mut answer, header::CONTENT_LENGTH, &length.to_string());
    if let Some((first, last)) = part {
        insert(
            &mut answer,
            header::CONTENT_RANGE,
            &format!("bytes {first}-{last}/{size}"),
        );
    }

    let status = if part.is_some() {
        StatusCode::PARTIAL_CONTENT
    } else {
        StatusCode::OK
    };
    if method == Method::HEAD {
        return Ok((status, answer).into_response());
    }
    let bytes = found
        .bytes(&delivery.tenants, &delivery.originals, part)
        .await?;
    Ok((status, answer, Body::from_stream(bytes)).into_response())
}

fn not_in_the_file(size: u64) -> Response {
    let message = format!("The file has {size} bytes; the range holds none of them.");
    let error = ServiceError::new(ErrorKind::RangeNotSatisfiable, message);
    (
        [(header::CONTENT_RANGE, format!("bytes */{size}"))],
        ApiError::from(error),
    )
        .into_response()
}
