//! Which events of files are sent, and to which endpoint.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::naming::PublicHttpsUrl;

/// Webhooks about uploaded files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NotificationRules {
    /// URL of webhooks, instead of the space's. Responses to the role `user` have null, because it
    /// may contain a secret.
    pub webhook_url: Option<PublicHttpsUrl>,
    /// Events to send in addition to `file.uploaded`.
    pub events: Option<Vec<WebhookEvent>>,
}

impl NotificationRules {
    /// Whether an event is sent: `file.uploaded` always, others if `events` contains them.
    pub fn includes(&self, event: WebhookEvent) -> bool {
        event == WebhookEvent::Uploaded || self.events.iter().flatten().any(|sent| *sent == event)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WebhookEvent {
    /// All processing after an upload is complete.
    #[serde(rename = "file.processed")]
    Processed,
    /// Processing after an upload failed.
    #[serde(rename = "file.failed")]
    Failed,
    /// A file was deleted, or moved to the trash.
    #[serde(rename = "file.deleted")]
    Deleted,
    /// The bytes of a file were replaced.
    #[serde(rename = "file.replaced")]
    Replaced,
    /// A file was restored from the trash.
    #[serde(rename = "file.restored")]
    Restored,
    /// A file was uploaded; always sent.
    #[serde(rename = "file.uploaded")]
    Uploaded,
}

impl WebhookEvent {
    pub const ALL: [WebhookEvent; 6] = [
        WebhookEvent::Processed,
        WebhookEvent::Failed,
        WebhookEvent::Deleted,
        WebhookEvent::Replaced,
        WebhookEvent::Restored,
        WebhookEvent::Uploaded,
    ];

    /// Returns the name of the event in payloads.
    pub fn name(self) -> &'static str {
        match self {
            WebhookEvent::Processed => "file.processed",
            WebhookEvent::Failed => "file.failed",
            WebhookEvent::Deleted => "file.deleted",
            WebhookEvent::Replaced => "file.replaced",
            WebhookEvent::Restored => "file.restored",
            WebhookEvent::Uploaded => "file.uploaded",
        }
    }
}

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
