//! The requests of the README work as printed.

use std::path::PathBuf;

use tests::{Stack, stack_test};
use tokio::process::Command;

/// Returns the shell blocks of the README that contain requests.
fn requests() -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let blocks: Vec<&str> = readme
        .split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.strip_prefix("bash\n"))
        .collect();
    let requests: Vec<&str> = blocks
        .into_iter()
        .filter(|block| block.contains("curl"))
        .collect();

    assert!(
        requests
            .iter()
            .map(|block| block.matches("curl").count())
            .sum::<usize>()
            >= 5,
        "five requests: {requests:?}"
    );
    requests.join("\n")
}

/// Runs all requests in one shell against a stack. Only URL and key are replaced.
pub(crate) async fn requests_work(stack: &Stack) {
    let api = stack.local.api_url().to_owned();
    let key = stack.account().key.expect("a key");
    let printed = ["API=http://127.0.0.1:9000/api/v1", "KEY=sk_…"];
    let mut script = requests();
    for (line, own) in printed
        .into_iter()
        .zip([format!("API={api}"), format!("KEY={key}")])
    {
        assert!(script.contains(line), "the README sets {line}");
        script = script.replace(line, &own);
    }

    let directory = tempfile::TempDir::new().expect("a temporary directory");
    std::fs::write(directory.path().join("photo.jpg"), tests::PHOTO).expect("written");

    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(directory.path())
        .output();
    let output = output.await.expect("bash");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);

    assert!(output.status.success(), "{stdout}\n{stderr}");
    assert!(stdout.contains("the same photo"), "{stdout}\n{stderr}");
    assert!(
        stdout.contains("the signed URL works"),
        "{stdout}\n{stderr}"
    );
    // The first uploaded file, one per other upload route, and the file that is searched and moved.
    assert_eq!(
        stdout.matches(r#""status":"active""#).count(),
        6,
        "{stdout}\n{stderr}"
    );
}

#[stack_test(multi_thread)]
async fn requests_in_readme_work(stack: &Stack) {
    requests_work(stack).await;
    stack.run_confirm_checks().await;
}
