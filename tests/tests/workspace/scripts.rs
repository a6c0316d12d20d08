//! Scripts for contributors and operators.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use tempfile::TempDir;

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

    for name in ["test", "help.bash", "step.bash"] {
        let script = Path::new("../scripts").join(name);
        fs::copy(script, scripts.join(name)).expect("copied");
    }
    for name in ["check-permissions", "emulate", "install-clients"] {
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

#[test]
fn help_is_printed_without_other_programs() {
    let directory = TempDir::new().expect("a temporary directory");
    let scripts = directory.path().join("scripts");
    let copied = Command::new("cp")
        .args(["-r", "../scripts"])
        .arg(&scripts)
        .status();
    assert!(copied.expect("started").success());
    for program in ["cargo", "node", "npm", "pip"] {
        write_program(&scripts.join(program), "exit 9");
    }

    let entries = fs::read_dir("../scripts").expect("a directory");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| path.is_file() && path.extension().is_none());
    for file in files.chain(["../scripts/bench/run".into()]) {
        let name = file.strip_prefix("../scripts").expect("a script");
        let name = name.to_str().expect("UTF-8");
        let help = Command::new("bash")
            .args(["-c", &format!("PATH=$PWD:$PATH ./{name} --help")])
            .current_dir(&scripts)
            .output()
            .expect("a script");
        let printed = String::from_utf8_lossy(&help.stdout);
        let errors = String::from_utf8_lossy(&help.stderr);
        assert!(help.status.success(), "{name}: {printed}{errors}");
        assert!(
            printed.trim().len() > name.len() && errors.is_empty(),
            "{name}: {printed}{errors}"
        );
    }
    assert!(!directory.path().join(".tools").exists());
}

/// The AWS CLI of an account with a concurrency of 10, and the viewer function and the table of a
/// stack `larder-test`.
const AWS_CLI: &str = r#"case "$*" in
    --version) echo aws-cli/2.31.0 ;;
    sts*eu-west-9*) echo -e '\nUnable to locate credentials. Run "aws configure".' >&2; exit 253 ;;
    sts*) echo '{"Account": "123456789012", "Arn": "arn:aws:iam::123456789012:user/operator"}' ;;
    lambda*) echo '{"AccountLimit": {"ConcurrentExecutions": 10}}' ;;
    *list-functions*) echo '{"FunctionList": {"Items": [{"Name": "larder-test-viewer-request"}, {"Name": "larder-test-eu-west-1-viewer-request"}]}}' ;;
    *describe-stacks*) echo "Stack with id $4 does not exist" >&2; exit 254 ;;
    *list-tables*) echo '{"TableNames": ["larder-test-Table-1"]}' ;;
    *) echo '{}' ;;
esac"#;

/// The responses of programs to what `scripts/preflight` asks them, in the words of cargo-lambda
/// 1.9.2 and Zig.
const PROGRAMS: [(&str, &str); 3] = [
    ("sam", "echo SAM CLI, version 1.170.0"),
    (
        "cargo",
        r#"[[ $* != "lambda --version" ]] && echo cargo 1.99.0 || echo "cargo-lambda ${CARGO_LAMBDA-1.9.2} (67129fc 2026-08-21Z)""#,
    ),
    ("zig", r"[[ $1 == version && ! ${NO_ZIG-} ]] && echo 0.17.1"),
];

/// Runs `scripts/preflight` in this account, where SAM and the AWS CLI use a region. Returns its
/// exit status and output.
fn preflight(region: &str, options: &str) -> (Option<i32>, String) {
    preflight_with(region, options, "")
}

/// Runs [`preflight`] with shell variables.
fn preflight_with(region: &str, options: &str, variables: &str) -> (Option<i32>, String) {
    let directory = TempDir::new().expect("a temporary directory");
    write_program(&directory.path().join("aws"), AWS_CLI);
    for (name, text) in PROGRAMS {
        write_program(&directory.path().join(name), text);
    }

    // The interpreter itself, because a version manager may put other programs in front.
    let command = format!(
        r#"python=$(python3 -c 'import sys; print(sys.executable)')
        {variables} PATH={}:$PATH AWS_DEFAULT_REGION={region} CARGO_ZIGBUILD_PYTHON_PATH=false \
            "$python" ../scripts/preflight {options} 2>&1"#,
        directory.path().display()
    );
    let output = Command::new("bash").args(["-c", &command]).output();
    let output = output.expect("a script");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
    )
}

#[test]
fn preflight_finds_names_in_use_and_low_quotas() {
    let options = "--stack larder-test --region eu-west-1 --account 210987654321";
    let (status, printed) = preflight("us-east-1", options);
    assert_eq!(status, Some(1), "{printed}");
    for line in [
        "region: FAIL: `sam deploy` would use us-east-1",
        "account: FAIL: 123456789012 in place of 210987654321",
        "names: FAIL: in use: AWS::CloudFront::Function larder-test-eu-west-1-viewer-request. Delete",
        "concurrency: FAIL: 10 concurrent executions",
        "retained: unknown: table larder-test-Table-1",
    ] {
        assert!(printed.contains(line), "{line} in {printed}");
    }

    let options = "--stack larder-other --region eu-west-1 --account 123456789012 --force";
    let (status, printed) = preflight("eu-west-1", options);
    assert_eq!(status, Some(0), "{printed}");
    assert!(
        printed.contains("names: ok: 11 names, 0 in use"),
        "{printed}"
    );
}

#[test]
fn preflight_has_a_line_for_each_program_or_region_that_cannot_serve_the_stack() {
    for (region, variables, line) in [
        (
            "eu-west-1",
            "CARGO_LAMBDA=1.9.1",
            "cargo-lambda: FAIL: 1.9.1: 1.9.2 or later is required",
        ),
        (
            "il-central-1",
            "",
            "region: FAIL: il-central-1 has no function URLs",
        ),
        (
            "eu-west-1",
            "NO_ZIG=1",
            "zig: FAIL: zig is missing, or `false -m ziglang version` and `zig version` failed",
        ),
    ] {
        let options = format!("--stack larder-other --region {region} --force");
        let (status, printed) = preflight_with(region, &options, variables);

        assert_eq!(status, Some(1), "{printed}");
        assert_eq!(printed.matches("FAIL").count(), 1, "{printed}");
        assert!(printed.contains(line), "{line} in {printed}");
    }
}

#[test]
fn preflight_ends_with_one_line_without_a_valid_stack_region_or_login() {
    for (options, line) in [
        (
            "--stack larder_test --region eu-west-1",
            "'larder_test' is invalid: a letter, then",
        ),
        (
            "--stack larder-test-with-a-name-that-is-too-long --region eu-west-1",
            "at most 32 characters",
        ),
        (
            "--stack larder-test --region us-gov-west-1",
            "'us-gov-west-1' is no region of the partition aws",
        ),
    ] {
        let (status, printed) = preflight("eu-west-1", options);
        assert_eq!(status, Some(2), "{printed}");
        assert_eq!(printed.lines().count(), 1, "{printed}");
        assert!(printed.contains(line), "{line} in {printed}");
    }

    let (status, printed) = preflight("eu-west-9", "--stack larder-test --region eu-west-9");
    assert_eq!(status, Some(1), "{printed}");
    assert!(
        !printed.contains("unknown") && !printed.contains(".."),
        "{printed}"
    );
    let last = printed.lines().last().expect("a line");
    assert!(
        last.contains(r#"Run "aws configure". Sign in (`aws sso login`"#),
        "{last}"
    );
}

/// The AWS CLI of an account with one stack, `larder-test`.
const AWS_CLI_OF_STACK: &str = r#"case "$*" in
    "cloudformation describe-stacks --stack-name larder-test --region eu-west-1 "*)
        printf '%s\t%s\n' ApiUrl https://api.example/api/v1 $TABLE ;;
    "configure get region") ;;
    "configure export-credentials --format env") echo "export AWS_ACCESS_KEY_ID=id AWS_SECRET_ACCESS_KEY=secret" ;;
    *) echo "Stack with id $4 does not exist" >&2; exit 254 ;;
esac"#;

/// Runs `scripts/bootstrap` with a `cargo` that prints the variables and options of the program.
/// `table` is the name and the value of an output of the stack. Returns the exit status, and the
/// output.
fn bootstrap(options: &str, table: &str) -> (Option<i32>, String) {
    let programs = TempDir::new().expect("a temporary directory");
    write_program(&programs.path().join("aws"), AWS_CLI_OF_STACK);
    let cargo =
        r#"echo $TABLE_NAME $AWS_REGION $AWS_ACCESS_KEY_ID ${AWS_SESSION_TOKEN-} "${@: -2}""#;
    write_program(&programs.path().join("cargo"), cargo);

    let command = format!(
        "PATH={}:$PATH exec ../scripts/bootstrap {options} 2>&1",
        programs.path().display()
    );
    let output = Command::new("bash")
        .args(["-c", &command])
        .envs([("TABLE", table), ("AWS_SESSION_TOKEN", "old")])
        .env_remove("AWS_ACCESS_KEY_ID")
        .env_remove("AWS_REGION")
        .env_remove("AWS_DEFAULT_REGION")
        .output()
        .expect("a script");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), printed)
}

#[test]
fn bootstrap_passes_the_outputs_and_the_credentials_of_a_stack() {
    let options = "--stack larder-test --region eu-west-1 --recover";
    let program =
        "API: https://api.example/api/v1\nlarder-test-Table-1 eu-west-1 id -- --recover\n";
    let table = "TableName larder-test-Table-1";
    assert_eq!(bootstrap(options, table), (Some(0), program.to_owned()));

    for (options, table, status, expected) in [
        ("", table, 2, "--stack NAME is required. Try --help."),
        (
            "--stack larder-test",
            table,
            2,
            "the region is missing: pass --region REGION, or set AWS_REGION",
        ),
        ("--stack", table, 2, "--stack requires a value"),
        ("--force", table, 2, "unknown argument --force"),
        (
            "--stack other --region eu-west-1",
            table,
            254,
            "Stack with id other does not exist",
        ),
        (options, "Other larder", 1, "has no output TableName"),
    ] {
        let (actual, printed) = bootstrap(options, table);
        assert_eq!(actual, Some(status), "{printed}");
        assert!(printed.contains(expected), "{printed}");
    }
}
