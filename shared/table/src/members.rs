//! Users, and the spaces they belong to. A membership is kept twice: by its user, and by its space.

use std::collections::HashMap;

use domain::{
    ApiKey, KeyId, KeyOwner, Page, PageRequest, Role, Space, SpaceId, UploadConfig, UserId,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tracing::instrument;

use crate::{
    Key, Reason, Table, TableError, WriteError,
    key::{MEMBERSHIPS, user_partition},
    read::Range,
    spaces::existing,
};

/// What a user may do in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The user.
    pub user_id: UserId,
    /// The space.
    pub space_id: SpaceId,
    /// The user's role there.
    pub role: Role,
}

/// A user's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The user's id.
    pub id: UserId,
    /// The space that is meant where none is named.
    pub default_space_id: Option<SpaceId>,
}

/// Which user was made first.
#[derive(Serialize, Deserialize)]
struct FirstUser {
    id: UserId,
}

impl Table {
    /// Writes the first user with their first space, all or nothing.
    #[instrument(skip_all)]
    pub async fn create_first_user(
        &self,
        user: UserId,
        space: &Space,
        starter: &UploadConfig,
    ) -> Result<(), WriteError> {
        let mut transaction = self.transaction();
        transaction.insert_space(space, starter, user);
        let record = User {
            id: user,
            default_space_id: Some(space.id),
        };
        transaction.insert(Key::user(user), &record, Reason::IdTaken);
        transaction.insert(Key::first_user(), &FirstUser { id: user }, Reason::IdTaken);
        transaction.commit().await
    }

    /// The user that was made first, where there is one.
    #[instrument(skip_all)]
    pub async fn first_user(&self) -> Result<Option<UserId>, TableError> {
        let user: Option<FirstUser> = self.get(Key::first_user()).await?;
        Ok(user.map(|user| user.id))
    }

    /// A user.
    #[instrument(skip_all)]
    pub async fn user(&self, id: UserId) -> Result<Option<User>, TableError> {
        self.get(Key::user(id)).await
    }

    /// A user, and one of their account keys.
    #[instrument(skip_all)]
    pub async fn user_and_key(
        &self,
        id: UserId,
        key: KeyId,
    ) -> Result<(Option<User>, Option<ApiKey>), TableError> {
        let (user, key) = (Key::user(id), Key::listed_api_key(KeyOwner::User(id), key));
        let mut found = self.batch_get([user.clone(), key.clone()]).await?;
        Ok((found.take(&user)?, found.take(&key)?))
    }

    /// Chooses the space that is meant where a user names none.
    #[instrument(skip_all)]
    pub async fn set_default_space(&self, user: UserId, space: SpaceId) -> Result<(), TableError> {
        self.overwrite(
            Key::user(user),
            &User {
                id: user,
                default_space_id: Some(space),
            },
        )
        .await
    }

    /// What a user may do in a space, where they belong to it.
    #[instrument(skip_all)]
    pub async fn membership(
        &self,
        user: UserId,
        space: SpaceId,
    ) -> Result<Option<Membership>, TableError> {
        self.get(Key::membership(user, space)).await
    }

    /// A space, and what a user may do there.
    #[instrument(skip_all)]
    pub async fn space_and_membership(
        &self,
        space: SpaceId,
        user: UserId,
    ) -> Result<(Option<Space>, Option<Membership>), TableError> {
        let (space, membership) = (Key::space(space), Key::membership(user, space));
        let mut found = self.batch_get([space.clone(), membership.clone()]).await?;
        Ok((existing(found.take(&space)?), found.take(&membership)?))
    }

    /// A space, a record in it, and what a user may do there; `None` where any of them is missing.
    pub(crate) async fn space_record_and_membership<T: DeserializeOwned>(
        &self,
        space: SpaceId,
        record: Key,
        user: UserId,
    ) -> Result<Option<(Space, T, Membership)>, TableError> {
        let (membership, space) = (Key::membership(user, space), Key::space(space));
        let mut found = self
            .batch_get([space.clone(), record.clone(), membership.clone()])
            .await?;
        let space = existing(found.take(&space)?);
        let (record, membership) = (found.take(&record)?, found.take(&membership)?);
        Ok(space
            .zip(record)
            .zip(membership)
            .map(|((space, record), membership)| (space, record, membership)))
    }

    /// Those of these spaces, at most fifty, that a user belongs to.
    pub(crate) async fn spaces_of(
        &self,
        user: UserId,
        spaces: &[SpaceId],
    ) -> Result<HashMap<SpaceId, Space>, TableError> {
        let keys = spaces
            .iter()
            .flat_map(|space| [Key::space(*space), Key::membership(user, *space)]);
        let mut found = self.batch_get(keys).await?;
        let mut known = HashMap::new();
        for id in spaces {
            let membership: Option<Membership> = found.take(&Key::membership(user, *id))?;
            let space = existing(found.take(&Key::space(*id))?);
            known.extend(membership.and(space).map(|space| (*id, space)));
        }
        Ok(known)
    }

    /// Returns a page of the spaces that a user belongs to, newest first; `None` in place of one
    /// that is being deleted.
    #[instrument(skip_all)]
    pub async fn list_spaces(
        &self,
        user: UserId,
        page_request: &PageRequest,
    ) -> Result<Page<(Membership, Option<Space>)>, TableError> {
        let page: Page<Membership> = self
            .page(
                Range::newest_first(user_partition(user), MEMBERSHIPS),
                page_request,
            )
            .await?;
        let keys: Vec<Key> = page
            .items
            .iter()
            .map(|membership| Key::space(membership.space_id))
            .collect();
        let mut found = self.batch_get(keys).await?;
        let mut items = Vec::new();
        for membership in page.items {
            items.push((
                membership,
                existing(found.take(&Key::space(membership.space_id))?),
            ));
        }
        Ok(Page {
            items,
            next: page.next,
            prev: page.prev,
        })
    }
}
