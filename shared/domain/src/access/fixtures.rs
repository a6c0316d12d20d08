//! Records for the tests of access control.

use crate::{files::File, settings::DeliveryType, spaces::Space};

const ID: &str = "01JCQZ4XK8V9W7Y6T5S4R3Q2P1";

pub(super) fn space() -> Space {
    let json = format!(
        r#"{{"id": "{ID}", "name": "a", "handle": "abcdef", "enabled": true, "folder_mode": "dynamic",
            "access_control": {{"requires_auth": false}},
            "security": {{"watermark": {{"enabled": false, "position": "southeast", "opacity": 0.5}}}},
            "active_upload_config_id": "{ID}", "created_at": 0, "updated_at": 0, "version": 0}}"#
    );
    serde_json::from_str(&json).expect("a space")
}

pub(crate) fn file(delivery_type: DeliveryType) -> File {
    let name = delivery_type.name();
    let json = format!(
        r#"{{"id": "{ID}", "space_id": "{ID}", "name": "a", "original_name": "a", "mime_type": "a", "extension": "a",
            "size": 1, "storage_path": "a", "delivery_type": "{name}", "resource_type": "image", "status": "active",
            "upload_config_id": "{ID}", "tags": [], "uploaded_by": {{"type": "api_key", "id": 1}},
            "created_at": 0, "updated_at": 0, "version": 0}}"#
    );
    serde_json::from_str(&json).expect("a file")
}

pub(super) const TYPES: [DeliveryType; 3] = [
    DeliveryType::Upload,
    DeliveryType::Private,
    DeliveryType::Authenticated,
];
