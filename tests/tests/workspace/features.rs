//! The features of the local stack, of the tests and of the deployed functions.

use std::{collections::BTreeSet, process::Command};

use super::{PLATFORMS, metadata};

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

/// `cargo run`, `cargo test -p tests` and `scripts/test` would otherwise compile the same packages
/// again.
#[test]
fn local_stack_and_tests_share_one_build() {
    let local_stack = compiled(&["--package", "local-stack", "--edges", "no-dev"]);
    let tests = compiled(&["--package", "tests", "--edges", "normal,build,dev"]);
    let workspace = compiled(&["--workspace", "--edges", "normal,build,dev"]);

    for (manifest, packages) in [
        ("infra/local-stack/Cargo.toml", local_stack),
        ("tests/Cargo.toml", tests),
    ] {
        let compiled_twice: Vec<_> = packages.difference(&workspace).collect();
        assert!(
            compiled_twice.is_empty(),
            "turn on the features of the workspace in {manifest}: {compiled_twice:?}"
        );
    }
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

    let binaries = local_stack::TEMPLATE
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
