//! Authorization: a handler that needs to act in a space asks for [`Can`] with the action, and gets
//! it or is never run.

use std::{future::Future, marker::PhantomData};

use axum::extract::{FromRef, FromRequestParts};
use domain::{
    Fault, File, FileId, FolderId, Role, Sources, SpaceId, UploadConfig, UploadConfigId, Violation,
};
use http::request::Parts;
use schemars::JsonSchema;
use tenant::{Caller, FolderWithChain, READS_CONFIGS, Space, Tenants};

use crate::{Authenticated, Edge, Failure, path_parameter};

/// Something that is done in a space, and the least role that may do it.
pub trait Action: Send + Sync + 'static {
    /// The least role.
    const LEAST: Role;
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident: $least:expr;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Action for $name {
            const LEAST: Role = $least;
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
    ReadUploadConfigs: READS_CONFIGS;
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
    pub fn parse(text: &str) -> Result<ResourceId, Violation> {
        Ok(ResourceId(text.to_owned()))
    }
}

/// The path parameter that names a resource.
pub(crate) const ID_PARAMETER: &str = "id";

/// What the `{id}` of a path names, and the space it is in.
pub trait Subject: Sized + Send {
    /// Its id.
    type Id: JsonSchema;

    /// Looks it up; `None` where there is none, or none that the caller may know of.
    fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> impl Future<Output = Result<Option<(Space, Self)>, Fault>> + Send;
}

/// The path names the space itself.
impl Subject for () {
    type Id = SpaceId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<(Space, ())>, Fault> {
        let Ok(id) = id.parse() else { return Ok(None) };
        Ok(tenants.space(caller, id).await?.map(|space| (space, ())))
    }
}

/// The path or the body names a file.
impl Subject for File {
    type Id = FileId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<(Space, File)>, Fault> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.file(caller, id).await
    }
}

/// The path names a folder.
impl Subject for FolderWithChain {
    type Id = FolderId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<(Space, FolderWithChain)>, Fault> {
        let Ok(id) = id.parse() else { return Ok(None) };
        tenants.folder(caller, id).await
    }
}

/// The path or the body names an upload config.
impl Subject for UploadConfig {
    type Id = UploadConfigId;

    async fn find(
        tenants: &Tenants,
        caller: &Caller,
        id: &str,
    ) -> Result<Option<(Space, UploadConfig)>, Fault> {
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
    pub space: Space,
    /// What the path names in the space.
    pub subject: T,
    /// Time and randomness.
    pub sources: Sources,
    action: PhantomData<A>,
}

impl<A: Action, T> Can<A, T> {
    pub(crate) fn authorize(
        caller: Caller,
        space: Space,
        subject: T,
        sources: Sources,
    ) -> Result<Can<A, T>, Fault> {
        space.demand(A::LEAST)?;
        Ok(Can {
            caller,
            space,
            subject,
            sources,
            action: PhantomData,
        })
    }
}

impl<A: Action, T: Subject, S> FromRequestParts<S> for Can<A, T>
where
    Edge: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Can<A, T>, Failure> {
        let authenticated = <Authenticated>::from_request_parts(parts, state).await?;
        let id = path_parameter(parts, ID_PARAMETER).await?;
        Ok(authenticated.for_action::<A>().can(&id).await?)
    }
}
