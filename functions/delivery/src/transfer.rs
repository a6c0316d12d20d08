//! Responses with the bytes of a file or of a rendition: whole, a range, or a redirect.
//!
//! Invariants:
//! - A body has at most `max_body_bytes`. Instead of a larger one, a redirect is sent. A range
//!   is truncated and never redirected.
//! - No bytes are read for `HEAD`, for redirects, and outside a range.
//! - `HEAD` renders nothing.

use std::{convert::Infallible, ops::RangeInclusive};

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse, Response},
};
use domain::{
    env::Timestamp,
    errors::{ErrorKind, ServiceError},
    renditions::Rendition,
};
use futures::stream;
use http::{HeaderMap, Method, StatusCode, header};
use http_api::response::{ApiError, Precondition};
use renditions::{ReadyRendition, RenditionRequest};
use space_store::delivery::{AuthorizedFile, GoneBytes};

use crate::{
    Delivery, VIEWER_ORIGIN,
    byte_range::{self, ByteRange},
    file_response::{FileResponse, insert},
    object_url::ViewerOrigin,
    redirect::{Redirect, RedirectedRendition},
};

/// A request for a file.
pub(crate) struct Transfer<'a> {
    pub(crate) delivery: &'a Delivery,
    pub(crate) file: &'a AuthorizedFile,
    pub(crate) response: &'a FileResponse<'a>,
    pub(crate) method: &'a Method,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) now: Timestamp,
}

/// The part of a representation to respond with.
enum Part {
    Whole,
    /// A range of the bytes.
    Range(RangeInclusive<u64>),
    /// A redirect to all bytes.
    Redirect,
    /// None: the range is outside.
    OutOfRange,
}

impl Transfer<'_> {
    /// Responds with the original. Returns `None` if its bytes were replaced after the record was
    /// read.
    pub(crate) async fn respond(&self) -> Result<Option<Response>, ServiceError> {
        let precondition = self.response.validators().evaluate(self.headers);
        if let Some(response) = self.conditional_response(precondition)? {
            return Ok(Some(response));
        }
        let size = self.file.file().size;
        let range = match self.part(size) {
            Part::Redirect => return self.redirect(None).await.map(Some),
            Part::OutOfRange => return Ok(Some(range_not_satisfiable(size))),
            Part::Whole => None,
            Part::Range(range) => Some(range),
        };

        let head = Head::new(self.response.headers(), size, range.as_ref());
        if self.method == Method::HEAD {
            return Ok(Some(head.with(Body::empty())));
        }
        let Delivery {
            tenants, originals, ..
        } = self.delivery;
        let objects = self.file.objects(originals);
        match objects.original(tenants, range).await? {
            Ok(bytes) => Ok(Some(head.with(Body::from_stream(bytes)))),
            Err(GoneBytes::Replaced) => Ok(None),
            Err(gone) => Err(gone.into()),
        }
    }

    /// Responds with a rendition.
    ///
    /// Conditions apply only if the response without them would be a 2xx (RFC 9110, section
    /// 13.2.1): if the rendition exists, or can be created. A client that names its entity tag
    /// received it before.
    pub(crate) async fn respond_with_rendition(
        &self,
        rendition: Rendition,
    ) -> Result<Response, ServiceError> {
        let validators = self.response.validators();
        let precondition = validators.evaluate(self.headers);
        if precondition == Precondition::NotModified && validators.are_named(self.headers) {
            return Ok(self.not_modified());
        }
        let request = RenditionRequest {
            file: self.file,
            rendition,
            limits: self.delivery.anonymous_limits,
        };
        let Some(ready) = self.ready(request).await? else {
            return self.respond_without_rendering(rendition, precondition);
        };
        if let Some(response) = self.conditional_response(precondition)? {
            return Ok(response);
        }
        let size = ready.size_bytes();
        let range = match self.part(size) {
            Part::Redirect => return self.redirect_to_rendition(&ready).await,
            Part::OutOfRange => return Ok(range_not_satisfiable(size)),
            Part::Whole => None,
            Part::Range(range) => Some(range),
        };

        let headers = self.response.rendition_headers(ready.info());
        let head = Head::new(headers, size, range.as_ref());
        if self.method == Method::HEAD {
            return Ok(head.with(Body::empty()));
        }
        let body = self.rendition_body(ready, range).await?;
        Ok(head.with(body))
    }

    /// Returns a rendition; `None` for a `HEAD` of one that is not stored.
    async fn ready(
        &self,
        request: RenditionRequest<'_>,
    ) -> Result<Option<ReadyRendition>, ServiceError> {
        let renditions = &self.delivery.renditions;
        if self.method == Method::HEAD {
            let stored = renditions.find(request).await?;
            return Ok(stored.map(ReadyRendition::Stored));
        }
        renditions.get(request).await.map(Some)
    }

    /// Responds to a `HEAD` of a rendition that is not stored, with the headers that are known. A
    /// server may omit those whose value is determined only while generating the content (RFC 9110,
    /// section 9.3.2).
    fn respond_without_rendering(
        &self,
        rendition: Rendition,
        precondition: Precondition,
    ) -> Result<Response, ServiceError> {
        let expected = renditions::expected(&rendition, self.file.file())?;
        if let Some(response) = self.conditional_response(precondition)? {
            return Ok(response);
        }
        let headers = self.response.expected_headers(&expected);
        // Axum would state the length of an empty body.
        let body = Body::from_stream(stream::empty::<Result<Bytes, Infallible>>());
        Ok((StatusCode::OK, headers, body).into_response())
    }

    /// Returns the response that the conditions require, if they do not pass. Fails with 412.
    fn conditional_response(
        &self,
        precondition: Precondition,
    ) -> Result<Option<Response>, ServiceError> {
        match precondition {
            Precondition::Passed => Ok(None),
            Precondition::NotModified => Ok(Some(self.not_modified())),
            Precondition::Failed => Err(ServiceError::new(
                ErrorKind::PreconditionFailed,
                "The file does not match the conditions of the request.",
            )),
        }
    }

    fn not_modified(&self) -> Response {
        let headers = self.response.not_modified_headers();
        (StatusCode::NOT_MODIFIED, headers).into_response()
    }

    /// Returns the bytes of a rendition, or a range of them.
    async fn rendition_body(
        &self,
        ready: ReadyRendition,
        range: Option<RangeInclusive<u64>>,
    ) -> Result<Body, ServiceError> {
        match (ready, range) {
            (ReadyRendition::Stored(found), None) => {
                Ok(Body::from_stream(found.stored.into_bytes()))
            }
            (ReadyRendition::Stored(found), Some(range)) => {
                let bucket = &self.delivery.originals;
                let location = &found.location;
                let bytes = self
                    .file
                    .objects(bucket)
                    .rendition_range(location, range)
                    .await?;
                Ok(Body::from_stream(bytes))
            }
            (ReadyRendition::Rendered { rendition, .. }, None) => Ok(Body::from(rendition.bytes)),
            (ReadyRendition::Rendered { rendition, .. }, Some(range)) => {
                let bytes = rendition.bytes.get(positions(&range)?).unwrap_or_default();
                Ok(Body::from(rendition.bytes.slice_ref(bytes)))
            }
        }
    }

    /// Redirects to the object with a rendition. Fails with 403 if it is not stored.
    async fn redirect_to_rendition(
        &self,
        ready: &ReadyRendition,
    ) -> Result<Response, ServiceError> {
        let location = ready.location().ok_or_else(|| {
            ServiceError::forbidden(
                "This image is too large for a response, and this file has as many stored images without a signed URL or key as it may have. Request a smaller image, or use a signed URL or a key.",
            )
        })?;
        let rendition = RedirectedRendition {
            location,
            info: ready.info(),
        };
        self.redirect(Some(rendition)).await
    }

    /// Redirects to the object with a rendition, or with the original for `None`.
    async fn redirect(
        &self,
        rendition: Option<RedirectedRendition<'_>>,
    ) -> Result<Response, ServiceError> {
        let origin = self.headers.get(&VIEWER_ORIGIN);
        let redirect = Redirect {
            delivery: self.delivery,
            file: self.file,
            response: self.response,
            rendition,
            origin: origin.and_then(ViewerOrigin::parse),
            now: self.now,
        };
        redirect.respond().await
    }

    /// Returns the part of a representation of `size` bytes to respond with.
    fn part(&self, size: u64) -> Part {
        let max_bytes = self.delivery.max_body_bytes;
        match self.requested_range(size) {
            ByteRange::Full if self.method == Method::GET && size > max_bytes => Part::Redirect,
            ByteRange::Full => Part::Whole,
            ByteRange::Partial(range) => Part::Range(byte_range::truncate(&range, max_bytes)),
            ByteRange::Unsatisfiable => Part::OutOfRange,
        }
    }

    fn requested_range(&self, size: u64) -> ByteRange {
        let header = self
            .headers
            .get(header::RANGE)
            .and_then(|value| value.to_str().ok())
            .filter(|_| self.method == Method::GET)
            .filter(|_| self.response.validators().range_applies(self.headers));
        header.map_or(ByteRange::Full, |header| ByteRange::parse(header, size))
    }
}

/// Status and headers of a 200 or 206.
struct Head {
    status: StatusCode,
    headers: HeaderMap,
}

impl Head {
    /// Adds the length and the range to the headers of a representation of `size` bytes.
    fn new(mut headers: HeaderMap, size: u64, range: Option<&RangeInclusive<u64>>) -> Head {
        let length = range.map_or(size, |range| range.end() - range.start() + 1);
        insert(&mut headers, header::CONTENT_LENGTH, &length.to_string());
        let Some(range) = range else {
            return Head {
                status: StatusCode::OK,
                headers,
            };
        };

        let content_range = format!("bytes {}-{}/{size}", range.start(), range.end());
        insert(&mut headers, header::CONTENT_RANGE, &content_range);
        Head {
            status: StatusCode::PARTIAL_CONTENT,
            headers,
        }
    }

    fn with(self, body: Body) -> Response {
        (self.status, self.headers, body).into_response()
    }
}

/// Returns a range as positions in memory.
fn positions(range: &RangeInclusive<u64>) -> Result<RangeInclusive<usize>, ServiceError> {
    let position = |position: &u64| usize::try_from(*position).map_err(ServiceError::internal);
    Ok(position(range.start())?..=position(range.end())?)
}

fn range_not_satisfiable(size: u64) -> Response {
    let message = format!("The range is outside of the file, which has {size} bytes.");
    let error = ServiceError::new(ErrorKind::RangeNotSatisfiable, message);
    let content_range = format!("bytes */{size}");
    let headers = [(header::CONTENT_RANGE, content_range)];
    (headers, ApiError::from(error)).into_response()
}
