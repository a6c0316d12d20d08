//! The endpoint of a webhook, and which record determines it.

use serde::{Deserialize, Serialize};

use crate::PublicHttpsUrl;

/// The endpoint that receives an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebhookEndpoint {
    pub url: PublicHttpsUrl,
    /// The record that has the URL.
    pub source: WebhookSource,
}

/// The record that has the URL of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookSource {
    /// The upload config of the file.
    UploadConfig,
    Space,
}
