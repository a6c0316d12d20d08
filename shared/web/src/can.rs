//! Authorization: a handler that needs to act in a space asks for [`Can`] with the action, and gets
//! it or is never run.

use std::{future::Future, marker::PhantomData};

use axum::extract::{FromRef, FromRequestParts};
use domain::{
    Env, FieldError, File, FileId, FolderId, Role, ServiceError, SpaceId, UploadConfig,
    UploadConfigId,
};
use http::request::Parts;
use schemars::JsonSchema;
use tenant::{CONFIG_READ_ROLE, Caller, ResolvedFolder, SpaceScope, Tenants};

use crate::{ApiError, ApiState, Authenticated, path_parameter};

/// Something that is done in a space, and the least role that may do it.
pub trait Action: Send + Sync + 'static {
    /// The least role.
    const MIN_ROLE: Role;
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident: $least:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Action for $name {
            const MIN_ROLE: Role = $least;
        }
    )+};
}

actions! {
    /// Sees the space itself.
    ReadSpace: Role::Viewer;
    /// Sees folders.
    ReadFolders: Role::Viewer;
    /// Makes, moves, changes and deletes folders.
    ManageFolders: Role::Admin;
    /// Sees files.
    ReadFiles: Role::Viewer;
    /// Changes and deletes files: its own ones, as long as it is no higher role.
    ManageFiles: Role::User;
    /// Changes who may see a file.
    ManageFileAccess: Role::Admin;
    /// Adds files.
    Upload: Role::User;
    /// Sees upload configs.
    ReadUploadConfigs: CONFIG_READ_ROLE;
    /// Makes, changes and deletes upload configs.
    ManageUploadConfigs: Role::Admin;
    /// Changes the space, its access control and its security.
    ManageSpace: Role::Owner;
    /// Makes, lists and revokes the space's keys.
    ManageKeys: Role::Owner;
    /// Deletes the space with all that is in it.
    DeleteSpace: Role::Owner;
}

/// What a field says is the id of a resource. A text that is no id names nothing.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "SpaceId")]
pub struct ResourceId(pub String);

impl ResourceId {
    /// Takes any text.
    pub fn parse(text: &str) -> Result<ResourceId, FieldError> {
        Ok(ResourceId(text.to_owned()))
    }
}

/// The path parameter that names a resource.
pub(crate) const ID_PARAMETER: &str = "id";

/// What the `{id}` of a path names, and the space it is in.
pub trait Resource: Sized + Send {
    /// Its id.
    type Id: JsonSchema;

    /// Looks it up; `None` where there is none, or none that the caller may know of.
    fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> impl Future<Output = Result<Option<(SpaceScope, Self)>, ServiceError>> + Send;
}

/// The path names the space itself.
impl Resource for () {
    type Id = SpaceId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<(SpaceScope, ())>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        Ok(tenants.space(caller, id).await?.map(|space| (space, ())))
    }
}

/// The path or the body names a file.
impl Resource for File {
    type Id = FileId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<(SpaceScope, File)>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.file(caller, id).await
    }
}

/// The path names a folder.
impl Resource for ResolvedFolder {
    type Id = FolderId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<(SpaceScope, ResolvedFolder)>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.folder(caller, id).await
    }
}

/// The path or the body names an upload config.
impl Resource for UploadConfig {
    type Id = UploadConfigId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<(SpaceScope, UploadConfig)>, ServiceError> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.upload_config(caller, id).await
    }
}

/// A caller who may do the action in a space; the only way for a handler to that space's table and
/// bucket.
pub struct Can<A: Action, T = ()> {
    /// Who acts.
    pub caller: Caller,
    /// The space.
    pub space: SpaceScope,
    /// What the path names in the space.
    pub resource: T,
    /// Time and randomness.
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
        space.require_role(A::MIN_ROLE)?;
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
