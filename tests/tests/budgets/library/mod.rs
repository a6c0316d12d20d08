//! The number of AWS calls of requests that concern files and folders. It depends neither on the
//! size of the library nor on the depth of folders.

mod delivery;
mod files;
mod folders;
mod uploads;

use tests::{File, PHOTO, Stack, TestSpace};

use super::Budget;

/// Maximum depth of folders.
const DEEPEST: usize = 20;

/// Creates a space whose keys are warm.
async fn warm(stack: &Stack) -> TestSpace {
    let acme = stack.space("Acme").await;
    super::warm(stack, &acme).await;
    acme
}

/// Creates a folder in a parent or in the root, and returns its id.
async fn folder(acme: &TestSpace, name: &str, parent: Option<&str>) -> String {
    acme.folder(name).inside_id(parent).await.id
}

/// Creates nested folders, and returns their ids, the outermost first.
async fn nested(acme: &TestSpace, depth: usize) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for level in 1..=depth {
        let parent = ids.last().map(String::as_str);
        ids.push(folder(acme, &format!("level {level}"), parent).await);
    }
    ids
}

/// Uploads the photo into a folder, or into the root for `root`.
async fn stored(acme: &TestSpace, folder_id: &str) -> File {
    acme.upload(PHOTO).into_id(folder_id).await
}
