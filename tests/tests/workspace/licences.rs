//! The licences of all dependencies.

use super::{PLATFORMS, graph, metadata};

const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "IJG",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

#[test]
fn all_dependencies_have_accepted_licences() {
    for platform in PLATFORMS {
        let metadata = metadata(platform);
        let packages = graph(&metadata).into_keys().map(|id| &metadata[id]);
        let rejected: Vec<String> = packages
            .filter(|package| !package.license.as_deref().is_some_and(is_permitted))
            .map(|package| {
                format!(
                    "{} {}: {:?}",
                    package.name, package.version, package.license
                )
            })
            .collect();
        assert!(rejected.is_empty(), "on {platform}: {rejected:#?}");
    }
}

/// Returns whether an SPDX expression permits one of the accepted licences.
fn is_permitted(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let permitted = any_way(&mut words);
    permitted && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_way(words: &mut Words) -> bool {
    let mut permitted = all_of(words);
    while words.next_if_eq(&"OR").is_some() {
        permitted |= all_of(words);
    }
    permitted
}

fn all_of(words: &mut Words) -> bool {
    let mut permitted = one(words);
    while words.next_if_eq(&"AND").is_some() {
        permitted &= one(words);
    }
    permitted
}

fn one(words: &mut Words) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let permitted = any_way(words);
        return words.next_if_eq(&")").is_some() && permitted;
    }
    let licence = words.next().unwrap_or_default();
    if words.next_if_eq(&"WITH").is_none() {
        return LICENCES.contains(&licence);
    }
    let exception = words.next().unwrap_or_default();
    LICENCES.contains(&format!("{licence} WITH {exception}").as_str())
}

#[test]
fn licence_expressions_are_parsed() {
    for permitted in [
        "MIT",
        "MIT/GPL-3.0",
        "GPL-3.0 OR (MIT AND ISC)",
        "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
    ] {
        assert!(is_permitted(permitted), "{permitted}");
    }

    for rejected in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR ISC) AND GPL-3.0",
        "MIT WITH x",
        "(MIT",
        "MIT ISC",
    ] {
        assert!(!is_permitted(rejected), "{rejected}");
    }
}
