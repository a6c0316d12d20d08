//! Scripts for contributors.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use tempfile::TempDir;

/// Writes a program.
fn write_program(path: &Path, text: &str) {
    fs::write(path, format!("#!/usr/bin/env bash\n{text}\n")).expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permitted");
}

/// Runs `scripts/test` with a `cargo` whose tests skip one test and exit with a status.
fn run_tests(status: i32) -> std::process::Output {
    let directory = TempDir::new().expect("a temporary directory");
    let root = directory.path();
    let scripts = root.join("scripts");
    let bin = root.join("bin");
    for directory in [&scripts, &bin, &root.join("target/tmp")] {
        fs::create_dir_all(directory).expect("a directory");
    }

    for name in ["test", "step.bash"] {
        let script = Path::new("../scripts").join(name);
        fs::copy(script, scripts.join(name)).expect("copied");
    }
    for name in ["emulate", "install-clients"] {
        write_program(&scripts.join(name), "");
    }
    let cargo = format!(
        r#"[[ $1 != test ]] || {{ echo "browser: no node" > target/tmp/skipped-tests; exit {status}; }}"#
    );
    write_program(&bin.join("cargo"), &cargo);

    Command::new("bash")
        .args(["-c", "PATH=$PWD/bin:$PATH scripts/test"])
        .current_dir(root)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a script")
}

#[test]
fn skipped_tests_are_listed_even_if_others_fail() {
    for status in [0, 101] {
        let output = run_tests(status);
        let printed = String::from_utf8_lossy(&output.stdout);

        assert_eq!(output.status.success(), status == 0, "{printed}");
        assert!(
            printed.contains("1 skipped:\nbrowser: no node"),
            "{printed}"
        );
    }
}
