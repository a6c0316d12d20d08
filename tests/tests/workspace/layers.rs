//! The layers of the crates, and the packages that a crate must not reach.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, Package};

use super::{PLATFORMS, graph, metadata};

/// The crates of the workspace in layers, each with the crates of lower layers that it may depend
/// on, also in its tests. `tests` may depend on all.
const LAYERS: &str = "
    domain:
    formats: domain
    telemetry: domain
    worker: domain telemetry
    table: domain telemetry
    bucket: domain telemetry
    queue: domain telemetry
    multipart:
    aom:
    av1: aom
    media: domain formats aom av1
    safe-http: domain
    space-store: domain telemetry table bucket queue
    runtime: domain telemetry worker table bucket queue
    intake: domain formats media telemetry space-store
    renditions: domain formats media safe-http telemetry space-store runtime
    http-api: domain telemetry space-store runtime
    spaces: domain space-store runtime renditions http-api
    files: domain space-store runtime http-api
    folders: domain space-store runtime renditions http-api
    upload-configs: domain formats runtime http-api
    uploads: domain formats multipart av1 space-store runtime http-api intake
    not-found: domain runtime http-api
    delivery: domain av1 telemetry space-store renditions runtime http-api
    processing: domain av1 media renditions telemetry space-store runtime worker
    webhooks: domain safe-http telemetry space-store runtime worker
    confirm-check: domain av1 telemetry space-store runtime worker intake
    purge: domain telemetry space-store runtime worker
    sweep: domain space-store runtime worker
    bootstrap: domain runtime space-store
    sam-template:
    test-macros:
    emulators: sam-template
    openapi: domain spaces files folders upload-configs uploads http-api
    local-stack: domain av1 telemetry space-store runtime worker sam-template emulators spaces files folders upload-configs uploads not-found \
                 delivery confirm-check purge sweep processing webhooks http-api
";

/// Crates that must not depend on these packages, directly or transitively. Dependencies of tests
/// do not count.
const KEPT_OUT: [(&str, &str); 6] = [
    (
        "domain",
        "tokio hyper http axum reqwest aws-smithy-runtime-api",
    ),
    // `telemetry` uses the error types of the AWS clients, but no client.
    ("worker telemetry", "axum aws-smithy-runtime"),
    // Deployed code stores nothing on disk, and cannot inject faults.
    (
        "spaces files folders uploads not-found delivery confirm-check purge sweep processing webhooks",
        "emulators sam-template rusqlite s3s dynoxide-rs",
    ),
    (
        "spaces files folders not-found delivery purge sweep",
        "intake multer",
    ),
    // Code that decodes no pixels links no codec. `spaces` and `folders` decode the images of
    // watermarks before they store them.
    (
        "http-api worker files upload-configs not-found purge sweep",
        "media",
    ),
    // The local stack depends on the functions, and not the other way round.
    ("emulators", "domain"),
];

/// Returns the names of all direct and transitive dependencies of a crate.
fn reached(metadata: &Metadata, name: &str) -> BTreeSet<String> {
    let graph = graph(metadata);
    let mut packages = metadata.workspace_packages().into_iter();
    let package = packages.find(|package| package.name == name);
    let package = package.unwrap_or_else(|| panic!("{name} is not a workspace crate"));
    let mut waiting = vec![&package.id];
    let mut reached = BTreeSet::new();

    while let Some(id) = waiting.pop() {
        let linked = graph[id].deps.iter().filter(|dependency| {
            let mut kinds = dependency.dep_kinds.iter();
            kinds.any(|kind| kind.kind == DependencyKind::Normal)
        });
        let linked = linked.map(|dependency| &dependency.pkg);
        waiting.extend(linked.filter(|id| reached.insert(*id)));
    }

    let names = reached.into_iter().map(|id| metadata[id].name.to_string());
    names.collect()
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata(PLATFORMS[0]);
    let packages = metadata.workspace_packages().into_iter();
    let ours: BTreeMap<String, &Package> = packages
        .map(|package| (package.name.to_string(), package))
        .collect();
    let names: BTreeSet<String> = ours.keys().cloned().collect();

    let mut below = BTreeSet::new();
    for line in LAYERS.trim().lines() {
        let (name, allowed) = line.trim().split_once(':').expect("a crate");
        let allowed: BTreeSet<String> = allowed.split_whitespace().map(str::to_owned).collect();
        assert!(
            allowed.is_subset(&below),
            "{name} may depend on lower layers only"
        );
        below.insert(name.to_owned());

        let direct = ours[name].dependencies.iter();
        let direct: BTreeSet<String> = direct.map(|dependency| dependency.name.clone()).collect();
        let own: BTreeSet<&String> = direct.intersection(&names).collect();
        let forbidden: Vec<_> = own
            .into_iter()
            .filter(|own| !allowed.contains(*own))
            .collect();
        assert!(
            forbidden.is_empty(),
            "{name} must not depend on {forbidden:?}"
        );
    }
    below.insert("tests".to_owned());
    assert_eq!(names, below, "every crate has its place in the layers");
}

#[test]
fn excluded_packages_are_not_reached_by_any_path() {
    for platform in PLATFORMS {
        let metadata = metadata(platform);
        // All listed names are packages.
        let everything = reached(&metadata, "tests");

        for (names, kept_out) in KEPT_OUT {
            for name in names.split(' ') {
                let reached = reached(&metadata, name);
                for package in kept_out.split(' ') {
                    assert!(everything.contains(package), "{package} on {platform}");
                    let is_reached = reached.contains(package);
                    assert!(!is_reached, "{name} reaches {package} on {platform}");
                }
            }
        }
    }
}

/// Crates that decode the images of watermarks only, of which none is AVIF, and the one whose
/// functions start another program.
const WITHOUT_ORIGINALS: [&str; 3] = ["folders", "spaces", "tests"];

#[test]
fn programs_that_decode_originals_serve_as_av1_decoder() {
    let metadata = metadata(PLATFORMS[0]);
    let mut programs = 0;
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        let is_decoding = reached(&metadata, name).contains("media");
        let main = package.targets.iter().find(|target| target.is_bin());
        let Some(main) = main.filter(|_| is_decoding && !WITHOUT_ORIGINALS.contains(&name)) else {
            continue;
        };

        programs += 1;
        let source = std::fs::read_to_string(&main.src_path).expect("a source file");
        assert!(source.contains("{\n    av1::init();\n"), "{name}");
    }
    assert_eq!(programs, 5);
}
