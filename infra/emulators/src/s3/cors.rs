//! CORS by the rules of the bucket. The first matching rule applies.

use std::sync::Arc;

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use sam_template::CorsRule;

use super::store::ObjectStore;

/// A cross-origin request, or the request that a preflight asks about.
struct CrossOriginRequest {
    is_preflight: bool,
    origin: String,
    method: String,
    /// Comma-separated names of the request headers.
    headers: String,
}

impl CrossOriginRequest {
    /// Returns `None` for a request without `Origin`.
    fn parse(request: &Request) -> Option<CrossOriginRequest> {
        let headers = request.headers();
        let origin = text(headers, &header::ORIGIN)?;
        let is_preflight = request.method() == Method::OPTIONS;

        let method = if is_preflight {
            text(headers, &header::ACCESS_CONTROL_REQUEST_METHOD)
        } else {
            Some(request.method().to_string())
        };
        let requested_headers = text(headers, &header::ACCESS_CONTROL_REQUEST_HEADERS);
        Some(CrossOriginRequest {
            is_preflight,
            origin,
            method: method.unwrap_or_default(),
            headers: requested_headers
                .filter(|_| is_preflight)
                .unwrap_or_default(),
        })
    }

    fn is_allowed_by(&self, rule: &CorsRule) -> bool {
        let allows_header = |name: &str| {
            let name = name.to_lowercase();
            rule.allowed_headers
                .iter()
                .any(|pattern| matches(&pattern.to_lowercase(), &name))
        };

        let is_origin_allowed = rule
            .allowed_origins
            .iter()
            .any(|pattern| matches(pattern, &self.origin));
        let is_method_allowed = rule.allowed_methods.contains(&self.method);
        let are_headers_allowed = self
            .headers
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .all(allows_header);

        is_origin_allowed && is_method_allowed && are_headers_allowed
    }
}

/// Responds to preflights, and adds CORS headers to other responses.
pub(super) async fn apply(store: Arc<ObjectStore>, request: Request, next: Next) -> Response {
    let Some(cross_origin) = CrossOriginRequest::parse(&request) else {
        return next.run(request).await;
    };
    let path = request.uri().path().trim_start_matches('/');
    let bucket_name = path.split('/').next().unwrap_or_default();
    let rule = store
        .bucket(bucket_name)
        .map(|bucket| bucket.cors)
        .unwrap_or_default()
        .into_iter()
        .find(|rule| cross_origin.is_allowed_by(rule));

    let mut response = if !cross_origin.is_preflight {
        next.run(request).await
    } else if rule.is_some() {
        StatusCode::OK.into_response()
    } else {
        let message = "CORSResponse: This CORS request is not allowed.";
        return (StatusCode::FORBIDDEN, message).into_response();
    };

    if let Some(rule) = rule {
        write_headers(&rule, &cross_origin, response.headers_mut());
    }

    response
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn write_headers(rule: &CorsRule, request: &CrossOriginRequest, headers: &mut HeaderMap) {
    let allows_any_origin = rule.allowed_origins.iter().any(|allowed| allowed == "*");
    let allowed_origin = if allows_any_origin {
        "*"
    } else {
        &request.origin
    };

    let max_age = rule.max_age_seconds.map(|seconds| seconds.to_string());
    let vary = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method";

    for (name, value) in [
        (
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            allowed_origin.to_owned(),
        ),
        (
            header::ACCESS_CONTROL_ALLOW_METHODS,
            rule.allowed_methods.join(", "),
        ),
        (
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            request.headers.clone(),
        ),
        (
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            rule.exposed_headers.join(", "),
        ),
        (header::ACCESS_CONTROL_MAX_AGE, max_age.unwrap_or_default()),
        (header::VARY, vary.to_owned()),
    ] {
        if let Ok(value) = HeaderValue::try_from(value)
            && !value.is_empty()
        {
            headers.insert(name, value);
        }
    }
}

/// Returns whether a string matches a pattern with at most one `*`.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((prefix, suffix)) => {
            text.len() >= prefix.len() + suffix.len()
                && text.starts_with(prefix)
                && text.ends_with(suffix)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_allows_matching_origin_method_and_headers() {
        let rule = CorsRule {
            allowed_origins: vec!["https://*.example.com".to_owned()],
            allowed_methods: vec!["PUT".to_owned()],
            allowed_headers: vec!["content-*".to_owned()],
            exposed_headers: Vec::new(),
            max_age_seconds: None,
        };

        for (host, method, headers, expected) in [
            ("app.example.com", "PUT", "Content-Type", true),
            ("example.org", "PUT", "", false),
            ("app.example.com", "GET", "", false),
            ("app.example.com", "PUT", "content-type, x-other", false),
        ] {
            let request = CrossOriginRequest {
                is_preflight: true,
                origin: format!("https://{host}"),
                method: method.to_owned(),
                headers: headers.to_owned(),
            };
            let is_allowed = request.is_allowed_by(&rule);
            assert_eq!(is_allowed, expected, "{host} {method} {headers}");
        }
    }
}
