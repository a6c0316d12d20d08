//! Tables become what a template says.

use template::{AttributeType, Index, Key, Projection, Stack};

use crate::support::{Cloud, exists, put, records, table, text};

#[tokio::test]
async fn provisioning_again_keeps_what_is_there() {
    let cloud = Cloud::with(&records()).await;
    assert!(put(&cloud.dynamodb("operator"), "kept").await);
    let cloud = cloud.restart().await;
    cloud.emulators.provision(&records()).await.unwrap();
    cloud.emulators.provision(&records()).await.unwrap();
    let client = cloud.dynamodb("operator");
    assert!(exists(&client, "kept").await);
    let expiry = client.describe_time_to_live().table_name("records").send().await.unwrap();
    let expiry = expiry.time_to_live_description.unwrap();
    assert_eq!(expiry.attribute_name(), Some("expires_at_seconds"));
}

#[tokio::test]
async fn an_index_that_is_new_to_the_template_finds_old_items() {
    let cloud = Cloud::with(&records()).await;
    let client = cloud.dynamodb("operator");
    let item = client.put_item().table_name("records").item("pk", text("a")).item("sk", text("-"));
    item.item("owner", text("ada")).send().await.unwrap();

    let mut indexed = table();
    indexed.attributes.insert("owner".to_owned(), AttributeType::String);
    indexed.indexes.push(Index {
        name: "by-owner".to_owned(),
        key: Key { partition: "owner".to_owned(), sort: None },
        projection: Projection::KeysOnly,
    });
    let stack = Stack { tables: vec![indexed.clone()], ..Stack::default() };
    cloud.emulators.provision(&stack).await.unwrap();
    cloud.emulators.provision(&stack).await.unwrap();
    let query = || {
        let query = client.query().table_name("records").index_name("by-owner");
        query.key_condition_expression("#o = :o").expression_attribute_names("#o", "owner")
    };
    let found = query().expression_attribute_values(":o", text("ada")).send().await.unwrap();
    assert_eq!(found.count(), 1);

    // Another key needs a fresh directory, and an index that the template no longer has goes away.
    indexed.indexes[0].key.partition = "pk".to_owned();
    let refused = cloud.emulators.provision(&Stack { tables: vec![indexed], ..Stack::default() }).await.unwrap_err();
    assert!(refused.to_string().contains("fresh data directory"), "{refused}");
    cloud.emulators.provision(&records()).await.unwrap();
    assert!(query().expression_attribute_values(":o", text("ada")).send().await.is_err());
}

#[tokio::test]
async fn a_table_with_another_key_needs_a_fresh_directory() {
    let cloud = Cloud::with(&records()).await;
    let mut other = table();
    other.key.sort = None;
    let refused = cloud.emulators.provision(&Stack { tables: vec![other], ..Stack::default() }).await.unwrap_err();
    assert!(refused.to_string().contains("the key of table records"), "{refused}");
    assert!(refused.to_string().contains("fresh data directory"), "{refused}");
}
