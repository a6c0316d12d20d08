//! The handle to the store: opening it, creating buckets, and serving it.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::{Arc, PoisonError, atomic::Ordering},
};

use axum::{
    Router, error_handling::HandleError, extract::Request, middleware::Next, response::IntoResponse,
};
use rusqlite::Connection;
use s3s::{
    S3Result,
    auth::{S3Auth, SecretKey},
    config::{S3Config, StaticConfigProvider},
    s3_error,
    service::S3ServiceBuilder,
};
use sam_template::BucketSpec;

use super::{
    blob::BlobStore,
    cors,
    error::OpenError,
    object_rows::{self, BlobReference},
    operations::Operations,
    presigned,
    store::ObjectStore,
};
use crate::{clock::AsyncClock, principal::AccessKeys};

/// The store of all buckets. Clones share it.
#[derive(Clone)]
pub(crate) struct S3Emulator {
    store: Arc<ObjectStore>,
}

impl S3Emulator {
    /// Opens or creates the store, and removes files that no row names. Blocks.
    pub(crate) fn open(
        directory: &Path,
        clock: Arc<dyn AsyncClock>,
    ) -> Result<S3Emulator, OpenError> {
        let blobs = BlobStore::open(directory)?;
        let path = directory.join("objects.sqlite");
        let damaged = |error: rusqlite::Error| OpenError::Damaged {
            path: path.clone(),
            reason: error.to_string(),
        };

        let database = Connection::open(&path).map_err(damaged)?;
        database
            .execute_batch(object_rows::SCHEMA)
            .map_err(damaged)?;
        let references = object_rows::referenced_blobs(&database).map_err(damaged)?;
        reconcile(&blobs, &references)?;
        Ok(S3Emulator {
            store: Arc::new(ObjectStore::new(blobs, database, clock)),
        })
    }

    /// Creates a bucket, or replaces the settings of an existing one.
    pub(crate) fn ensure_bucket(&self, bucket: &BucketSpec) {
        self.store
            .buckets
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(bucket.name.clone(), bucket.clone());
    }

    /// Returns the service. It verifies signatures with these access keys.
    pub(crate) fn router(&self, access_keys: AccessKeys) -> Router {
        let mut builder = S3ServiceBuilder::new(Operations(Arc::clone(&self.store)));
        builder.set_auth(SecretKeys(access_keys));
        // s3s checks the expiry of presigned URLs by the system time. `presigned::check` does it by
        // the injected clock.
        let mut config = S3Config::default();
        config.presigned_url_max_skew_time_secs = u32::MAX;
        builder.set_config(Arc::new(StaticConfigProvider::new(Arc::new(config))));
        let service = HandleError::new(builder.build(), |error: s3s::HttpError| async move {
            tracing::error!(error = %s3s::StdError::from(error), "a request to S3 failed");
            http::StatusCode::INTERNAL_SERVER_ERROR.into_response()
        });

        let store = Arc::clone(&self.store);
        let clock = Arc::clone(&self.store.clock);
        let check_presigned = axum::middleware::from_fn(move |request: Request, next: Next| {
            presigned::check(Arc::clone(&clock), request, next)
        });
        let apply_cors = axum::middleware::from_fn(move |request: Request, next: Next| {
            cors::apply(Arc::clone(&store), request, next)
        });
        Router::new()
            .fallback_service(service)
            .layer(check_presigned)
            .layer(apply_cors)
    }

    /// Gives all objects of one length that are stored from now on the same ETag.
    pub(crate) fn collide_etags(&self) {
        self.store
            .are_etags_colliding
            .store(true, Ordering::Relaxed);
    }

    /// Treats the disk as full from now on.
    pub(crate) fn simulate_full_disk(&self) {
        self.store.blobs.simulate_full_disk();
    }

    /// Applies the lifecycle rules of all buckets.
    pub(crate) async fn sweep(&self) {
        let swept = self.store.blocking(|store| {
            let buckets: Vec<BucketSpec> = store
                .buckets
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .values()
                .cloned()
                .collect();
            for bucket in &buckets {
                for rule in &bucket.lifecycle {
                    store.expire(&bucket.name, rule)?;
                }
            }
            Ok(())
        });

        if let Err(error) = swept.await {
            tracing::warn!(%error, "expired objects could not be removed");
        }
    }
}

/// Fails if a referenced file is missing or truncated. Removes files without a reference.
fn reconcile(blobs: &BlobStore, references: &[BlobReference]) -> Result<(), OpenError> {
    let files = blobs.list()?;
    blobs.reserve(&files);

    let sizes: HashMap<_, _> = files
        .iter()
        .map(|file| (file.id, file.size_bytes))
        .collect();
    for reference in references {
        let found = sizes.get(&reference.blob).copied();
        if found != Some(reference.size_bytes) {
            return Err(OpenError::Blob {
                path: blobs.path(reference.blob),
                owner: reference.owner.clone(),
                expected: reference.size_bytes,
                found,
            });
        }
    }

    let used_ids: HashSet<_> = references.iter().map(|reference| reference.blob).collect();
    let unused = files
        .iter()
        .map(|file| file.id)
        .filter(|id| !used_ids.contains(id));
    blobs.remove(unused);
    Ok(())
}

/// The secret keys of the registered principals.
struct SecretKeys(AccessKeys);

#[async_trait::async_trait]
impl S3Auth for SecretKeys {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        self.0
            .secret(access_key)
            .map(SecretKey::from)
            .ok_or_else(|| {
                s3_error!(
                    InvalidAccessKeyId,
                    "The AWS Access Key Id you provided does not exist in our records."
                )
            })
    }
}
