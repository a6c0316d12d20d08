//! What one caller may reach: a space's records and objects together, and nothing of any other space.
//!
//! Invariants: this is the only crate that uses `table` and `bucket`; a [`Space`] is had only for a [`Caller`] that may
//! know of it, and everything it reads or writes is its own. The reads that are not scoped to a space are
//! [`Tenants::authenticate`], the look-up of whose a bare id is, and delivery's of a path.

mod assets;
mod caller;
mod delivered;
mod keys;
mod operator;
mod space;

pub use assets::{Assets, Originals};
pub use bucket::{AnswerHeaders, Content};
pub use caller::Caller;
pub use delivered::{Delivered, Located};
pub use operator::{Bootstrapped, bootstrap};
pub use space::Space;
pub use table::{KeyPage, Listing};

use domain::{Fault, KeySecret, Timestamp};
use runtime::Settings;
use table::Table;

/// Every space's records; the way to one of them is through a [`Caller`].
#[derive(Clone, Debug)]
pub struct Tenants {
    table: Table,
}

impl Tenants {
    /// The records in the table that `TABLE_NAME` names.
    pub fn read(settings: &mut Settings) -> Tenants {
        Tenants { table: Table::new(runtime::dynamodb(settings), settings.text("TABLE_NAME")) }
    }

    /// Who calls with this key; `None` where it is unknown, revoked or expired.
    pub async fn authenticate(&self, secret: &KeySecret, now: Timestamp) -> Result<Option<Caller>, Fault> {
        let key = self.table.authenticate(&secret.hash(), now).await?;
        Ok(key.map(|key| Caller::new(key.key_id, key.scope)))
    }
}
