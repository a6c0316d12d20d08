//! The examples of the guides work as printed.
//!
//! Invariant: every fence of every page in `docs/guides` has a tag that is known here, so that none is
//! published without a test.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use tokio::process::Command;

use super::program::DataDir;
use crate::support::external_programs;

/// Maximum number of lines of a page.
const MAX_LINES: usize = 150;
/// Languages of files that a later block runs.
const FILE_LANGUAGES: [&str; 2] = ["js", "python"];
/// Tags of blocks that are only shown.
const SHOWN: [&str; 3] = ["json", "http", "text"];
/// First words of commands that are only shown.
const SHOWN_COMMANDS: [&str; 4] = ["$ cargo run", "$ npm install", "$ pip install", "$ sam "];

/// What a reader of a page does.
#[derive(Default)]
struct Examples {
    /// Names and contents of files.
    files: Vec<(String, String)>,
    /// Commands, in one shell.
    commands: Vec<String>,
}

impl Examples {
    /// Reads the blocks of a page. Panics if a tag is not known.
    fn of(page: &str) -> Examples {
        let mut examples = Examples::default();
        for block in page.split("```").skip(1).step_by(2) {
            let (tag, content) = block.split_once('\n').expect("a block");
            let content = content.to_owned();
            match tag.split_once(" file=") {
                Some((language, name)) if FILE_LANGUAGES.contains(&language) => {
                    examples.files.push((name.to_owned(), content));
                }
                None if tag == "bash" => examples.commands.push(content),
                None if SHOWN.contains(&tag) => {}
                None if tag == "console" => {
                    let is_known = SHOWN_COMMANDS
                        .iter()
                        .any(|start| content.starts_with(start));
                    assert!(
                        is_known,
                        "a console block begins with another command: {content}"
                    );
                }
                _ => panic!("no test knows the tag {tag:?}"),
            }
        }
        examples
    }
}

/// Follows a page in a directory like that of the repository, and returns what its commands print.
async fn follow(name: &str) -> String {
    let root = external_programs::root();
    let page = fs::read_to_string(root.join("docs/guides").join(name)).expect("a page");
    assert!(page.lines().count() < MAX_LINES, "{name} is too long");
    let examples = Examples::of(&page);

    let data = DataDir::new();
    let directory = data.parent();
    fs::create_dir_all(directory.join("tests/samples")).expect("a directory");
    fs::write(directory.join("tests/samples/photo.jpg"), tests::PHOTO).expect("written");
    fs::create_dir(directory.join("node_modules")).expect("a directory");
    let client = root
        .join("clients/typescript")
        .canonicalize()
        .expect("the client");
    symlink(client, directory.join("node_modules/larder")).expect("a link");
    for (name, content) in &examples.files {
        fs::write(directory.join(name), content).expect("written");
    }

    let program = data.start(&[]);
    let python = root
        .join(".tools/clients/bin")
        .canonicalize()
        .expect("a directory");
    let script = format!(
        "PATH={}:$PATH\n{}",
        python.display(),
        examples.commands.join("\n")
    );
    let mut command = Command::new("bash");
    command
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(directory);
    let printed = external_programs::run(&mut command).await;
    program.end();
    printed
}

/// Returns the names of the pages, except the list of them.
fn pages() -> Vec<String> {
    let directory = external_programs::root().join("docs/guides");
    let entries = fs::read_dir(directory).expect("a directory");
    let names = entries.map(|entry| {
        entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("UTF-8")
    });
    let mut names: Vec<String> = names.filter(|name| name != "README.md").collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn guides_work() {
    let expected = [
        (
            "private-files.md",
            &[
                "without a signature: 403",
                "signed: 200 image/webp",
                "thumbnails: 1 of 1",
                "d5d3ad45f6318bf7765c71ea89fc87a24478fe61cc18b53815a76dec92810b4b",
            ][..],
        ),
        (
            "show-images.md",
            &[
                "w=320 320w",
                "url(data:image/bmp;base64,",
                "next/image: https://cdn.example.com/k3x9ab/a.jpg?w=640&q=auto",
                "unpic: https://cdn.example.com/k3x9ab/a.jpg?w=640&h=480&r=fill",
            ],
        ),
        (
            "upload-from-a-backend.md",
            &[
                "found photo.jpg",
                "stored by Node: http",
                "stored by Python: http",
            ],
        ),
        (
            "webhooks.md",
            &[
                "received file.uploaded photo.jpg",
                "answered with 204",
                "sent again",
            ],
        ),
    ];
    assert_eq!(pages(), expected.map(|(name, _)| name));

    let root = external_programs::root();
    let needed =
        ["clients/typescript/dist/api.js", ".tools/clients/installed"].map(|path| root.join(path));
    let needed: Vec<&Path> = needed.iter().map(PathBuf::as_path).collect();
    if !external_programs::installed("the guides", &["node", "curl"], &needed) {
        return;
    }
    for (name, lines) in expected {
        let printed = follow(name).await;
        for line in lines {
            assert_eq!(
                printed.matches(line).count(),
                1,
                "{name}: {line}: {printed}"
            );
        }
    }
}

#[test]
fn list_of_guides_names_every_page() {
    let root = external_programs::root();
    let list = fs::read_to_string(root.join("docs/guides/README.md")).expect("a page");
    for name in pages() {
        assert!(
            list.contains(&format!("({name})")),
            "{name} is not in the list"
        );
    }
}
