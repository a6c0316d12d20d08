//! Spaces: isolated containers of assets.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AccessControl, Description, Env, FieldError, HostName, IdSequence, PublicHttpsUrl, Security,
    Signing, SpaceId, SpaceName, Timestamp, UploadConfigId,
};

/// Characters of a handle.
const HANDLE_LENGTH: usize = 6;
/// What a handle begins with, so that it is never taken for a number.
const HANDLE_FIRST: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
/// What the rest of a handle is made of.
const HANDLE_REST: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// A space's short name in addresses: six of `a-z0-9`, a letter first; never used again for another
/// space.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(extend("minLength" = HANDLE_LENGTH, "maxLength" = HANDLE_LENGTH, "pattern" = "^[a-z][a-z0-9]*$"))]
pub struct Handle(String);

impl Handle {
    /// A fresh handle.
    pub fn new(env: &Env) -> Handle {
        Handle(env.random_text(HANDLE_FIRST, 1) + &env.random_text(HANDLE_REST, HANDLE_LENGTH - 1))
    }

    /// Takes a text that could be a handle. Any other one names no space, and is refused as one
    /// that names none.
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

    /// The handle's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Whether folders are part of where a file is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FolderMode {
    /// Moving a file never changes its address.
    #[default]
    Dynamic,
    /// The folder's path at the time of the upload is part of the file's address.
    Fixed,
}

/// A space's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// Its id.
    pub id: SpaceId,
    /// Unlike every other space's.
    pub name: SpaceName,
    /// What it is for.
    pub description: Option<Description>,
    /// Its name in addresses.
    pub handle: Handle,
    /// Whether it takes uploads and delivers files.
    pub enabled: bool,
    /// Whether folders are part of where files are stored.
    pub folder_mode: FolderMode,
    /// Host name that delivers its files in place of ours.
    pub custom_domain: Option<HostName>,
    /// Where its webhooks go.
    pub webhook_url: Option<PublicHttpsUrl>,
    /// Who may see its files, unless a file or folder says otherwise.
    pub access_control: AccessControl,
    /// Number of changes of its access control.
    #[serde(default)]
    pub access_version: u64,
    /// Its watermark.
    pub security: Security,
    /// Which signing secrets verify.
    #[serde(default)]
    pub signing: Signing,
    /// The upload config of uploads that name none.
    pub active_upload_config_id: UploadConfigId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// By whom it is closed, where someone is about to delete it if it is empty.
    pub delete_lock: Option<DeleteLock>,
    /// When it was deleted. Only the purge still reads such a space. Absent from the table's item
    /// until then, since conditions ask for the attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// How often it was changed: whoever changes it says which version they changed.
    pub version: u64,
}

/// Lock that a deletion holds on a space or folder, which accepts no new content meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteLock {
    /// Identifies the deletion that holds the lock.
    pub token: String,
    /// When the lock ends, even if its holder crashed.
    pub expires_at: Timestamp,
}

/// What a caller says of a space to be made.
#[derive(Clone, Debug)]
pub struct NewSpace {
    /// Its name.
    pub name: SpaceName,
    /// What it is for.
    pub description: Option<Description>,
    /// Whether folders are part of where files are stored.
    pub folder_mode: FolderMode,
    /// Whether it accepts uploads and delivers files.
    pub enabled: bool,
    /// Host name that delivers its files in place of ours.
    pub custom_domain: Option<HostName>,
    /// URL of its webhooks.
    pub webhook_url: Option<PublicHttpsUrl>,
}

impl NewSpace {
    /// Returns a space of this name with the defaults of everything else.
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
    /// A new space with our defaults; its handle still has to be found free.
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
            access_control: AccessControl::default(),
            access_version: 0,
            security: Security::default(),
            signing: Signing::default(),
            active_upload_config_id: UploadConfigId::from_sequence(ids),
            created_at: now,
            updated_at: now,
            delete_lock: None,
            deleted_at: None,
            version: 0,
        }
    }

    /// Raises `access_version` if the access control differs from that of the record before a
    /// change.
    pub fn bump_access_version(&mut self, before: &Space) {
        if self.access_control != before.access_control {
            self.access_version = before.access_version + 1;
        }
    }

    /// Whether it takes no files at this moment because it is being deleted, or was.
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
    fn a_handle_is_six_characters_and_a_letter_first() {
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
