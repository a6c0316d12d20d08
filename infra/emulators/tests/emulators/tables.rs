//! Provisioning of tables.

use sam_template::ResolvedTemplate;

use crate::support::{Emulation, exists, put, records, table};

#[tokio::test]
async fn provisioning_again_keeps_items() {
    let emulation = Emulation::with(&records()).await;
    assert!(put(&emulation.dynamodb("unrestricted"), "kept").await);

    let emulation = emulation.restart().await;
    emulation.emulators.provision(&records()).await.unwrap();
    emulation.emulators.provision(&records()).await.unwrap();

    let client = emulation.dynamodb("unrestricted");
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
async fn table_with_different_key_is_rejected() {
    let emulation = Emulation::with(&records()).await;
    let mut other = table();
    other.key.sort = None;

    let error = emulation
        .emulators
        .provision(&ResolvedTemplate {
            tables: vec![other],
            ..ResolvedTemplate::default()
        })
        .await
        .unwrap_err();

    assert!(
        error.to_string().contains("the key of table records"),
        "{error}"
    );
    assert!(
        error.to_string().contains("fresh data directory"),
        "{error}"
    );
}
