//! API keys: the small item that requests are authenticated by, and the whole record that lists show.

use aws_sdk_dynamodb::{operation::update_item::UpdateItemError, types::AttributeValue};
use domain::{ApiKey, KeyHash, KeyId, KeyScope, Sources, Timestamp};
use futures::future::try_join;
use serde::{Deserialize, Serialize};

use crate::{
    Error, Key, Table,
    key::{PARTITION, listed_api_key_sort, listed_api_keys},
    read::Range,
    write::NotWritten,
};

/// How old `last_used_at` grows before it is written again.
const LAST_USED_STEP_MS: i64 = 60_000;
/// The highest number that a key can have: what a JSON number holds exactly.
const MOST_KEYS: u64 = (1 << 53) - 1;

/// What a request is authenticated by, and nothing else: it is read at every one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authenticated {
    /// The key's number.
    pub key_id: KeyId,
    /// Whom it speaks for.
    pub scope: KeyScope,
    is_active: bool,
    expires_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
}

/// Which keys of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The newest.
    Newest,
    /// The newest of those that are older than this one.
    After(KeyId),
    /// The oldest of those that are newer than this one.
    Before(KeyId),
}

/// Some keys of a list, newest first.
#[derive(Clone, Debug)]
pub struct KeyPage {
    /// The keys.
    pub keys: Vec<ApiKey>,
    /// Whether there are more in the direction that was asked for.
    pub more: bool,
}

impl Table {
    /// The next key's number. Where an answer is lost a number is left out, never given twice.
    pub async fn next_key_id(&self) -> Result<KeyId, Error> {
        let answer = self
            .client
            .update_item()
            .table_name(&self.name)
            .set_key(Some(Key::last_api_key().attributes()))
            .update_expression("ADD #last :one")
            .expression_attribute_names("#last", "last")
            .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
            .return_values(aws_sdk_dynamodb::types::ReturnValue::UpdatedNew)
            .send()
            .await
            .map_err(Error::from_sdk)?;
        let counted: Counter = crate::read::record(answer.attributes.unwrap_or_default())?;
        Ok(KeyId(counted.last))
    }

    /// Writes a new key.
    pub async fn create_key(&self, key: &ApiKey, sources: &Sources) -> Result<(), Error> {
        let small = Authenticated {
            key_id: key.id,
            scope: key.scope,
            is_active: key.is_active,
            expires_at: key.expires_at,
            last_used_at: None,
        };
        let members = vec![
            self.put_new(Key::api_key(&key.hash), &small)?,
            self.put_new(Key::listed_api_key(&key.scope, key.id), key)?,
        ];
        match self.transact(sources, members).await {
            Ok(()) => Ok(()),
            Err(NotWritten::Refused(_)) => Err(Error::busy("a fresh key was taken")),
            Err(NotWritten::Failed(error)) => Err(error),
        }
    }

    /// Whom a key speaks for, where it is known, active and not expired; its use is noted, at most once a minute.
    pub async fn authenticate(&self, hash: &KeyHash, now: Timestamp) -> Result<Option<Authenticated>, Error> {
        let Some(key) = self.get::<Authenticated>(Key::api_key(hash)).await? else { return Ok(None) };
        if !key.is_active || key.expires_at.is_some_and(|end| end <= now) {
            return Ok(None);
        }
        if key.last_used_at.is_none_or(|last| last.plus_ms(LAST_USED_STEP_MS) <= now) {
            let used = [("last_used_at", AttributeValue::N(now.ms().to_string()))];
            try_join(
                self.update_where_there(Key::api_key(hash), &used),
                self.update_where_there(Key::listed_api_key(&key.scope, key.key_id), &used),
            )
            .await?;
        }
        Ok(Some(key))
    }

    /// One listed key.
    pub async fn listed_key(&self, scope: &KeyScope, id: KeyId) -> Result<Option<ApiKey>, Error> {
        self.get(Key::listed_api_key(scope, id)).await
    }

    /// A page of a space's or a user's keys.
    pub async fn list_keys(&self, scope: &KeyScope, listing: Listing, limit: u16) -> Result<KeyPage, Error> {
        let partition = listed_api_keys(scope);
        let (least, most) = (KeyId(0), KeyId(MOST_KEYS));
        let (from, to, descending) = match listing {
            Listing::Newest => (least, most, true),
            Listing::After(KeyId(id)) => (least, KeyId(id.saturating_sub(1)), true),
            Listing::Before(KeyId(id)) => (KeyId(id.saturating_add(1).min(MOST_KEYS)), most, false),
        };
        let range =
            Range { partition, from: listed_api_key_sort(from), to: listed_api_key_sort(to), descending, limit };
        let (mut keys, more) = self.range(range).await?;
        if !descending {
            keys.reverse();
        }
        Ok(KeyPage { keys, more })
    }

    /// Revokes a key: it holds from the next request on, and shows in the list right after. Safe to repeat.
    pub async fn revoke_key(&self, key: &ApiKey, now: Timestamp) -> Result<(), Error> {
        let revoked =
            [("is_active", AttributeValue::Bool(false)), ("updated_at", AttributeValue::N(now.ms().to_string()))];
        self.update_where_there(Key::api_key(&key.hash), &revoked[..1]).await?;
        self.update_where_there(Key::listed_api_key(&key.scope, key.id), &revoked).await
    }

    /// Sets attributes of an item that is there; where it is not, nothing is created.
    async fn update_where_there(&self, key: Key, set: &[(&str, AttributeValue)]) -> Result<(), Error> {
        let assignments: Vec<String> = (0..set.len()).map(|index| format!("#a{index} = :a{index}")).collect();
        let mut update = self
            .client
            .update_item()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .update_expression(format!("SET {}", assignments.join(", ")))
            .condition_expression("attribute_exists(#partition)")
            .expression_attribute_names("#partition", PARTITION);
        for (index, (name, value)) in set.iter().enumerate() {
            update = update
                .expression_attribute_names(format!("#a{index}"), *name)
                .expression_attribute_values(format!(":a{index}"), value.clone());
        }
        match update.send().await {
            Ok(_) => Ok(()),
            Err(error)
                if matches!(error.as_service_error(), Some(UpdateItemError::ConditionalCheckFailedException(_))) =>
            {
                Ok(())
            }
            Err(error) => Err(Error::from_sdk(error)),
        }
    }
}

#[derive(Deserialize)]
struct Counter {
    last: u64,
}
