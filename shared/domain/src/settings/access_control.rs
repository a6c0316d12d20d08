//! Access control of spaces, folders and files, and delivery types of files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Access control of a file, folder or space. The flags `requires_auth` and `public_read` of the
/// API are complements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessControl {
    /// Whether delivery requires a signed URL or an API key.
    pub requires_auth: bool,
}

/// How a file is delivered, ordered from the weakest protection to the strongest.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryType {
    Upload,
    /// The original requires a signed URL or an API key; derived images are public.
    Private,
    /// Everything requires a signed URL or an API key, and is not cached.
    Authenticated,
}

impl DeliveryType {
    /// Returns the name of the type in the API.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryType::Upload => "upload",
            DeliveryType::Private => "private",
            DeliveryType::Authenticated => "authenticated",
        }
    }
}
