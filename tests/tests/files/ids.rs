//! `PUT` and `DELETE` of `/files/:id` and `/files`: the places where a request can specify the id
//! of the file.

use serde_json::{Value, json};
use tests::{
    Client, PHOTO, Response, Stack, TestSpace, UNKNOWN_ID, field_error, field_errors, merged, rows,
    stack_test,
};

const METHODS: [&str; 2] = ["PUT", "DELETE"];

/// Sends a request, of `PUT` with a new reference, and without a body if it is null.
async fn send(client: &Client, method: &str, path: &str, body: &Value) -> Response {
    let change = if method == "PUT" {
        json!({"ref": "x"})
    } else {
        json!({})
    };
    let request = client.request(method, path);
    let request = match body {
        Value::Null if method == "DELETE" => request,
        Value::Null => request.json(&change),
        fields => request.json(&merged(change, fields.clone())),
    };
    let case = format!("{method} {body}");
    client.send(request).await.with_context(&case)
}

#[stack_test]
async fn id_is_accepted_in_path_query_or_body(stack: &Stack, acme: &TestSpace) {
    for client in [&acme.client, &stack.account()] {
        for case in 0..6 {
            let file = acme.upload(PHOTO).await;
            let id = &file.id;
            let lower_case = id.to_lowercase();
            let (path, body) = match case {
                0 => (format!("/files/{lower_case}"), json!(null)),
                1 => (format!("/files?id={id}"), json!(null)),
                2 => (format!("/files?id=%20{lower_case}"), json!(null)),
                3 => ("/files".to_owned(), json!({"id": id, "colour": "red"})),
                4 => ("/files".to_owned(), json!({"id": lower_case})),
                _ => ("/files".to_owned(), json!({"id": format!(" {id} ")})),
            };

            // An update requires the id in its path or body, too.
            let in_body = if path.contains('?') {
                json!({ "id": id })
            } else {
                body.clone()
            };
            let updated = send(client, "PUT", &path, &in_body).await.expect_ok();
            assert_eq!((&updated["id"], &updated["ref"]), (&json!(id), &json!("x")));
            assert_eq!(acme.get_ok(file.path()).await, updated);

            let deleted = send(client, "DELETE", &path, &body).await;
            deleted.expect_status(204).expect_body("");
            acme.get_err(404, file.path()).await;
        }
    }
    stack.run_purges().await;
}

#[stack_test]
async fn missing_or_unknown_id_is_rejected_and_changes_nothing(
    stack: &Stack,
    acme: &TestSpace,
    other: &TestSpace,
) {
    let id = acme.upload(PHOTO).await.id;
    let before = stack.dump().await;
    let required = field_error("id", "is required");

    for method in METHODS {
        for (query, body) in [
            ("", json!(null)),
            ("?id=", json!(null)),
            ("?id=%20", json!(null)),
            ("?ID=x", json!(null)),
            ("", json!({})),
            ("", json!({"id": null})),
            ("", json!({"id": "  "})),
            ("", json!({"file_id": id})),
        ] {
            let path = format!("/files{query}");
            let response = send(acme, method, &path, &body).await;
            assert_eq!(response.expect_error(422), required, "{query} {body}");
        }
        let number = send(acme, method, "/files", &json!({"id": 5})).await;
        let not_string = field_error("id", "must be a string");
        assert_eq!(number.expect_error(422), not_string);

        for (client, id) in [
            (&acme.client, UNKNOWN_ID),
            (&acme.client, "x"),
            (&acme.client, &acme.id),
            (&other.client, &id),
        ] {
            let response = send(client, method, "/files", &json!({ "id": id })).await;
            assert_eq!(response.expect_error(404), json!({}), "{id}");
        }
    }
    let numbers = json!({"id": 5, "ref": 5});
    let errors = acme.put_err(422, "/files", numbers).await;
    let not_strings = ["id", "ref"].map(|field| (field, "must be a string"));
    assert_eq!(errors, field_errors(not_strings));

    stack.assert_unchanged(&before, "unknown files").await;
}

#[stack_test]
async fn two_different_ids_in_one_request_return_422(stack: &Stack, acme: &TestSpace) {
    let one = acme.upload(PHOTO).await;
    let other = acme.upload(PHOTO).await;
    let before = stack.dump().await;
    let different = field_error("id", "must be the same in the path, the query and the body");
    let query = format!("/files?id={}", one.id);

    for (method, path) in [("PUT", one.path()), ("PUT", &query), ("DELETE", &query)] {
        let response = send(acme, method, path, &json!({"id": other.id})).await;
        assert_eq!(response.expect_error(422), different);
        let response = send(acme, method, path, &json!({"id": 7})).await;
        response.expect_error(422);
    }
    stack.assert_unchanged(&before, "two ids").await;

    let lower_case = one.id.to_lowercase();
    let with_spaces = format!(" {} ", one.id);
    for id in rows::<Value>(json!([one.id, lower_case, with_spaces, null, ""])) {
        acme.put_ok(one.path(), json!({"id": id, "ref": "x"})).await;
    }
    let query = format!("/files?id={lower_case}");
    let same = json!({"id": one.id});
    for (method, status) in [("PUT", 200), ("DELETE", 204)] {
        let response = send(acme, method, &query, &same).await;
        response.expect_status(status);
    }
    let typed = acme.request("DELETE", &format!("/files?id={}", other.id));
    let typed = typed.header("content-type", "application/json");
    acme.send(typed).await.expect_status(204);
    for file in [&one, &other] {
        acme.get_err(404, file.path()).await;
    }
    stack.run_purges().await;
}
