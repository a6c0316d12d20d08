//! Routes requests to functions as an HTTP API does: to the most specific route, else to
//! `$default`.

use std::{collections::BTreeMap, sync::Arc};

use sam_template::Route;

use crate::function::LocalFunction;

/// The routes of the template.
pub(crate) struct Routing {
    routes: Vec<CompiledRoute>,
    default: Option<Arc<LocalFunction>>,
}

struct CompiledRoute {
    method: String,
    parts: Vec<String>,
    function: Arc<LocalFunction>,
}

impl Routing {
    /// Compiles the routes. `functions` are keyed by logical id.
    pub(crate) fn of(
        routes: &[Route],
        functions: &BTreeMap<String, Arc<LocalFunction>>,
    ) -> Routing {
        let mut routing = Routing {
            routes: Vec::new(),
            default: None,
        };

        for route in routes {
            let Some(function) = functions.get(&route.function) else {
                continue;
            };
            if route.path == "$default" {
                routing.default = Some(Arc::clone(function));
                continue;
            }
            let parts = route.path.split('/').map(str::to_owned).collect();
            routing.routes.push(CompiledRoute {
                method: route.method.clone(),
                parts,
                function: Arc::clone(function),
            });
        }

        // Literal segments before parameters, from the left; then a specific method before `ANY`.
        routing.routes.sort_by_key(|entry| {
            let parameters: Vec<bool> = entry.parts.iter().map(|part| is_parameter(part)).collect();
            (parameters, entry.method == "ANY")
        });

        routing
    }

    /// Returns the function for a decoded path.
    pub(crate) fn route(&self, method: &str, path: &str) -> Option<&LocalFunction> {
        let found = self.routes.iter().find(|entry| {
            (entry.method == "ANY" || entry.method == method) && matches(&entry.parts, path)
        });
        found
            .map(|entry| &*entry.function)
            .or(self.default.as_deref())
    }
}

fn is_parameter(part: &str) -> bool {
    part.starts_with('{')
}

fn matches(parts: &[String], path: &str) -> bool {
    let given: Vec<&str> = path.split('/').collect();
    given.len() == parts.len()
        && parts
            .iter()
            .zip(given)
            .all(|(part, value)| part == value || (is_parameter(part) && !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_specific_route_matches() {
        let route = |method: &str, path: &str, function: &str| Route {
            method: method.to_owned(),
            path: path.to_owned(),
            function: function.to_owned(),
        };
        let routes = [
            route("ANY", "/a/{id}", "any"),
            route("GET", "/a/{id}", "get"),
            route("GET", "/a/fixed", "fixed"),
            route("GET", "/a/{id}/b", "deep"),
            route("ANY", "$default", "default"),
        ];
        let functions = ["any", "get", "fixed", "deep", "default"]
            .map(|name| {
                (
                    name.to_owned(),
                    Arc::new(LocalFunction::without_routes(name)),
                )
            })
            .into();
        let routing = Routing::of(&routes, &functions);

        for (method, path, expected) in [
            ("GET", "/a/1", "get"),
            ("POST", "/a/1", "any"),
            ("GET", "/a/fixed", "fixed"),
            ("POST", "/a/fixed", "any"),
            ("GET", "/a/1/b", "deep"),
            ("GET", "/a/", "default"),
            ("GET", "/a", "default"),
            ("GET", "/a/1/", "default"),
            ("DELETE", "/", "default"),
        ] {
            assert_eq!(
                routing.route(method, path).map(LocalFunction::name),
                Some(expected),
                "{method} {path}"
            );
        }
    }
}
