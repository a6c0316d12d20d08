//! The endpoint declarations match the generated files and `template.yaml`.

use std::{
    collections::BTreeSet,
    env, fs,
    io::{self, Write as _},
    path::Path,
    time::Duration,
};

use http_api::describe::ValueForms;
use local_stack::TEMPLATE;
use runtime::http::RESPONSE_DEADLINE;
use sam_template::{Context, ResolvedTemplate, Route};

/// Returns the stack that `template.yaml` describes.
pub(crate) fn deployed_template() -> ResolvedTemplate {
    let context = Context {
        stack_name: "larder".to_owned(),
        region: "us-east-1".to_owned(),
        account_id: "000000000000".to_owned(),
        ..Context::default()
    };

    sam_template::read(TEMPLATE, &context).unwrap_or_else(|error| panic!("{error}"))
}

/// Compares the generated files with the repository, or writes them and prints which have changed
/// if the variable `UPDATE` is set.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "`scripts/openapi` sets the variable for this test only"
)]
fn generated_files_match_declarations() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for file in openapi::generate(&root).expect("readable files") {
        if env::var_os("UPDATE").is_some() {
            let is_written = file.update().expect("a writable file");
            let change = if is_written { "changed:" } else { "unchanged:" };
            let path = file
                .path
                .strip_prefix(&root)
                .expect("a path below the root");
            // Not with `println!`, whose output tests capture.
            writeln!(io::stdout(), "{change:10} {}", path.display()).expect("an output");
        }

        let content = fs::read_to_string(&file.path).unwrap_or_default();
        assert!(
            content == file.content,
            "{} is out of date: run scripts/openapi",
            file.path.display()
        );
    }
}

#[test]
fn template_routes_every_endpoint_to_its_function() {
    let template = deployed_template();
    let binary = |id: &str| {
        let mut functions = template.functions.iter();
        let function = functions.find(|function| function.logical_id == id);
        function.expect("a function").binary.clone()
    };
    let is_default = |route: &&Route| route.path == "$default";
    let routed: BTreeSet<_> = template
        .routes
        .iter()
        .filter(|route| !is_default(route))
        .map(|route| {
            let function = binary(&route.function);
            (function, route.method.clone(), route.path.clone())
        })
        .collect();

    let operations = openapi::api(ValueForms::Canonical).operations;
    let declared = operations.iter().flat_map(|operation| {
        let path = operation.endpoint.full_path();
        let methods = operation.endpoint.methods().iter();
        methods.map(move |method| {
            let function = operation.function.to_owned();
            (function, (*method).to_owned(), path.clone())
        })
    });
    // `scripts/openapi` writes the routes of `template.yaml`.
    assert_eq!(routed, declared.collect());

    let default = template.routes.iter().filter(is_default);
    let default: Vec<String> = default.map(|route| binary(&route.function)).collect();
    assert_eq!(default, ["not-found"]);
}

#[test]
fn functions_respond_before_timeout() {
    let template = deployed_template();
    let responding: BTreeSet<&String> = template
        .routes
        .iter()
        .map(|route| &route.function)
        .chain(&template.cdn_origin)
        .collect();

    assert!(!responding.is_empty());

    for function in &template.functions {
        let timeout = Duration::from_secs(function.timeout_seconds.into());
        let is_responding = responding.contains(&function.logical_id);
        assert!(
            !is_responding || timeout > RESPONSE_DEADLINE,
            "{}",
            function.binary
        );
    }
}
