//! The workspace: the layers of the crates, the features of each build, and licences.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Node, PackageId};

/// The crates of the workspace in layers, and the crates of lower layers that each may depend on,
/// also in its tests. `tests` may depend on all.
const LAYERS: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("telemetry", &["domain"]),
    ("worker", &["domain", "telemetry"]),
    ("table", &["domain", "telemetry"]),
    ("bucket", &["domain"]),
    ("queue", &["domain"]),
    ("media", &["domain"]),
    (
        "tenant",
        &["domain", "telemetry", "table", "bucket", "queue"],
    ),
    (
        "runtime",
        &["domain", "telemetry", "worker", "table", "bucket", "queue"],
    ),
    ("ingest", &["domain", "media", "tenant"]),
    ("web", &["domain", "telemetry", "tenant", "runtime"]),
    ("spaces", &["domain", "tenant", "runtime", "web"]),
    ("files", &["domain", "tenant", "runtime", "web"]),
    ("folders", &["domain", "tenant", "runtime", "web"]),
    ("upload-configs", &["domain", "runtime", "web"]),
    ("uploads", &["domain", "tenant", "runtime", "web", "ingest"]),
    ("not-found", &["runtime", "web"]),
    (
        "delivery",
        &["domain", "telemetry", "tenant", "runtime", "web"],
    ),
    (
        "confirm-check",
        &[
            "domain",
            "telemetry",
            "tenant",
            "runtime",
            "worker",
            "ingest",
        ],
    ),
    (
        "purge",
        &["domain", "telemetry", "tenant", "runtime", "worker"],
    ),
    ("sweep", &["domain", "tenant", "runtime", "worker"]),
    ("template", &[]),
    ("test-macros", &[]),
    ("emulators", &["template"]),
    (
        "openapi",
        &[
            "spaces",
            "files",
            "folders",
            "upload-configs",
            "uploads",
            "web",
        ],
    ),
    (
        "local",
        &[
            "domain",
            "telemetry",
            "tenant",
            "runtime",
            "worker",
            "template",
            "emulators",
            "spaces",
            "files",
            "folders",
            "upload-configs",
            "uploads",
            "not-found",
            "delivery",
            "confirm-check",
            "purge",
            "sweep",
            "web",
        ],
    ),
];

/// Crates that must not depend on these packages, directly or transitively. Dependencies of tests
/// do not count.
const KEPT_OUT: &[(&[&str], &[&str])] = &[
    (
        &["domain"],
        &[
            "tokio",
            "hyper",
            "http",
            "axum",
            "reqwest",
            "aws-smithy-runtime-api",
        ],
    ),
    (&["worker"], &["axum", "aws-smithy-runtime-api"]),
    // Deployed code stores nothing on disk, and cannot inject faults.
    (
        &[
            "spaces",
            "files",
            "folders",
            "uploads",
            "not-found",
            "delivery",
            "confirm-check",
            "purge",
            "sweep",
        ],
        &["emulators", "template", "rusqlite", "s3s", "dynoxide-rs"],
    ),
    (
        &[
            "spaces",
            "files",
            "folders",
            "not-found",
            "delivery",
            "purge",
            "sweep",
        ],
        &["ingest", "multer"],
    ),
    // Code that decodes no pixels links no codec.
    (
        &[
            "web",
            "worker",
            "spaces",
            "files",
            "folders",
            "upload-configs",
            "not-found",
            "delivery",
            "purge",
            "sweep",
        ],
        &["media"],
    ),
    // The local stack depends on the functions, and not the other way round.
    (&["emulators"], &["domain"]),
];

/// Accepted licences.
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

/// Platforms of deployment and development. Packages for other platforms do not count.
const PLATFORMS: [&str; 2] = ["aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"];

fn metadata(platform: &str) -> Metadata {
    let options = ["--locked", "--filter-platform", platform].map(str::to_owned);
    MetadataCommand::new()
        .other_options(options)
        .exec()
        .expect("a workspace")
}

/// Returns the dependencies of each package, by id.
fn graph(metadata: &Metadata) -> BTreeMap<&PackageId, &Node> {
    let resolve = metadata.resolve.as_ref().expect("a resolved graph");
    resolve.nodes.iter().map(|node| (&node.id, node)).collect()
}

/// Returns the names of all direct and transitive dependencies of a crate.
fn reached(metadata: &Metadata, name: &str) -> BTreeSet<String> {
    let graph = graph(metadata);
    let package = metadata
        .workspace_packages()
        .into_iter()
        .find(|package| package.name == name);
    let mut waiting = vec![
        &package
            .unwrap_or_else(|| panic!("{name} is not a workspace crate"))
            .id,
    ];
    let mut reached = BTreeSet::new();

    while let Some(id) = waiting.pop() {
        let linked = graph[id].deps.iter().filter(|dependency| {
            dependency
                .dep_kinds
                .iter()
                .any(|kind| kind.kind == DependencyKind::Normal)
        });
        waiting.extend(
            linked
                .map(|dependency| &dependency.pkg)
                .filter(|id| reached.insert(*id)),
        );
    }

    reached
        .into_iter()
        .map(|id| metadata[id].name.to_string())
        .collect()
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata(PLATFORMS[0]);
    let ours: BTreeMap<_, _> = metadata
        .workspace_packages()
        .into_iter()
        .map(|package| (package.name.to_string(), package))
        .collect();
    let listed: BTreeSet<String> = LAYERS
        .iter()
        .map(|(name, _)| *name)
        .chain(["tests"])
        .map(str::to_owned)
        .collect();
    assert_eq!(
        ours.keys().cloned().collect::<BTreeSet<_>>(),
        listed,
        "every crate has its place in the layers"
    );

    let mut below = BTreeSet::new();
    for (name, allowed) in LAYERS {
        assert!(
            allowed.iter().all(|lower| below.contains(lower)),
            "{name} may depend on lower layers only"
        );
        below.insert(name);
        for dependency in &ours[*name].dependencies {
            let direct = dependency.name.as_str();
            assert!(
                !ours.contains_key(direct) || allowed.contains(&direct),
                "{name} must not depend on {direct}"
            );
        }
    }
}

#[test]
fn excluded_packages_are_not_reached_by_any_path() {
    for platform in PLATFORMS {
        let metadata = metadata(platform);
        for (names, kept_out) in KEPT_OUT {
            for name in *names {
                let reached = reached(&metadata, name);
                let found = kept_out
                    .iter()
                    .find(|kept_out| reached.contains(**kept_out));
                assert_eq!(found, None, "{name} on {platform}");
            }
        }
        // All listed names are packages.
        let everything = reached(&metadata, "tests");
        let unknown = KEPT_OUT
            .iter()
            .flat_map(|(_, kept_out)| *kept_out)
            .find(|name| !everything.contains(**name));
        assert_eq!(unknown, None, "on {platform}");
    }
}

/// Returns the packages that a command compiles, each with its features, as `cargo tree` prints
/// them.
fn compiled(options: &[&str]) -> BTreeSet<String> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args([
            "tree",
            "--locked",
            "--prefix",
            "none",
            "--format",
            "{p} [{f}]",
        ])
        .args(options);
    let printed = command.current_dir("..").output().expect("cargo runs");
    assert!(
        printed.status.success(),
        "{}",
        String::from_utf8_lossy(&printed.stderr)
    );

    let printed = String::from_utf8(printed.stdout).expect("text");
    printed
        .lines()
        .map(|line| line.trim_end_matches(" (*)").to_owned())
        .collect()
}

#[test]
fn local_stack_and_tests_share_one_build() {
    let local_stack = compiled(&["--package", "local", "--edges", "no-dev"]);
    let tests = compiled(&["--workspace", "--edges", "normal,build,dev"]);

    let compiled_twice: Vec<_> = local_stack.difference(&tests).collect();
    assert!(
        compiled_twice.is_empty(),
        "turn on the features of the tests in infra/local/Cargo.toml: {compiled_twice:?}"
    );
}

#[test]
fn functions_are_deployed_with_their_own_features() {
    let metadata = metadata(PLATFORMS[0]);
    let packages = &metadata.workspace_metadata["lambda"]["build"]["packages"];
    let packages: BTreeSet<_> = packages
        .as_array()
        .expect("a list")
        .iter()
        .map(|name| name.as_str())
        .collect();

    let binaries = local::TEMPLATE
        .lines()
        .filter_map(|line| line.trim().strip_prefix("BuildProperties: { Binary: "));
    assert_eq!(
        packages,
        binaries.map(|line| line.strip_suffix(" }")).collect()
    );

    let options: Vec<_> = packages
        .into_iter()
        .flatten()
        .flat_map(|name| ["--package", name])
        .collect();
    let deployed = compiled(&[&options[..], &["--edges", "no-dev"]].concat());
    let for_tests = deployed
        .iter()
        .find(|package| package.starts_with("tokio ") && package.contains("test-util"));
    assert_eq!(for_tests, None);
}

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
