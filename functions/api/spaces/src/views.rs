//! Spaces, keys and accounts as the API shows them.

use domain::{AccessControl, ApiKey, FolderMode, KeyScope, KeySecret, Role, Security, Space, Timestamp};
use serde::Serialize;
use tenant::Account;

/// A space as lists show it.
#[derive(Serialize)]
pub(crate) struct SpaceView {
    id: String,
    name: String,
    description: Option<String>,
    handle: String,
    enabled: bool,
    folder_mode: FolderMode,
    custom_domain: Option<String>,
    webhook_url: Option<String>,
    active_upload_config_id: String,
    created_at: String,
    updated_at: String,
}

impl From<&Space> for SpaceView {
    fn from(space: &Space) -> SpaceView {
        SpaceView {
            id: space.id.to_string(),
            name: space.name.as_str().to_owned(),
            description: space.description.as_ref().map(|description| description.as_str().to_owned()),
            handle: space.handle.to_string(),
            enabled: space.enabled,
            folder_mode: space.folder_mode,
            custom_domain: space.custom_domain.as_ref().map(|domain| domain.as_str().to_owned()),
            webhook_url: space.webhook_url.as_ref().map(|url| url.as_str().to_owned()),
            active_upload_config_id: space.active_upload_config_id.to_string(),
            created_at: space.created_at.rfc3339(),
            updated_at: space.updated_at.rfc3339(),
        }
    }
}

/// A space in full.
#[derive(Serialize)]
pub(crate) struct DetailedSpaceView {
    #[serde(flatten)]
    space: SpaceView,
    access_control: AccessControlView,
    security: Security,
}

/// A space's access control.
#[derive(Serialize)]
struct AccessControlView {
    requires_auth: bool,
    public_read: bool,
}

impl From<AccessControl> for AccessControlView {
    fn from(access_control: AccessControl) -> AccessControlView {
        let requires_auth = access_control.requires_auth;
        AccessControlView { requires_auth, public_read: !requires_auth }
    }
}

impl From<&Space> for DetailedSpaceView {
    fn from(space: &Space) -> DetailedSpaceView {
        DetailedSpaceView {
            space: SpaceView::from(space),
            access_control: space.access_control.into(),
            security: space.security.clone(),
        }
    }
}

/// Who is calling.
#[derive(Serialize)]
pub(crate) struct AccountView {
    user_id: Option<String>,
    key: KeyView,
    /// A space key's; an account key's is another in each space.
    role: Option<Role>,
    default_space_id: Option<String>,
}

impl AccountView {
    /// An account as it is at a moment.
    pub(crate) fn of(account: &Account, now: Timestamp) -> AccountView {
        AccountView {
            user_id: account.user.map(|user| user.to_string()),
            role: account.role,
            key: KeyView::of(&account.key, now),
            default_space_id: account.default_space_id.map(|id| id.to_string()),
        }
    }
}

/// A key; its secret only where it was made just now.
#[derive(Serialize)]
pub(crate) struct KeyView {
    id: u64,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    space_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
    last_four: String,
    is_active: bool,
    expires_at: Option<String>,
    last_used_at: Option<String>,
    created_at: String,
    updated_at: String,
}

impl KeyView {
    /// A key with its secret, to be shown this once.
    pub(crate) fn with_secret(key: &ApiKey, secret: &KeySecret, now: Timestamp) -> KeyView {
        KeyView { key: Some(secret.reveal().to_owned()), ..KeyView::of(key, now) }
    }

    /// A key as it is at a moment: an expired one is not active.
    pub(crate) fn of(key: &ApiKey, now: Timestamp) -> KeyView {
        let (kind, space_id, role) = match key.scope {
            KeyScope::Account { .. } => ("account", None, None),
            KeyScope::Space { space_id, role } => ("space", Some(space_id.to_string()), Some(role)),
        };
        KeyView {
            id: key.id.0,
            name: key.name.as_str().to_owned(),
            key: None,
            kind,
            space_id,
            role,
            last_four: key.last_four.clone(),
            is_active: key.is_active_at(now),
            expires_at: key.expires_at.map(Timestamp::rfc3339),
            last_used_at: key.last_used_at.map(Timestamp::rfc3339),
            created_at: key.created_at.rfc3339(),
            updated_at: key.updated_at.rfc3339(),
        }
    }
}
