//! Rules of the processing of a file, decided at its activation.

use serde::{Deserialize, Serialize};

use crate::{
    renditions::EagerTransformation,
    settings::{WebhookEndpoint, WebhookEvent},
    spaces::Space,
    uploads::UploadRules,
};

/// Rules of the processing of a file, decided at its activation. Later changes do not concern the
/// file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessingRules {
    /// Transformations to create in advance.
    pub eager: Vec<EagerTransformation>,
    /// Whether tags are derived from the content of images.
    pub auto_tagging: bool,
    /// Whether GPS positions are left out of the recorded metadata.
    pub strip_metadata: bool,
    /// Endpoint that receives `file.processed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processed_endpoint: Option<WebhookEndpoint>,
    /// Endpoint that receives `file.failed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_endpoint: Option<WebhookEndpoint>,
}

impl ProcessingRules {
    /// Returns the rules of an activation by an upload config in a space.
    pub fn of(rules: &UploadRules, space: &Space) -> ProcessingRules {
        let receiver = |event| space.webhook_receiver(event, &rules.notifications);
        ProcessingRules {
            eager: rules.transformations.eager.clone(),
            auto_tagging: rules.metadata.auto_tagging,
            strip_metadata: rules.transformations.strip_metadata,
            processed_endpoint: receiver(WebhookEvent::Processed),
            failed_endpoint: receiver(WebhookEvent::Failed),
        }
    }
}
