//! API keys: creation, lists and revocation.
//!
//! A key is stored twice: as a small item by its hash, which `checks` reads, and as a whole
//! record in the list of its space or user.

pub(crate) mod checks;
pub(crate) mod signing;

pub use checks::{AuthenticatedKey, KeyCheck};
pub use signing::{KeyInSpace, SignedScope};

use aws_sdk_dynamodb::types::AttributeValue;
use domain::{
    id::SpaceId,
    keys::{ApiKey, KeyId, KeyOwner},
    requests::{Completion, Page, PageRequest},
};
use serde::Deserialize;
use tracing::instrument;

use crate::{
    condition::{Condition, number},
    connection::KeyRecords,
    errors::{Reason, TableError, WriteError},
    key::{API_KEYS, Key, owner_partition},
    query::Range,
    read::record,
    spaces::WithSpace,
    transaction::Transaction,
    write::{AttributeChanges, Updated},
};

/// Keys of a deleted space that are read at once.
const KEYS_PAGE: u16 = 100;

/// Counter of API key ids.
#[derive(Deserialize)]
struct LastKeyId {
    last: u64,
}

impl Transaction<'_> {
    /// Inserts a key: the item that authenticates requests, and the one in the list of its owner.
    pub(crate) fn insert_key(&mut self, key: &ApiKey) {
        let listed = Key::listed_api_key(key.scope.owner(), key.id);
        self.insert(
            Key::api_key(&key.hash),
            &AuthenticatedKey::new(key),
            Reason::IdTaken,
        );
        self.insert(listed, key, Reason::IdTaken);
    }
}

impl KeyRecords<'_> {
    /// Returns the id of the next API key. An id whose response is lost is never used.
    #[instrument(name = "next_key_id", skip_all)]
    pub async fn next_id(self) -> Result<KeyId, TableError> {
        let unconditional = Condition::default()
            .name("last", "last")
            .value("one", number(1));
        let updated = self
            .table
            .update(Key::last_api_key(), "ADD #last :one", &unconditional)
            .await?;

        let Updated::Written(item) = updated else {
            return Err(TableError::rejected("an unconditional update failed"));
        };
        let counter: LastKeyId = record(item)?;
        Ok(KeyId(counter.last))
    }

    /// Creates a key. Fails with [`Reason::SpaceDeleted`] if its space no longer exists.
    #[instrument(name = "create_key", skip_all)]
    pub async fn create(
        self,
        key: &ApiKey,
        completion: Option<&Completion>,
    ) -> Result<(), WriteError> {
        let mut transaction = self.table.transaction();
        transaction.insert_key(key);
        if let KeyOwner::Space(space) = key.scope.owner() {
            let exists = Condition::exists().and("attribute_not_exists(deleted_at)");
            transaction.check(Key::space(space), &exists, Reason::SpaceDeleted);
        }
        transaction.commit_with(completion).await
    }

    /// Deletes the authentication items of all keys of a deleted space, so that none of them
    /// authenticates a request. Idempotent. No key can be created concurrently, because the
    /// transaction that creates one checks that the space exists.
    #[instrument(name = "delete_space_authentication", skip_all)]
    pub async fn delete_authentication(self, space: SpaceId) -> Result<(), TableError> {
        let mut page_request = PageRequest::first(KEYS_PAGE);
        loop {
            let page = self.list(KeyOwner::Space(space), &page_request).await?;
            let items: Vec<Key> = page
                .items
                .iter()
                .map(|key| Key::api_key(&key.hash))
                .collect();
            self.table.delete_all(&items).await?;

            if page.next.is_none() {
                return Ok(());
            }
            page_request.cursor = page.next;
        }
    }

    /// Returns one of a space's or a user's keys.
    #[instrument(name = "listed_key", skip_all)]
    pub async fn listed(self, owner: KeyOwner, id: KeyId) -> Result<Option<ApiKey>, TableError> {
        self.table.get(Key::listed_api_key(owner, id)).await
    }

    /// Returns a space and one of its keys.
    #[instrument(name = "space_with_key", skip_all)]
    pub async fn with_space(
        self,
        space: SpaceId,
        key: KeyId,
    ) -> Result<WithSpace<ApiKey>, TableError> {
        let listed = Key::listed_api_key(KeyOwner::Space(space), key);
        self.table.spaces().with_record(space, listed).await
    }

    /// Returns a page of a space's or a user's keys, newest first.
    #[instrument(name = "list_keys", skip_all)]
    pub async fn list(
        self,
        owner: KeyOwner,
        page_request: &PageRequest,
    ) -> Result<Page<ApiKey>, TableError> {
        let range = Range::newest_first(owner_partition(owner), API_KEYS);
        self.table.page(range, page_request).await
    }

    /// Revokes a key from the next request on. Idempotent.
    #[instrument(name = "revoke_key", skip_all)]
    pub async fn revoke(self, key: &ApiKey) -> Result<(), TableError> {
        let revoked = AttributeChanges {
            set: vec![("is_revoked", AttributeValue::Bool(true))],
            remove: Vec::new(),
        };
        let revoked_in_list = AttributeChanges {
            set: vec![
                ("is_revoked", AttributeValue::Bool(true)),
                ("updated_at", number(self.table.env.now().ms())),
            ],
            remove: Vec::new(),
        };
        let listed = Key::listed_api_key(key.scope.owner(), key.id);

        self.table
            .change_existing(Key::api_key(&key.hash), &revoked)
            .await?;
        self.table.change_existing(listed, &revoked_in_list).await
    }
}
