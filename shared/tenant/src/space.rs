//! One space, as one caller may reach it.

use domain::{
    Fault, FaultKind, FileId, Handle, NewSpace, Role, Sources, SpaceId, UploadConfig, UploadConfigId,
    UploadConfigReference, Violation, Violations,
};
use table::{SpaceRefused, Table};

use crate::{Caller, Tenants};

/// Handles that are drawn for a new space before we give up; one of 1.5 billion is rarely taken.
const HANDLE_TRIES: u32 = 5;

/// A space that a caller may know of: its record, the caller's role, and what is kept in it.
#[derive(Clone, Debug)]
pub struct Space {
    pub(crate) table: Table,
    record: domain::Space,
    role: Role,
}

impl Tenants {
    /// A space, by id; `None` where there is none, or none that the caller may know of.
    pub async fn space(&self, caller: &Caller, id: SpaceId) -> Result<Option<Space>, Fault> {
        if let Some((own, role)) = caller.own_space() {
            let record = if own == id { self.table.space(id).await? } else { None };
            return Ok(record.map(|record| self.scoped(record, role)));
        }
        let Some(user) = caller.user() else { return Ok(None) };
        let (record, membership) = self.table.space_and_membership(id, user).await?;
        Ok(record.zip(membership).map(|(record, membership)| self.scoped(record, membership.role)))
    }

    /// A space, by handle; `None` where there is none, or none that the caller may know of.
    pub async fn space_by_handle(&self, caller: &Caller, handle: &Handle) -> Result<Option<Space>, Fault> {
        if let Some((own, role)) = caller.own_space() {
            let record = self.table.space(own).await?.filter(|record| record.handle == *handle);
            return Ok(record.map(|record| self.scoped(record, role)));
        }
        let Some(user) = caller.user() else { return Ok(None) };
        let Some(record) = self.table.space_by_handle(handle).await? else { return Ok(None) };
        let membership = self.table.membership(user, record.id).await?;
        Ok(membership.map(|membership| self.scoped(record, membership.role)))
    }

    /// A file and its space, by the file's id; `None` where there is none, or none that the caller may know of.
    pub async fn file(&self, caller: &Caller, id: FileId) -> Result<Option<(Space, domain::File)>, Fault> {
        if let Some((own, role)) = caller.own_space() {
            let (file, space) = self.table.file_and_space(id, own).await?;
            let owned = file.filter(|file| file.space_id == own);
            return Ok(space.zip(owned).map(|(space, file)| (self.scoped(space, role), file)));
        }
        let Some(file) = self.table.file(id).await? else { return Ok(None) };
        let space = self.space(caller, file.space_id).await?;
        Ok(space.map(|space| (space, file)))
    }

    /// Makes a space with its first upload config, owned by the caller, who holds an account key.
    pub async fn create_space(&self, caller: &Caller, new: NewSpace, sources: &Sources) -> Result<Space, Fault> {
        let Some(user) = caller.user() else {
            return Err(Fault::forbidden("Spaces are created with an account key; this key belongs to one space."));
        };
        let mut space = domain::Space::new(new, UploadConfigId::new(sources), sources);
        let starter = UploadConfig::starter(space.active_upload_config_id, space.id, sources);
        for _ in 0..HANDLE_TRIES {
            match self.table.create_space(&space, &starter, user, sources).await {
                Ok(()) => return Ok(self.scoped(space, Role::Owner)),
                Err(SpaceRefused::NameTaken) => return Err(Violations::from(("name", Violation::Taken)).into()),
                Err(SpaceRefused::HandleTaken) => space.handle = Handle::new(sources),
                Err(SpaceRefused::Failed(error)) => return Err(error.into()),
            }
        }
        Err(Fault::unavailable("no free handle was found"))
    }

    fn scoped(&self, record: domain::Space, role: Role) -> Space {
        Space { table: self.table.clone(), record, role }
    }
}

impl Space {
    /// The space's record.
    pub fn record(&self) -> &domain::Space {
        &self.record
    }

    /// Refuses a caller whose role is below this one.
    pub fn demand(&self, least: Role) -> Result<(), Fault> {
        demand(self.role, least)
    }

    /// The caller's role.
    pub fn role(&self) -> Role {
        self.role
    }

    /// An upload config of this space: the one referred to, or the active one.
    pub async fn upload_config(
        &self,
        reference: Option<&UploadConfigReference>,
    ) -> Result<Option<UploadConfig>, Fault> {
        let active = UploadConfigReference::Id(self.record.active_upload_config_id);
        Ok(self.table.upload_config(self.record.id, reference.unwrap_or(&active)).await?)
    }
}

/// Refuses a role that is below the least one.
pub(crate) fn demand(role: Role, least: Role) -> Result<(), Fault> {
    if role >= least {
        return Ok(());
    }
    let message = format!("This action needs the role {} or a higher one; yours is {}.", least.name(), role.name());
    Err(Fault::new(FaultKind::Forbidden, message))
}

impl Caller {
    /// Refuses a space key whose role is below this one, before its space is known to be the one meant. An account
    /// key's role depends on the space.
    pub fn demand_in_own_space(&self, least: Role) -> Result<(), Fault> {
        self.own_space().map_or(Ok(()), |(_, role)| demand(role, least))
    }
}
