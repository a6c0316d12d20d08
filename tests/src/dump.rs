//! All that the stack keeps: the items of its table, and the objects of its bucket by their
//! digests.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use runtime::Settings;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::Stack;

/// What the names of a key's counters begin with.
const COUNTERS: &str = "requests_";
/// When a key was last used.
const LAST_USED: &str = "last_used_at";

/// What was kept at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// Items, by both parts of their keys. Numbers stand as texts; bytes are text as far as they
    /// can be.
    pub items: BTreeMap<(String, String), Value>,
    /// SHA-256 of the objects, in hex, by their keys.
    pub objects: BTreeMap<String, String>,
}

impl Stack {
    /// All that is kept now.
    pub async fn dump(&self) -> Dump {
        let environment = self.operator();
        let mut settings = Settings::of(&environment);
        Dump {
            items: items(&mut settings).await,
            objects: objects(&mut settings).await,
        }
    }
}

impl Dump {
    /// The same without what every request with a key leaves: that it was counted, and when it was.
    #[must_use]
    pub fn without_uses(mut self) -> Dump {
        for item in self.items.values_mut().filter_map(Value::as_object_mut) {
            item.retain(|name, _| !name.starts_with(COUNTERS) && name != LAST_USED);
        }
        self
    }

    /// Demands that the same is kept as before, whatever was counted.
    #[track_caller]
    pub fn demand_unchanged(self, before: &Dump, by: &str) {
        let (before, after) = (before.clone().without_uses(), self.without_uses());
        let keys: BTreeSet<_> = before.items.keys().chain(after.items.keys()).collect();
        for key in keys {
            assert_eq!(
                before.items.get(key),
                after.items.get(key),
                "{key:?} was changed by {by}"
            );
        }
        assert_eq!(
            before.objects, after.objects,
            "objects were changed by {by}"
        );
    }

    /// The active files that have their bytes, and no others; a file that says it is active and has
    /// none fails.
    pub fn whole_files(&self) -> Vec<&Value> {
        let demand_bytes = |file: &&Value| {
            let part = |name: &str| file[name].as_str().expect("a text").to_owned();
            let key = format!(
                "{}/originals/{}/{}",
                part("space_id"),
                part("id"),
                part("revision")
            );
            let digest = self
                .objects
                .get(&key)
                .unwrap_or_else(|| panic!("{key} has no bytes"));
            assert!(
                file["checksum_sha256"].is_null() || file["checksum_sha256"] == **digest,
                "{key} has other bytes"
            );
        };
        self.beginning("PATH#").inspect(demand_bytes).collect()
    }

    /// The items whose partitions begin so.
    pub fn beginning<'a>(&'a self, partition: &'a str) -> impl Iterator<Item = &'a Value> {
        self.items
            .iter()
            .filter(move |((key, _), _)| key.starts_with(partition))
            .map(|(_, item)| item)
    }
}

async fn items(settings: &mut Settings<'_>) -> BTreeMap<(String, String), Value> {
    let client = settings.dynamodb();
    let name = settings.text("TABLE_NAME");
    let (mut items, mut start) = (BTreeMap::new(), None);
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
                .map(|(name, value)| (name, shown(value)))
                .collect();
            let mut key = |name| {
                item.remove(name)
                    .and_then(|key| key.as_str().map(str::to_owned))
                    .expect("a key")
            };
            items.insert((key("pk"), key("sk")), Value::Object(item));
        }
        start = page.last_evaluated_key;
        if start.is_none() {
            return items;
        }
    }
}

fn shown(value: AttributeValue) -> Value {
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => Value::String(text),
        AttributeValue::Bool(value) => Value::Bool(value),
        AttributeValue::Null(_) => Value::Null,
        AttributeValue::B(bytes) => {
            Value::String(String::from_utf8_lossy(bytes.as_ref()).into_owned())
        }
        AttributeValue::L(values) => Value::Array(values.into_iter().map(shown).collect()),
        AttributeValue::M(values) => values
            .into_iter()
            .map(|(name, value)| (name, shown(value)))
            .collect(),
        other => panic!("no record has such an attribute: {other:?}"),
    }
}

async fn objects(settings: &mut Settings<'_>) -> BTreeMap<String, String> {
    let client = settings.s3();
    let bucket = settings.text("BUCKET_NAME");
    let (mut objects, mut next) = (BTreeMap::new(), None);
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
