//! The requests of the README and of the guide work as printed.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::program::DataDir;

/// Returns the shell blocks of both pages.
fn requests() -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = ["README.md", "docs/guide.md"]
        .map(|page| std::fs::read_to_string(root.join(page)).expect("a page"))
        .join("\n");
    let blocks: Vec<&str> = pages
        .split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.strip_prefix("bash\n"))
        .collect();
    let requests = blocks.join("\n");

    assert!(
        requests.matches("curl").count() >= 5,
        "five requests: {requests}"
    );
    requests
}

/// Runs the requests against the program with these arguments: twice, and again after a restart.
pub(crate) async fn requests_work(arguments: &[&str]) {
    let data = DataDir::new();
    let samples = data.parent().join("tests/samples");
    std::fs::create_dir_all(&samples).expect("a directory");
    std::fs::write(samples.join("photo.jpg"), tests::PHOTO).expect("written");

    for runs in [2, 1] {
        let program = data.start(arguments);
        for _ in 0..runs {
            assert_requests_work(data.parent()).await;
        }
        program.end();
    }
}

/// Runs all requests in one shell, as in a clone of the repository.
async fn assert_requests_work(directory: &Path) {
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &requests()])
        .current_dir(directory)
        .output();
    let output = output.await.expect("bash");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);

    assert!(output.status.success(), "{stdout}\n{stderr}");
    for (printed, count) in [
        // The first uploaded file, one per other upload route, and the file that is searched, moved
        // and restored.
        (r#""status":"active""#, 7),
        (r#""status":"delivered""#, 1),
        (r#""status_code":204"#, 1),
        ("the same photo", 1),
        ("bytes of image/webp", 1),
        ("the signed URL works", 1),
    ] {
        let found = stdout.matches(printed).count();
        assert_eq!(found, count, "{printed}: {stdout}\n{stderr}");
    }
}

#[tokio::test]
async fn requests_in_readme_work() {
    requests_work(&[]).await;
}
