//! S3 on one machine: the protocol is s3s, the store is ours.
//!
//! What is emulated is what Larder uses: objects put whole or in parts, copied, read, described,
//! listed, deleted alone or many at once, with conditions, ranges and checksums, by signature or
//! presigned address. Anything else is answered with `NotImplemented`.
//!
//! Invariant: an object becomes visible in one database transaction, after its bytes are complete
//! in a file that never changes again; so a request that is cut off, or a process that is killed,
//! leaves the old object or the new one.

mod attributes;
mod blobs;
mod checksum;
mod complete;
mod condition;
mod copy;
mod cors;
mod declared;
mod delete;
mod fault;
mod list;
mod list_parts;
mod multipart;
mod presigned;
mod put;
mod range;
mod read;
mod receive;
mod rows;
mod service;
mod shared;
mod uploads;

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
use template::Bucket;

pub(crate) use fault::OpenError;

use crate::{Clock, principals::Keys};
use blobs::Blobs;
use fault::BucketError;
use shared::Shared;

/// The store of all buckets. Clones share it.
#[derive(Clone)]
pub(crate) struct S3Store(Arc<Shared>);

impl S3Store {
    /// Opens the store, or makes it, and removes files that no object names. Blocks.
    pub(crate) fn open(directory: &Path, clock: Arc<dyn Clock>) -> Result<S3Store, OpenError> {
        let blobs = Blobs::open(directory)?;
        let path = directory.join("objects.sqlite");
        let damaged = |error: rusqlite::Error| OpenError::Damaged {
            path: path.clone(),
            reason: error.to_string(),
        };
        let database = Connection::open(&path).map_err(damaged)?;
        let format = prepare(&database).map_err(damaged)?;
        if format != rows::FORMAT {
            return Err(OpenError::Format {
                path,
                found: format,
                expected: rows::FORMAT,
            });
        }
        let owned = rows::owned_blobs(&database).map_err(damaged)?;
        reconcile(&blobs, &owned)?;
        Ok(S3Store(Arc::new(Shared::new(blobs, database, clock))))
    }

    /// Makes a bucket, or takes over what the template now says of it. Blocks.
    pub(crate) fn ensure_bucket(&self, bucket: &Bucket) -> Result<(), BucketError> {
        let name = &bucket.name;
        let allowed = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-')
        };
        if !(3..=63).contains(&name.len()) || !name.bytes().all(allowed) {
            return Err(BucketError::Name(name.clone()));
        }
        rows::bucket_created_ms(&self.0.database(), name, self.0.clock.now_ms())?;
        let mut buckets = self
            .0
            .buckets
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        buckets.insert(name.clone(), bucket.clone());
        Ok(())
    }

    /// The service, with credentials from `keys`.
    pub(crate) fn router(&self, keys: Keys) -> Router {
        let mut builder = S3ServiceBuilder::new(service::Service(Arc::clone(&self.0)));
        builder.set_auth(Secrets(keys));
        // Presigned addresses are judged by our own clock, in a layer of ours; here they only have
        // to be genuine.
        let mut config = S3Config::default();
        config.presigned_url_max_skew_time_secs = u32::MAX;
        builder.set_config(Arc::new(StaticConfigProvider::new(Arc::new(config))));
        let service = HandleError::new(builder.build(), |error: s3s::HttpError| async move {
            tracing::error!(error = %s3s::StdError::from(error), "a request to S3 failed");
            http::StatusCode::INTERNAL_SERVER_ERROR.into_response()
        });
        let (cors, clock) = (Arc::clone(&self.0), Arc::clone(&self.0.clock));
        Router::new()
            .fallback_service(service)
            .layer(axum::middleware::from_fn(
                move |request: Request, next: Next| {
                    presigned::judge(Arc::clone(&clock), request, next)
                },
            ))
            .layer(axum::middleware::from_fn(
                move |request: Request, next: Next| cors::apply(Arc::clone(&cors), request, next),
            ))
    }

    /// Lets every object that is stored from now on have the ETag of all others of its length.
    pub(crate) fn collide_etags(&self) {
        self.0.are_etags_colliding.store(true, Ordering::Relaxed);
    }

    /// Removes what the buckets' lifecycle rules let expire.
    pub(crate) async fn sweep(&self) {
        let swept = self.0.blocking(|shared| {
            let buckets: Vec<Bucket> = shared
                .buckets
                .read()
                .unwrap_or_else(PoisonError::into_inner)
                .values()
                .cloned()
                .collect();
            for bucket in &buckets {
                for rule in &bucket.lifecycle {
                    shared.expire(&bucket.name, rule)?;
                }
            }
            Ok(())
        });
        if let Err(error) = swept.await {
            tracing::warn!(%error, "expired objects could not be removed");
        }
    }
}

/// Makes the tables where there are none, and says which format the database has.
fn prepare(database: &Connection) -> rusqlite::Result<i64> {
    database.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
    let format = || database.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if format()? == 0 {
        let format = rows::FORMAT;
        database.execute_batch(&format!(
            "BEGIN; {} PRAGMA user_version = {format}; COMMIT;",
            rows::SCHEMA
        ))?;
    }
    format()
}

/// Refuses a store that has lost bytes, and removes files that nothing names.
fn reconcile(blobs: &Blobs, rows: &[rows::Owned]) -> Result<(), OpenError> {
    let found = blobs.list()?;
    blobs.reserve(&found);
    let sizes: HashMap<_, _> = found
        .iter()
        .map(|file| (file.id, file.size_bytes))
        .collect();
    for row in rows {
        let size = sizes.get(&row.blob).copied();
        if size != Some(row.size_bytes) {
            let (path, owner) = (blobs.path(row.blob), row.owner.clone());
            return Err(OpenError::Blob {
                path,
                owner,
                expected: row.size_bytes,
                found: size,
            });
        }
    }
    let named: HashSet<_> = rows.iter().map(|row| row.blob).collect();
    blobs.remove(
        found
            .iter()
            .map(|file| file.id)
            .filter(|id| !named.contains(id)),
    );
    Ok(())
}

/// The secrets of those who were admitted.
struct Secrets(Keys);

#[async_trait::async_trait]
impl S3Auth for Secrets {
    async fn get_secret_key(&self, access_key: &str) -> S3Result<SecretKey> {
        let secret = self.0.secret(access_key).map(SecretKey::from);
        secret.ok_or_else(|| {
            s3_error!(
                InvalidAccessKeyId,
                "The AWS Access Key Id you provided does not exist in our records."
            )
        })
    }
}
