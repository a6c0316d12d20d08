//! The access control of a file's record, compared with what delivery enforces.

use serde_json::{Value, json};
use tests::{Stack, StackOptions, stack_test};

use super::fixture::{DeliveryFixture, TYPES};

/// Values of `requires_auth` of a file or a folder; `None` inherits.
const SETTINGS: [Option<bool>; 3] = [None, Some(false), Some(true)];

/// A file with a type and a setting.
struct TypedFile {
    path: String,
    url: String,
    /// The record after the upload.
    record: Value,
    config_type: &'static str,
    delivery_type: &'static str,
    setting: Option<bool>,
}

impl TypedFile {
    /// Returns the expected access control in a folder with a setting in a space.
    fn expected(&self, folder: Option<bool>, space: bool, fixture: &DeliveryFixture<'_>) -> Value {
        let has_type = self.delivery_type != "upload";
        let id = &self.record["id"];
        let (requires_auth, source, from) = match (self.setting, folder) {
            (Some(true), _) => (true, "direct", id),
            _ if has_type && self.delivery_type == self.config_type => {
                (true, "upload_config", &self.record["upload_config_id"])
            }
            _ if has_type => (true, "direct", id),
            (Some(false), _) => (false, "direct", id),
            (None, Some(folder)) => (folder, "folder", &self.record["folder_id"]),
            (None, None) => (space, "space", &json!(fixture.acme.id)),
        };
        json!({
            "requires_auth": requires_auth, "public_read": !requires_auth, "source": source,
            "inherited_from": from, "setting": self.setting,
        })
    }
}

/// Creates a file of each upload config, with each type and each setting.
async fn typed_files(fixture: &DeliveryFixture<'_>) -> Vec<TypedFile> {
    let client = &fixture.acme.client;
    let mut files = Vec::new();
    for config_type in TYPES {
        for delivery_type in TYPES {
            for setting in SETTINGS {
                let file = fixture.put_here(config_type).await;
                let change = json!({"type": delivery_type});
                let record = client.put_ok(&file.path, change).await;
                if setting.is_some() {
                    fixture.set(&file.path, setting).await;
                }
                files.push(TypedFile {
                    path: file.path,
                    url: file.url,
                    record,
                    config_type,
                    delivery_type,
                    setting,
                });
            }
        }
    }
    files
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn reported_access_is_the_enforced_one_in_every_combination(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let files = typed_files(&fixture).await;

    for folder in SETTINGS {
        fixture.set(&fixture.folder, folder).await;
        for space in [false, true] {
            fixture.set(&fixture.space(), Some(space)).await;

            for file in &files {
                let record = fixture.acme.get_ok(&file.path).await;
                let expected = file.expected(folder, space, &fixture);
                let context = format!(
                    "{} of {}, {:?}, folder {folder:?}, space {space}",
                    file.delivery_type, file.config_type, file.setting
                );
                assert_eq!(record["access_control"], expected, "{context}");

                let status = if expected["requires_auth"] == true {
                    403
                } else {
                    200
                };
                let delivered = stack.anonymous.get(&file.url).await;
                delivered.with_context(&context).expect_status(status);
            }
        }
    }
}
