//! `GET /spaces`.

use serde_json::{Value, json};
use tests::{Client, Stack, TestSpace, seconds, stack_test};

/// Returns the names on the first page of the list.
async fn names(client: &Client) -> Vec<String> {
    let page = client.fetch("/spaces").await.json();
    let spaces = page["data"].as_array().expect("a list").clone();
    spaces
        .iter()
        .map(|space| space["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[stack_test]
async fn account_key_lists_spaces_of_user_and_space_key_its_own(stack: &Stack) {
    let mut tenants = Vec::new();
    for name in ["Acme", "Other", "Third"] {
        stack.clock.advance(seconds(1));
        tenants.push(stack.space(name).await);
    }

    assert_eq!(
        names(&stack.account()).await,
        ["Third", "Other", "Acme", "My assets"]
    );

    for role in ["viewer", "user", "admin", "owner"] {
        assert_eq!(
            names(&tenants[0].role(role).await).await,
            ["Acme"],
            "{role}"
        );
    }

    let user = stack.user().await;
    assert!(names(&user.client).await.is_empty());

    for (tenant, role) in tenants.iter().zip(["viewer", "owner"]) {
        stack.add_member(&user, tenant, role).await;
    }

    assert_eq!(names(&user.client).await, ["Other", "Acme"]);
}

#[stack_test]
async fn list_returns_spaces_without_settings(acme: &TestSpace) {
    let update =
        json!({"name": "Acme", "description": "Photos", "webhook_url": "https://example.com/hook"});
    let mut expected = acme.put_ok(&acme.path(), update).await;

    for detail in ["access_control", "security"] {
        assert!(
            expected
                .as_object_mut()
                .expect("an object")
                .remove(detail)
                .is_some(),
            "{detail}"
        );
    }

    let list = acme.fetch("/spaces?limit=7").await.json();

    let envelope = json!({
        "data": [expected], "path": "/api/v1/spaces", "per_page": 7, "next_cursor": null, "prev_cursor": null,
    });
    assert_eq!(list, envelope);
}

#[stack_test]
async fn list_pages_in_both_directions_and_rejects_invalid_limits(stack: &Stack) {
    let account = stack.account();
    for index in 0..4 {
        stack.clock.advance(seconds(1));
        account
            .create("/spaces", json!({"name": format!("Space {index}")}))
            .await;
    }

    let page = async |query: String| {
        account
            .fetch(&format!("/spaces?limit=2{query}"))
            .await
            .json()
    };
    let names = |page: &Value| {
        let spaces = page["data"].as_array().expect("a list");
        let names = spaces.iter().map(|space| space["name"].clone());
        names.collect::<Vec<_>>()
    };

    let cursor = |cursor: &Value| format!("&cursor={}", cursor.as_str().expect("a cursor"));

    let first = page(String::new()).await;
    let second = page(cursor(&first["next_cursor"])).await;
    let third = page(cursor(&second["next_cursor"])).await;
    assert_eq!(names(&first), ["Space 3", "Space 2"]);
    assert_eq!(names(&second), ["Space 1", "Space 0"]);
    assert_eq!(names(&third), ["My assets"]);
    assert_eq!(
        (&first["prev_cursor"], &third["next_cursor"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(page(cursor(&third["prev_cursor"])).await, second);
    assert_eq!(page(cursor(&second["prev_cursor"])).await, first);

    for (limit, message) in [
        ("0", "The limit field must be at least 1."),
        ("101", "The limit field must not be greater than 100."),
        ("x", "The limit field must be an integer."),
        ("1.5", "The limit field must be an integer."),
    ] {
        let errors = account
            .get_err(422, &format!("/spaces?limit={limit}"))
            .await;
        assert_eq!(errors, json!({"limit": [message]}), "{limit}");
    }

    let both = account.get_err(422, "/spaces?limit=0&cursor=x").await;
    assert_eq!(
        both.as_object().map(serde_json::Map::len),
        Some(2),
        "{both}"
    );

    for (limit, per_page) in [("100", 100), ("", 20)] {
        let path = format!("/spaces?limit={limit}");
        let page = account.fetch(&path).await.json();
        assert_eq!(page["per_page"], per_page);
    }
}
