//! Generates files, or sections of files, from the declarations of the endpoints.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{api::api, document::document, operation::Operation, reference::with_reference};

/// The API reference. Its first part is written by hand.
const REFERENCE: &str = "docs/api.md";
/// Indentation of an event in the template.
const EVENT_INDENT: &str = "        ";

/// A generated file.
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
    let operations = api().operations;
    let document = document();
    let mut files = Vec::new();
    let mut add = |path: &str, content: String| {
        files.push(GeneratedFile {
            path: root.join(path),
            content,
        });
    };

    add("openapi.json", format!("{document:#}\n"));
    add("functions/api/not-found/routes.txt", routes(&operations));
    let template = fs::read_to_string(root.join("template.yaml"))?;
    add("template.yaml", with_events(&template, &operations));
    let old_page = fs::read_to_string(root.join(REFERENCE))?;
    let page = with_reference(&old_page, &document).ok_or_else(|| {
        io::Error::other(format!(
            "{REFERENCE} lacks the line that starts its generated part"
        ))
    })?;
    add(REFERENCE, page);

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

/// Replaces the events of every function that has endpoints.
fn with_events(template: &str, operations: &[Operation]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut function = None;
    let mut in_events = false;
    for line in template.lines() {
        if let Some((_, rest)) = line.split_once("Binary: ") {
            function = rest.split_whitespace().next();
        }
        in_events = in_events && line.starts_with(EVENT_INDENT);
        if in_events {
            continue;
        }

        lines.push(line.to_owned());
        let events: Vec<&Operation> = operations
            .iter()
            .filter(|operation| Some(operation.function) == function)
            .collect();
        if line.trim() == "Events:" && !events.is_empty() {
            in_events = true;
            lines.extend(events.into_iter().flat_map(events_of));
        }
    }
    lines.join("\n") + "\n"
}

/// Returns the template events that route the methods of an endpoint to its function.
fn events_of(operation: &Operation) -> Vec<String> {
    let full_path = operation.endpoint.full_path();
    let path = if full_path.contains('{') {
        format!("\"{full_path}\"")
    } else {
        full_path
    };
    let mut name = operation.endpoint.id.to_owned();
    name[..1].make_ascii_uppercase();

    let event = |method: &&str| {
        let suffix = if *method == "HEAD" { "Head" } else { "" };
        format!(
            "{EVENT_INDENT}{name}{suffix}: {{ Type: HttpApi, Properties: {{ ApiId: !Ref Api, Method: {method}, Path: {path} }} }}"
        )
    };
    operation.endpoint.methods().iter().map(event).collect()
}
