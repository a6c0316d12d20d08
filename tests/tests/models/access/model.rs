//! Reference implementation of access control: a walk from a file through its folders to the space.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The access control of one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) requires_auth: bool,
}

impl Flags {
    fn is_protected(self) -> bool {
        self.requires_auth
    }
}

/// Access control of a request.
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

    /// Returns the access control after the change.
    pub(crate) fn of(self, before: Option<Flags>) -> Option<Flags> {
        if self.requires_auth.is_none() && self.public_read.is_none() {
            return before;
        }
        let protects = self.requires_auth == Some(true) || self.public_read == Some(false);
        Some(Flags {
            requires_auth: protects,
        })
    }
}

#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) name: String,
    pub(crate) parent: Option<String>,
    pub(crate) access: Option<Flags>,
}

#[derive(Debug)]
pub(crate) struct File {
    pub(crate) url: String,
    pub(crate) folder: Option<String>,
    pub(crate) delivery_type: &'static str,
    /// Delivery type of the upload config.
    pub(crate) config_type: &'static str,
    /// Id of the upload config.
    pub(crate) config: String,
    pub(crate) access: Option<Flags>,
}

/// Access control, and the level that it comes from.
struct Access<'a> {
    flags: Flags,
    source: &'static str,
    from: &'a str,
}

impl Access<'_> {
    /// Returns the JSON for a resource that has this setting itself.
    fn to_json(&self, own: Option<Flags>) -> Value {
        let requires_auth = self.flags.is_protected();
        json!({
            "requires_auth": requires_auth, "public_read": !requires_auth, "source": self.source,
            "inherited_from": self.from, "setting": own.map(Flags::is_protected),
        })
    }
}

/// A space, with its folders and files by id.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) space: String,
    pub(crate) access: Flags,
    pub(crate) folders: BTreeMap<String, Folder>,
    pub(crate) files: BTreeMap<String, File>,
}

impl Model {
    /// Returns a folder and its ancestors, leaf first.
    pub(crate) fn ancestors<'a>(&'a self, leaf: Option<&'a str>) -> Vec<(&'a str, &'a Folder)> {
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
    pub(crate) fn is_within(&self, folder: Option<&str>, outer: &str) -> bool {
        self.ancestors(folder).iter().any(|(id, _)| *id == outer)
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
                flags: folder.access?,
                source: "folder",
                from: id,
            })
        });

        nearest.unwrap_or(Access {
            flags: self.access,
            source: "space",
            from: &self.space,
        })
    }

    /// Returns the expected fields of a folder.
    pub(crate) fn folder_record(&self, id: &str) -> Value {
        let folder = &self.folders[id];
        let access = match folder.access {
            Some(flags) => Access {
                flags,
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
        let (source, from) = if file.delivery_type == file.config_type {
            ("upload_config", file.config.as_str())
        } else {
            ("direct", id)
        };
        let by_type = Access {
            flags: Flags {
                requires_auth: true,
            },
            source,
            from,
        };
        let is_open_type = file.delivery_type == "upload";
        let access = match file.access {
            Some(flags) if flags.is_protected() || is_open_type => Access {
                flags,
                source: "direct",
                from: id,
            },
            _ if !is_open_type => by_type,
            _ => self.inherited(folder),
        };

        json!({
            "id": id, "type": file.delivery_type, "folder_id": folder, "folder_path": self.path(folder), "url": file.url,
            "access_control": access.to_json(file.access),
        })
    }

    /// Returns whether anonymous clients can read a file.
    pub(crate) fn is_open(&self, file: &File) -> bool {
        let flags = file
            .access
            .unwrap_or_else(|| self.inherited(file.folder.as_deref()).flags);
        file.delivery_type == "upload" && !flags.is_protected()
    }
}
