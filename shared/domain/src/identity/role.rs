//! Roles, each of which may do all that the ones below it may.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What someone may do in a space, from the least to the most.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads files, folders and the space.
    Viewer,
    /// Uploads, and manages what it uploaded.
    User,
    /// Manages all files, folders and upload configs.
    Admin,
    /// Manages the space itself and its keys.
    Owner,
}

impl Role {
    /// Every role, from the least to the most.
    pub const ALL: [Role; 4] = [Role::Viewer, Role::User, Role::Admin, Role::Owner];

    /// The role's name.
    pub fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::User => "user",
            Role::Admin => "admin",
            Role::Owner => "owner",
        }
    }
}
