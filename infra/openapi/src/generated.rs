//! Generates files, or sections of files, from the declarations of the endpoints.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use http_api::describe::ValueForms;

use crate::{api::api, document::document, examples::add_examples, operation::Operation};

/// Line of the template that generated routes follow.
const ROUTES_BEGIN: &str = "          # scripts/openapi writes the routes below.";
/// Indentation of a path in the template.
const PATH_INDENT: &str = "          ";

#[derive(Clone, Debug)]
pub struct GeneratedFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Complete content of the file.
    pub content: String,
}

impl GeneratedFile {
    /// Writes the file unless it has this content. Returns whether it was written.
    pub fn update(&self) -> io::Result<bool> {
        let is_current =
            fs::read(&self.path).is_ok_and(|content| content == self.content.as_bytes());
        if !is_current {
            fs::write(&self.path, &self.content)?;
        }
        Ok(!is_current)
    }
}

/// Generates the files of the repository at `root`.
pub fn generate(root: &Path) -> io::Result<Vec<GeneratedFile>> {
    let operations = api(ValueForms::Canonical).operations;
    let mut files = Vec::new();
    let mut add = |path: &str, content: String| {
        files.push(GeneratedFile {
            path: root.join(path),
            content,
        });
    };

    let examples = fs::read_to_string(root.join("infra/openapi/examples.json"))?;
    let mut document = document(ValueForms::Canonical);
    add_examples(&mut document, &serde_json::from_str(&examples)?);
    add("openapi.json", format!("{document:#}\n"));
    add("functions/api/not-found/routes.txt", routes(&operations));
    let template = fs::read_to_string(root.join("template.yaml"))?;
    add("template.yaml", with_routes(&template, &operations)?);

    Ok(files)
}

/// Returns one line with a method and a path per route.
fn routes(operations: &[Operation]) -> String {
    let route = |method: &&str, path: &str| format!("{method} {path}\n");
    let of_endpoint = |operation: &Operation| {
        let path = operation.endpoint.full_path();
        operation
            .endpoint
            .methods()
            .iter()
            .map(|method| route(method, &path))
            .collect::<String>()
    };
    operations.iter().map(of_endpoint).collect()
}

/// Replaces the routes of the HTTP API in the template.
fn with_routes(template: &str, operations: &[Operation]) -> io::Result<String> {
    let missing = || io::Error::other(format!("template.yaml lacks the line {ROUTES_BEGIN:?}"));
    let (before, after) = template.split_once(ROUTES_BEGIN).ok_or_else(missing)?;
    let rest = after
        .split_inclusive('\n')
        .skip(1)
        .skip_while(|line| line.starts_with(PATH_INDENT));

    let mut paths: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for operation in operations {
        let function = logical_id(template, operation.function).ok_or_else(|| {
            io::Error::other(format!(
                "template.yaml has no function {:?}",
                operation.function
            ))
        })?;
        let route = |method: &&str| {
            let method = method.to_ascii_lowercase();
            format!(
                "{PATH_INDENT}  {method}: {{ x-amazon-apigateway-integration: {{ $ref: \"#/components/x-amazon-apigateway-integrations/{function}\" }} }}\n"
            )
        };
        let routes = operation.endpoint.methods().iter().map(route);
        let path = paths.entry(operation.endpoint.full_path()).or_default();
        path.extend(routes);
    }

    let routes = paths
        .into_iter()
        .map(|(path, routes)| format!("{PATH_INDENT}{path}:\n{}", routes.concat()));
    let routes: String = routes.chain(rest.map(str::to_owned)).collect();
    Ok(format!("{before}{ROUTES_BEGIN}\n{routes}"))
}

/// Returns the logical id of the function with a binary.
fn logical_id<'template>(template: &'template str, binary: &str) -> Option<&'template str> {
    let (before, _) = template.split_once(&format!("{{ Binary: {binary} }}"))?;
    let id = |line: &'template str| line.strip_prefix("  ")?.strip_suffix(':');
    before
        .lines()
        .rev()
        .filter_map(id)
        .find(|id| !id.starts_with(' '))
}
