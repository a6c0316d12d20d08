//! Every key of the table.
//!
//! | record | partition (`pk`) | sort (`sk`) |
//! | --- | --- | --- |
//! | space | `SPACE#{id}` | `SPACE` |
//! | space, by handle | `HANDLE#{handle}` | `HANDLE` |
//! | a space's name is taken | `SPACE_NAME#{name in lower case}` | `SPACE_NAME` |
//! | who belongs to a space | `SPACE#{space id}` | `MEMBER#{user id}` |
//! | upload config | `SPACE#{space id}` | `CONFIG#{id}` |
//! | whose an upload config is | `CONFIG#{id}` | `CONFIG` |
//! | upload config, by name | `SPACE#{space id}` | `CONFIG_NAME#{name}` |
//! | anonymous uploads of a config in an hour | `SPACE#{space id}` | `HOUR#{config id}#{hour}` |
//! | folder | `SPACE#{space id}` | `FOLDER#{id}` |
//! | whose a folder is | `FOLDER#{id}` | `FOLDER` |
//! | a folder right in another one, or at the top | `SPACE#{space id}` | `CHILD#{folder id, or ROOT}#{id}` |
//! | a folder's name is taken there | `SPACE#{space id}` | `FOLDER_NAME#{folder id, or ROOT}#{SHA-256 of the folded name}` |
//! | file | `SPACE#{space id}` | `FILE#{id}` |
//! | a file right in a folder, or in none | `SPACE#{space id}` | `IN#{folder id, or ROOT}#{id}` |
//! | a file, by its reference | `SPACE#{space id}` | `REF#{SHA-256 of the reference}#{id}` |
//! | a file, by one of its tags | `SPACE#{space id}` | `TAG#{SHA-256 of the tag}#{id}` |
//! | a file, by its original name | `SPACE#{space id}` | `NAME#{beginning of the folded name}{U+0001}{id}` |
//! | whose a file is | `FILE#{id}` | `FILE` |
//! | active file, by where it is delivered | `PATH#{SHA-256 of the storage path}` | `PATH` |
//! | user | `USER#{id}` | `USER` |
//! | the user that was made first | `FIRST_USER` | `FIRST_USER` |
//! | a user's role in a space | `USER#{user id}` | `SPACE#{space id}` |
//! | API key, as requests are authenticated and counted by it | `KEY#{SHA-256}` | `KEY` |
//! | API key, as its space or its user lists it | `SPACE#{space id}` or `USER#{user id}` | `KEY#{number, 20 digits}` |
//! | the last key's number | `COUNTER#KEY` | `COUNTER` |
//! | requests of an anonymous client in a minute | `RATE#{tier}#{who}#{minute}` | `RATE` |
//! | how far the sweep has come | `SWEEP` | `SWEEP` |
//! | a request that is done once | `CLAIM#{its mark}` | `CLAIM` |
//!
//! Whatever belongs to a space is in its partition or named by an item there, so that all of it can
//! be found and removed. What is kept of requests that are done once is sealed, and goes by itself
//! after a day; rate counters go after their minute or hour.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    FileId, FolderId, FolderName, Handle, HourlyQuota, KeyHash, KeyId, KeyOwner, Reference,
    SpaceId, SpaceName, Tag, UploadConfigId, UploadConfigName, UserId, Window,
};
use sha2::{Digest, Sha256};

/// The partition attribute.
pub(crate) const PARTITION: &str = "pk";
/// The sort attribute.
pub(crate) const SORT: &str = "sk";

/// One item's key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) partition: String,
    pub(crate) sort: String,
}

impl Key {
    fn of(partition: String, sort: impl Into<String>) -> Key {
        Key {
            partition,
            sort: sort.into(),
        }
    }

    pub(crate) fn space(id: SpaceId) -> Key {
        Key::of(space_partition(id), SPACE)
    }

    pub(crate) fn handle(handle: &Handle) -> Key {
        Key::of(format!("HANDLE#{handle}"), "HANDLE")
    }

    pub(crate) fn space_name(name: &SpaceName) -> Key {
        Key::of(format!("SPACE_NAME#{}", name.folded()), "SPACE_NAME")
    }

    pub(crate) fn member(space: SpaceId, user: UserId) -> Key {
        Key::of(space_partition(space), format!("{MEMBERS}{user}"))
    }

    pub(crate) fn upload_config(space: SpaceId, id: UploadConfigId) -> Key {
        Key::of(space_partition(space), format!("{UPLOAD_CONFIGS}{id}"))
    }

    pub(crate) fn upload_config_owner(id: UploadConfigId) -> Key {
        Key::of(format!("CONFIG#{id}"), "CONFIG")
    }

    pub(crate) fn upload_config_name(space: SpaceId, name: &UploadConfigName) -> Key {
        Key::of(
            space_partition(space),
            format!("CONFIG_NAME#{}", name.as_str()),
        )
    }

    pub(crate) fn user(id: UserId) -> Key {
        Key::of(user_partition(id), "USER")
    }

    pub(crate) fn first_user() -> Key {
        Key::of("FIRST_USER".to_owned(), "FIRST_USER")
    }

    pub(crate) fn membership(user: UserId, space: SpaceId) -> Key {
        Key::of(user_partition(user), format!("{MEMBERSHIPS}{space}"))
    }

    pub(crate) fn api_key(hash: &KeyHash) -> Key {
        Key::of(format!("KEY#{}", hash.as_str()), "KEY")
    }

    pub(crate) fn listed_api_key(owner: KeyOwner, id: KeyId) -> Key {
        Key::of(listed_api_keys(owner), format!("{API_KEYS}{:020}", id.0))
    }

    pub(crate) fn last_api_key() -> Key {
        Key::of("COUNTER#KEY".to_owned(), "COUNTER")
    }

    pub(crate) fn folder(space: SpaceId, id: FolderId) -> Key {
        Key::of(space_partition(space), folder_sort(id))
    }

    pub(crate) fn folder_owner(id: FolderId) -> Key {
        Key::of(format!("FOLDER#{id}"), "FOLDER")
    }

    pub(crate) fn child(space: SpaceId, parent: Option<FolderId>, id: FolderId) -> Key {
        Key::of(space_partition(space), format!("{}{id}", children(parent)))
    }

    pub(crate) fn folder_name(space: SpaceId, parent: Option<FolderId>, name: &FolderName) -> Key {
        Key::of(
            space_partition(space),
            format!("FOLDER_NAME#{}#{}", place(parent), digest(&name.folded())),
        )
    }

    pub(crate) fn of_file(space: SpaceId, sort: String) -> Key {
        Key::of(space_partition(space), sort)
    }

    pub(crate) fn file(space: SpaceId, id: FileId) -> Key {
        Key::of(space_partition(space), format!("{FILES}{id}"))
    }

    pub(crate) fn file_owner(id: FileId) -> Key {
        Key::of(format!("FILE#{id}"), "FILE")
    }

    pub(crate) fn path(storage_path: &str) -> Key {
        Key::of(format!("PATH#{}", digest(storage_path)), "PATH")
    }

    pub(crate) fn hour(space: SpaceId, quota: HourlyQuota) -> Key {
        Key::of(
            space_partition(space),
            format!("HOUR#{}#{}", quota.config, quota.hour),
        )
    }

    pub(crate) fn rate_counter(tier: &str, who: &str, minute: Window) -> Key {
        Key::of(format!("RATE#{tier}#{who}#{}", minute.0), "RATE")
    }

    pub(crate) fn sweep() -> Key {
        Key::of("SWEEP".to_owned(), "SWEEP")
    }

    pub(crate) fn claim(mark: &str) -> Key {
        Key::of(format!("CLAIM#{mark}"), "CLAIM")
    }

    /// The key as attributes.
    pub(crate) fn attributes(self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (PARTITION.to_owned(), AttributeValue::S(self.partition)),
            (SORT.to_owned(), AttributeValue::S(self.sort)),
        ])
    }

    /// The key of an item that was read.
    pub(crate) fn read(item: &HashMap<String, AttributeValue>) -> Option<Key> {
        let text = |name| item.get(name).and_then(|value| value.as_s().ok()).cloned();
        Some(Key {
            partition: text(PARTITION)?,
            sort: text(SORT)?,
        })
    }
}

/// The partition of all that belongs to a space.
pub(crate) fn space_partition(id: SpaceId) -> String {
    format!("SPACE#{id}")
}

/// The partition of all that belongs to a user.
pub(crate) fn user_partition(id: UserId) -> String {
    format!("USER#{id}")
}

/// The sort key of a space's own record.
pub(crate) const SPACE: &str = "SPACE";
/// What the sort keys of a space's folders begin with.
pub(crate) const FOLDERS: &str = "FOLDER#";
/// What stands for no folder.
const ROOT: &str = "ROOT";
/// What the sort keys of a space's files begin with.
pub(crate) const FILES: &str = "FILE#";
/// What the sort keys of a space's upload configs begin with.
pub(crate) const UPLOAD_CONFIGS: &str = "CONFIG#";
/// What the sort keys of a space's members begin with.
pub(crate) const MEMBERS: &str = "MEMBER#";
/// What the sort keys of listed API keys begin with. Numbers follow padded, so that keys sort by
/// them.
pub(crate) const API_KEYS: &str = "KEY#";
/// What the sort keys of a user's roles begin with.
pub(crate) const MEMBERSHIPS: &str = "SPACE#";

/// The partition in which the API keys of a space or a user are listed.
pub(crate) fn listed_api_keys(owner: KeyOwner) -> String {
    match owner {
        KeyOwner::User(id) => user_partition(id),
        KeyOwner::Space(id) => space_partition(id),
    }
}

/// What stands for a folder, or for none.
fn place(folder: Option<FolderId>) -> String {
    folder.map_or_else(|| ROOT.to_owned(), |id| id.to_string())
}

/// A text of any length as one that fits into a key.
fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

/// The sort key of a folder.
pub(crate) fn folder_sort(id: FolderId) -> String {
    format!("{FOLDERS}{id}")
}

/// What the sort keys of the folders right in one, or at the top, begin with.
pub(crate) fn children(parent: Option<FolderId>) -> String {
    format!("CHILD#{}#", place(parent))
}

/// What the sort keys of the files right in a folder, or in none, begin with.
pub(crate) fn files_in(folder: Option<FolderId>) -> String {
    format!("IN#{}#", place(folder))
}

/// What the sort keys of the files of a reference begin with.
pub(crate) fn files_of_reference(reference: &Reference) -> String {
    format!("REF#{}#", digest(reference.as_str()))
}

/// What the sort keys of the files of a tag begin with.
pub(crate) fn files_of_tag(tag: &Tag) -> String {
    format!("TAG#{}#", digest(tag.as_str()))
}

/// What the sort keys of files begin with whose folded original names do.
pub(crate) fn files_named(beginning: &str) -> String {
    format!("NAME#{beginning}")
}

/// What stands behind a name and before its file's id: no name holds it, and all that one may hold
/// sorts after it.
pub(crate) const NAME_END: char = '\u{1}';
