//! The cache behavior of the CDN for objects: an S3 origin behind signed URLs.
//!
//! Emulates a distribution with a trusted key group and origin access control (Amazon CloudFront
//! Developer Guide, "Serve private content with signed URLs and signed cookies" and "Restrict
//! access to an Amazon S3 origin"). It caches nothing.
//!
//! Invariants:
//! - No request without a valid signature reaches S3.
//! - A preflight is answered with 204, as by the function of the behavior.
//! - S3 receives the path as key, the query parameters of the cache policy, and the headers of
//!   ranges and conditions, in a request with the permissions of the bucket policy.

use std::time::{Duration, UNIX_EPOCH};

use aws_sdk_s3::{Client as S3Client, presigning::PresigningConfig};
use axum::body::Body;
use domain::{env::Env, errors::error_chain};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri, header,
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use percent_encoding::percent_decode_str;
use sam_template::ObjectBehavior;

use super::{
    error::GatewayError,
    signed_url::{Rejection, SignedUrl},
};

/// Lifetime of a request to S3.
const REQUEST_LIFETIME: Duration = Duration::from_mins(1);
/// Headers that are sent to S3. `If-Range` is not emulated: S3 receives no range then.
const FORWARDED: [HeaderName; 6] = [
    header::RANGE,
    header::IF_MATCH,
    header::IF_NONE_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
    header::ORIGIN,
];
/// Headers of the response to a preflight, as the function of the behavior sets them.
const PREFLIGHT: [(HeaderName, &str); 4] = [
    (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, OPTIONS"),
    (
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "Authorization, Range, *",
    ),
    (header::ACCESS_CONTROL_MAX_AGE, "7200"),
];
/// Prefix of the headers of CORS, which only responses to other origins have.
const CORS_PREFIX: &str = "access-control-";

/// The S3 origin of the CDN.
pub(crate) struct ObjectOrigin {
    behavior: ObjectBehavior,
    s3: S3Client,
    http: Client<HttpConnector, Body>,
    env: Env,
}

/// Response headers in place of the stored ones.
#[derive(Default)]
struct HeaderOverrides {
    cache_control: Option<String>,
    content_disposition: Option<String>,
    content_type: Option<String>,
}

impl ObjectOrigin {
    /// Creates the origin. `s3` has the permissions of the bucket policy.
    pub(crate) fn new(behavior: ObjectBehavior, s3: S3Client, env: Env) -> ObjectOrigin {
        ObjectOrigin {
            behavior,
            s3,
            http: Client::builder(TokioExecutor::new()).build_http(),
            env,
        }
    }

    /// Returns whether the behavior applies to a path.
    pub(super) fn matches(&self, path: &str) -> bool {
        path.starts_with(&self.behavior.path_prefix)
    }

    /// Responds to a request. `origin` is the base URL of the request.
    pub(super) async fn respond(
        &self,
        origin: &str,
        request: Request<Body>,
    ) -> Result<Response<Body>, GatewayError> {
        let (request, _) = request.into_parts();
        if request.method == Method::OPTIONS {
            return Ok(preflight());
        }
        let uri = &request.uri;
        let base = format!("{origin}{}", uri.path());
        let url = SignedUrl::parse(base, uri.query().unwrap_or_default());
        if let Err(rejection) = url.verify(&self.behavior.public_keys, self.env.now()) {
            return Ok(rejected(rejection));
        }

        let target = self.target(&request.method, uri.path(), &url).await?;
        let mut forwarded = Request::new(Body::empty());
        *forwarded.method_mut() = request.method.clone();
        *forwarded.uri_mut() = target;
        *forwarded.headers_mut() = forwarded_headers(&request.headers);
        let response = self.http.request(forwarded).await;

        let response = response.map_err(|error| failed(&error_chain(&error)))?;
        let is_cross_origin = request.headers.contains_key(header::ORIGIN);
        Ok(self.finish(response.map(Body::new), is_cross_origin))
    }

    /// Returns the URL of the request to S3.
    async fn target(
        &self,
        method: &Method,
        path: &str,
        url: &SignedUrl<'_>,
    ) -> Result<Uri, GatewayError> {
        let key = percent_decode_str(path.trim_start_matches('/')).decode_utf8_lossy();
        let bucket = &self.behavior.bucket;
        let presigning = self.presigning()?;
        let overrides = self.overrides(url);

        let presigned = match *method {
            Method::GET => {
                let get = self.s3.get_object().bucket(bucket).key(key);
                get.set_response_cache_control(overrides.cache_control)
                    .set_response_content_disposition(overrides.content_disposition)
                    .set_response_content_type(overrides.content_type)
                    .presigned(presigning)
                    .await
                    .map_err(|error| failed(&error_chain(&error)))?
            }
            Method::HEAD => {
                let head = self.s3.head_object().bucket(bucket).key(key);
                head.set_response_cache_control(overrides.cache_control)
                    .set_response_content_disposition(overrides.content_disposition)
                    .set_response_content_type(overrides.content_type)
                    .presigned(presigning)
                    .await
                    .map_err(|error| failed(&error_chain(&error)))?
            }
            _ => {
                return Err(GatewayError::new(
                    StatusCode::FORBIDDEN,
                    "This distribution is not configured to allow the HTTP request method.",
                ));
            }
        };
        uri(presigned.uri())
    }

    fn presigning(&self) -> Result<PresigningConfig, GatewayError> {
        let since_1970 = Duration::from_millis(self.env.now().ms().unsigned_abs());
        PresigningConfig::builder()
            .start_time(UNIX_EPOCH + since_1970)
            .expires_in(REQUEST_LIFETIME)
            .build()
            .map_err(|error| failed(&error_chain(&error)))
    }

    /// Returns the parameters of the URL that the cache policy lists.
    fn overrides(&self, url: &SignedUrl<'_>) -> HeaderOverrides {
        let mut overrides = HeaderOverrides::default();
        for (name, value) in url
            .own_query()
            .iter()
            .filter_map(|pair| pair.split_once('='))
        {
            if !self
                .behavior
                .query_parameters
                .iter()
                .any(|listed| listed == name)
            {
                continue;
            }

            let value = Some(percent_decode_str(value).decode_utf8_lossy().into_owned());
            match name {
                "response-cache-control" => overrides.cache_control = value,
                "response-content-disposition" => overrides.content_disposition = value,
                "response-content-type" => overrides.content_type = value,
                _ => {}
            }
        }

        overrides
    }

    /// Applies the response headers policy.
    fn finish(&self, mut response: Response<Body>, is_cross_origin: bool) -> Response<Body> {
        let headers = response.headers_mut();
        headers.remove(header::CONNECTION);
        headers.remove(header::TRANSFER_ENCODING);

        for added in &self.behavior.response_headers {
            let applies = is_cross_origin || !added.name.starts_with(CORS_PREFIX);
            if let Ok(value) = HeaderValue::from_str(&added.value)
                && applies
            {
                headers.insert(added.name, value);
            }
        }
        response
    }
}

fn forwarded_headers(headers: &HeaderMap) -> HeaderMap {
    let has_if_range = headers.contains_key(header::IF_RANGE);
    FORWARDED
        .into_iter()
        .filter(|name| !(has_if_range && name == header::RANGE))
        .filter_map(|name| Some((name.clone(), headers.get(&name)?.clone())))
        .collect()
}

fn uri(text: &str) -> Result<Uri, GatewayError> {
    text.parse()
        .map_err(|_| GatewayError::new(StatusCode::BAD_REQUEST, "The URL is not valid."))
}

fn failed(reason: &str) -> GatewayError {
    tracing::error!(reason, "the request to S3 failed");
    GatewayError::new(StatusCode::BAD_GATEWAY, "Bad Gateway")
}

fn preflight() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    for (name, value) in PREFLIGHT {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns the response to a URL without a valid signature.
fn rejected(rejection: Rejection) -> Response<Body> {
    let body = match rejection {
        Rejection::MissingKey => {
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>MissingKey</Code>\
             <Message>Missing Key-Pair-Id query parameter or cookie value</Message></Error>"
        }
        Rejection::AccessDenied => {
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>AccessDenied</Code>\
             <Message>Access denied</Message></Error>"
        }
    };

    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::FORBIDDEN;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/xml"));
    response
}
