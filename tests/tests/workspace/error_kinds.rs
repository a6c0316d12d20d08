//! Kinds of errors determine statuses: outside of `http-api`, no code decides by them.

use std::{fs, path::Path};

/// Directories whose code is checked.
const CHECKED: [&str; 2] = ["functions", "shared"];
/// Crate that maps kinds to statuses.
const MAPPING: &str = "shared/http-api";
/// Begins the tests of a file.
const TESTS: &str = "#[cfg(test)]";

/// Returns the lines of the Rust files below a directory that compare a kind, without tests.
fn comparisons(directory: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("tests") && !path.ends_with(MAPPING) {
            comparisons(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a file");
            let code = text.split(TESTS).next().unwrap_or_default();
            let compared = code.lines().filter(|line| compares_kind(line));
            found.extend(compared.map(|line| format!("{}: {}", path.display(), line.trim())));
        }
    }
}

/// Whether a line compares the kind of a [`domain::errors::ServiceError`]. The kind of an I/O error
/// is a method.
fn compares_kind(line: &str) -> bool {
    let operators = ["== ErrorKind::", "!= ErrorKind::"];
    let is_operand = operators.iter().any(|operator| line.contains(operator));
    let is_matched = line.contains("=>") || line.contains("matches!(");
    let is_pattern = is_matched && line.contains("ErrorKind::");
    !line.contains("kind()") && (is_operand || is_pattern)
}

#[test]
fn no_code_outside_web_decides_by_the_kind_of_an_error() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for directory in CHECKED {
        comparisons(&root.join(directory), &mut found);
    }

    assert_eq!(
        found,
        Vec::<String>::new(),
        "let the reason through instead"
    );
    assert!(compares_kind(
        "Err(error) if error.kind == ErrorKind::Conflict => {"
    ));
}
