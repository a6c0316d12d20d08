//! Views of spaces, API keys and accounts in responses.

use domain::{
    env::Timestamp,
    id::{SpaceId, UploadConfigId, UserId},
    keys::{ApiKey, KeyId, KeyScope, KeySecret, Role},
    naming::{Description, HostName, KeyName, PublicHttpsUrl, SpaceName},
    settings::{AccessControl, FolderMode, Security},
    spaces::{Handle, Space},
};
use http_api::{
    caller::{Action, ManageWebhooks},
    response::Rfc3339,
};
use schemars::JsonSchema;
use serde::Serialize;
use space_store::keys::Account;

/// A space in a list.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SpaceSummary")]
pub(crate) struct SpaceView {
    id: SpaceId,
    name: SpaceName,
    description: Option<Description>,
    handle: Handle,
    /// Whether the space accepts uploads and delivers files.
    enabled: bool,
    /// Whether `storage_path` contains the folder path. Set on creation only.
    folder_mode: FolderMode,
    /// Host of the `url` of files. Null for the host of the CDN.
    custom_domain: Option<HostName>,
    /// URL that receives webhooks of files whose upload config has none. Null also for the roles
    /// `viewer` and `user`, because it may contain a secret.
    webhook_url: Option<PublicHttpsUrl>,
    /// For how many days deleted files can be restored. With 0, a deletion is final.
    trash_days: u8,
    /// Id of the upload config of uploads that do not name one.
    active_upload_config_id: UploadConfigId,
    /// Role of the caller in the space.
    role: Role,
    created_at: Rfc3339,
    /// Time of the last change.
    updated_at: Rfc3339,
}

impl SpaceView {
    /// Creates the view of a space for a caller with a role.
    pub(crate) fn of(space: &Space, role: Role) -> SpaceView {
        let webhook_url = space.webhook_url.clone();

        SpaceView {
            id: space.id,
            name: space.name.clone(),
            description: space.description.clone(),
            handle: space.handle.clone(),
            enabled: space.enabled,
            folder_mode: space.folder_mode,
            custom_domain: space.custom_domain.clone(),
            webhook_url: webhook_url.filter(|_| role >= ManageWebhooks::MIN_ROLE),
            trash_days: space.trash_days.get(),
            active_upload_config_id: space.active_upload_config_id,
            role,
            created_at: space.created_at.into(),
            updated_at: space.updated_at.into(),
        }
    }
}

/// A space with its access control and security settings.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Space")]
pub(crate) struct DetailedSpaceView {
    #[serde(flatten)]
    space: SpaceView,
    /// Access control that files and folders inherit.
    access_control: AccessControlView,
    /// Security settings that files and folders inherit.
    security: Security,
}

/// Access control of a space.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccessControl")]
struct AccessControlView {
    /// Whether delivery requires a signed URL or an API key.
    requires_auth: bool,
    /// The complement of `requires_auth`.
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

impl DetailedSpaceView {
    /// Creates the view of a space for a caller with a role.
    pub(crate) fn of(space: &Space, role: Role) -> DetailedSpaceView {
        DetailedSpaceView {
            space: SpaceView::of(space, role),
            access_control: space.access_control.into(),
            security: space.security.clone(),
        }
    }
}

/// The caller's API key, user and default space.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Account")]
pub(crate) struct AccountView {
    /// Id of the user of an account key. Null for a space key.
    user_id: Option<UserId>,
    /// The key of the request.
    key: KeyView,
    /// Role of a space key. Null for an account key, whose role depends on the space.
    role: Option<Role>,
    /// Id of the space that requests use if they do not name one.
    default_space_id: Option<SpaceId>,
}

impl AccountView {
    /// Creates the view of an account at a time.
    pub(crate) fn of(account: &Account, now: Timestamp) -> AccountView {
        AccountView {
            user_id: account.user,
            role: account.role,
            key: KeyView::of(&account.key, now),
            default_space_id: account.default_space_id,
        }
    }
}

/// Type of an API key.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum KeyKind {
    /// Acts for a user, in every space in which the user has a role.
    Account,
    /// Acts for itself, in one space.
    Space,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ApiKey")]
pub(crate) struct KeyView {
    id: KeyId,
    /// Name of the key.
    name: KeyName,
    /// The secret: `sk_…`. Only in the response that creates the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Whether it is an account key or a space key.
    #[serde(rename = "type")]
    kind: KeyKind,
    /// Id of the space of a space key. Absent for an account key.
    #[serde(skip_serializing_if = "Option::is_none")]
    space_id: Option<SpaceId>,
    /// Role of a space key. Absent for an account key, whose role depends on the space.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
    /// The last four characters of the secret.
    last_four: String,
    /// Whether the key is neither revoked nor expired.
    is_active: bool,
    /// Time from which the key is rejected. Null if it does not expire.
    expires_at: Option<Rfc3339>,
    /// Time of the last use, exact to a minute. Null if the key was never used.
    last_used_at: Option<Rfc3339>,
    created_at: Rfc3339,
    /// Time of the last change.
    updated_at: Rfc3339,
}

impl KeyView {
    /// Creates the view of a new key with its secret.
    pub(crate) fn with_secret(key: &ApiKey, secret: &KeySecret, now: Timestamp) -> KeyView {
        KeyView {
            key: Some(secret.reveal().to_owned()),
            ..KeyView::of(key, now)
        }
    }

    /// Creates the view of a key at a time.
    pub(crate) fn of(key: &ApiKey, now: Timestamp) -> KeyView {
        let view = KeyView {
            id: key.id,
            name: key.name.clone(),
            key: None,
            kind: KeyKind::Account,
            space_id: None,
            role: None,
            last_four: key.last_four.clone(),
            is_active: key.is_active_at(now),
            expires_at: key.expires_at.map(Rfc3339::from),
            last_used_at: key.last_used_at.map(Rfc3339::from),
            created_at: key.created_at.into(),
            updated_at: key.updated_at.into(),
        };

        match key.scope {
            KeyScope::Account { .. } => view,
            KeyScope::Space { space_id, role } => KeyView {
                kind: KeyKind::Space,
                space_id: Some(space_id),
                role: Some(role),
                ..view
            },
        }
    }
}
