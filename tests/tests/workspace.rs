//! The workspace itself: who may depend on whom, and under which licences everything comes.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{Metadata, MetadataCommand};

/// Our crates, and those of ours that each may depend on. `tests` may depend on all.
const LAYERS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("worker", &[]),
    ("runtime", &["domain", "worker"]),
    ("table", &["domain"]),
    ("bucket", &["domain"]),
    ("tenant", &["domain", "table", "bucket", "runtime"]),
    ("intake", &["domain", "tenant"]),
    ("web", &["domain", "tenant", "runtime"]),
    ("spaces", &["domain", "tenant", "runtime", "web"]),
    ("files", &["domain", "tenant", "runtime", "web"]),
    ("uploads", &["domain", "tenant", "runtime", "web", "intake"]),
    ("not-found", &["runtime", "web"]),
    ("delivery", &["domain", "tenant", "runtime", "web"]),
    ("template", &[]),
    ("emulators", &["template"]),
    (
        "local",
        &[
            "domain",
            "tenant",
            "runtime",
            "worker",
            "template",
            "emulators",
            "spaces",
            "files",
            "uploads",
            "not-found",
            "delivery",
            "web",
        ],
    ),
];

/// Crates from elsewhere that must not reach these of ours.
const KEPT_OUT: &[(&str, &[&str])] = &[
    ("domain", &["tokio", "http", "axum", "aws-sdk-dynamodb", "aws-sdk-s3", "aws-sdk-sqs"]),
    ("web", &["table", "bucket"]),
];

/// Licences under which we take others' work.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// What is deployed and developed on; packages of other systems are no part of it.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

fn metadata() -> Metadata {
    let options = ["--locked", "--filter-platform", PLATFORM].map(str::to_owned);
    MetadataCommand::new().other_options(options).exec().expect("a workspace")
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata();
    let ours: BTreeMap<_, _> =
        metadata.workspace_packages().into_iter().map(|package| (package.name.to_string(), package)).collect();
    let layers: BTreeMap<_, _> = LAYERS.iter().copied().collect();
    let listed: BTreeSet<String> = layers.keys().copied().chain(["tests"]).map(str::to_owned).collect();
    assert_eq!(ours.keys().cloned().collect::<BTreeSet<_>>(), listed, "every crate has its place in the layers");

    for (name, allowed) in layers {
        let package = ours[name];
        for dependency in &package.dependencies {
            let direct = dependency.name.as_str();
            assert!(!ours.contains_key(direct) || allowed.contains(&direct), "{name} must not depend on {direct}");
        }
        for (_, kept_out) in KEPT_OUT.iter().filter(|(crate_name, _)| *crate_name == name) {
            let direct = package.dependencies.iter().find(|dependency| kept_out.contains(&dependency.name.as_str()));
            assert!(direct.is_none(), "{name} must not depend on {:?}", direct.map(|found| &found.name));
        }
    }
}

#[test]
fn everything_comes_under_a_licence_that_we_take() {
    let permitted = |expression: &str| {
        let expression = expression.replace(['(', ')'], "").replace('/', " OR ");
        expression.split(" OR ").any(|way| way.split(" AND ").all(|licence| LICENCES.contains(&licence.trim())))
    };
    let metadata = metadata();
    let refused: Vec<String> = metadata
        .packages
        .iter()
        .filter(|package| !package.license.as_deref().is_some_and(permitted))
        .map(|package| format!("{} {}: {:?}", package.name, package.version, package.license))
        .collect();
    assert!(refused.is_empty(), "{refused:#?}");
}
