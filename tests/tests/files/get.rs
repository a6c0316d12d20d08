//! `GET /files/:id`.

use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, stack_test};

#[stack_test]
async fn get_returns_uploaded_file(stack: &Stack, acme: &TestSpace) {
    let file = acme.upload(PHOTO).await;
    let id = &file.id;

    let lower_case = format!("/files/{}", id.to_lowercase());
    for client in [&acme.client, &acme.role("viewer").await, &stack.account()] {
        assert_eq!(client.get_ok(file.path()).await, file);
        assert_eq!(client.get_ok(&lower_case).await, file);
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
        assert_eq!(&file[field], value, "{field}");
    }
}
