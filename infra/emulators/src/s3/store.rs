//! The object store: files, database, clock and buckets.
//!
//! Invariants:
//! - A file has its final name before the row that names it is committed, and is removed after that
//!   row is gone.
//! - Rows are read and changed, and files opened, under the lock of the database. Under the lock,
//!   rows and files agree.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::{Connection, Transaction};
use s3s::{S3Result, s3_error};
use sam_template::{BucketSpec, LifecycleRule};

use super::{
    blob::BlobStore,
    condition::WriteCondition,
    error::OperationError,
    object_rows::{self, Expired, ObjectLocation, StoredObject},
    upload_rows,
};
use crate::clock::AsyncClock;

const DAY_MS: i64 = 86_400_000;

/// The state that all requests share.
pub(super) struct ObjectStore {
    pub(super) blobs: BlobStore,
    database: Mutex<Connection>,
    pub(super) clock: Arc<dyn AsyncClock>,
    pub(super) buckets: RwLock<HashMap<String, BucketSpec>>,
    pub(super) are_etags_colliding: AtomicBool,
}

impl ObjectStore {
    pub(super) fn new(
        blobs: BlobStore,
        database: Connection,
        clock: Arc<dyn AsyncClock>,
    ) -> ObjectStore {
        ObjectStore {
            blobs,
            database: Mutex::new(database),
            clock,
            buckets: RwLock::default(),
            are_etags_colliding: AtomicBool::new(false),
        }
    }

    /// Runs blocking work off the async threads.
    pub(super) async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&ObjectStore) -> Result<T, OperationError> + Send + 'static,
    ) -> Result<T, OperationError> {
        let store = Arc::clone(self);
        crate::spawn_blocking(move || work(&store)).await?
    }

    /// Locks the database. A panic while it was locked rolled its transaction back.
    pub(super) fn database(&self) -> MutexGuard<'_, Connection> {
        self.database.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a bucket. Fails if it does not exist.
    pub(super) fn bucket(&self, name: &str) -> S3Result<BucketSpec> {
        let buckets = self.buckets.read().unwrap_or_else(PoisonError::into_inner);
        buckets
            .get(name)
            .cloned()
            .ok_or_else(|| s3_error!(NoSuchBucket, "The specified bucket does not exist"))
    }

    /// Returns the ETag of an object that was not uploaded in parts: its MD5, unless ETags are set
    /// to collide.
    pub(super) fn etag(&self, md5: &str, size_bytes: u64) -> String {
        if self.are_etags_colliding.load(Ordering::Relaxed) {
            format!("{size_bytes:032x}")
        } else {
            md5.to_owned()
        }
    }

    /// Stores the object that `create` returns, if the condition holds. Objects become visible
    /// nowhere else.
    pub(super) fn replace(
        &self,
        location: &ObjectLocation,
        condition: WriteCondition,
        create: impl FnOnce(&Transaction<'_>) -> Result<StoredObject, OperationError>,
    ) -> Result<StoredObject, OperationError> {
        let mut database = self.database();
        let transaction = database.transaction()?;
        let replaced = object_rows::object(&transaction, location)?;
        condition.check(replaced.as_ref())?;

        let object = create(&transaction)?;
        let written = object_rows::put_object(&transaction, location, &object)
            .and_then(|()| transaction.commit());
        if let Err(error) = written {
            self.blobs.remove([object.blob]);
            return Err(error.into());
        }

        self.blobs.remove(replaced.map(|object| object.blob));
        Ok(object)
    }

    /// Removes an object, which may be missing.
    pub(super) fn remove(&self, location: &ObjectLocation) -> Result<(), OperationError> {
        let database = self.database();
        if let Some(current) = object_rows::object(&database, location)? {
            object_rows::delete_object(&database, location)?;
            self.blobs.remove([current.blob]);
        }

        Ok(())
    }

    /// Applies a lifecycle rule: removes expired objects and incomplete multipart uploads. As on
    /// AWS, their age is rounded up to the next midnight UTC.
    pub(super) fn expire(&self, bucket: &str, rule: &LifecycleRule) -> Result<(), OperationError> {
        let midnight_ms = self.clock.now_ms().div_euclid(DAY_MS) * DAY_MS;
        let older_than = |days: u32| Expired {
            bucket,
            prefix: &rule.prefix,
            before_ms: midnight_ms - i64::from(days) * DAY_MS,
        };

        let mut database = self.database();
        let transaction = database.transaction()?;
        let mut blobs = Vec::new();
        if let Some(days) = rule.expiration_days {
            blobs.extend(object_rows::expire(&transaction, &older_than(days))?);
        }
        if let Some(days) = rule.abort_multipart_days {
            blobs.extend(upload_rows::expire(&transaction, &older_than(days))?);
        }

        transaction.commit()?;

        self.blobs.remove(blobs);
        Ok(())
    }
}
