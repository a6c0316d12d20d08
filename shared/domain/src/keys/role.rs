//! Roles. Each role includes the permissions of the lower ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::errors::ServiceError;

/// Role of a caller in a space, from the lowest to the highest.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Reads files, folders and the space.
    Viewer,
    /// Uploads files and manages its own uploads.
    User,
    /// Manages all files, folders and upload configs.
    Admin,
    /// Manages the space itself and its keys.
    Owner,
}

impl Role {
    /// All roles, from the lowest to the highest.
    pub const ALL: [Role; 4] = [Role::Viewer, Role::User, Role::Admin, Role::Owner];

    /// Returns the name of the role in the API.
    pub fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::User => "user",
            Role::Admin => "admin",
            Role::Owner => "owner",
        }
    }

    /// Returns the role and those above it in words: "admin or higher", "owner".
    pub fn or_higher(self) -> String {
        match self {
            Role::Owner => self.name().to_owned(),
            Role::Viewer | Role::User | Role::Admin => format!("{} or higher", self.name()),
        }
    }

    /// Fails with 403 if this role is below `min`.
    pub fn require(self, min: Role) -> Result<(), ServiceError> {
        if self >= min {
            return Ok(());
        }
        let required = min.or_higher();
        Err(ServiceError::forbidden(format!(
            "This action requires the role {required}. Your role is {}.",
            self.name()
        )))
    }
}
