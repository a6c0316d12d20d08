//! Spaces, their first upload config, and who belongs to them.

use aws_sdk_dynamodb::types::TransactWriteItem;
use domain::{Handle, Role, Sources, Space, SpaceId, UploadConfig, UploadConfigReference, UserId};
use serde::{Deserialize, Serialize};

use crate::{Error, Key, Table, write::NotWritten};

/// What a user may do in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The space.
    pub space_id: SpaceId,
    /// The user's role there.
    pub role: Role,
}

/// Why a space was not created.
#[derive(Debug)]
pub enum SpaceRefused {
    /// Another space has its name.
    NameTaken,
    /// Another space has, or had, its handle.
    HandleTaken,
    /// The table failed.
    Failed(Error),
}

/// That a space's name is taken, and by which space.
#[derive(Serialize, Deserialize)]
struct TakenName {
    space_id: SpaceId,
}

impl Table {
    /// Writes a new space, its first upload config and its creator's role, all or nothing.
    pub async fn create_space(
        &self,
        space: &Space,
        starter: &UploadConfig,
        creator: UserId,
        sources: &Sources,
    ) -> Result<(), SpaceRefused> {
        let members = self.members_of_new_space(space, starter, creator).map_err(SpaceRefused::Failed)?;
        match self.transact(sources, members).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(refused)) if refused.contains(&0) => Err(SpaceRefused::NameTaken),
            Err(NotWritten::Refused(refused)) if refused.contains(&1) => Err(SpaceRefused::HandleTaken),
            Err(NotWritten::Refused(_)) => Err(SpaceRefused::Failed(Error::busy("a fresh id was taken"))),
            Err(NotWritten::Failed(error)) => Err(SpaceRefused::Failed(error)),
        }
    }

    fn members_of_new_space(
        &self,
        space: &Space,
        starter: &UploadConfig,
        creator: UserId,
    ) -> Result<Vec<TransactWriteItem>, Error> {
        let name = Key::space_name(&space.name);
        let membership = Membership { space_id: space.id, role: Role::Owner };
        Ok(vec![
            self.put_new(name, &TakenName { space_id: space.id })?,
            self.put_new(Key::handle(&space.handle), space)?,
            self.put_new(Key::space(space.id), space)?,
            self.put_new(Key::upload_config(starter.id), starter)?,
            self.put_new(Key::upload_config_name(space.id, &starter.name), starter)?,
            self.put_new(Key::membership(creator, space.id), &membership)?,
        ])
    }

    /// Writes the first user with their first space, all or nothing.
    pub async fn create_first_user(
        &self,
        user: UserId,
        space: &Space,
        starter: &UploadConfig,
        sources: &Sources,
    ) -> Result<(), Error> {
        let mut members = self.members_of_new_space(space, starter, user)?;
        members.push(self.put_new(Key::user(user), &User { id: user })?);
        members.push(self.put_new(Key::first_user(), &User { id: user })?);
        match self.transact(sources, members).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(_)) => {
                Err(Error::busy("the first user, or what was to be theirs, is there already"))
            }
            Err(NotWritten::Failed(error)) => Err(error),
        }
    }

    /// The user that was made first, where there is one.
    pub async fn first_user(&self) -> Result<Option<UserId>, Error> {
        let user: Option<User> = self.get(Key::first_user()).await?;
        Ok(user.map(|user| user.id))
    }

    /// A space.
    pub async fn space(&self, id: SpaceId) -> Result<Option<Space>, Error> {
        self.get(Key::space(id)).await
    }

    /// A space, by its handle.
    pub async fn space_by_handle(&self, handle: &Handle) -> Result<Option<Space>, Error> {
        self.get(Key::handle(handle)).await
    }

    /// What a user may do in a space, where they belong to it.
    pub async fn membership(&self, user: UserId, space: SpaceId) -> Result<Option<Membership>, Error> {
        self.get(Key::membership(user, space)).await
    }

    /// A space, and what a user may do there.
    pub async fn space_and_membership(
        &self,
        space: SpaceId,
        user: UserId,
    ) -> Result<(Option<Space>, Option<Membership>), Error> {
        let (space, membership) = (Key::space(space), Key::membership(user, space));
        let mut found = self.get_together([space.clone(), membership.clone()]).await?;
        Ok((found.take(&space)?, found.take(&membership)?))
    }

    /// An upload config of a space, by id or by name; one of another space is none.
    pub async fn upload_config(
        &self,
        space: SpaceId,
        reference: &UploadConfigReference,
    ) -> Result<Option<UploadConfig>, Error> {
        let key = match reference {
            UploadConfigReference::Id(id) => Key::upload_config(*id),
            UploadConfigReference::Name(name) => Key::upload_config_name(space, name),
        };
        let config: Option<UploadConfig> = self.get(key).await?;
        Ok(config.filter(|config| config.space_id == space))
    }
}

/// A user's record.
#[derive(Serialize, Deserialize)]
struct User {
    id: UserId,
}
