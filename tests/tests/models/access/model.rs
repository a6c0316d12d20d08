//! What access has to be, told as simply as it can be: by going up from a file, folder by folder,
//! to its space.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The access control of one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) requires_auth: bool,
}

impl Flags {
    fn ask_for_proof(self) -> bool {
        self.requires_auth
    }
}

/// Flags that a request sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) requires_auth: Option<bool>,
    pub(crate) public_read: Option<bool>,
}

impl Change {
    pub(crate) fn body(self) -> Value {
        let given = [
            ("requires_auth", self.requires_auth),
            ("public_read", self.public_read),
        ];
        let flags = given
            .into_iter()
            .filter_map(|(name, flag)| Some((name.to_owned(), Value::Bool(flag?))));
        json!({"access_control": flags.collect::<Value>()})
    }

    /// What the flags are after it, where they were these before.
    pub(crate) fn of(self, before: Option<Flags>) -> Option<Flags> {
        if self.requires_auth.is_none() && self.public_read.is_none() {
            return before;
        }
        let closes = self.requires_auth == Some(true) || self.public_read == Some(false);
        Some(Flags {
            requires_auth: closes,
        })
    }
}

#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) says: Option<Flags>,
}

#[derive(Debug)]
pub(crate) struct File {
    pub(crate) url: String,
    pub(crate) folder: Option<String>,
    pub(crate) delivery_type: &'static str,
    /// The upload config that it came in by.
    pub(crate) config: String,
    pub(crate) says: Option<Flags>,
}

/// A space, with its folders and files by their ids.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) space: String,
    pub(crate) says: Flags,
    pub(crate) folders: BTreeMap<String, Folder>,
    pub(crate) files: BTreeMap<String, File>,
}

impl Model {
    /// A folder and those around it, from the innermost up.
    pub(crate) fn upward<'a>(&'a self, innermost: Option<&'a str>) -> Vec<(&'a str, &'a Folder)> {
        let mut upward = Vec::new();
        let mut next = innermost;
        while let Some(id) = next {
            let folder = &self.folders[id];
            upward.push((id, folder));
            next = folder.parent.as_deref();
        }
        upward
    }

    /// Whether a folder is another one, or within it.
    pub(crate) fn is_within(&self, folder: Option<&str>, outer: &str) -> bool {
        self.upward(folder).iter().any(|(id, _)| *id == outer)
    }

    pub(crate) fn has_folders(&self, id: &str) -> bool {
        self.folders
            .values()
            .any(|folder| folder.parent.as_deref() == Some(id))
    }

    pub(crate) fn has_files(&self, id: &str) -> bool {
        self.files
            .values()
            .any(|file| file.folder.as_deref() == Some(id))
    }

    fn path(&self, folder: Option<&str>) -> Option<String> {
        let names = self
            .upward(folder)
            .into_iter()
            .rev()
            .map(|(_, folder)| format!("{}/", folder.name));
        Some(names.collect::<String>()).filter(|path| !path.is_empty())
    }

    /// What the nearest of a folder and those around it says, or the space.
    fn nearest<'a>(&'a self, folder: Option<&'a str>) -> (Flags, &'static str, &'a str) {
        let spoken = self
            .upward(folder)
            .into_iter()
            .find_map(|(id, folder)| Some((folder.says?, "folder", id)));
        spoken.unwrap_or((self.says, "space", self.space.as_str()))
    }

    /// A folder as the API has to show it, as far as it matters here.
    pub(crate) fn shown_folder(&self, id: &str) -> Value {
        let folder = &self.folders[id];
        let (flags, source, from) = match folder.says {
            Some(flags) => (flags, "direct", id),
            None => self.nearest(folder.parent.as_deref()),
        };

        json!({
            "id": id, "name": folder.name, "parent_id": folder.parent, "path": self.path(Some(id)),
            "has_children": self.has_folders(id), "access_control": shown(flags.ask_for_proof(), source, from),
        })
    }

    /// The same of a file.
    pub(crate) fn shown_file(&self, id: &str) -> Value {
        let file = &self.files[id];
        let folder = file.folder.as_deref();
        let access_control = match file.says {
            Some(flags) => shown(flags.ask_for_proof(), "direct", id),
            None if file.delivery_type != "upload" => shown(true, "upload_config", &file.config),
            None => {
                let (flags, source, from) = self.nearest(folder);
                shown(flags.ask_for_proof(), source, from)
            }
        };

        json!({
            "id": id, "type": file.delivery_type, "folder_id": folder, "folder_path": self.path(folder), "url": file.url,
            "access_control": access_control,
        })
    }

    /// Whether anyone may see a file.
    pub(crate) fn is_open(&self, file: &File) -> bool {
        let flags = file
            .says
            .unwrap_or_else(|| self.nearest(file.folder.as_deref()).0);
        file.delivery_type == "upload" && !flags.ask_for_proof()
    }
}

fn shown(requires_auth: bool, source: &str, inherited_from: &str) -> Value {
    let public_read = !requires_auth;
    json!({
        "requires_auth": requires_auth, "public_read": public_read, "source": source, "inherited_from": inherited_from,
    })
}
