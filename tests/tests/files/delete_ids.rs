//! `DELETE /files`: the places where a request can specify the id of the file.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, stack_test};

use super::delete::delete_by_body;

#[stack_test]
async fn delete_accepts_id_in_path_query_or_body(stack: &Stack, acme: &TestSpace) {
    for variant in 0..5 {
        let file = acme.upload(PHOTO).await;
        let id = &file.id;
        let lower_case = id.to_lowercase();

        let response = match variant {
            0 => acme.delete(&format!("/files/{lower_case}")).await,
            1 => acme.delete(&format!("/files?id={id}")).await,
            2 => acme.delete(&format!("/files?id=%20{lower_case}")).await,
            3 => delete_by_body(acme, json!({"id": id, "colour": "red"})).await,
            _ => delete_by_body(&stack.account(), json!({"id": lower_case})).await,
        };

        response.expect_status(204).expect_body("");
        acme.get_err(404, file.path()).await;
    }
    stack.run_purges().await;
}

#[stack_test]
async fn delete_without_valid_id_returns_422_and_changes_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let id = acme.upload(PHOTO).await.id;
    let before = stack.dump().await;
    let required = json!({"id": ["The id field is required."]});

    for query in ["", "?id=", "?id=%20", "?ID=x"] {
        let errors = acme.delete_err(422, &format!("/files{query}")).await;
        assert_eq!(errors, required, "{query}");
    }
    for body in [
        json!({}),
        json!({"id": null}),
        json!({"id": "  "}),
        json!({"file_id": id}),
    ] {
        let response = delete_by_body(acme, body.clone()).await;
        assert_eq!(response.expect_error(422), required, "{body}");
    }
    let response = delete_by_body(acme, json!({"id": 5})).await;
    let message = "The id field must be a string.";
    assert_eq!(response.expect_error(422), json!({"id": [message]}));

    for (client, id) in [
        (&acme.client, UNKNOWN_ID),
        (&acme.client, "x"),
        (&acme.client, &acme.id),
        (&other.client, &id),
    ] {
        let response = delete_by_body(client, json!({ "id": id })).await;
        assert_eq!(response.expect_error(404), json!({}), "{id}");
    }
    stack.assert_unchanged(&before, "unknown files").await;
}

#[stack_test]
async fn two_different_ids_in_one_request_return_422(stack: &Stack, acme: &TestSpace) {
    let one = acme.upload(PHOTO).await;
    let other = acme.upload(PHOTO).await;
    let before = stack.dump().await;
    let message =
        json!({"id": ["The id field must be the same in the path, the query and the body."]});
    let query = format!("/files?id={}", one.id);
    let delete = async |path: &str, id: Value| {
        let request = acme.request("DELETE", path).json(&json!({ "id": id }));
        acme.send(request).await
    };

    let body = json!({"id": other.id, "ref": "x"});
    for path in [one.path(), &query] {
        assert_eq!(acme.put_err(422, path, &body).await, message, "{path}");
    }
    let response = delete(&query, json!(other.id)).await;
    assert_eq!(response.expect_error(422), message);
    delete(&query, json!(7)).await.expect_error(422);
    acme.put_err(422, one.path(), json!({"id": 7})).await;
    stack.assert_unchanged(&before, "two ids").await;

    let lower_case = one.id.to_lowercase();
    for id in [
        json!(one.id),
        json!(lower_case),
        json!(format!(" {} ", one.id)),
        json!(null),
        json!(""),
    ] {
        acme.put_ok(one.path(), json!({"id": id, "ref": "x"})).await;
    }
    let query = format!("/files?id={lower_case}");
    acme.put_ok(&query, json!({"id": one.id, "ref": "y"})).await;
    delete(&query, json!(one.id)).await.expect_status(204);
    let typed = acme.request("DELETE", &format!("/files?id={}", other.id));
    let typed = typed.header("content-type", "application/json");
    acme.send(typed).await.expect_status(204);
    for file in [&one, &other] {
        acme.get_err(404, file.path()).await;
    }
    stack.run_purges().await;
}
