//! Table of routes, template and functions say the same.

use std::{collections::BTreeSet, time::Duration};

use local::TEMPLATE;
use runtime::ANSWER_DEADLINE;
use template::{Context, Stack};

/// What the product's template comes to.
pub(crate) fn stack() -> Stack {
    let attributes = [("Cdn", "DomainName"), ("Api", "ApiEndpoint")]
        .map(|(resource, name)| ((resource.to_owned(), name.to_owned()), "example.com".to_owned()));
    let context = Context {
        stack_name: "larder".to_owned(),
        region: "us-east-1".to_owned(),
        account_id: "000000000000".to_owned(),
        attributes: attributes.into(),
        ..Context::default()
    };
    template::read(TEMPLATE, &context).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_template_has_exactly_the_routes_of_the_table() {
    let stack = stack();
    let binary = |id: &str| {
        let function = stack.functions.iter().find(|function| function.logical_id == id);
        function.map(|function| function.binary.clone()).unwrap_or_default()
    };
    let (default, explicit): (Vec<_>, Vec<_>) = stack.routes.iter().partition(|route| route.path == "$default");
    let described: BTreeSet<_> =
        explicit.iter().map(|route| (binary(&route.function), route.method.clone(), route.path.clone())).collect();
    let tabled: BTreeSet<_> = web::routes::gateway_routes()
        .map(|route| (route.function.to_owned(), route.method.to_owned(), route.path.to_owned()))
        .collect();
    assert_eq!(described, tabled);
    assert_eq!(default.iter().map(|route| binary(&route.function)).collect::<Vec<_>>(), ["not-found"]);
}

#[test]
fn functions_answer_before_they_are_cut_off() {
    let stack = stack();
    let answering: BTreeSet<&String> =
        stack.routes.iter().map(|route| &route.function).chain(&stack.cdn_origin).collect();
    assert!(!answering.is_empty());
    for function in stack.functions.iter().filter(|function| answering.contains(&function.logical_id)) {
        assert!(Duration::from_secs(function.timeout_seconds.into()) > ANSWER_DEADLINE, "{}", function.binary);
    }
}
