//! Declaration of endpoints, and the routers built from them.
//!
//! An endpoint is declared once, next to its handler: method, path, summary and specific errors in
//! an [`Endpoint`]; caller, role, request, response and status in the types of the handler. A
//! function lists its endpoints in one function that is generic over [`Register`]:
//! [`RouterBuilder`] mounts the handlers, and [`Describer`](crate::describe::Describer) describes
//! them for the OpenAPI document. Binaries of functions do not link the description.

use axum::{
    Router,
    handler::Handler,
    routing::{MethodFilter, on},
};

use crate::{
    caller::with_layers,
    describe::{
        Documented,
        fallback::{RoutePattern, RoutePatterns, fallback},
    },
};

/// Path prefix of all endpoints.
pub const API_PREFIX: &str = "/api/v1";

/// Declaration of one endpoint.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// Operation id in camel case, unique in the API.
    pub id: &'static str,
    pub method: &'static str,
    /// Path below [`API_PREFIX`], parameters in braces.
    pub path: &'static str,
    /// Summary in a few words.
    pub summary: &'static str,
    /// What a caller has to know beside the summary, in Markdown.
    pub description: &'static str,
    /// Errors that the types of the handler do not describe: status code and description.
    pub errors: &'static [(u16, &'static str)],
}

impl Endpoint {
    /// Declares a `GET` endpoint, which also handles `HEAD`.
    pub const fn get(id: &'static str, path: &'static str, summary: &'static str) -> Endpoint {
        Endpoint::new("GET", id, path, summary)
    }

    /// Declares a `POST` endpoint.
    pub const fn post(id: &'static str, path: &'static str, summary: &'static str) -> Endpoint {
        Endpoint::new("POST", id, path, summary)
    }

    /// Declares a `PUT` endpoint.
    pub const fn put(id: &'static str, path: &'static str, summary: &'static str) -> Endpoint {
        Endpoint::new("PUT", id, path, summary)
    }

    /// Declares a `DELETE` endpoint.
    pub const fn delete(id: &'static str, path: &'static str, summary: &'static str) -> Endpoint {
        Endpoint::new("DELETE", id, path, summary)
    }

    const fn new(
        method: &'static str,
        id: &'static str,
        path: &'static str,
        summary: &'static str,
    ) -> Endpoint {
        Endpoint {
            id,
            method,
            path,
            summary,
            description: "",
            errors: &[],
        }
    }

    /// Adds what a caller has to know beside the summary, in Markdown.
    #[must_use]
    pub const fn description(self, description: &'static str) -> Endpoint {
        Endpoint {
            description,
            ..self
        }
    }

    /// Adds errors that the types of the handler do not describe.
    #[must_use]
    pub const fn errors(self, errors: &'static [(u16, &'static str)]) -> Endpoint {
        Endpoint { errors, ..self }
    }

    /// Returns the path with [`API_PREFIX`], parameters in braces.
    pub fn full_path(&self) -> String {
        format!("{API_PREFIX}{}", self.path)
    }

    /// Returns the methods that are routed to the endpoint.
    pub fn methods(&self) -> &'static [&'static str] {
        match self.method {
            "GET" => &["GET", "HEAD"],
            "POST" => &["POST"],
            "PUT" => &["PUT"],
            "DELETE" => &["DELETE"],
            _ => &[],
        }
    }
}

/// Collects the endpoints of a function whose handlers need the state `S`.
pub trait Register<S>: Sized {
    /// Adds an endpoint and its handler.
    #[must_use]
    fn on<H, Extractors, Arguments>(self, endpoint: Endpoint, handler: H) -> Self
    where
        H: Handler<Extractors, S> + Documented<Arguments>,
        Extractors: 'static;
}

/// Builds the router of a function.
pub struct RouterBuilder<S> {
    router: Router<S>,
    routes: Vec<RoutePattern>,
}

impl<S: Clone + Send + Sync + 'static> RouterBuilder<S> {
    /// Returns a builder without endpoints.
    pub fn new() -> RouterBuilder<S> {
        RouterBuilder {
            router: Router::new(),
            routes: Vec::new(),
        }
    }

    /// Returns the router. A request without an endpoint is a 404, or a 405 with `Allow` if the
    /// path has other methods.
    pub fn finish(self, state: S) -> Router {
        let all_routes: RoutePatterns = self.routes.into();
        let fallback = move |request| fallback(request, all_routes);

        let router = self
            .router
            .method_not_allowed_fallback(fallback.clone())
            .fallback(fallback);
        with_layers(router.with_state(state))
    }
}

impl<S: Clone + Send + Sync + 'static> Default for RouterBuilder<S> {
    fn default() -> RouterBuilder<S> {
        RouterBuilder::new()
    }
}

impl<S: Clone + Send + Sync + 'static> Register<S> for RouterBuilder<S> {
    fn on<H, Extractors, Arguments>(mut self, endpoint: Endpoint, handler: H) -> Self
    where
        H: Handler<Extractors, S> + Documented<Arguments>,
        Extractors: 'static,
    {
        let method = match endpoint.method {
            "POST" => MethodFilter::POST,
            "PUT" => MethodFilter::PUT,
            "DELETE" => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        let path = endpoint.full_path();
        self.router = self.router.route(&path, on(method, handler));

        let route = |method: &&str| RoutePattern {
            method: (*method).to_owned(),
            path: path.clone(),
        };
        self.routes.extend(endpoint.methods().iter().map(route));
        self
    }
}
