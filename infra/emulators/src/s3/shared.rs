//! What all operations share: the files, the database, the clock, the buckets.
//!
//! Invariants: a file has its final name before the row that names it is committed, and loses it
//! after that row is gone. Rows are read and changed, and files opened, under the database's lock:
//! whoever holds it sees the two agree.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::{Connection, Transaction};
use s3s::{S3Result, s3_error};
use template::{Bucket, LifecycleRule};

use super::{
    blobs::Blobs,
    condition::WriteCondition,
    fault::Fault,
    rows::{self, Object},
    uploads,
};
use crate::Clock;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) bucket: String,
    pub(super) key: String,
}

/// What every request works on.
pub(super) struct Shared {
    pub(super) blobs: Blobs,
    database: Mutex<Connection>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) buckets: RwLock<HashMap<String, Bucket>>,
    pub(super) are_etags_colliding: AtomicBool,
}

impl Shared {
    pub(super) fn new(blobs: Blobs, database: Connection, clock: Arc<dyn Clock>) -> Shared {
        Shared {
            blobs,
            database: Mutex::new(database),
            clock,
            buckets: RwLock::default(),
            are_etags_colliding: AtomicBool::new(false),
        }
    }

    /// Does work that waits for the disk, off the async threads.
    pub(super) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Shared) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Fault> {
        let shared = Arc::clone(self);
        tokio::task::spawn_blocking(move || work(&shared)).await?
    }

    pub(super) fn database(&self) -> MutexGuard<'_, Connection> {
        // A panic between two statements leaves a transaction that is rolled back.
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn bucket(&self, name: &str) -> S3Result<Bucket> {
        let buckets = self.buckets.read().unwrap_or_else(PoisonError::into_inner);
        buckets
            .get(name)
            .cloned()
            .ok_or_else(|| s3_error!(NoSuchBucket, "The specified bucket does not exist"))
    }

    /// Returns the ETag of an object that was not stored in parts: its MD5, unless ETags are to
    /// collide.
    pub(super) fn etag(&self, md5: &str, size_bytes: u64) -> String {
        if self.are_etags_colliding.load(Ordering::Relaxed) {
            format!("{size_bytes:032x}")
        } else {
            md5.to_owned()
        }
    }

    /// Puts what `make` makes under a key, if the condition holds. The only place where an object
    /// becomes visible.
    pub(super) fn replace(
        &self,
        address: &Address,
        condition: &WriteCondition,
        make: impl FnOnce(&Transaction<'_>) -> Result<Object, Fault>,
    ) -> Result<Object, Fault> {
        let mut database = self.database();
        let transaction = database.transaction()?;
        let replaced = rows::object(&transaction, address)?;
        condition.check(replaced.as_ref())?;
        let object = make(&transaction)?;
        let written =
            rows::put_object(&transaction, address, &object).and_then(|()| transaction.commit());
        if let Err(error) = written {
            self.blobs.remove([object.blob]);
            return Err(error.into());
        }
        self.blobs.remove(replaced.map(|object| object.blob));
        Ok(object)
    }

    /// Removes the object under a key, if the condition holds. Without one, there need not be an
    /// object.
    pub(super) fn remove(
        &self,
        address: &Address,
        condition: &WriteCondition,
    ) -> Result<(), Fault> {
        let database = self.database();
        let current = rows::object(&database, address)?;
        condition.check(current.as_ref())?;
        if let Some(current) = current {
            rows::delete_object(&database, address)?;
            self.blobs.remove([current.blob]);
        }
        Ok(())
    }

    /// Removes what a lifecycle rule lets expire: objects, and uploads that nobody completed. As on
    /// AWS, their days are counted to the midnight that follows.
    pub(super) fn expire(&self, bucket: &str, rule: &LifecycleRule) -> Result<(), Fault> {
        let midnight_ms = self.clock.now_ms().div_euclid(DAY_MS) * DAY_MS;
        let before_ms = |days: u32| midnight_ms - i64::from(days) * DAY_MS;
        let mut database = self.database();
        let transaction = database.transaction()?;
        let mut expired = Vec::new();
        if let Some(days) = rule.expiration_days {
            expired.extend(rows::expire(
                &transaction,
                bucket,
                &rule.prefix,
                before_ms(days),
            )?);
        }
        if let Some(days) = rule.abort_multipart_days {
            expired.extend(uploads::expire(
                &transaction,
                bucket,
                &rule.prefix,
                before_ms(days),
            )?);
        }
        transaction.commit()?;
        self.blobs.remove(expired);
        Ok(())
    }
}
