//! Spaces, keys and accounts as the API shows them.

use domain::{
    AccessControl, ApiKey, Description, FolderMode, Handle, HostName, KeyId, KeyName, KeyScope,
    KeySecret, PublicHttpsUrl, Role, Security, Space, SpaceId, SpaceName, Timestamp,
    UploadConfigId, UserId,
};
use schemars::JsonSchema;
use serde::Serialize;
use tenant::Account;
use web::Rfc3339;

/// A space as lists show it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SpaceView {
    id: SpaceId,
    name: SpaceName,
    description: Option<Description>,
    handle: Handle,
    enabled: bool,
    folder_mode: FolderMode,
    custom_domain: Option<HostName>,
    webhook_url: Option<PublicHttpsUrl>,
    active_upload_config_id: UploadConfigId,
    created_at: Rfc3339,
    updated_at: Rfc3339,
}

impl From<&Space> for SpaceView {
    fn from(space: &Space) -> SpaceView {
        SpaceView {
            id: space.id,
            name: space.name.clone(),
            description: space.description.clone(),
            handle: space.handle.clone(),
            enabled: space.enabled,
            folder_mode: space.folder_mode,
            custom_domain: space.custom_domain.clone(),
            webhook_url: space.webhook_url.clone(),
            active_upload_config_id: space.active_upload_config_id,
            created_at: space.created_at.into(),
            updated_at: space.updated_at.into(),
        }
    }
}

/// A space in full.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DetailedSpaceView {
    #[serde(flatten)]
    space: SpaceView,
    access_control: AccessControlView,
    security: Security,
}

/// A space's access control.
#[derive(Serialize, JsonSchema)]
struct AccessControlView {
    requires_auth: bool,
    public_read: bool,
}

impl From<AccessControl> for AccessControlView {
    fn from(access_control: AccessControl) -> AccessControlView {
        let requires_auth = access_control.requires_auth;
        AccessControlView {
            requires_auth,
            public_read: !requires_auth,
        }
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
#[derive(Serialize, JsonSchema)]
pub(crate) struct AccountView {
    user_id: Option<UserId>,
    key: KeyView,
    /// A space key's; an account key's is another in each space.
    role: Option<Role>,
    default_space_id: Option<SpaceId>,
}

impl AccountView {
    /// An account as it is at a moment.
    pub(crate) fn of(account: &Account, now: Timestamp) -> AccountView {
        AccountView {
            user_id: account.user,
            role: account.role,
            key: KeyView::of(&account.key, now),
            default_space_id: account.default_space_id,
        }
    }
}

/// What a key acts for.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum KeyKind {
    /// A user, in every space where that user has a role.
    Account,
    /// Itself, in one space.
    Space,
}

/// A key; its secret only where it was made just now.
#[derive(Serialize, JsonSchema)]
pub(crate) struct KeyView {
    id: KeyId,
    name: KeyName,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(rename = "type")]
    kind: KeyKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    space_id: Option<SpaceId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
    last_four: String,
    is_active: bool,
    expires_at: Option<Rfc3339>,
    last_used_at: Option<Rfc3339>,
    created_at: Rfc3339,
    updated_at: Rfc3339,
}

impl KeyView {
    /// A key with its secret, to be shown this once.
    pub(crate) fn with_secret(key: &ApiKey, secret: &KeySecret, now: Timestamp) -> KeyView {
        KeyView {
            key: Some(secret.reveal().to_owned()),
            ..KeyView::of(key, now)
        }
    }

    /// A key as it is at a moment: an expired one is not active.
    pub(crate) fn of(key: &ApiKey, now: Timestamp) -> KeyView {
        let (kind, space_id, role) = match key.scope {
            KeyScope::Account { .. } => (KeyKind::Account, None, None),
            KeyScope::Space { space_id, role } => (KeyKind::Space, Some(space_id), Some(role)),
        };
        KeyView {
            id: key.id,
            name: key.name.clone(),
            key: None,
            kind,
            space_id,
            role,
            last_four: key.last_four.clone(),
            is_active: key.is_active_at(now),
            expires_at: key.expires_at.map(Rfc3339::from),
            last_used_at: key.last_used_at.map(Rfc3339::from),
            created_at: key.created_at.into(),
            updated_at: key.updated_at.into(),
        }
    }
}
