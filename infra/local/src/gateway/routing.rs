//! Which function a request goes to, told as an HTTP API does: the most specific route, else
//! `$default`.

use std::{collections::BTreeMap, sync::Arc};

use template::Route;

use crate::callee::Callee;

/// The template's routes.
pub(crate) struct Routing {
    routes: Vec<Entry>,
    default: Option<Arc<Callee>>,
}

struct Entry {
    method: String,
    parts: Vec<String>,
    callee: Arc<Callee>,
}

impl Routing {
    /// The routes, with the functions they name by logical id.
    pub(crate) fn of(routes: &[Route], callees: &BTreeMap<String, Arc<Callee>>) -> Routing {
        let mut routing = Routing {
            routes: Vec::new(),
            default: None,
        };
        for route in routes {
            let Some(callee) = callees.get(&route.function) else {
                continue;
            };
            if route.path == "$default" {
                routing.default = Some(Arc::clone(callee));
                continue;
            }
            let parts = route.path.split('/').map(str::to_owned).collect();
            routing.routes.push(Entry {
                method: route.method.clone(),
                parts,
                callee: Arc::clone(callee),
            });
        }
        // Static parts before parameters, from the left; then a method of its own before any.
        routing.routes.sort_by_key(|entry| {
            let parameters: Vec<bool> = entry.parts.iter().map(|part| is_parameter(part)).collect();
            (parameters, entry.method == "ANY")
        });
        routing
    }

    /// The function of a decoded path.
    pub(crate) fn route(&self, method: &str, path: &str) -> Option<&Callee> {
        let found = self.routes.iter().find(|entry| {
            (entry.method == "ANY" || entry.method == method) && matches(&entry.parts, path)
        });
        found
            .map(|entry| &*entry.callee)
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
    fn the_most_specific_route_takes_a_request() {
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
        let callees = ["any", "get", "fixed", "deep", "default"]
            .map(|name| (name.to_owned(), Arc::new(Callee::nobody(name))))
            .into();
        let routing = Routing::of(&routes, &callees);
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
                routing.route(method, path).map(Callee::name),
                Some(expected),
                "{method} {path}"
            );
        }
    }
}
