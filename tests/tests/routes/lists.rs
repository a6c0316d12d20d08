//! The query parameters of every list.

use serde_json::{Value, json};
use tests::{Stack, stack_test};

use super::fixture::{ROUTES, Route, RouteFixture};

/// A list, and the names of its query parameters as declared.
struct List {
    route: &'static Route,
    parameters: Vec<String>,
}

/// Returns the routes that respond with a page.
fn lists() -> Vec<List> {
    let list = |operation: &openapi::Operation| {
        let description = &operation.description;
        let page = &description["responses"]["200"]["content"]["application/json"]["schema"];
        page["properties"].get("next_cursor")?;

        let is_same = |route: &&Route| {
            (route.method, route.path) == (operation.endpoint.method, operation.endpoint.path)
        };
        let declared = description["parameters"].as_array().into_iter().flatten();
        let in_query = declared.filter(|parameter| parameter["in"] == "query");
        let mut parameters: Vec<String> = in_query
            .filter_map(|parameter| parameter["name"].as_str().map(str::to_owned))
            .collect();
        parameters.push("api_key".to_owned());
        parameters.sort_unstable();
        Some(List {
            route: ROUTES.iter().find(is_same)?,
            parameters,
        })
    };
    openapi::api().operations.iter().filter_map(list).collect()
}

#[stack_test]
async fn lists_reject_unknown_parameters_and_name_their_own(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();
    let key = account.key.as_deref().expect("a key");
    let lists = lists();
    assert!(lists.len() >= 8, "{} lists", lists.len());

    for List { route, parameters } in lists {
        let path = fixture.path(route);
        let separator = if path.contains('?') { '&' } else { '?' };
        let path = format!("{path}{separator}");
        let known = parameters.join(", ");
        let error = |name: &str| {
            let message = format!("The {name} field is not supported; this list takes {known}.");
            (name.to_owned(), json!([message]))
        };

        let unknown = account.get(&format!("{path}limit=1&tags=x&W=")).await;
        let expected: Value = [error("W"), error("tags")].into_iter().collect();
        assert_eq!(unknown.expect_error(422), expected, "{}", route.path);

        // Its own are accepted, here without values.
        let names = parameters.iter().map(String::as_str);
        let absent = names.filter(|name| *name != "api_key" && !path.contains(*name));
        let query = absent.collect::<Vec<_>>().join("=&");
        let accepted = format!("{path}{query}=&api_key={key}");
        stack.anonymous.fetch(&accepted).await;
    }
}
