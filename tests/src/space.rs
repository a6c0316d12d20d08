//! What most tests do with a space and its settings.

use std::time::Duration;

use domain::id::SpaceId;
use serde_json::{Value, json};

use crate::{Client, TestSpace, merged, text};

impl TestSpace {
    /// Creates a space key with a role, and returns a client that uses it.
    pub async fn role(&self, role: &str) -> Client {
        self.create_key(role).role(role).await.client
    }

    /// Changes fields of an upload config.
    pub async fn update_upload_config(&self, id: &str, fields: Value) -> Value {
        let body = merged(json!({ "id": id }), fields);
        self.post_ok("/upload-configs/update", body).await
    }

    /// Deletes the space with all that it contains. Purges remove it later.
    pub async fn delete_by_force(&self) {
        let path = format!("/spaces?id={}&force=true", self.id);
        self.delete(&path).await.expect_status(202);
    }

    /// Changes fields of the space, whose name becomes `Acme` unless they contain another one.
    pub async fn update(&self, fields: Value) -> Value {
        let body = merged(json!({"name": "Acme"}), fields);
        self.put_ok(&self.path(), body).await
    }

    /// Enables or disables the space, whose name becomes `Acme`.
    pub async fn set_enabled(&self, enabled: bool) {
        self.update(json!({ "enabled": enabled })).await;
    }

    /// Returns the id of the space.
    pub fn space_id(&self) -> SpaceId {
        self.id.parse().expect("a space id")
    }

    /// Returns the path of the space in the API.
    pub fn path(&self) -> String {
        format!("/spaces/{}", self.id)
    }

    /// Returns the path of the keys of the space in the API.
    pub fn keys_path(&self) -> String {
        format!("/spaces/{}/api-keys", self.id)
    }

    /// Sets or resets `requires_auth` of the space, folder or file with this path.
    pub async fn set_access(&self, path: &str, requires_auth: Option<bool>) -> Value {
        let path = format!("{path}/access-control");
        let Some(requires_auth) = requires_auth else {
            return self.client.delete(&path).await.expect_ok();
        };
        let body = json!({"access_control": {"requires_auth": requires_auth}});
        self.client.put_ok(&path, body).await
    }

    /// Sets the security of the space or folder with this path, or resets it if it is null.
    pub async fn set_security(&self, path: &str, security: Value) -> Value {
        let path = format!("{path}/security");
        if security.is_null() {
            return self.client.delete(&path).await.expect_ok();
        }
        let body = json!({ "security": security });
        self.client.put_ok(&path, body).await
    }

    /// Returns a signed URL of a file. Its validity is rounded down to minutes.
    pub async fn sign(&self, file: &Value, validity: Duration) -> String {
        let path = format!("/files/{}/signed-url", text(&file["id"]));
        let body = json!({"expiration_minutes": validity.as_secs() / 60});

        let signed = self.client.post_ok(&path, body).await;
        text(&signed["url"])
    }
}
