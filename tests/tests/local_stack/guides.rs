//! The examples of the guides work as printed.
//!
//! Invariant: every fence of every page in `docs/guides` runs here, or has a tag or commands that
//! are only shown.

use std::{
    ffi::OsStr,
    fs,
    net::TcpListener,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use tests::text;
use tokio::process::Command;

use super::program::DataDir;
use crate::support::external_programs;

/// Pages that are followed in one shell, and texts that their commands print once.
const GUIDES: &[(&[&str], &[&str])] = &[
    (&["compared.md"], &[]),
    (&["concepts.md"], &[]),
    (
        &["large-files.md"],
        &[
            "active: 20971520 bytes",
            "cancelled: 204",
            "the same bytes",
            "a range: 206, 100 bytes",
        ],
    ),
    (
        &["migrate.md"],
        &[
            "stored\tharbours/boat.jpg\thttp",
            "skipped\tharbours/boat.jpg\thttp",
            "stored\tboats/red.jpg\thttp",
            r#""alt":"A boat""#,
            r#""tags":["boat"]"#,
        ],
    ),
    (
        &["private-files.md"],
        &[
            "without a signature: 403",
            "signed: 200 image/webp",
            "thumbnails: 1 of 1",
            "d5d3ad45f6318bf7765c71ea89fc87a24478fe61cc18b53815a76dec92810b4b",
        ],
    ),
    (&["private-gallery.md"], &["Open http://127.0.0.1:"]),
    (
        &["show-images.md"],
        &[
            "w=320 320w",
            "url(data:image/bmp;base64,",
            "next/image: https://cdn.example.com/k3x9ab/a.jpg?w=640&q=auto",
            "unpic: https://cdn.example.com/k3x9ab/a.jpg?w=640&h=480&r=fill",
        ],
    ),
    (&["start.md"], &["image/webp of"]),
    (
        &["trouble.md"],
        &[
            "Referer header is missing",
            "requires HTTPS for the page",
            "SignatureDoesNotMatch",
            "signature does not match the URL",
            "w field must not be greater than 8192",
            "not supported; use w",
            "not been uploaded yet",
            "allowed: *",
        ],
    ),
    (
        &["upload-from-a-backend.md"],
        &[
            "found photo.jpg",
            "stored by Node: http",
            "stored by Python: http",
        ],
    ),
    (
        &["upload-from-a-page.md", "upload-with-react-and-uppy.md"],
        &["/upload.html", "/react.html", "/uppy.html"],
    ),
    (
        &["uploads-of-visitors.md"],
        &["/guestbook.html", "before: 403", "published: 200"],
    ),
    (
        &["watermark.md"],
        &["the image has a watermark", "partners get the original"],
    ),
    (
        &["webhooks.md"],
        &[
            "received file.uploaded photo.jpg",
            "answered with 204",
            "sent again",
        ],
    ),
];
/// Examples that have at most a number of lines together: page and files.
const BOUNDED: [(&str, &[&str], usize); 2] = [
    ("private-gallery.md", &["gallery.mjs", "gallery.html"], 79),
    ("upload-with-react-and-uppy.md", &["upload.tsx"], 40),
];
/// What the examples need, beside programs.
const NEEDED: [&str; 4] = [
    "clients/typescript/dist/api.js",
    ".tools/clients/installed",
    "tests/browser/node_modules/.package-lock.json",
    "/usr/bin/chromium",
];
/// Maximum number of lines of a page.
const MAX_LINES: usize = 150;
/// Languages of files that a later block runs.
const FILE_LANGUAGES: [&str; 4] = ["html", "js", "python", "tsx"];
/// Tags of blocks that are only shown.
const SHOWN: [&str; 4] = ["json", "http", "mermaid", "text"];
/// First words of commands that are only shown.
const SHOWN_COMMANDS: [&str; 5] = ["$ aws ", "$ cargo run", "$ npm ", "$ pip install", "$ sam "];
/// Checks the types of a file against the client, with the options that bundlers of pages need.
const CHECK_TYPES: &str = "tsc --noEmit --strict --noUncheckedIndexedAccess --target es2022 --module esnext \
                           --moduleResolution bundler --jsx react-jsx --types react";

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
        let mut checks = Vec::new();

        for block in page.split("```").skip(1).step_by(2) {
            let (tag, content) = block.split_once('\n').expect("a block");
            let content = content.to_owned();

            match tag.split_once(" file=") {
                Some((language, file)) if FILE_LANGUAGES.contains(&language) => {
                    let (name, check) = file.split_once(" check=").unwrap_or((file, ""));
                    assert_eq!(language == "html", !check.is_empty(), "{tag}");
                    if language == "html" {
                        checks.push(format!("node $CHECKS/{check}.mjs"));
                    }
                    if language == "tsx" {
                        checks.push(format!("{CHECK_TYPES} {name}"));
                    }
                    examples.files.push((name.to_owned(), content));
                }
                None if tag == "bash" => {
                    examples.commands.push(content);
                    examples.commands.append(&mut checks);
                }
                None if SHOWN.contains(&tag) => {}
                None if tag == "console" => {
                    for line in content.lines() {
                        let is_known = SHOWN_COMMANDS.iter().any(|start| line.starts_with(start));
                        assert!(is_known, "a console block has another command: {line}");
                    }
                }
                _ => panic!("no test knows the tag {tag:?}"),
            }
        }

        assert!(checks.is_empty(), "no command follows a file: {checks:?}");
        examples
    }
}

/// Links what the set-up of the guides installs into a directory.
fn link_packages(directory: &Path) {
    let root = external_programs::root();
    let link = |package: &Path, name: &OsStr| {
        let package = package.canonicalize().expect("a package");
        symlink(package, directory.join(name)).expect("a link");
    };

    link(&root.join("clients/typescript"), OsStr::new("larder"));
    for entry in fs::read_dir(root.join("tests/browser/node_modules")).expect("a directory") {
        let entry = entry.expect("an entry");
        link(&entry.path(), &entry.file_name());
    }
}

/// Follows pages in a directory like that of the repository, and returns what their commands print.
async fn follow(names: &[&str]) -> String {
    let root = external_programs::root();
    let pages: Vec<String> = names.iter().map(|name| read(name)).collect();
    let examples = Examples::of(&pages.join("\n"));

    let data = DataDir::new();
    let directory = data.parent();
    write(&directory.join("tests/samples/photo.jpg"), tests::PHOTO);
    for (name, content) in &examples.files {
        write(&directory.join(name), content.as_bytes());
    }
    fs::create_dir(directory.join("node_modules")).expect("a directory");
    link_packages(&directory.join("node_modules"));

    let program = data.start(&[]);
    let installed = [".tools/clients/bin", "clients/typescript/node_modules/.bin"]
        .map(|path| root.join(path).canonicalize().expect("a directory"));
    let [python, node] = installed.map(|path| path.display().to_string());
    let script = format!(
        "PATH={python}:{node}:$PATH\n{}",
        examples.commands.join("\n")
    );
    let mut command = Command::new("bash");
    command
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(directory)
        .env("PORT", free_port().to_string())
        .env("CHECKS", root.join("tests/browser/guides"))
        .env("LARDER_API_URL", text(&program.local["api_url"]))
        .env("LARDER_API_KEY", text(&program.local["api_key"]));
    let printed = external_programs::run(&mut command).await;
    program.end();
    printed
}

/// Returns a port that no program listens on.
fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}

/// Reads a page.
fn read(name: &str) -> String {
    let directory = external_programs::root().join("docs/guides");
    fs::read_to_string(directory.join(name)).expect("a page")
}

/// Writes a file, and creates its directory.
fn write(file: &Path, content: &[u8]) {
    fs::create_dir_all(file.parent().expect("a directory")).expect("a directory");
    fs::write(file, content).expect("written");
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
    let listed = GUIDES.iter().flat_map(|(pages, _)| pages.iter());
    let mut listed: Vec<&str> = listed.copied().collect();
    listed.sort_unstable();
    assert_eq!(pages(), listed);

    let root = external_programs::root();
    let needed = NEEDED.map(|path| root.join(path));
    let needed: Vec<&Path> = needed.iter().map(PathBuf::as_path).collect();
    if !external_programs::installed("the guides", &["node", "curl"], &needed) {
        return;
    }
    for (pages, lines) in GUIDES {
        let printed = follow(pages).await;
        for line in *lines {
            let found = printed.matches(line).count();
            assert_eq!(found, 1, "{pages:?}: {line}: {printed}");
        }
    }
}

#[test]
fn pages_are_listed_and_short_and_have_known_fences() {
    // What the list shows is done once, before a page is followed.
    let list = read("README.md");
    let examples = Examples::of(&list);
    assert!(examples.commands.is_empty() && examples.files.is_empty());

    for name in pages() {
        let is_listed = list.contains(&format!("({name})"));
        assert!(is_listed, "{name} is not in the list");
        let page = read(&name);
        assert!(page.lines().count() < MAX_LINES, "{name} is too long");
        Examples::of(&page);
    }

    for (name, files, max_lines) in BOUNDED {
        let examples = Examples::of(&read(name));
        let bounded = examples
            .files
            .iter()
            .filter(|(file, _)| files.contains(&file.as_str()));
        let lines: usize = bounded.map(|(_, content)| content.lines().count()).sum();
        assert!((1..=max_lines).contains(&lines), "{name}: {lines} lines");
    }
}
