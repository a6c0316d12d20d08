//! Tables become what a template says.

use template::Stack;

use crate::support::{Cloud, exists, put, records, table};

#[tokio::test]
async fn provisioning_again_keeps_what_is_there() {
    let cloud = Cloud::with(&records()).await;
    assert!(put(&cloud.dynamodb("operator"), "kept").await);
    let cloud = cloud.restart().await;
    cloud.emulators.provision(&records()).await.unwrap();
    cloud.emulators.provision(&records()).await.unwrap();
    let client = cloud.dynamodb("operator");
    assert!(exists(&client, "kept").await);
    let expiry = client
        .describe_time_to_live()
        .table_name("records")
        .send()
        .await
        .unwrap();
    let expiry = expiry.time_to_live_description.unwrap();
    assert_eq!(expiry.attribute_name(), Some("expires_at_seconds"));
}

#[tokio::test]
async fn a_table_with_another_key_needs_a_fresh_directory() {
    let cloud = Cloud::with(&records()).await;
    let mut other = table();
    other.key.sort = None;
    let refused = cloud
        .emulators
        .provision(&Stack {
            tables: vec![other],
            ..Stack::default()
        })
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("the key of table records"),
        "{refused}"
    );
    assert!(
        refused.to_string().contains("fresh data directory"),
        "{refused}"
    );
}
