//! Random operations on folders, files and access control.

use rand::{RngExt, rngs::SmallRng};
use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Response, TestSpace, file, form, text};

use super::{
    model::{AccessChange, Model},
    pick, pick_weighted,
};

/// Content of all uploaded files.
pub(crate) const TEXT: &str = "some text";
/// Contents that replace it.
const OTHER_TEXTS: [&str; 2] = ["another text", "x"];
/// Names of folders: few, so that they conflict.
const NAMES: [&str; 6] = ["a", "b", "A", "c", "été", "Été"];
/// Delivery types. Each except the first has an upload config of its name.
const TYPES: [&str; 3] = ["upload", "private", "authenticated"];
/// Path below the folder of an upload, which it creates.
const SUBFOLDERS: &str = "b/c";

/// Creates the upload configs of the delivery types.
pub(crate) async fn create_configs(acme: &TestSpace) {
    for delivery_type in &TYPES[1..] {
        let config = acme.upload_config(delivery_type);
        config.with_delivery_type(delivery_type).await;
    }
}

/// A request of the owner of a space. The body of an upload contains the fields of its form.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    method: &'static str,
    path: String,
    body: Value,
}

impl Request {
    fn new(method: &'static str, path: &str, body: Value) -> Request {
        Request {
            method,
            path: path.to_owned(),
            body,
        }
    }

    pub(crate) fn get(path: &str) -> Request {
        Request::new("GET", path, Value::Null)
    }

    pub(crate) fn post(path: &str, body: Value) -> Request {
        Request::new("POST", path, body)
    }

    pub(crate) fn put(path: &str, body: Value) -> Request {
        Request::new("PUT", path, body)
    }

    pub(crate) fn delete(path: &str) -> Request {
        Request::new("DELETE", path, Value::Null)
    }

    /// An upload of the text with these fields.
    pub(crate) fn upload(fields: Value) -> Request {
        Request::post("/upload", fields)
    }

    /// A replacement of the content of a file.
    pub(crate) fn replace(path: &str, text: &str) -> Request {
        Request::put(&format!("{path}/content"), json!({ "text": text }))
    }

    pub(crate) async fn send(&self, acme: &TestSpace) -> Response {
        let request = acme.request(self.method, &self.path);
        let request = match &self.body {
            Value::Null => request,
            Value::Object(fields) if self.path == "/upload" => {
                let form = form(&acme.handle, "note.txt", "text/plain", TEXT);
                let texts = fields
                    .iter()
                    .filter_map(|(name, value)| Some((name, value.as_str()?)));
                request.multipart(texts.fold(form, |form, (name, text)| {
                    form.text(name.clone(), text.to_owned())
                }))
            }
            Value::Object(fields) if self.path.ends_with("/content") => {
                let part = file("note.txt", "text/plain", text(&fields["text"]));
                request.multipart(Form::new().part("file", part))
            }
            body => request.json(body),
        };

        acme.send(request).await
    }
}

/// An operation. Folders and files are given by id, `None` is the root.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    CreateFolder(Option<String>, &'static str),
    MoveFolder(String, Option<String>),
    RenameFolder(String, &'static str),
    DeleteFolder(String),
    DeleteWithContents(String),
    /// Sets or removes the access control of the space, a folder or a file.
    SetAccess(Level, Option<AccessChange>),
    /// Uploads a file of a delivery type.
    Upload(Option<String>, &'static str),
    /// Uploads a file, and creates folders for it.
    UploadToPath(Option<String>),
    ChangeType(String, &'static str),
    MoveFile(String, Option<String>),
    DeleteFile(String),
    /// Replaces the content of a file.
    ReplaceFile(String, &'static str),
    /// Restores a file from the trash.
    RestoreFile(String),
}

/// A resource with access control.
#[derive(Clone, Debug)]
pub(crate) enum Level {
    Space,
    Folder(String),
    File(String),
}

/// A kind of operations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    CreateFolder,
    MoveFolder,
    RenameFolder,
    DeleteFolder,
    DeleteWithContents,
    SetSpaceAccess,
    SetFolderAccess,
    SetFileAccess,
    Upload,
    UploadToPath,
    ChangeType,
    MoveFile,
    DeleteFile,
    ReplaceFile,
    RestoreFile,
}

/// The operations of a suite.
pub(crate) struct Operations {
    /// Kinds, each with its weight.
    pub(crate) kinds: &'static [(u32, Kind)],
    pub(crate) max_folders: usize,
    pub(crate) max_files: usize,
}

impl Operations {
    /// Returns a random operation on what a space contains.
    pub(crate) fn draw(&self, model: &Model, draws: &mut SmallRng) -> Operation {
        loop {
            let kind = pick_weighted(draws, self.kinds);
            let is_full = match kind {
                Kind::CreateFolder => model.folders.len() >= self.max_folders,
                Kind::Upload => model.files.len() >= self.max_files,
                _ => false,
            };
            let operation = Operation::draw(kind, model, draws);
            if let Some(operation) = operation.filter(|_| !is_full) {
                return operation;
            }
        }
    }
}

/// Returns a random id, or `None` if there are none.
fn draw_id<'a>(
    draws: &mut SmallRng,
    ids: impl ExactSizeIterator<Item = &'a String>,
) -> Option<String> {
    let index = draws.random_range(0..ids.len().max(1));
    ids.into_iter().nth(index).cloned()
}

impl Operation {
    /// Returns a random operation of a kind, or `None` if there is no folder or file to change.
    fn draw(kind: Kind, model: &Model, draws: &mut SmallRng) -> Option<Operation> {
        let folder = draw_id(draws, model.folders.keys());
        let file = draw_id(draws, model.files.keys());
        let is_root = draws.random_range(0..6) == 0;
        let target = draw_id(draws, model.folders.keys()).filter(|_| !is_root);
        let name = *pick(draws, &NAMES);
        let delivery_type = *pick(draws, &TYPES);
        let content = *pick(draws, &OTHER_TEXTS);

        Some(match kind {
            Kind::CreateFolder => Operation::CreateFolder(target, name),
            Kind::MoveFolder => Operation::MoveFolder(folder?, target),
            Kind::RenameFolder => Operation::RenameFolder(folder?, name),
            Kind::DeleteFolder => Operation::DeleteFolder(folder?),
            Kind::DeleteWithContents => Operation::DeleteWithContents(folder?),
            Kind::SetSpaceAccess => Operation::SetAccess(Level::Space, AccessChange::draw(draws)),
            Kind::SetFolderAccess => {
                Operation::SetAccess(Level::Folder(folder?), AccessChange::draw(draws))
            }
            Kind::SetFileAccess => {
                Operation::SetAccess(Level::File(file?), AccessChange::draw(draws))
            }
            Kind::Upload => Operation::Upload(target, delivery_type),
            Kind::UploadToPath => Operation::UploadToPath(target),
            Kind::ChangeType => Operation::ChangeType(file?, delivery_type),
            Kind::MoveFile => {
                let is_deleted = draws.random_range(0..6) == 0;
                let deleted = draw_id(draws, model.deleted_folders.iter());
                Operation::MoveFile(file?, deleted.filter(|_| is_deleted).or(target))
            }
            Kind::DeleteFile => Operation::DeleteFile(file?),
            Kind::ReplaceFile => Operation::ReplaceFile(file?, content),
            Kind::RestoreFile => {
                Operation::RestoreFile(draw_id(draws, model.deleted_files.keys())?)
            }
        })
    }

    pub(crate) fn request(&self, acme: &TestSpace) -> Request {
        let folder = |id: &str| format!("/folders/{id}");
        let file = |id: &str| format!("/files/{id}");
        let into = |target: &Option<String>| json!(target.as_deref().unwrap_or("root"));

        match self {
            Operation::CreateFolder(parent, name) => new_folder(acme, name, parent.as_deref()),
            Operation::MoveFolder(id, parent) => {
                Request::put(&folder(id), json!({"parent_id": parent}))
            }
            Operation::RenameFolder(id, name) => Request::put(&folder(id), json!({"name": name})),
            Operation::DeleteFolder(id) => Request::delete(&folder(id)),
            Operation::DeleteWithContents(id) => {
                Request::delete(&format!("{}?force=true", folder(id)))
            }
            Operation::SetAccess(level, change) => {
                let path = match level {
                    Level::Space => acme.path(),
                    Level::Folder(id) => folder(id),
                    Level::File(id) => file(id),
                };
                let path = format!("{path}/access-control");
                change.map_or(Request::delete(&path), |change| {
                    Request::put(&path, change.body())
                })
            }
            Operation::Upload(target, delivery_type) => {
                let config =
                    Some(delivery_type).filter(|delivery_type| **delivery_type != "upload");
                Request::upload(json!({"folder_id": into(target), "upload_config": config}))
            }
            Operation::UploadToPath(target) => {
                Request::upload(json!({"folder_id": into(target), "folder_path": SUBFOLDERS}))
            }
            Operation::ChangeType(id, delivery_type) => {
                Request::put(&file(id), json!({"type": delivery_type}))
            }
            Operation::MoveFile(id, target) => {
                Request::put(&file(id), json!({"folder_id": target}))
            }
            Operation::DeleteFile(id) => Request::delete(&file(id)),
            Operation::ReplaceFile(id, text) => Request::replace(&file(id), text),
            Operation::RestoreFile(id) => {
                Request::post(&format!("{}/restore", file(id)), json!({}))
            }
        }
    }
}

/// Returns a request for a folder, in the root if `parent` is `None`.
pub(crate) fn new_folder(acme: &TestSpace, name: &str, parent: Option<&str>) -> Request {
    let body = json!({"name": name, "space_id": acme.id, "parent_id": parent});
    Request::post("/folders", body)
}
