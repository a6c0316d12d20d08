//! Authorization: a handler takes [`Can`] with its action, and runs only if the caller has the
//! role.
//!
//! Invariants:
//! - The minimum role of each action is stated once: here, or where `space-store` enforces it too.
//! - The response is the same for a resource that the caller cannot see and for one that does not
//!   exist: 404, or 422 if a field names it.

use std::{future::Future, marker::PhantomData};

use axum::extract::{FromRef, FromRequestParts};
use domain::{
    env::Env,
    errors::{FieldError, ServiceError},
    files::File,
    id::{FileId, FolderId, SpaceId, UploadConfigId},
    keys::Role,
    uploads::UploadConfig,
};
use http::request::Parts;
use schemars::JsonSchema;
use space_store::{
    folders::ResolvedFolder,
    spaces::{Caller, Scoped, SpaceScope, Tenants},
    uploads::{CONFIG_READ_ROLE, PendingRecord, UPLOAD_ROLE},
};

use crate::{
    caller::{ApiState, Authenticated, path_parameter},
    response::ApiError,
};

/// An operation in a space, and the role that it requires.
pub trait Action: Send + Sync + 'static {
    const MIN_ROLE: Role;
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident: $min_role:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Action for $name {
            const MIN_ROLE: Role = $min_role;
        }
    )+};
}

actions! {
    ReadSpace: Role::Viewer;
    ReadFolders: Role::Viewer;
    /// Creates, moves, changes and deletes folders.
    ManageFolders: Role::Admin;
    ReadFiles: Role::Viewer;
    /// Changes and deletes files; with the role user only the caller's uploads.
    ManageFiles: Role::User;
    /// Changes the access control of files.
    ManageFileAccess: Role::Admin;
    Upload: UPLOAD_ROLE;
    ReadUploadConfigs: CONFIG_READ_ROLE;
    /// Creates, changes and deletes upload configs.
    ManageUploadConfigs: Role::Admin;
    /// Changes the space, its access control and its security.
    ManageSpace: Role::Owner;
    /// Reads the log of the space's webhooks, and sends them again.
    ManageWebhooks: Role::Admin;
    /// Creates, lists and revokes the API keys of the space.
    ManageKeys: Role::Owner;
    /// Deletes the space with its contents.
    DeleteSpace: Role::Owner;
}

/// Id of a resource. A malformed id is treated like that of a missing resource.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "SpaceId")]
pub struct ResourceId(pub String);

impl ResourceId {
    pub fn parse(text: &str) -> Result<ResourceId, FieldError> {
        Ok(ResourceId(text.to_owned()))
    }
}

/// Path parameter with the id of a resource.
pub(crate) const ID_PARAMETER: &str = "id";

/// A resource that requests name by id.
pub trait Resource: Sized + Send {
    /// Type of the id.
    type Id: JsonSchema;

    /// Finds the resource and its space; `None` if it does not exist or the caller cannot see it.
    fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> impl Future<Output = Result<Option<Scoped<Self>>, ServiceError>> + Send;
}

/// The id names the space.
impl Resource for () {
    type Id = SpaceId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<Scoped<()>>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        let space = tenants.spaces().get(caller, id).await?;
        Ok(space.map(|space| Scoped { space, record: () }))
    }
}

/// The id names a file.
impl Resource for File {
    type Id = FileId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<Scoped<File>>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.file(caller, id).await
    }
}

/// The id names a file, or an upload that replaces the bytes of one.
impl Resource for PendingRecord {
    type Id = FileId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<Scoped<PendingRecord>>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.upload(caller, id).await
    }
}

/// The id names a folder.
impl Resource for ResolvedFolder {
    type Id = FolderId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<Scoped<ResolvedFolder>>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.folder(caller, id).await
    }
}

/// The id names an upload config.
impl Resource for UploadConfig {
    type Id = UploadConfigId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<Scoped<UploadConfig>>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.resource(caller, id).await
    }
}

/// Permission for an action in a space, and the only access of a handler to that space's data.
pub struct Can<A: Action, T = ()> {
    pub caller: Caller,
    /// Access to the space.
    pub space: SpaceScope,
    /// The resource that the request names.
    pub resource: T,
    /// Clock and random source.
    pub env: Env,
    action: PhantomData<A>,
}

impl<A: Action, T> Can<A, T> {
    pub(crate) fn authorize(
        caller: Caller,
        space: SpaceScope,
        resource: T,
        env: Env,
    ) -> Result<Can<A, T>, ServiceError> {
        space.role().require(A::MIN_ROLE)?;
        Ok(Can {
            caller,
            space,
            resource,
            env,
            action: PhantomData,
        })
    }
}

impl<A: Action, T: Resource, S> FromRequestParts<S> for Can<A, T>
where
    ApiState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Can<A, T>, ApiError> {
        let authenticated = <Authenticated>::from_request_parts(parts, state).await?;
        let id = path_parameter(parts, ID_PARAMETER).await?;
        Ok(authenticated.for_action::<A>().can(&id).await?)
    }
}
