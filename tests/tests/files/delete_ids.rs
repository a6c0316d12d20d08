//! `DELETE /files`: the places where a request can specify the id of the file.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, file_path, stack_test, text};

use super::delete::delete_by_body;

#[stack_test]
async fn delete_accepts_id_in_path_query_or_body(stack: &Stack, acme: &TestSpace) {
    for variant in 0..5 {
        let file = acme.upload(PHOTO).await;
        let id = text(&file["id"]);
        let lower_case = id.to_lowercase();
        let client = &acme.client;

        let response = match variant {
            0 => client.delete(&format!("/files/{lower_case}")).await,
            1 => client.delete(&format!("/files?id={id}")).await,
            2 => client.delete(&format!("/files?id=%20{lower_case}")).await,
            3 => delete_by_body(client, json!({"id": id, "colour": "red"})).await,
            _ => delete_by_body(&stack.account(), json!({"id": lower_case})).await,
        };

        assert!(response.expect_status(204).body.is_empty());
        client.get_err(404, &file_path(&file)).await;
    }
    stack.run_purges().await;
}

#[stack_test]
async fn delete_without_valid_id_returns_422_and_changes_nothing(stack: &Stack, acme: &TestSpace) {
    let id = acme.upload(PHOTO).await.id;
    let before = stack.dump().await;
    let required = json!({"id": ["The id field is required."]});

    for query in ["", "?id=", "?id=%20", "?ID=x"] {
        let response = acme.delete(&format!("/files{query}")).await;
        assert_eq!(response.expect_error(422), required, "{query}");
    }
    for body in [
        json!({}),
        json!({"id": null}),
        json!({"id": "  "}),
        json!({"file_id": id}),
    ] {
        let response = delete_by_body(&acme.client, body.clone()).await;
        assert_eq!(response.expect_error(422), required, "{body}");
    }

    let response = delete_by_body(&acme.client, json!({"id": 5})).await;
    assert_eq!(
        response.expect_error(422),
        json!({"id": ["The id field must be a string."]})
    );
    stack
        .dump()
        .await
        .assert_unchanged(&before, "deletions without an id");
}

#[stack_test]
async fn delete_of_unknown_or_foreign_file_returns_404_and_changes_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let before = stack.dump().await;

    for (client, id) in [
        (&acme.client, UNKNOWN_ID),
        (&acme.client, "x"),
        (&acme.client, &acme.id),
        (&other.client, &file.id),
    ] {
        for response in [
            client.delete(&format!("/files/{id}")).await,
            client.delete(&format!("/files?id={id}")).await,
            delete_by_body(client, json!({"id": id})).await,
        ] {
            assert_eq!(response.expect_error(404), json!({}), "{id}");
        }
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "deletions of nothing");
    stack.run_purges().await;
    let delivered = stack.anonymous.fetch(file.url()).await;
    assert!(delivered.body == PHOTO);
}

#[stack_test]
async fn two_different_ids_in_one_request_return_422(stack: &Stack, acme: &TestSpace) {
    let one = acme.upload(PHOTO).await;
    let other = acme.upload(PHOTO).await;
    let [one_id, other_id] = [text(&one["id"]), text(&other["id"])];
    let before = stack.dump().await;
    let message =
        json!({"id": ["The id field must be the same in the path, the query and the body."]});
    let delete =
        async |path: &str, body: Value| acme.send(acme.request("DELETE", path).json(&body)).await;

    for path in [file_path(&one), format!("/files?id={one_id}")] {
        let response = acme.put(&path, json!({"id": other_id, "ref": "x"})).await;
        assert_eq!(response.expect_error(422), message, "{path}");
    }
    let path = format!("/files?id={one_id}");
    assert_eq!(
        delete(&path, json!({"id": other_id}))
            .await
            .expect_error(422),
        message
    );
    delete(&path, json!({"id": 7})).await.expect_error(422);
    acme.put_err(422, &file_path(&one), json!({"id": 7})).await;
    stack
        .dump()
        .await
        .assert_unchanged(&before, "requests that name two files");

    for id in [
        json!(one_id),
        json!(one_id.to_lowercase()),
        json!(format!(" {one_id} ")),
        json!(null),
        json!(""),
    ] {
        acme.put_ok(&file_path(&one), json!({"id": id, "ref": "x"}))
            .await;
    }
    let query = format!("/files?id={}", one_id.to_lowercase());
    acme.put_ok(&query, json!({"id": one_id, "ref": "y"})).await;
    delete(&query, json!({"id": one_id}))
        .await
        .expect_status(204);
    let typed = acme.request("DELETE", &format!("/files?id={other_id}"));
    acme.send(typed.header("content-type", "application/json"))
        .await
        .expect_status(204);
    for file in [&one, &other] {
        acme.get_err(404, &file_path(file)).await;
    }
    stack.run_purges().await;
}
