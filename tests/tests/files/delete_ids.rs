//! `DELETE /files`: the places where a request can specify the id of the file.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, stack_test};

use crate::{support::signer::text, uploads::presign::UNKNOWN};

use super::delete::{address, delete_by_body};

#[stack_test]
async fn delete_accepts_id_in_path_query_or_body(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let kept_file = acme.upload(PHOTO).await;
    let id = text(&kept_file["id"]);

    for variant in 0..5 {
        let file = acme.upload(PHOTO).await;
        let id = text(&file["id"]);
        let response = match variant {
            0 => {
                acme.client
                    .delete(&format!("/files/{}", id.to_lowercase()))
                    .await
            }
            1 => acme.client.delete(&format!("/files?id={id}")).await,
            2 => {
                acme.client
                    .delete(&format!("/files?id=%20{}", id.to_lowercase()))
                    .await
            }
            3 => delete_by_body(&acme.client, json!({"id": id, "colour": "red"})).await,
            _ => delete_by_body(&stack.account(), json!({"id": id.to_lowercase()})).await,
        };
        assert!(response.expect_status(204).body.is_empty());
        acme.client.get(&address(&file)).await.expect_error(404);
    }

    let before = stack.dump().await;
    let required = json!({"id": ["The id field is required."]});

    for query in ["", "?id=", "?id=%20", "?ID=x"] {
        assert_eq!(
            acme.client
                .delete(&format!("/files{query}"))
                .await
                .expect_error(422),
            required,
            "{query}"
        );
    }

    for body in [
        json!({}),
        json!({"id": null}),
        json!({"id": "  "}),
        json!({"file_id": id}),
    ] {
        assert_eq!(
            delete_by_body(&acme.client, body.clone())
                .await
                .expect_error(422),
            required,
            "{body}"
        );
    }

    let errors = delete_by_body(&acme.client, json!({"id": 5}))
        .await
        .expect_error(422);
    assert_eq!(errors, json!({"id": ["The id field must be a string."]}));
    for (client, id) in [
        (&acme.client, UNKNOWN),
        (&acme.client, "x"),
        (&acme.client, &acme.id),
        (&other.client, &id),
    ] {
        assert_eq!(
            client
                .delete(&format!("/files/{id}"))
                .await
                .expect_error(404),
            json!({}),
            "{id}"
        );
        assert_eq!(
            client
                .delete(&format!("/files?id={id}"))
                .await
                .expect_error(404),
            json!({}),
            "{id}"
        );
        assert_eq!(
            delete_by_body(client, json!({"id": id}))
                .await
                .expect_error(404),
            json!({}),
            "{id}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "deletions of nothing");
    stack.run_purges().await;
    assert!(
        stack
            .anonymous
            .get(&text(&kept_file["url"]))
            .await
            .expect_status(200)
            .body
            == PHOTO
    );
}

#[stack_test]
async fn two_different_ids_in_one_request_return_422(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let one = acme.upload(PHOTO).await;
    let other = acme.upload(PHOTO).await;
    let [one_id, other_id] = [text(&one["id"]), text(&other["id"])];
    let before = stack.dump().await;
    let message =
        json!({"id": ["The id field must be the same in the path, the query and the body."]});
    let delete = async |path: &str, body: Value| {
        acme.client
            .send(acme.client.request("DELETE", path).json(&body))
            .await
    };

    for path in [address(&one), format!("/files?id={one_id}")] {
        let response = acme
            .client
            .put(&path, json!({"id": other_id, "ref": "x"}))
            .await;
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
    acme.client
        .put(&address(&one), json!({"id": 7}))
        .await
        .expect_error(422);
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
        acme.client
            .put(&address(&one), json!({"id": id, "ref": "x"}))
            .await
            .expect_ok();
    }
    let query = format!("/files?id={}", one_id.to_lowercase());
    acme.client
        .put(&query, json!({"id": one_id, "ref": "y"}))
        .await
        .expect_ok();
    delete(&query, json!({"id": one_id}))
        .await
        .expect_status(204);
    let typed = acme
        .client
        .request("DELETE", &format!("/files?id={other_id}"));
    acme.client
        .send(typed.header("content-type", "application/json"))
        .await
        .expect_status(204);
    for file in [&one, &other] {
        acme.client.get(&address(file)).await.expect_error(404);
    }
    stack.run_purges().await;
}
