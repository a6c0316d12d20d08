//! Responses to requests without an endpoint: preflights, 405 with `Allow`, and 404.

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse, Response},
};
use domain::errors::{ErrorKind, ServiceError};
use http::{HeaderValue, Method, StatusCode, header};

use crate::{caller::with_layers, response::ApiError};

/// Seconds for which a browser may cache the response to a preflight.
const PREFLIGHT_SECONDS: u32 = 7_200;
/// Methods that a preflight of an unknown path allows, so that the browser sends the request and
/// gets the 404.
const ALL_METHODS: &str = "GET, HEAD, POST, PUT, DELETE, OPTIONS";

/// Method and path of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoutePattern {
    pub(crate) method: String,
    /// Full path, parameters in braces.
    pub(crate) path: String,
}

/// All routes of a function.
pub(crate) type RoutePatterns = Arc<[RoutePattern]>;

impl RoutePattern {
    fn parameters(&self) -> usize {
        self.path.matches('{').count()
    }

    /// Whether a percent-encoded path matches the route.
    fn matches(&self, path: &str) -> bool {
        let mut pattern = self.path.split('/');
        let mut segments = path.split('/');
        loop {
            match (pattern.next(), segments.next()) {
                (None, None) => return true,
                (Some(part), Some(segment))
                    if part == segment || (part.starts_with('{') && !segment.is_empty()) => {}
                _ => return false,
            }
        }
    }
}

/// Returns a router with the routes of `own` that responds to other requests outside of `routes`:
/// one method and path per line.
pub fn not_found_router(own: Router, routes: &str) -> Router {
    let parse = |line: &str| {
        let (method, path) = line.split_once(' ')?;
        Some(RoutePattern {
            method: method.to_owned(),
            path: path.to_owned(),
        })
    };
    let routes: RoutePatterns = routes.lines().filter_map(parse).collect();
    let fallback = move |request| fallback(request, routes);
    with_layers(
        own.method_not_allowed_fallback(fallback.clone())
            .fallback(fallback),
    )
}

/// Responds to a request without an endpoint: 204 to a preflight of any path, else 405 with `Allow`
/// or 404.
pub(crate) async fn fallback(request: Request, routes: RoutePatterns) -> Response {
    let is_preflight = request.method() == Method::OPTIONS;
    let Some(allowed) = allowed_methods(&routes, request.uri().path()) else {
        return if is_preflight {
            preflight(ALL_METHODS)
        } else {
            ApiError::from(ServiceError::not_found()).into_response()
        };
    };

    let mut response = if is_preflight {
        preflight(&allowed)
    } else {
        let message = format!("This path supports the methods {allowed}.");
        ApiError::from(ServiceError::new(ErrorKind::MethodNotAllowed, message)).into_response()
    };
    insert(&mut response, header::ALLOW, &allowed);
    response
}

/// Returns the value of `Allow` for a path; `None` if no route matches it.
fn allowed_methods(routes: &[RoutePattern], path: &str) -> Option<String> {
    let matching: Vec<&RoutePattern> = routes.iter().filter(|route| route.matches(path)).collect();

    // Like in the routers, literal segments take precedence over parameters.
    let fewest = matching.iter().map(|route| route.parameters()).min()?;
    let methods: Vec<&str> = matching
        .iter()
        .filter(|route| route.parameters() == fewest)
        .map(|route| route.method.as_str())
        .chain(["OPTIONS"])
        .collect();
    Some(methods.join(", "))
}

fn preflight(allowed: &str) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    insert(&mut response, header::ACCESS_CONTROL_ALLOW_METHODS, allowed);
    // The wildcard does not include Authorization.
    insert(
        &mut response,
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "Authorization, *",
    );
    insert(
        &mut response,
        header::ACCESS_CONTROL_MAX_AGE,
        &PREFLIGHT_SECONDS.to_string(),
    );
    response
}

fn insert(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_parameter_matches_one_nonempty_segment() {
        let route = RoutePattern {
            method: "GET".to_owned(),
            path: "/api/v1/spaces/{id}".to_owned(),
        };
        assert!(route.matches("/api/v1/spaces/x"));
        for other in [
            "/api/v1/spaces/",
            "/api/v1/spaces",
            "/api/v1/spaces/x/y",
            "/api/v2/spaces/x",
            "",
        ] {
            assert!(!route.matches(other), "{other}");
        }
    }
}
