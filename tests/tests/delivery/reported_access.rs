//! The access control of a file's record, compared with what delivery enforces.

use serde_json::{Value, json};
use tests::{File, Stack, StackOptions, stack_test};

use super::fixture::{DeliveryFixture, TYPES};

/// Values of `requires_auth` of a file or a folder; `None` inherits.
const SETTINGS: [Option<bool>; 3] = [None, Some(false), Some(true)];

/// A file with the type of its upload config, another type, and a setting.
struct TypedFile {
    file: File,
    config_type: &'static str,
    delivery_type: &'static str,
    setting: Option<bool>,
}

impl TypedFile {
    /// Returns the expected access control in a folder with a setting in a space.
    fn expected(&self, folder: Option<bool>, space: bool) -> Value {
        let file = &self.file;
        let has_type = self.delivery_type != "upload";
        let (requires_auth, source, from) = match (self.setting, folder) {
            (Some(true), _) => (true, "direct", "id"),
            _ if has_type && self.delivery_type == self.config_type => {
                (true, "upload_config", "upload_config_id")
            }
            _ if has_type => (true, "direct", "id"),
            (Some(false), _) => (false, "direct", "id"),
            (None, Some(folder)) => (folder, "folder", "folder_id"),
            (None, None) => (space, "space", "space_id"),
        };
        json!({
            "requires_auth": requires_auth, "public_read": !requires_auth, "source": source,
            "inherited_from": file[from], "setting": self.setting,
        })
    }
}

/// Creates a file of each upload config, with each type and each setting.
async fn typed_files(acme: &DeliveryFixture<'_>) -> Vec<TypedFile> {
    let mut files = Vec::new();
    for config_type in TYPES {
        for delivery_type in TYPES {
            for setting in SETTINGS {
                let file = acme.put_here(config_type).await;
                acme.put_ok(file.path(), json!({"type": delivery_type}))
                    .await;
                if setting.is_some() {
                    acme.set_access(file.path(), setting).await;
                }
                files.push(TypedFile {
                    file,
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
    let acme = DeliveryFixture::new(stack).await;
    let files = typed_files(&acme).await;

    for folder in SETTINGS {
        acme.set_access(acme.folder.path(), folder).await;
        for space in [false, true] {
            acme.set_access(&acme.path(), Some(space)).await;

            for typed in &files {
                let expected = typed.expected(folder, space);
                let context = format!(
                    "{} of {}, {:?}, folder {folder:?}, space {space}",
                    typed.delivery_type, typed.config_type, typed.setting
                );
                let record = acme.get_ok(typed.file.path()).await;
                assert_eq!(record["access_control"], expected, "{context}");

                let is_closed = expected["requires_auth"] == true;
                let delivered = stack.anonymous.get(typed.file.url()).await;
                delivered
                    .with_context(&context)
                    .expect_status(if is_closed { 403 } else { 200 });
            }
        }
    }
}
