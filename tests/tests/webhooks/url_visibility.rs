//! Who sees `webhook_url`, which may contain a secret.

use serde_json::{Value, json};
use tests::{Client, Stack, TestSpace, stack_test};

/// A URL with a secret.
const URL: &str = "https://hooks.example.com/secret";

/// Returns what a client sees of the space and, if its role reads them, of the upload config.
async fn seen(client: &Client, acme: &TestSpace, config: &str, role: &str) -> Vec<Value> {
    let space = client.get_ok(&acme.path()).await;
    let list = client.get_ok("/spaces").await;
    let mut seen = vec![space["webhook_url"].clone(), list[0]["webhook_url"].clone()];

    let config = client.get(config).await;
    if role == "viewer" {
        config.expect_error(403);
    } else {
        seen.push(config.expect_ok()["config"]["notifications"]["webhook_url"].clone());
    }
    seen
}

#[stack_test]
async fn webhook_urls_are_shown_to_admins_and_owners_only(stack: &Stack, acme: &TestSpace) {
    let updated = acme.update(json!({"webhook_url": URL})).await;
    assert_eq!(updated["webhook_url"], URL);
    let settings = json!({"notifications": {"webhook_url": URL}});
    let config = acme.upload_config("web").with_settings(settings).await;

    for (role, url) in [
        ("viewer", Value::Null),
        ("user", Value::Null),
        ("admin", json!(URL)),
        ("owner", json!(URL)),
    ] {
        let member = stack.user().await;
        stack.add_member(&member, acme, role).await;
        for client in [&acme.role(role).await, &member.client] {
            let seen = seen(client, acme, config.path(), role).await;
            assert!(seen.iter().all(|seen| *seen == url), "{role}: {seen:?}");
        }
    }
}
