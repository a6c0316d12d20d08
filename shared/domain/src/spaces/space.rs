//! Space records, handles and delete locks.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    env::{Env, Timestamp},
    errors::FieldError,
    id::{IdSequence, SpaceId, UploadConfigId},
    naming::{Description, HostName, PublicHttpsUrl, SpaceName},
    settings::{
        AccessControl, DeleteLock, FolderMode, NotificationRules, Security, StoredWatermark,
        TrashDays, WebhookEndpoint, WebhookEvent, WebhookSource,
    },
    signing::Signing,
};

/// Number of characters of a handle.
const HANDLE_LENGTH: usize = 6;
/// First character of a handle: a letter, so that a handle is never mistaken for a number.
const HANDLE_FIRST: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
/// Alphabet of the other characters of a handle.
const HANDLE_REST: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Short name of a space in URLs: six characters of `a-z0-9`, a letter first. Never reused for
/// another space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = HANDLE_LENGTH, "maxLength" = HANDLE_LENGTH, "pattern" = "^[a-z][a-z0-9]*$"))]
pub struct Handle(String);

impl Handle {
    /// Creates a random handle.
    pub fn new(env: &Env) -> Handle {
        Handle(env.random_text(HANDLE_FIRST, 1) + &env.random_text(HANDLE_REST, HANDLE_LENGTH - 1))
    }

    /// Parses a handle. A malformed one fails with the same error as the handle of no space.
    pub fn parse(text: &str) -> Result<Handle, FieldError> {
        let fits = text.len() == HANDLE_LENGTH
            && HANDLE_FIRST.contains(&text.as_bytes()[0])
            && text.bytes().all(|byte| HANDLE_REST.contains(&byte));
        if fits {
            Ok(Handle(text.to_owned()))
        } else {
            Err(FieldError::InvalidSelection)
        }
    }

    /// Returns the handle as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Stored record of a space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// Id of the space.
    pub id: SpaceId,
    /// Name, unique among all spaces.
    pub name: SpaceName,
    /// Free text for users.
    pub description: Option<Description>,
    /// Short name in URLs.
    pub handle: Handle,
    /// Whether it accepts uploads and delivers files.
    pub enabled: bool,
    /// Whether storage paths contain folders.
    pub folder_mode: FolderMode,
    /// Host name of delivery URLs in place of the CDN's.
    pub custom_domain: Option<HostName>,
    /// URL that receives its webhooks.
    pub webhook_url: Option<PublicHttpsUrl>,
    /// For how long deleted files can be restored.
    #[serde(default)]
    pub trash_days: TrashDays,
    /// Access control of files for which neither the file nor a folder sets one.
    pub access_control: AccessControl,
    /// Number of changes to its access control.
    #[serde(default)]
    pub access_version: u64,
    /// Security settings that folders inherit.
    pub security: Security,
    /// Stored copy of its watermark; `None` unless a watermark is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stored_watermark: Option<StoredWatermark>,
    /// State of the signing secret's rotation.
    #[serde(default)]
    pub signing: Signing,
    /// State of the webhook secret's rotation.
    #[serde(default)]
    pub webhook_signing: Signing,
    /// Upload config of uploads that select none.
    pub active_upload_config_id: UploadConfigId,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// Lock of a deletion in progress.
    pub delete_lock: Option<DeleteLock>,
    /// Deletion time. Only the purge reads deleted spaces. Absent from the item until the deletion,
    /// since conditions test whether the attribute exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Number of its folders that were deleted with their contents and whose purge has not ended.
    /// Requests that need no folders read them only while there are such purges.
    #[serde(default)]
    pub folder_purges: u64,
    /// Number of writes, for optimistic locking.
    pub version: u64,
}

/// Settings of a space to create.
#[derive(Clone, Debug)]
pub struct NewSpace {
    /// Name, unique among all spaces.
    pub name: SpaceName,
    /// Free text for users.
    pub description: Option<Description>,
    /// Whether storage paths contain folders.
    pub folder_mode: FolderMode,
    /// Whether it accepts uploads and delivers files.
    pub enabled: bool,
    /// Host name of delivery URLs in place of the CDN's.
    pub custom_domain: Option<HostName>,
    /// URL that receives its webhooks.
    pub webhook_url: Option<PublicHttpsUrl>,
}

impl NewSpace {
    /// Returns the default settings under a name.
    pub fn named(name: SpaceName) -> NewSpace {
        NewSpace {
            name,
            description: None,
            folder_mode: FolderMode::default(),
            enabled: true,
            custom_domain: None,
            webhook_url: None,
        }
    }
}

impl Space {
    /// Creates a space with a random handle, which the caller must check for uniqueness.
    pub fn new(new: NewSpace, ids: &mut IdSequence, env: &Env) -> Space {
        let now = env.now();

        Space {
            id: SpaceId::from_sequence(ids),
            name: new.name,
            description: new.description,
            handle: Handle::new(env),
            enabled: new.enabled,
            folder_mode: new.folder_mode,
            custom_domain: new.custom_domain,
            webhook_url: new.webhook_url,
            trash_days: TrashDays::default(),
            access_control: AccessControl::default(),
            access_version: 0,
            security: Security::default(),
            stored_watermark: None,
            signing: Signing::default(),
            webhook_signing: Signing::default(),
            active_upload_config_id: UploadConfigId::from_sequence(ids),
            created_at: now,
            updated_at: now,
            delete_lock: None,
            deleted_at: None,
            folder_purges: 0,
            version: 0,
        }
    }

    /// Increments `access_version` if the access control differs from `before`.
    pub fn bump_access_version(&mut self, before: &Space) {
        if self.access_control != before.access_control {
            self.access_version = before.access_version + 1;
        }
    }

    /// Returns the endpoint that receives an event of a file with these rules: that of the upload
    /// config, or else of the space; `None` if the event is not sent.
    pub fn webhook_receiver(
        &self,
        event: WebhookEvent,
        notifications: &NotificationRules,
    ) -> Option<WebhookEndpoint> {
        if !notifications.includes(event) {
            return None;
        }
        let Some(url) = notifications.webhook_url.clone() else {
            return self.webhook_endpoint();
        };
        let source = WebhookSource::UploadConfig;
        Some(WebhookEndpoint { url, source })
    }

    /// Returns the endpoint of the space.
    pub fn webhook_endpoint(&self) -> Option<WebhookEndpoint> {
        let source = WebhookSource::Space;
        let url = self.webhook_url.clone()?;
        Some(WebhookEndpoint { url, source })
    }

    /// Whether it rejects new content because it was deleted or a deletion is in progress.
    pub fn is_locked(&self, now: Timestamp) -> bool {
        self.deleted_at.is_some()
            || self
                .delete_lock
                .as_ref()
                .is_some_and(|lock| now < lock.expires_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handle_has_six_characters_and_starts_with_a_letter() {
        assert!(Handle::parse("a1b2c3").is_ok());
        for wrong in [
            "", "1abcde", "abcde", "abcdefg", "ABCDEF", "abc-ef", "abcdé",
        ] {
            assert_eq!(
                Handle::parse(wrong),
                Err(FieldError::InvalidSelection),
                "{wrong}"
            );
        }
    }
}
