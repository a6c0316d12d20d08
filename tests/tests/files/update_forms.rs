//! Updates of files that send the full record, or the id in the body.

use serde_json::{Value, json};
use tests::{Client, PHOTO, Stack, form, seconds, stack_test};

use crate::{
    support::signer::text,
    uploads::presign::{PendingFile, UNKNOWN},
};

use super::update::{address, with};

#[stack_test]
async fn update_accepts_full_record(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let user = acme.role("user").await;
    let photos = acme.folder("Photos").await.id;
    let upload = || form(&acme.handle, "a.jpg", "image/jpeg", PHOTO);
    let inside = user
        .upload(upload().text("folder_id", photos.clone()))
        .await
        .expect_created();

    assert_eq!(inside["folder_path"], "Photos/");

    let private = json!({"type": "private", "ref": "x", "tags": ["a", "b"]});
    let private = acme
        .client
        .put(&address(&acme.upload(PHOTO).await.record), private)
        .await
        .expect_ok();
    let pending_file = PendingFile::create(&acme, json!({"folder_id": photos})).await;
    let pending = acme.client.get(&pending_file.address()).await.expect_ok();

    for (client, record) in [
        (&user, &inside),
        (&acme.client, &inside),
        (&acme.client, &private),
        (&acme.client, &pending),
    ] {
        stack.clock.advance(seconds(1));
        let same = client
            .put(&address(record), record.clone())
            .await
            .expect_ok();
        assert_eq!(
            with(&same, &json!({"updated_at": record["updated_at"]})),
            *record
        );
        let repeated = client.put("/files", same.clone()).await.expect_ok();
        assert_eq!(
            with(&repeated, &json!({"updated_at": record["updated_at"]})),
            *record
        );
        // Of a whole record with one changed field, that field is updated.
        let renamed = client
            .put(
                &address(record),
                with(&same, &json!({"original_name": "b.jpg"})),
            )
            .await
            .expect_ok();
        let expected = json!({"original_name": "b.jpg", "updated_at": renamed["updated_at"]});
        assert_eq!(renamed, with(record, &expected));
        client
            .put(
                &address(record),
                json!({"original_name": record["original_name"]}),
            )
            .await
            .expect_ok();
    }

    let closed = acme
        .client
        .put(
            &address(&inside),
            with(&inside, &json!({"type": "private"})),
        )
        .await
        .expect_ok();

    assert_eq!(
        (&closed["type"], &closed["access_control"]["source"]),
        (&json!("private"), &json!("upload_config"))
    );

    let folders = acme.client.get("/folders").await.expect_status(200).json()["data"].clone();
    assert_eq!(
        folders.as_array().map(Vec::len),
        Some(1),
        "no folder is created: {folders}"
    );
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn update_accepts_id_in_body(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = stack.space("Other").await;
    let file = acme.upload(PHOTO).await;
    let id = text(&file["id"]);

    for (id, reference) in [
        (id.clone(), "one"),
        (id.to_lowercase(), "two"),
        (format!(" {id} "), "three"),
    ] {
        let updated = acme
            .client
            .put("/files", json!({"id": id, "ref": reference}))
            .await
            .expect_ok();
        assert_eq!(
            (&updated["id"], &updated["ref"]),
            (&file["id"], &json!(reference))
        );
        assert_eq!(acme.client.get(&address(&file)).await.expect_ok(), updated);
    }

    let before = stack.dump().await;
    let put = async |client: &Client, body: Value| client.put("/files", body).await;

    for without_id in [
        json!({"ref": "x"}),
        json!({"id": null, "ref": "x"}),
        json!({"id": " "}),
    ] {
        assert_eq!(
            put(&acme.client, without_id).await.expect_error(422),
            json!({"id": ["The id field is required."]})
        );
    }

    let errors = put(&acme.client, json!({"id": 5, "ref": 5}))
        .await
        .expect_error(422);
    let message = |field: &str| json!([format!("The {field} field must be a string.")]);

    assert_eq!(errors, json!({"id": message("id"), "ref": message("ref")}));
    for (client, id) in [
        (&acme.client, UNKNOWN),
        (&acme.client, "x"),
        (&other.client, &id),
        (&acme.client, &acme.id),
    ] {
        assert_eq!(
            put(client, json!({"id": id, "ref": "x"}))
                .await
                .expect_error(404),
            json!({}),
            "{id}"
        );
    }

    for (client, id) in [
        (&acme.client, UNKNOWN),
        (&acme.client, "x"),
        (&other.client, &id),
        (&acme.client, "%20"),
    ] {
        assert_eq!(
            client
                .put(&format!("/files/{id}"), json!({"ref": "x"}))
                .await
                .expect_error(404),
            json!({}),
            "{id}"
        );
    }

    stack
        .dump()
        .await
        .assert_unchanged(&before, "updates of nothing");
}
