//! Who may see a file without saying who they are.

use serde::{Deserialize, Serialize};

use crate::{File, Space};

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
