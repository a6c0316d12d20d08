//! Every key of the table.
//!
//! | record | partition (`pk`) | sort (`sk`) |
//! | --- | --- | --- |
//! | space | `SPACE#{id}` | `SPACE` |
//! | space, by handle | `HANDLE#{handle}` | `HANDLE` |
//! | a space's name is taken | `SPACE_NAME#{name in lower case}` | `SPACE_NAME` |
//! | upload config | `CONFIG#{id}` | `CONFIG` |
//! | upload config, by name | `SPACE#{space id}` | `CONFIG_NAME#{name}` |
//! | user | `USER#{id}` | `USER` |
//! | the user that was made first | `FIRST_USER` | `FIRST_USER` |
//! | a user's role in a space | `USER#{user id}` | `SPACE#{space id}` |
//! | API key, as requests are authenticated by it | `KEY#{SHA-256}` | `KEY` |
//! | API key, as its space or its user lists it | `SPACE#{space id}` or `USER#{user id}` | `KEY#{number, 20 digits}` |
//! | the last key's number | `COUNTER#KEY` | `COUNTER` |
//! | file | `FILE#{id}` | `FILE` |
//! | file, by where it is delivered | `PATH#{storage path}` | `PATH` |

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{FileId, Handle, KeyHash, KeyId, KeyScope, SpaceId, SpaceName, UploadConfigId, UploadConfigName, UserId};

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
        Key { partition, sort: sort.into() }
    }

    pub(crate) fn space(id: SpaceId) -> Key {
        Key::of(format!("SPACE#{id}"), "SPACE")
    }

    pub(crate) fn handle(handle: &Handle) -> Key {
        Key::of(format!("HANDLE#{handle}"), "HANDLE")
    }

    pub(crate) fn space_name(name: &SpaceName) -> Key {
        Key::of(format!("SPACE_NAME#{}", name.folded()), "SPACE_NAME")
    }

    pub(crate) fn upload_config(id: UploadConfigId) -> Key {
        Key::of(format!("CONFIG#{id}"), "CONFIG")
    }

    pub(crate) fn upload_config_name(space: SpaceId, name: &UploadConfigName) -> Key {
        Key::of(format!("SPACE#{space}"), format!("CONFIG_NAME#{}", name.as_str()))
    }

    pub(crate) fn user(id: UserId) -> Key {
        Key::of(format!("USER#{id}"), "USER")
    }

    pub(crate) fn first_user() -> Key {
        Key::of("FIRST_USER".to_owned(), "FIRST_USER")
    }

    pub(crate) fn membership(user: UserId, space: SpaceId) -> Key {
        Key::of(format!("USER#{user}"), format!("SPACE#{space}"))
    }

    pub(crate) fn api_key(hash: &KeyHash) -> Key {
        Key::of(format!("KEY#{}", hash.as_str()), "KEY")
    }

    pub(crate) fn listed_api_key(scope: &KeyScope, id: KeyId) -> Key {
        Key { partition: listed_api_keys(scope), sort: listed_api_key_sort(id) }
    }

    pub(crate) fn last_api_key() -> Key {
        Key::of("COUNTER#KEY".to_owned(), "COUNTER")
    }

    pub(crate) fn file(id: FileId) -> Key {
        Key::of(format!("FILE#{id}"), "FILE")
    }

    pub(crate) fn path(storage_path: &str) -> Key {
        Key::of(format!("PATH#{storage_path}"), "PATH")
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
        Some(Key { partition: text(PARTITION)?, sort: text(SORT)? })
    }
}

/// The partition in which the API keys of a space or a user are listed.
pub(crate) fn listed_api_keys(scope: &KeyScope) -> String {
    match scope {
        KeyScope::Account { user_id } => format!("USER#{user_id}"),
        KeyScope::Space { space_id, .. } => format!("SPACE#{space_id}"),
    }
}

/// The sort key of a listed API key: padded, so that keys sort by number.
pub(crate) fn listed_api_key_sort(id: KeyId) -> String {
    format!("KEY#{:020}", id.0)
}
