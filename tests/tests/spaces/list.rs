//! `GET /spaces`.

use serde_json::{Value, json};
use tests::{Client, Stack, TestSpace, column, seconds, stack_test, text};

use crate::support::pages::List;

/// Returns the names on the first page of the list.
async fn names(client: &Client) -> Vec<Value> {
    column(&client.get_ok("/spaces").await, "name")
}

#[stack_test]
async fn account_key_lists_spaces_of_user_and_space_key_its_own(stack: &Stack) {
    let mut tenants = Vec::new();
    for name in ["Acme", "Other", "Third"] {
        stack.clock.advance(seconds(1));
        tenants.push(stack.space(name).await);
    }
    let all = ["Third", "Other", "Acme", "My assets"];
    assert_eq!(names(&stack.account()).await, all);
    for role in ["viewer", "user", "admin", "owner"] {
        let key = tenants[0].role(role).await;
        let spaces = key.get_ok("/spaces").await;
        assert_eq!(column(&spaces, "name"), ["Acme"], "{role}");
        assert_eq!(column(&spaces, "role"), [role]);
    }

    let user = stack.user().await;
    assert!(names(&user.client).await.is_empty());
    for (tenant, role) in tenants.iter().zip(["viewer", "owner"]) {
        stack.add_member(&user, tenant, role).await;
    }
    let spaces = user.client.get_ok("/spaces").await;
    assert_eq!(column(&spaces, "name"), ["Other", "Acme"]);
    assert_eq!(column(&spaces, "role"), ["owner", "viewer"]);
}

#[stack_test]
async fn list_returns_spaces_without_settings(acme: &TestSpace) {
    let fields = json!({"description": "Photos", "webhook_url": "https://example.com/hook"});
    let mut expected = acme.update(fields).await;
    let details = expected.as_object_mut().expect("an object");
    for detail in ["access_control", "security"] {
        assert!(details.remove(detail).is_some(), "{detail}");
    }

    let list = acme.fetch("/spaces?limit=7").await.json();

    let envelope = json!({
        "data": [expected], "path": "/api/v1/spaces", "per_page": 7, "next_cursor": null, "prev_cursor": null,
    });
    assert_eq!(list, envelope);
}

#[stack_test]
async fn list_pages_in_both_directions(stack: &Stack) {
    let account = stack.account();
    let mut ids = vec![text(&account.get_ok("/spaces").await[0]["id"])];
    for index in 0..4 {
        stack.clock.advance(seconds(1));
        let body = json!({"name": format!("Space {index}")});
        let space = account.create("/spaces", body).await;
        ids.insert(0, text(&space["id"]));
    }

    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let list = List::new(&account, "/spaces", "", 2);
    assert_eq!(list.assert_lists(&ids).await, 3);
}

#[stack_test]
async fn limit_must_be_an_integer_from_1_to_100(stack: &Stack) {
    let account = stack.account();
    for (limit, reason) in [
        ("0", "must be at least 1"),
        ("101", "must not be greater than 100"),
        ("x", "must be an integer"),
        ("1.5", "must be an integer"),
    ] {
        let path = format!("/spaces?limit={limit}&cursor=x");
        let errors = account.get_err(422, &path).await;
        let expected = json!({
            "limit": [format!("The limit field {reason}.")], "cursor": ["The selected cursor is invalid."],
        });
        assert_eq!(errors, expected, "{limit}");
    }

    for (limit, per_page) in [("100", 100), ("", 20)] {
        let page = account.fetch(&format!("/spaces?limit={limit}")).await;
        assert_eq!(page.json()["per_page"], per_page);
    }
}
