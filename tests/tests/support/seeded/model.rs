//! A model of the folders and files of a space. Its access control is a reference implementation: a
//! walk from a file through its folders to the space.

use std::collections::BTreeMap;

use rand::{RngExt, rngs::SmallRng};
use serde_json::{Value, json};
use tests::{Response, TestSpace, text};

use super::{
    Place,
    operations::{Level, Operation, TEXT},
};

/// Access control of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessChange {
    requires_auth: Option<bool>,
    public_read: Option<bool>,
}

impl AccessChange {
    pub(crate) fn requires_auth(requires_auth: bool) -> AccessChange {
        AccessChange {
            requires_auth: Some(requires_auth),
            public_read: None,
        }
    }

    /// Returns a random change. One of four removes the access control.
    pub(super) fn draw(draws: &mut SmallRng) -> Option<AccessChange> {
        let mut flag = || match draws.random_range(0..3) {
            0 => None,
            number => Some(number == 1),
        };
        let change = AccessChange {
            requires_auth: flag(),
            public_read: flag(),
        };

        (draws.random_range(0..4) != 0).then_some(change)
    }

    pub(super) fn body(self) -> Value {
        let given = [
            ("requires_auth", self.requires_auth),
            ("public_read", self.public_read),
        ];
        let flags = given
            .into_iter()
            .filter_map(|(name, flag)| Some((name.to_owned(), Value::Bool(flag?))));
        json!({"access_control": flags.collect::<Value>()})
    }

    /// Returns whether authentication is required after the change.
    fn of(self, before: Option<bool>) -> Option<bool> {
        if self.requires_auth.is_none() && self.public_read.is_none() {
            return before;
        }
        Some(self.requires_auth == Some(true) || self.public_read == Some(false))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    /// Whether it requires authentication, if it says so itself.
    pub(crate) access: Option<bool>,
}

#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) url: String,
    folder: Option<String>,
    delivery_type: &'static str,
    /// Delivery type and id of the upload config.
    config_type: &'static str,
    config: String,
    access: Option<bool>,
    pub(crate) content: &'static str,
}

/// Access control, and the level that it comes from.
struct Access<'a> {
    requires_auth: bool,
    source: &'static str,
    from: &'a str,
}

impl Access<'_> {
    /// Returns the JSON for a resource that has this setting itself.
    fn to_json(&self, own: Option<bool>) -> Value {
        json!({
            "requires_auth": self.requires_auth, "public_read": !self.requires_auth, "source": self.source,
            "inherited_from": self.from, "setting": own,
        })
    }
}

/// The expected response to an operation.
pub(crate) struct Expected {
    pub(crate) status: u16,
    /// The field that the error names, empty for other responses.
    field: &'static str,
}

impl Expected {
    const fn invalid(field: &'static str) -> Expected {
        Expected { status: 422, field }
    }
}

/// A space, with its folders and files by id.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    space: String,
    /// Whether the space requires authentication.
    access: bool,
    pub(crate) folders: BTreeMap<String, Folder>,
    pub(crate) files: BTreeMap<String, File>,
    pub(crate) deleted_folders: Vec<String>,
    /// Deleted files, which are in the trash if the space has one.
    pub(crate) deleted_files: BTreeMap<String, File>,
    /// URLs of files that were deleted with a folder.
    pub(crate) purged_urls: Vec<String>,
}

impl Model {
    /// Returns the model of an empty space.
    pub(crate) fn new(acme: &TestSpace) -> Model {
        Model {
            space: acme.id.clone(),
            access: false,
            folders: BTreeMap::new(),
            files: BTreeMap::new(),
            deleted_folders: Vec::new(),
            deleted_files: BTreeMap::new(),
            purged_urls: Vec::new(),
        }
    }

    /// Returns a folder and its ancestors, leaf first.
    fn ancestors<'a>(&'a self, leaf: Option<&'a str>) -> Vec<(&'a str, &'a Folder)> {
        let mut ancestors = Vec::new();
        let mut next = leaf;
        while let Some(id) = next {
            let folder = &self.folders[id];
            ancestors.push((id, folder));
            next = folder.parent.as_deref();
        }
        ancestors
    }

    /// Returns whether a folder is another one or its descendant.
    fn is_within(&self, folder: Option<&str>, outer: &str) -> bool {
        self.ancestors(folder).iter().any(|(id, _)| *id == outer)
    }

    fn has_folders(&self, id: &str) -> bool {
        let mut folders = self.folders.values();
        folders.any(|folder| folder.parent.as_deref() == Some(id))
    }

    fn has_files(&self, id: &str) -> bool {
        let mut files = self.files.values();
        files.any(|file| file.folder.as_deref() == Some(id))
    }

    /// Returns whether another folder in a parent has a name, which does not depend on case.
    fn is_taken(&self, name: &str, parent: Option<&str>, except: Option<&str>) -> bool {
        self.folders.iter().any(|(id, folder)| {
            folder.parent.as_deref() == parent
                && folder.name.to_lowercase() == name.to_lowercase()
                && Some(id.as_str()) != except
        })
    }

    pub(crate) fn expected(&self, operation: &Operation) -> Expected {
        let status = match operation {
            Operation::CreateFolder(parent, name)
                if self.is_taken(name, parent.as_deref(), None) =>
            {
                return Expected::invalid("name");
            }
            Operation::MoveFolder(id, parent) if self.is_within(parent.as_deref(), id) => {
                return Expected::invalid("parent_id");
            }
            Operation::MoveFolder(id, parent)
                if self.is_taken(&self.folders[id].name, parent.as_deref(), Some(id)) =>
            {
                return Expected::invalid("name");
            }
            Operation::RenameFolder(id, name)
                if self.is_taken(name, self.folders[id].parent.as_deref(), Some(id)) =>
            {
                return Expected::invalid("name");
            }
            Operation::MoveFile(_, Some(folder)) if !self.folders.contains_key(folder) => {
                return Expected::invalid("folder_id");
            }
            Operation::DeleteFolder(id) if self.has_folders(id) || self.has_files(id) => {
                return Expected {
                    status: 409,
                    field: "id",
                };
            }
            Operation::DeleteFolder(_) | Operation::DeleteFile(_) => 204,
            Operation::DeleteWithContents(_) => 202,
            Operation::CreateFolder(..) | Operation::Upload(..) | Operation::UploadToPath(_) => 201,
            _ => 200,
        };

        Expected { status, field: "" }
    }

    /// Asserts that the response to an operation is the expected one, and applies the operation.
    #[track_caller]
    pub(crate) fn follow(&mut self, operation: &Operation, response: Response, place: Place) {
        let Expected { status, field } = self.expected(operation);
        let case = format!("{place}: {operation:?}");
        let response = response.with_context(&case).expect_status(status);

        if status >= 400 {
            let errors = response.expect_error(status);
            let fields: Vec<&String> = errors
                .as_object()
                .into_iter()
                .flat_map(|errors| errors.keys())
                .collect();
            assert!(
                fields.iter().all(|named| *named == field),
                "{case}: {errors}"
            );
            assert_eq!(fields.is_empty(), field.is_empty(), "{case}: {errors}");
            return;
        }
        let created = (status == 201).then(|| response.expect_created());
        self.apply(operation, &created.unwrap_or_default());
    }

    /// Applies an operation that succeeded. `created` is the record that it created.
    pub(crate) fn apply(&mut self, operation: &Operation, created: &Value) {
        match operation.clone() {
            Operation::CreateFolder(parent, name) => {
                let folder = Folder {
                    name: name.to_owned(),
                    parent,
                    access: None,
                };
                self.folders.insert(text(&created["id"]), folder);
            }
            Operation::MoveFolder(id, parent) => self.folder(&id).parent = parent,
            Operation::RenameFolder(id, name) => name.clone_into(&mut self.folder(&id).name),
            Operation::DeleteFolder(id) => {
                self.folders.remove(&id);
                self.deleted_folders.push(id);
            }
            Operation::DeleteWithContents(id) => {
                let is_deleted = |folder: &str| self.is_within(Some(folder), &id);
                let folders = self.folders.keys().filter(|folder| is_deleted(folder));
                let folders: Vec<String> = folders.cloned().collect();
                let files = self.files.extract_if(.., |_, file| {
                    folders.iter().any(|id| file.folder.as_ref() == Some(id))
                });
                self.purged_urls.extend(files.map(|(_, file)| file.url));
                self.folders.retain(|folder, _| !folders.contains(folder));
                self.deleted_folders.extend(folders);
            }
            Operation::SetAccess(Level::Space, change) => {
                let access = change.and_then(|change| change.of(Some(self.access)));
                self.access = access.unwrap_or_default();
            }
            Operation::SetAccess(Level::Folder(id), change) => {
                let folder = self.folder(&id);
                folder.access = change.and_then(|change| change.of(folder.access));
            }
            Operation::SetAccess(Level::File(id), change) => {
                let file = self.file(&id);
                file.access = change.and_then(|change| change.of(file.access));
            }
            Operation::Upload(folder, delivery_type) => {
                let file = File {
                    url: text(&created["url"]),
                    folder,
                    delivery_type,
                    config_type: delivery_type,
                    config: text(&created["upload_config_id"]),
                    access: None,
                    content: TEXT,
                };
                self.files.insert(text(&created["id"]), file);
            }
            Operation::UploadToPath(_) => panic!("the model has no paths"),
            Operation::ChangeType(id, delivery_type) => {
                self.file(&id).delivery_type = delivery_type;
            }
            Operation::MoveFile(id, folder) => self.file(&id).folder = folder,
            Operation::DeleteFile(id) => {
                let file = self.files.remove(&id);
                self.deleted_files.extend(file.map(|file| (id, file)));
            }
            Operation::RestoreFile(id) => {
                let mut file = self.deleted_files.remove(&id).expect("a drawn id");
                file.folder.take_if(|id| !self.folders.contains_key(id));
                self.files.insert(id, file);
            }
            Operation::ReplaceFile(id, content) => self.file(&id).content = content,
        }
    }

    fn folder(&mut self, id: &str) -> &mut Folder {
        self.folders.get_mut(id).expect("a drawn id")
    }

    fn file(&mut self, id: &str) -> &mut File {
        self.files.get_mut(id).expect("a drawn id")
    }

    fn path(&self, folder: Option<&str>) -> Option<String> {
        let names = self
            .ancestors(folder)
            .into_iter()
            .rev()
            .map(|(_, folder)| format!("{}/", folder.name));
        Some(names.collect::<String>()).filter(|path| !path.is_empty())
    }

    /// Returns the access control that a folder, or the root, passes on: that of the nearest
    /// ancestor that has any, else that of the space.
    fn inherited<'a>(&'a self, folder: Option<&'a str>) -> Access<'a> {
        let nearest = self.ancestors(folder).into_iter().find_map(|(id, folder)| {
            Some(Access {
                requires_auth: folder.access?,
                source: "folder",
                from: id,
            })
        });

        nearest.unwrap_or(Access {
            requires_auth: self.access,
            source: "space",
            from: &self.space,
        })
    }

    /// Returns the expected fields of a folder.
    pub(crate) fn folder_record(&self, id: &str) -> Value {
        let folder = &self.folders[id];
        let access = match folder.access {
            Some(requires_auth) => Access {
                requires_auth,
                source: "direct",
                from: id,
            },
            None => self.inherited(folder.parent.as_deref()),
        };

        json!({
            "id": id, "name": folder.name, "parent_id": folder.parent, "path": self.path(Some(id)),
            "has_children": self.has_folders(id), "access_control": access.to_json(folder.access),
        })
    }

    /// Returns the expected fields of a file.
    pub(crate) fn file_record(&self, id: &str) -> Value {
        let file = &self.files[id];
        let folder = file.folder.as_deref();
        let direct = |requires_auth| Access {
            requires_auth,
            source: "direct",
            from: id,
        };
        let is_open_type = file.delivery_type == "upload";
        let access = match file.access {
            Some(requires_auth) if requires_auth || is_open_type => direct(requires_auth),
            _ if is_open_type => self.inherited(folder),
            _ if file.delivery_type != file.config_type => direct(true),
            _ => Access {
                requires_auth: true,
                source: "upload_config",
                from: &file.config,
            },
        };

        json!({
            "id": id, "type": file.delivery_type, "folder_id": folder, "folder_path": self.path(folder), "url": file.url,
            "access_control": access.to_json(file.access), "size": file.content.len(),
        })
    }

    /// Returns whether anonymous clients can read a file.
    pub(crate) fn is_open(&self, id: &str) -> bool {
        let file = &self.files[id];
        let requires_auth = file
            .access
            .unwrap_or_else(|| self.inherited(file.folder.as_deref()).requires_auth);
        file.delivery_type == "upload" && !requires_auth
    }
}
