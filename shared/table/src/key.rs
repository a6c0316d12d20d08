//! Defines every key of the table.
//!
//! | item | partition (`pk`) | sort (`sk`) |
//! | --- | --- | --- |
//! | space | `SPACE#{id}` | `SPACE` |
//! | lookup: handle → space id; marked as retired after the purge of the space | `HANDLE#{handle}` | `HANDLE` |
//! | replica of what delivery reads of a space, numbered from 0; deleted with the space | `DELIVERY_SPACE#{handle}#{number}` | `DELIVERY_SPACE` |
//! | uniqueness of a space name | `SPACE_NAME#{name in lower case}` | `SPACE_NAME` |
//! | member of a space | `SPACE#{space id}` | `MEMBER#{user id}` |
//! | upload config; by name | `SPACE#{space id}` | `CONFIG#{id}`; `CONFIG_NAME#{name}` |
//! | counts of expiring renditions per file; of active and of trashed files and their bytes, in 16 shards | `SPACE#{space id}` | `RENDITION_COUNT#{file id}`; `USAGE#{shard}` |
//! | count of unsigned uploads per config and hour, and per client | `SPACE#{space id}` | `UPLOAD_QUOTA#{config id}#{hour}`, `UPLOAD_QUOTA#{config id}#{hour}#{digest of the client}`; of its presigned uploads with `#PRESIGNS` |
//! | folder; as child of a folder or of the root | `SPACE#{space id}` | `FOLDER#{id}`; `SUBFOLDER#{parent id, or ROOT}#{id}` |
//! | uniqueness of a folder name in its parent | `SPACE#{space id}` | `FOLDER_NAME#{parent id, or ROOT}#{SHA-256 of the folded name}` |
//! | file | `SPACE#{space id}` | `FILE#{id}` |
//! | index: file by folder | `SPACE#{space id}` | `FOLDER_FILE#{folder id, or ROOT}#{id}` |
//! | index: file by reference; by tag | `SPACE#{space id}` | `REFERENCE#{SHA-256 of the reference}#{id}`; `TAG#{SHA-256 of the tag}#{id}` |
//! | index: file by original name | `SPACE#{space id}` | `ORIGINAL_NAME#{prefix of the folded name}{U+0001}{id}` |
//! | lookup: id of an upload config, folder, file or replacement → space id | `CONFIG#{id}`, `FOLDER#{id}` or `FILE#{id}` | `CONFIG`, `FOLDER` or `FILE` |
//! | index: trashed file; by the time of its purge, in 16 shards | `SPACE#{space id}`; `TRASH#{shard}` | `TRASHED_FILE#{id}`; `{time, 15 digits}#{space id}#{id}` |
//! | active file by storage path | `PATH#{SHA-256 of the storage path}` | `PATH` |
//! | webhook message; index by file | `SPACE#{space id}` | `WEBHOOK_MESSAGE#{id}`; `WEBHOOK_OF_FILE#{file id}#{id}` |
//! | upload that replaces the bytes of a file | `SPACE#{space id}` | `REPLACEMENT#{id}` |
//! | webhooks being sent for a space; to a host, with its timeouts | `SPACE#{space id}` | `WEBHOOK_SLOTS`; `WEBHOOK_CIRCUIT#{SHA-256 of host and port}` |
//! | webhooks being sent to a host | `WEBHOOK_HOST#{SHA-256 of host and port}` | `WEBHOOK_HOST` |
//! | user; id of the first user | `USER#{id}`; `FIRST_USER` | `USER`; `FIRST_USER` |
//! | membership of a user in a space | `USER#{user id}` | `SPACE#{space id}` |
//! | API key as requests are authenticated and counted by it | `KEY#{SHA-256}` | `KEY` |
//! | API key as its space or user lists it | `SPACE#{space id}` or `USER#{user id}` | `KEY#{id, 20 digits}` |
//! | last id of an API key; progress of the sweep | `COUNTER#KEY`; `SWEEP` | `COUNTER`; `SWEEP` |
//! | count of requests without a key per client, or of renderings per space, and minute | `RATE#{tier}#{client}#{minute}` | `RATE` |
//! | idempotency reservation, with an encrypted response | `IDEMPOTENCY#{request hash}` | `IDEMPOTENCY` |
//!
//! Invariants:
//! - Everything else that belongs to a space is in its partition or named by an item there: a purge
//!   finds it.
//! - In a space's partition only folders and entries of files by folder sort from `FOLDER#` to the
//!   last `FOLDER_FILE#`.

mod parts;

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    env::Timestamp,
    folders::FolderName,
    id::{FileId, FolderId, SpaceId, UploadConfigId, UserId, WebhookMessageId},
    keys::{KeyHash, KeyId, KeyOwner},
    naming::{PublicHttpsUrl, SpaceName},
    requests::{HourlyQuota, QuotaScope, Window},
    spaces::Handle,
    uploads::UploadConfigName,
};

use parts::{digest, folder_or_root};
pub(crate) use parts::{
    files_in_folder, files_with_name_prefix, files_with_reference, files_with_tag, folder_sort,
    owner_partition, space_partition, subfolders, trash_partition, trash_time, user_partition,
    webhooks_of_file,
};

/// The partition key attribute.
pub(crate) const PARTITION: &str = "pk";
/// The sort key attribute.
pub(crate) const SORT: &str = "sk";

/// Sort key of a space's own record.
pub const SPACE: &str = "SPACE";
/// Prefix of the sort keys of a space's folders.
pub const FOLDERS: &str = "FOLDER#";
/// Prefix of the sort keys of a space's files.
pub const FILES: &str = "FILE#";
/// Prefix of the sort keys of uploads that replace the bytes of a space's files.
pub const REPLACEMENTS: &str = "REPLACEMENT#";
/// Prefix of the sort keys of a space's upload configs.
pub(crate) const UPLOAD_CONFIGS: &str = "CONFIG#";
/// Prefix of the sort keys of a space's members.
pub(crate) const MEMBERS: &str = "MEMBER#";
/// Prefix of the sort keys of listed API keys. Ids follow with leading zeros, so that they sort
/// numerically.
pub(crate) const API_KEYS: &str = "KEY#";
/// Prefix of the sort keys of a space's webhook messages.
pub const WEBHOOK_MESSAGES: &str = "WEBHOOK_MESSAGE#";
/// Prefix of the sort keys of a user's memberships.
pub(crate) const MEMBERSHIPS: &str = "SPACE#";
/// Separates a name from the id of its file. No name contains this character, and every character
/// that a name may contain sorts after it.
pub(crate) const NAME_END: char = '\u{1}';
/// Prefix of the sort keys of the child folders of folders.
pub const SUBFOLDERS: &str = "SUBFOLDER#";
/// Prefix of the sort keys that reserve the names of folders in their parents.
pub const FOLDER_NAMES: &str = "FOLDER_NAME#";
/// Prefix of the sort keys of the index entries of files by folder.
pub const FILES_IN_FOLDERS: &str = "FOLDER_FILE#";
/// Prefix of the sort keys of the index entries of trashed files.
pub const TRASHED_FILES: &str = "TRASHED_FILE#";
/// Prefix of the partition keys of trashed files by the time of their purge.
pub const TRASH: &str = "TRASH#";
/// Number of partitions of trashed files by the time of their purge.
pub const TRASH_SHARDS: u8 = 16;
/// Prefix of the sort keys of the counters of a space's active and trashed files.
pub const USAGE_COUNTERS: &str = "USAGE#";
/// Prefix of the partition keys of spaces.
pub const SPACES: &str = "SPACE#";
/// Prefix of the partition keys of handles of spaces.
pub const HANDLES: &str = "HANDLE#";
/// Prefix of the partition keys of the lookup items of files.
pub const FILE_LOOKUPS: &str = "FILE#";
/// Prefix of the partition keys of the lookup items of folders.
pub const FOLDER_LOOKUPS: &str = "FOLDER#";
/// Prefix of the partition keys of active files by storage path.
pub const PATHS: &str = "PATH#";
/// Prefix of the partition keys of API keys as requests are authenticated by them.
pub const AUTHENTICATED_KEYS: &str = "KEY#";
/// Prefix of the partition keys of rate counters.
pub const RATE_COUNTERS: &str = "RATE#";
/// Prefix of the partition keys of idempotency reservations.
pub const IDEMPOTENCY_RESERVATIONS: &str = "IDEMPOTENCY#";

/// The primary key of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub partition: String,
    pub sort: String,
}

impl Key {
    fn new(partition: String, sort: impl Into<String>) -> Key {
        Key {
            partition,
            sort: sort.into(),
        }
    }

    /// Returns the key of a space.
    pub fn space(id: SpaceId) -> Key {
        Key::new(space_partition(id), SPACE)
    }

    /// Returns the key of the handle of a space.
    pub fn handle(handle: &Handle) -> Key {
        Key::new(format!("{HANDLES}{handle}"), "HANDLE")
    }

    /// Returns the key of a replica of what delivery reads of a space.
    pub fn delivery_space(handle: &Handle, replica: u8) -> Key {
        Key::new(
            format!("DELIVERY_SPACE#{handle}#{replica}"),
            "DELIVERY_SPACE",
        )
    }

    pub(crate) fn space_name(name: &SpaceName) -> Key {
        Key::new(format!("SPACE_NAME#{}", name.folded()), "SPACE_NAME")
    }

    /// Returns the key of a member of a space.
    pub fn member(space: SpaceId, user: UserId) -> Key {
        Key::new(space_partition(space), format!("{MEMBERS}{user}"))
    }

    pub(crate) fn upload_config(space: SpaceId, id: UploadConfigId) -> Key {
        Key::new(space_partition(space), format!("{UPLOAD_CONFIGS}{id}"))
    }

    pub(crate) fn upload_config_lookup(id: UploadConfigId) -> Key {
        Key::new(format!("CONFIG#{id}"), "CONFIG")
    }

    pub(crate) fn upload_config_name(space: SpaceId, name: &UploadConfigName) -> Key {
        Key::new(
            space_partition(space),
            format!("CONFIG_NAME#{}", name.as_str()),
        )
    }

    pub(crate) fn usage(space: SpaceId, shard: u8) -> Key {
        Key::new(
            space_partition(space),
            format!("{USAGE_COUNTERS}{shard:02}"),
        )
    }

    pub(crate) fn user(id: UserId) -> Key {
        Key::new(user_partition(id), "USER")
    }

    pub(crate) fn first_user() -> Key {
        Key::new("FIRST_USER".to_owned(), "FIRST_USER")
    }

    /// Returns the key of a membership of a user.
    pub fn membership(user: UserId, space: SpaceId) -> Key {
        Key::new(user_partition(user), format!("{MEMBERSHIPS}{space}"))
    }

    /// Returns the key of an API key as requests are authenticated by it.
    pub fn api_key(hash: &KeyHash) -> Key {
        Key::new(format!("{AUTHENTICATED_KEYS}{}", hash.as_str()), "KEY")
    }

    /// Returns the key of an API key as its owner lists it.
    pub fn listed_api_key(owner: KeyOwner, id: KeyId) -> Key {
        Key::new(owner_partition(owner), format!("{API_KEYS}{:020}", id.0))
    }

    /// Returns the key of the counter of ids of API keys.
    pub fn last_api_key() -> Key {
        Key::new("COUNTER#KEY".to_owned(), "COUNTER")
    }

    /// Returns the key of a folder.
    pub fn folder(space: SpaceId, id: FolderId) -> Key {
        Key::new(space_partition(space), folder_sort(id))
    }

    pub(crate) fn folder_lookup(id: FolderId) -> Key {
        Key::new(format!("{FOLDER_LOOKUPS}{id}"), "FOLDER")
    }

    pub(crate) fn subfolder(space: SpaceId, parent: Option<FolderId>, id: FolderId) -> Key {
        Key::new(
            space_partition(space),
            format!("{}{id}", subfolders(parent)),
        )
    }

    pub(crate) fn folder_name(space: SpaceId, parent: Option<FolderId>, name: &FolderName) -> Key {
        Key::new(
            space_partition(space),
            format!(
                "{FOLDER_NAMES}{}#{}",
                folder_or_root(parent),
                digest(&name.folded())
            ),
        )
    }

    /// Returns the key of an item in a space's partition.
    pub(crate) fn in_space(space: SpaceId, sort: String) -> Key {
        Key::new(space_partition(space), sort)
    }

    /// Returns the key of a file.
    pub fn file(space: SpaceId, id: FileId) -> Key {
        Key::new(space_partition(space), format!("{FILES}{id}"))
    }

    pub(crate) fn trash(space: SpaceId, id: FileId, purge_at: Timestamp) -> Key {
        Key::new(
            trash_partition(id.shard(TRASH_SHARDS)),
            format!("{}#{space}#{id}", trash_time(purge_at)),
        )
    }

    pub(crate) fn file_lookup(id: FileId) -> Key {
        Key::new(format!("{FILE_LOOKUPS}{id}"), "FILE")
    }

    pub(crate) fn replacement(space: SpaceId, id: FileId) -> Key {
        Key::new(space_partition(space), format!("{REPLACEMENTS}{id}"))
    }

    pub(crate) fn path(storage_path: &str) -> Key {
        Key::new(format!("{PATHS}{}", digest(storage_path)), "PATH")
    }

    /// Returns the key of a webhook message.
    pub fn webhook_message(space: SpaceId, id: WebhookMessageId) -> Key {
        Key::new(space_partition(space), format!("{WEBHOOK_MESSAGES}{id}"))
    }

    pub(crate) fn webhook_of_file(space: SpaceId, file: FileId, id: WebhookMessageId) -> Key {
        let sort = format!("{}{id}", webhooks_of_file(file));
        Key::new(space_partition(space), sort)
    }

    pub(crate) fn webhook_slots(space: SpaceId) -> Key {
        Key::new(space_partition(space), "WEBHOOK_SLOTS")
    }

    pub(crate) fn webhook_circuit(space: SpaceId, url: &PublicHttpsUrl) -> Key {
        let host = digest(&url.host_and_port());
        Key::new(space_partition(space), format!("WEBHOOK_CIRCUIT#{host}"))
    }

    pub(crate) fn webhook_host(url: &PublicHttpsUrl) -> Key {
        let host = digest(&url.host_and_port());
        Key::new(format!("WEBHOOK_HOST#{host}"), "WEBHOOK_HOST")
    }

    pub(crate) fn upload_quota(space: SpaceId, quota: &HourlyQuota, scope: QuotaScope) -> Key {
        let client = match scope {
            QuotaScope::Config => String::new(),
            QuotaScope::Client => format!("#{}", quota.client.digest),
            QuotaScope::ClientPresigns => format!("#{}#PRESIGNS", quota.client.digest),
        };
        let sort = format!("UPLOAD_QUOTA#{}#{}{client}", quota.config, quota.hour);
        Key::new(space_partition(space), sort)
    }

    pub(crate) fn rendition_count(space: SpaceId, file: FileId) -> Key {
        Key::new(space_partition(space), format!("RENDITION_COUNT#{file}"))
    }

    pub(crate) fn rate_counter(tier: &str, client: &str, minute: Window) -> Key {
        Key::new(
            format!("{RATE_COUNTERS}{tier}#{client}#{}", minute.0),
            "RATE",
        )
    }

    pub(crate) fn sweep() -> Key {
        Key::new("SWEEP".to_owned(), "SWEEP")
    }

    pub(crate) fn idempotency(request_hash: &str) -> Key {
        Key::new(
            format!("{IDEMPOTENCY_RESERVATIONS}{request_hash}"),
            "IDEMPOTENCY",
        )
    }

    /// Returns the key as attributes.
    pub fn attributes(self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (PARTITION.to_owned(), AttributeValue::S(self.partition)),
            (SORT.to_owned(), AttributeValue::S(self.sort)),
        ])
    }

    /// Returns the key of an item; `None` if the item lacks a key attribute.
    pub(crate) fn of_item(item: &HashMap<String, AttributeValue>) -> Option<Key> {
        let text = |name| item.get(name).and_then(|value| value.as_s().ok()).cloned();
        Some(Key {
            partition: text(PARTITION)?,
            sort: text(SORT)?,
        })
    }
}
