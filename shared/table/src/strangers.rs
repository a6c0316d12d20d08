//! Strangers: how many requests each makes in a minute, and how many uploads a config takes from them in an hour.
//!
//! A counter is an item of its own, which goes by itself once its time is over.

use aws_sdk_dynamodb::{
    operation::update_item::UpdateItemError,
    types::{AttributeValue, ReturnValue, TransactWriteItem, Update},
};
use domain::{Allowance, HourlyQuota, RateLimit, SpaceId, Timestamp, Window};
use serde::Deserialize;

use crate::{Error, Key, Table, read::record};

/// How long a counter is kept after its time, in milliseconds: clocks differ by less.
const KEPT_MS: i64 = 10 * 60 * 1_000;

/// A counter.
#[derive(Deserialize)]
struct Counted {
    made: u64,
}

impl Table {
    /// Counts a request of a stranger; `false` where they had used up their requests of this minute.
    pub async fn count(&self, who: &str, limit: RateLimit, now: Timestamp) -> Result<(bool, Allowance), Error> {
        let used_up = limit.allowance(limit.requests_per_minute, now);
        let counted = self
            .client
            .update_item()
            .table_name(&self.name)
            .set_key(Some(Key::stranger(limit.tier, who, Window::of(now)).attributes()))
            .update_expression("ADD made :one SET expires_at_seconds = :expires")
            .condition_expression("attribute_not_exists(made) OR made < :most")
            .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
            .expression_attribute_values(":most", AttributeValue::N(limit.requests_per_minute.to_string()))
            .expression_attribute_values(":expires", seconds(used_up.resets_at.plus_ms(KEPT_MS)))
            .return_values(ReturnValue::UpdatedNew)
            .send()
            .await;
        match counted {
            Ok(answer) => {
                let Counted { made } = record(answer.attributes.unwrap_or_default())?;
                Ok((true, limit.allowance(made, now)))
            }
            Err(error)
                if matches!(error.as_service_error(), Some(UpdateItemError::ConditionalCheckFailedException(_))) =>
            {
                Ok((false, used_up))
            }
            Err(error) => Err(Error::from_sdk(error)),
        }
    }

    /// Uploads that strangers have made by a config in an hour.
    pub async fn uploads_in_hour(&self, space: SpaceId, quota: HourlyQuota) -> Result<u64, Error> {
        let counted: Option<Counted> = self.get(Key::hour(space, quota)).await?;
        Ok(counted.map_or(0, |counted| counted.made))
    }

    /// The member of a transaction that counts one upload, as long as there are fewer than the most.
    pub(crate) fn count_upload(&self, space: SpaceId, quota: HourlyQuota) -> Result<TransactWriteItem, Error> {
        let update = Update::builder()
            .table_name(&self.name)
            .set_key(Some(Key::hour(space, quota).attributes()))
            .update_expression("ADD made :one SET expires_at_seconds = :expires")
            .condition_expression("attribute_not_exists(made) OR made < :most")
            .expression_attribute_values(":one", AttributeValue::N("1".to_owned()))
            .expression_attribute_values(":most", AttributeValue::N(quota.most.to_string()))
            .expression_attribute_values(":expires", seconds(quota.ends_at().plus_ms(KEPT_MS)))
            .build()
            .map_err(|error| Error::Refused(error.into()))?;
        Ok(TransactWriteItem::builder().update(update).build())
    }
}

fn seconds(moment: Timestamp) -> AttributeValue {
    AttributeValue::N(moment.seconds().to_string())
}
