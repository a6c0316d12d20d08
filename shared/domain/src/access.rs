//! Who may see a file without saying who they are.

use serde::{Deserialize, Serialize};

use crate::{File, Space, Violation};

/// A space's default, in full: everyone may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessControl {
    /// Whether delivery asks who is there.
    pub requires_auth: bool,
    /// Whether everyone may read.
    pub public_read: bool,
}

impl Default for AccessControl {
    fn default() -> AccessControl {
        AccessControl { requires_auth: false, public_read: true }
    }
}

impl AccessControl {
    /// Whether delivery asks who is there: either flag may demand it.
    pub fn demands_auth(self) -> bool {
        self.requires_auth || !self.public_read
    }
}

/// How a file is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryType {
    /// To everyone.
    Upload,
    /// The original on proof; what has been generated from it, to everyone.
    Private,
    /// Everything on proof, and kept by no cache.
    Authenticated,
}

impl DeliveryType {
    /// The type of this name.
    pub fn parse(name: &str) -> Result<DeliveryType, Violation> {
        match name {
            "upload" => Ok(DeliveryType::Upload),
            "private" => Ok(DeliveryType::Private),
            "authenticated" => Ok(DeliveryType::Authenticated),
            _ => Err(Violation::Unknown),
        }
    }

    /// The type's name.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryType::Upload => "upload",
            DeliveryType::Private => "private",
            DeliveryType::Authenticated => "authenticated",
        }
    }
}

/// Where a file's effective access control was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessSource {
    /// By the delivery type of its upload config.
    UploadConfig,
    /// By its space.
    Space,
}

/// A file's effective access control, as the API reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EffectiveAccess {
    /// Whether delivery asks who is there.
    pub requires_auth: bool,
    /// Where that was set.
    pub source: AccessSource,
    /// Id of the resource that set it.
    pub inherited_from: String,
}

impl EffectiveAccess {
    /// The access control of a file in its space.
    pub fn of(file: &File, space: &Space) -> EffectiveAccess {
        if file.delivery_type == DeliveryType::Upload {
            EffectiveAccess {
                requires_auth: space.access_control.demands_auth(),
                source: AccessSource::Space,
                inherited_from: space.id.to_string(),
            }
        } else {
            EffectiveAccess {
                requires_auth: true,
                source: AccessSource::UploadConfig,
                inherited_from: file.upload_config_id.to_string(),
            }
        }
    }
}

/// Whether the original of a file is delivered only on proof: its type or its space may demand it.
pub fn original_needs_proof(file: &File, space: &Space) -> bool {
    file.delivery_type != DeliveryType::Upload || space.access_control.demands_auth()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_flag_of_a_space_demands_proof() {
        for (requires_auth, public_read, demanded) in
            [(false, true, false), (true, true, true), (false, false, true), (true, false, true)]
        {
            let access_control = AccessControl { requires_auth, public_read };
            assert_eq!(access_control.demands_auth(), demanded, "{access_control:?}");
        }
        assert!(!AccessControl::default().demands_auth());
    }

    #[test]
    fn type_and_space_each_close_an_original_and_the_report_names_who_did() {
        let json = |value: &str| serde_json::from_str::<serde_json::Value>(value).expect("JSON");
        let id = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1";
        let mut space: Space = serde_json::from_value(json(&format!(
            r#"{{"id": "{id}", "name": "a", "handle": "abcdef", "enabled": true, "folder_mode": "dynamic",
                "access_control": {{"requires_auth": false, "public_read": true}},
                "security": {{"watermark": {{"enabled": false, "position": "southeast", "opacity": 0.5}}}},
                "active_upload_config_id": "{id}", "created_at": 0, "updated_at": 0, "version": 0}}"#
        )))
        .expect("a space");
        let mut file: File = serde_json::from_value(json(&format!(
            r#"{{"id": "{id}", "space_id": "{id}", "name": "a", "original_name": "a", "mime_type": "a", "extension": "a",
                "size": 1, "storage_path": "a", "delivery_type": "upload", "resource_type": "image", "status": "active",
                "upload_config_id": "{id}", "tags": [], "uploaded_by": {{"type": "api_key", "id": 1}},
                "created_at": 0, "updated_at": 0}}"#
        )))
        .expect("a file");
        for delivery_type in [DeliveryType::Upload, DeliveryType::Private, DeliveryType::Authenticated] {
            for closed in [false, true] {
                file.delivery_type = delivery_type;
                space.access_control.requires_auth = closed;
                let by_type = delivery_type != DeliveryType::Upload;
                assert_eq!(original_needs_proof(&file, &space), by_type || closed);
                let reported = EffectiveAccess::of(&file, &space);
                let source = if by_type { AccessSource::UploadConfig } else { AccessSource::Space };
                assert_eq!((reported.requires_auth, reported.source), (by_type || closed, source));
            }
        }
    }
}
