//! Cross-origin requests, by the bucket's own rules: the first that matches decides.

use std::sync::Arc;

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use template::CorsRule;

use super::Shared;

/// Answers preflights, and adds to other answers what lets a script read them.
pub(super) async fn apply(shared: Arc<Shared>, request: Request, next: Next) -> Response {
    let Some(origin) = text(request.headers(), &header::ORIGIN) else {
        return next.run(request).await;
    };
    let bucket = request
        .uri()
        .path()
        .trim_start_matches('/')
        .split('/')
        .next()
        .unwrap_or_default();
    let rules = shared
        .bucket(bucket)
        .map(|bucket| bucket.cors)
        .unwrap_or_default();
    let preflight = request.method() == Method::OPTIONS;
    let (method, asked) = if preflight {
        let headers = request.headers();
        let asked = text(headers, &header::ACCESS_CONTROL_REQUEST_HEADERS).unwrap_or_default();
        (
            text(headers, &header::ACCESS_CONTROL_REQUEST_METHOD).unwrap_or_default(),
            asked,
        )
    } else {
        (request.method().to_string(), String::new())
    };
    let rule = rules
        .iter()
        .find(|rule| allows(rule, &origin, &method, &asked));

    let mut response = match (preflight, rule) {
        (true, None) => {
            return (
                StatusCode::FORBIDDEN,
                "CORSResponse: This CORS request is not allowed.",
            )
                .into_response();
        }
        (true, Some(_)) => StatusCode::OK.into_response(),
        (false, _) => next.run(request).await,
    };
    if let Some(rule) = rule {
        write(rule, &origin, &asked, response.headers_mut());
    }
    response
}

fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

fn allows(rule: &CorsRule, origin: &str, method: &str, asked: &str) -> bool {
    let headers = asked
        .split(',')
        .map(str::trim)
        .filter(|header| !header.is_empty());
    rule.allowed_origins
        .iter()
        .any(|pattern| matches(pattern, origin))
        && rule.allowed_methods.iter().any(|allowed| allowed == method)
        && headers.into_iter().all(|header| {
            let header = header.to_lowercase();
            rule.allowed_headers
                .iter()
                .any(|pattern| matches(&pattern.to_lowercase(), &header))
        })
}

fn write(rule: &CorsRule, origin: &str, asked: &str, headers: &mut HeaderMap) {
    let any = rule.allowed_origins.iter().any(|allowed| allowed == "*");
    let max_age = rule.max_age_seconds.map(|seconds| seconds.to_string());
    for (name, value) in [
        (
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            if any { "*" } else { origin }.to_owned(),
        ),
        (
            header::ACCESS_CONTROL_ALLOW_METHODS,
            rule.allowed_methods.join(", "),
        ),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, asked.to_owned()),
        (
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            rule.exposed_headers.join(", "),
        ),
        (header::ACCESS_CONTROL_MAX_AGE, max_age.unwrap_or_default()),
        (
            header::VARY,
            "Origin, Access-Control-Request-Headers, Access-Control-Request-Method".to_owned(),
        ),
    ] {
        if let Ok(value) = HeaderValue::try_from(value)
            && !value.is_empty()
        {
            headers.insert(name, value);
        }
    }
}

/// Whether a text is what a pattern with at most one `*` says.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, end)) => {
            text.len() >= start.len() + end.len() && text.starts_with(start) && text.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_allows_what_it_names() {
        let list = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
        let rule = CorsRule {
            allowed_origins: list(&["https://*.example.com"]),
            allowed_methods: list(&["PUT"]),
            allowed_headers: list(&["content-*"]),
            exposed_headers: Vec::new(),
            max_age_seconds: None,
        };
        assert!(allows(
            &rule,
            "https://app.example.com",
            "PUT",
            "Content-Type"
        ));
        assert!(!allows(&rule, "https://example.org", "PUT", ""));
        assert!(!allows(&rule, "https://app.example.com", "GET", ""));
        assert!(!allows(
            &rule,
            "https://app.example.com",
            "PUT",
            "content-type, x-other"
        ));
    }
}
