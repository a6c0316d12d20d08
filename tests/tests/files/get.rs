//! `GET /files/:id`.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, UNKNOWN_ID, stack_test};

#[stack_test]
async fn get_returns_uploaded_file(stack: &Stack, acme: &TestSpace) {
    let uploaded = acme.upload(PHOTO).await;
    let id = uploaded["id"].as_str().expect("an id");

    for client in [
        acme.client.clone(),
        acme.role("viewer").await,
        stack.account(),
    ] {
        assert_eq!(client.get_ok(&format!("/files/{id}")).await, uploaded);
        assert_eq!(
            client
                .get_ok(&format!("/files/{}", id.to_lowercase()))
                .await,
            uploaded
        );
    }

    let name = format!("image-{id}.jpg");
    let path = format!("{}/{name}", acme.handle);
    let expected = json!({
        "name": name, "original_name": "photo.jpg", "extension": "jpg", "mime_type": "image/jpeg", "size": PHOTO.len(),
        "storage_path": path, "url": format!("{}/{path}", stack.local.cdn_url()), "type": "upload",
        "resource_type": "image", "status": "active", "space_id": acme.id, "folder_id": null, "folder_path": null,
        "ref": null, "tags": [], "storage_meta": {}, "thumbnails": [],
        "access_control": {
            "requires_auth": false, "public_read": true, "source": "space", "inherited_from": acme.id,
            "setting": null,
        },
        "uploaded_by": {"type": "api_key", "id": acme.key_id},
        "checksum_sha256": "3aff0931539fcf6e63fcc330ed24429646c572a8d7940b443b4062b14359f157",
    });

    for (field, value) in expected.as_object().expect("an object") {
        assert_eq!(&uploaded[field], value, "{field}");
    }
}

#[stack_test]
async fn foreign_file_returns_404(acme: &TestSpace, other: &TestSpace) {
    let id = acme.upload(PHOTO).await["id"]
        .as_str()
        .expect("an id")
        .to_owned();

    for id in [id.as_str(), UNKNOWN_ID, "x", "%20", "a%2Fb", "%C3%A9"] {
        other.get_err(404, &format!("/files/{id}")).await;
    }
}
