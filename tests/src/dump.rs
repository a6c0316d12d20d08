//! Snapshots of the table and the bucket.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use runtime::context::Settings;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use table::item_keys::{self, Key};

use crate::Stack;

/// Prefix of the attributes that count the requests of a key.
const COUNTERS: &str = "requests_";
/// Attribute with the time of a key's last use.
const LAST_USED: &str = "last_used_at";

/// All stored items and objects at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Items by key. Numbers are strings; binary values are lossy UTF-8.
    pub items: BTreeMap<Key, Value>,
    /// SHA-256 of each object in hex, by key.
    pub objects: BTreeMap<String, String>,
}

impl Stack {
    /// Reads all items and objects.
    pub async fn dump(&self) -> Dump {
        let context = self.unrestricted_context();
        let mut settings = Settings::of(&context);
        Dump {
            items: items(&mut settings).await,
            objects: objects(&mut settings).await,
        }
    }

    /// Panics unless everything is stored as before, apart from the usage of keys.
    pub async fn assert_unchanged(&self, before: &Dump, operation: &str) {
        self.dump().await.assert_unchanged(before, operation);
    }
}

impl Dump {
    /// Removes what every authenticated request changes: the counters and time of last use of a
    /// key. Removes counters of files that are zero, which are equal to none.
    #[must_use]
    pub fn without_usage(mut self) -> Dump {
        for item in self.items.values_mut().filter_map(Value::as_object_mut) {
            item.retain(|name, _| !name.starts_with(COUNTERS) && name != LAST_USED);
        }

        self.items.retain(|key, item| {
            let counters = item
                .as_object_mut()
                .filter(|_| key.sort.starts_with(item_keys::USAGE_COUNTERS));
            counters.is_none_or(|counters| {
                counters.retain(|_, count| count != "0");
                !counters.is_empty()
            })
        });
        self
    }

    /// Panics unless the same items and objects are stored as before, apart from the usage of keys.
    /// `operation` appears in panic messages.
    #[track_caller]
    pub fn assert_unchanged(self, before: &Dump, operation: &str) {
        let before = before.clone().without_usage();
        let after = self.without_usage();

        let keys: BTreeSet<_> = before.items.keys().chain(after.items.keys()).collect();
        for key in keys {
            assert_eq!(
                before.items.get(key),
                after.items.get(key),
                "{key:?} was changed by {operation}"
            );
        }
        assert_eq!(
            before.objects, after.objects,
            "objects were changed by {operation}"
        );
    }

    /// Returns the records of all active files. Panics if the bytes of one are missing or differ
    /// from its checksum.
    pub fn files_with_bytes(&self) -> Vec<&Value> {
        let assert_bytes = |file: &&Value| {
            let part = |name: &str| file[name].as_str().expect("a string").to_owned();
            let key = format!(
                "_objects/{}/originals/{}/{}",
                part("space_id"),
                part("id"),
                part("revision")
            );
            let digest = self
                .objects
                .get(&key)
                .unwrap_or_else(|| panic!("{key} has no object"));
            assert!(
                file["checksum_sha256"].is_null() || file["checksum_sha256"] == **digest,
                "{key} has other bytes"
            );
        };

        self.items_with_prefix(item_keys::PATHS)
            .inspect(assert_bytes)
            .collect()
    }

    /// Returns the item with a key.
    pub fn item(&self, key: &Key) -> Option<&Value> {
        self.items.get(key)
    }

    /// Returns the record of a file, by the ids of its space and its own.
    pub fn file(&self, space_id: &str, file_id: &str) -> Option<&Value> {
        let space_id = space_id.parse().expect("a space id");
        let file_id = file_id.parse().expect("a file id");
        self.item(&Key::file(space_id, file_id))
    }

    /// Returns the items whose partition keys have a prefix.
    pub fn items_with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Value> {
        self.items
            .iter()
            .filter(move |(key, _)| key.partition.starts_with(prefix))
            .map(|(_, item)| item)
    }
}

async fn items(settings: &mut Settings<'_>) -> BTreeMap<Key, Value> {
    let client = settings.dynamodb();
    let name = settings.text("TABLE_NAME");
    let mut items = BTreeMap::new();
    let mut start = None;

    loop {
        let scan = client
            .scan()
            .table_name(&name)
            .consistent_read(true)
            .set_exclusive_start_key(start);
        let page = scan.send().await.expect("a page of the table");
        for item in page.items.unwrap_or_default() {
            let mut item: Map<String, Value> = item
                .into_iter()
                .map(|(name, value)| (name, to_json(value)))
                .collect();
            let mut key = |name| {
                item.remove(name)
                    .and_then(|key| key.as_str().map(str::to_owned))
                    .expect("a key")
            };
            let key = Key {
                partition: key("pk"),
                sort: key("sk"),
            };
            items.insert(key, Value::Object(item));
        }
        start = page.last_evaluated_key;
        if start.is_none() {
            return items;
        }
    }
}

fn to_json(value: AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => Value::String(text),
        AttributeValue::Bool(value) => Value::Bool(value),
        AttributeValue::Null(_) => Value::Null,
        AttributeValue::B(bytes) => {
            Value::String(String::from_utf8_lossy(bytes.as_ref()).into_owned())
        }
        AttributeValue::Ss(values) => values.into(),
        AttributeValue::L(values) => Value::Array(values.into_iter().map(to_json).collect()),
        AttributeValue::M(values) => values
            .into_iter()
            .map(|(name, value)| (name, to_json(value)))
            .collect(),
        other => panic!("unexpected type of attribute: {other:?}"),
    }
}

async fn objects(settings: &mut Settings<'_>) -> BTreeMap<String, String> {
    let client = settings.s3();
    let bucket = settings.text("BUCKET_NAME");
    let mut objects = BTreeMap::new();
    let mut next = None;

    loop {
        let list = client
            .list_objects_v2()
            .bucket(&bucket)
            .set_continuation_token(next);
        let page = list.send().await.expect("a page of the bucket");
        for key in page
            .contents
            .unwrap_or_default()
            .into_iter()
            .filter_map(|object| object.key)
        {
            let object = client
                .get_object()
                .bucket(&bucket)
                .key(&key)
                .send()
                .await
                .expect("an object");
            let bytes = object.body.collect().await.expect("its bytes").into_bytes();
            objects.insert(key, hex::encode(Sha256::digest(bytes)));
        }
        next = page.next_continuation_token;
        if next.is_none() {
            return objects;
        }
    }
}
