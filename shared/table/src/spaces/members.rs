//! Users and their memberships in spaces. A membership is stored by its user and by its space.

use std::collections::HashMap;

use domain::{
    id::{SpaceId, UserId},
    keys::{ApiKey, KeyId, KeyOwner, Role},
    requests::{Page, PageRequest},
    spaces::Space,
    uploads::UploadConfig,
};
use serde::{Deserialize, Serialize};
use tracing::instrument;

use crate::{
    connection::MemberRecords,
    errors::{Reason, TableError, WriteError},
    key::Key,
    key::{MEMBERSHIPS, user_partition},
    query::Range,
    spaces::{WithSpace, record::existing},
    transaction::Transaction,
};

/// The role of a user in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    pub user_id: UserId,
    pub space_id: SpaceId,
    /// The user's role in the space.
    pub role: Role,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Id of the user.
    pub id: UserId,
    /// The space of requests that do not name one.
    pub default_space_id: Option<SpaceId>,
}

/// A user, and one of their account keys, read together.
#[derive(Clone, Debug)]
pub struct UserWithKey {
    /// The user; `None` if there is no such user.
    pub user: Option<User>,
    /// The key; `None` if there is no such key.
    pub key: Option<ApiKey>,
}

/// A space as a user's list of spaces shows it.
#[derive(Clone, Debug)]
pub struct JoinedSpace {
    pub membership: Membership,
    /// The space; `None` if it is deleted and its purge has not ended.
    pub space: Option<Space>,
}

/// The records that are created with the first user.
#[derive(Clone, Debug)]
pub struct FirstUserRecords {
    /// Id of the user.
    pub user_id: UserId,
    /// The user's first space, which is their default.
    pub space: Space,
    /// Upload config of the space.
    pub starter: UploadConfig,
    /// Account key of the user.
    pub key: ApiKey,
}

/// Id of the first user.
#[derive(Serialize, Deserialize)]
struct FirstUser {
    id: UserId,
}

impl MemberRecords<'_> {
    /// Creates the first user, all or nothing. Fails with [`Reason::FirstUserExists`] if there is
    /// one.
    #[instrument(skip_all)]
    pub async fn create_first_user(self, first: &FirstUserRecords) -> Result<(), WriteError> {
        let id = first.user_id;
        let user = User {
            id,
            default_space_id: Some(first.space.id),
        };

        let mut transaction = self.table.transaction();
        transaction.insert(
            Key::first_user(),
            &FirstUser { id },
            Reason::FirstUserExists,
        );
        transaction.insert(Key::user(id), &user, Reason::IdTaken);
        transaction.insert_space(&first.space, &first.starter, id);
        transaction.insert_key(&first.key);
        transaction.commit().await
    }

    /// Returns the id of the first user; `None` if there are no users.
    #[instrument(skip_all)]
    pub async fn first_user(self) -> Result<Option<UserId>, TableError> {
        let user: Option<FirstUser> = self.table.get(Key::first_user()).await?;
        Ok(user.map(|user| user.id))
    }

    #[instrument(skip_all)]
    pub async fn user(self, id: UserId) -> Result<Option<User>, TableError> {
        self.table.get(Key::user(id)).await
    }

    /// Returns a user and one of their account keys.
    #[instrument(skip_all)]
    pub async fn user_with_key(self, id: UserId, key: KeyId) -> Result<UserWithKey, TableError> {
        let user_key = Key::user(id);
        let listed_key = Key::listed_api_key(KeyOwner::User(id), key);

        let mut found = self
            .table
            .batch_get([user_key.clone(), listed_key.clone()])
            .await?;
        Ok(UserWithKey {
            user: found.take(&user_key)?,
            key: found.take(&listed_key)?,
        })
    }

    /// Sets the space of requests of this user that do not name one.
    #[instrument(skip_all)]
    pub async fn set_default_space(self, user: UserId, space: SpaceId) -> Result<(), TableError> {
        let record = User {
            id: user,
            default_space_id: Some(space),
        };
        self.table.overwrite(Key::user(user), &record).await
    }

    /// Returns the membership of a user in a space; `None` if the user is not a member.
    #[instrument(skip_all)]
    pub async fn membership(
        self,
        user: UserId,
        space: SpaceId,
    ) -> Result<Option<Membership>, TableError> {
        self.table.get(Key::membership(user, space)).await
    }

    /// Returns a space and the membership of a user in it.
    #[instrument(skip_all)]
    pub async fn space_with_membership(
        self,
        space: SpaceId,
        user: UserId,
    ) -> Result<WithSpace<Membership>, TableError> {
        self.table
            .spaces()
            .with_record(space, Key::membership(user, space))
            .await
    }

    /// Returns those of these spaces, at most 50, that a user is a member of.
    pub(crate) async fn spaces_of(
        self,
        user: UserId,
        spaces: &[SpaceId],
    ) -> Result<HashMap<SpaceId, Space>, TableError> {
        let keys = spaces
            .iter()
            .flat_map(|space| [Key::space(*space), Key::membership(user, *space)]);
        let mut found = self.table.batch_get(keys).await?;

        let mut joined = HashMap::new();
        for id in spaces {
            let membership: Option<Membership> = found.take(&Key::membership(user, *id))?;
            let space = existing(found.take(&Key::space(*id))?);
            joined.extend(membership.and(space).map(|space| (*id, space)));
        }
        Ok(joined)
    }

    /// Returns a page of the spaces that a user is a member of, newest first.
    #[instrument(skip_all)]
    pub async fn list_spaces(
        self,
        user: UserId,
        page_request: &PageRequest,
    ) -> Result<Page<JoinedSpace>, TableError> {
        let range = Range::newest_first(user_partition(user), MEMBERSHIPS);
        let page: Page<Membership> = self.table.page(range, page_request).await?;

        let keys = page
            .items
            .iter()
            .map(|membership| Key::space(membership.space_id));
        let mut found = self.table.batch_get(keys).await?;

        let mut items = Vec::new();
        for membership in page.items {
            let space = existing(found.take(&Key::space(membership.space_id))?);
            items.push(JoinedSpace { membership, space });
        }
        Ok(Page {
            items,
            next: page.next,
            prev: page.prev,
        })
    }
}

impl Transaction<'_> {
    /// Inserts the membership of a user, under both of its keys.
    pub(crate) fn insert_membership(&mut self, membership: &Membership) {
        let user = membership.user_id;
        let space = membership.space_id;
        self.insert(Key::membership(user, space), membership, Reason::IdTaken);
        self.insert(Key::member(space, user), membership, Reason::IdTaken);
    }
}
