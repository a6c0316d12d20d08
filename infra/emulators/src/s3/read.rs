//! `GetObject` and `HeadObject`.
//!
//! Invariant: a response contains the bytes of one object, also if the object is replaced
//! meanwhile. The file is opened under the lock under which its row is read, and never changes.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    sync::Arc,
};

use bytes::Bytes;
use futures::{Stream, stream};
use http::{HeaderMap, header};
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{GetObjectInput, GetObjectOutput, HeadObjectInput, HeadObjectOutput, StreamingBlob},
    s3_error,
};
use sync_wrapper::SyncStream;

use super::{
    checksum::write_sha256,
    condition::{ConditionOutcome, ReadCondition},
    error::{OperationError, no_such_key, precondition_failed},
    object_rows::{self, ObjectLocation, StoredObject},
    range::ByteSpan,
    store::ObjectStore,
};

/// Bytes that are read from a file at once.
const READ_BYTES: u64 = 256 * 1024;

/// Returns an object, or a range of it.
pub(super) async fn get(
    store: &Arc<ObjectStore>,
    request: S3Request<GetObjectInput>,
) -> S3Result<S3Response<GetObjectOutput>> {
    let input = request.input;
    store.bucket(&input.bucket)?;
    let location = ObjectLocation {
        bucket: input.bucket,
        key: input.key,
    };
    let OpenObject { object, file } = store.blocking(move |store| open(store, &location)).await?;
    let condition = ReadCondition {
        if_match: input.if_match,
        if_none_match: input.if_none_match,
        if_modified_since: input.if_modified_since,
        if_unmodified_since: input.if_unmodified_since,
    };

    check(&condition, &object)?;
    let span = match input.range {
        Some(range) => ByteSpan::of_range(range, object.size_bytes)?,
        None => ByteSpan::whole(object.size_bytes),
    };

    let overrides = HeaderOverrides {
        cache_control: input.response_cache_control,
        content_disposition: input.response_content_disposition,
        content_type: input.response_content_type,
    };
    let mut headers = overrides.headers(&object)?;
    if input.range.is_none() && input.checksum_mode.is_some() {
        write_sha256(object.sha256.as_deref(), &mut headers);
    }
    let output = GetObjectOutput {
        accept_ranges: Some("bytes".to_owned()),
        body: Some(StreamingBlob::wrap(SyncStream::new(stream_bytes(
            file, span,
        )))),
        content_length: Some(i64::try_from(span.length).unwrap_or(i64::MAX)),
        content_range: input.range.map(|_| span.content_range(object.size_bytes)),
        e_tag: Some(object.tag()),
        last_modified: Some(object.last_modified()),
        ..GetObjectOutput::default()
    };

    Ok(S3Response::with_headers(output, headers))
}

/// Headers that a request selects in place of the stored ones.
struct HeaderOverrides {
    cache_control: Option<String>,
    content_disposition: Option<String>,
    content_type: Option<String>,
}

impl HeaderOverrides {
    /// Returns the stored headers, with these in their place.
    fn headers(self, object: &StoredObject) -> S3Result<HeaderMap> {
        let mut headers = HeaderMap::new();
        object.headers.write(&mut headers);

        for (name, value) in [
            (header::CONTENT_TYPE, self.content_type),
            (header::CONTENT_DISPOSITION, self.content_disposition),
            (header::CACHE_CONTROL, self.cache_control),
        ] {
            if let Some(value) = value {
                let value = value
                    .try_into()
                    .map_err(|_| s3_error!(InvalidArgument, "A header override is malformed"))?;
                headers.insert(name, value);
            }
        }

        Ok(headers)
    }
}

/// Returns what [`get`] returns, without the bytes.
pub(super) async fn head(
    store: &Arc<ObjectStore>,
    request: S3Request<HeadObjectInput>,
) -> S3Result<S3Response<HeadObjectOutput>> {
    let input = request.input;
    store.bucket(&input.bucket)?;
    let location = ObjectLocation {
        bucket: input.bucket,
        key: input.key,
    };
    let object = store
        .blocking(move |store| Ok(object_rows::object(&store.database(), &location)?))
        .await?
        .ok_or_else(no_such_key)?;
    let condition = ReadCondition {
        if_match: input.if_match,
        if_none_match: input.if_none_match,
        if_modified_since: input.if_modified_since,
        if_unmodified_since: input.if_unmodified_since,
    };

    check(&condition, &object)?;

    let overrides = HeaderOverrides {
        cache_control: input.response_cache_control,
        content_disposition: input.response_content_disposition,
        content_type: input.response_content_type,
    };
    let mut headers = overrides.headers(&object)?;
    if input.checksum_mode.is_some() {
        write_sha256(object.sha256.as_deref(), &mut headers);
    }

    let output = HeadObjectOutput {
        accept_ranges: Some("bytes".to_owned()),
        content_length: Some(i64::try_from(object.size_bytes).unwrap_or(i64::MAX)),
        e_tag: Some(object.tag()),
        last_modified: Some(object.last_modified()),
        ..HeadObjectOutput::default()
    };

    Ok(S3Response::with_headers(output, headers))
}

/// An object and its open file.
struct OpenObject {
    object: StoredObject,
    file: File,
}

fn open(store: &ObjectStore, location: &ObjectLocation) -> Result<OpenObject, OperationError> {
    // Under the lock, so that the file is not removed before it is open.
    let database = store.database();
    let object = object_rows::object(&database, location)?.ok_or_else(no_such_key)?;
    let file = store.blobs.read(object.blob)?;
    Ok(OpenObject { object, file })
}

/// Fails with a 304 or 412 if the conditions do not hold.
fn check(condition: &ReadCondition, object: &StoredObject) -> S3Result<()> {
    match condition.evaluate(object) {
        ConditionOutcome::Proceed => Ok(()),
        ConditionOutcome::Failed => Err(precondition_failed()),
        ConditionOutcome::NotModified => {
            let mut headers = HeaderMap::new();
            if let Ok(tag) = format!("\"{}\"", object.etag).try_into() {
                headers.insert(header::ETAG, tag);
            }
            let mut not_modified = s3_error!(NotModified);
            not_modified.set_headers(headers);
            Err(not_modified)
        }
    }
}

/// The rest of a file that is being streamed.
struct RemainingBytes {
    file: File,
    span: ByteSpan,
}

/// Streams a range of a file, reading off the async threads.
fn stream_bytes(file: File, span: ByteSpan) -> impl Stream<Item = io::Result<Bytes>> + Send {
    stream::try_unfold(RemainingBytes { file, span }, |remaining| async move {
        if remaining.span.length == 0 {
            return Ok(None);
        }
        crate::spawn_blocking(move || read_chunk(remaining))
            .await
            .unwrap_or_else(|error| Err(error.into()))
    })
}

fn read_chunk(remaining: RemainingBytes) -> io::Result<Option<(Bytes, RemainingBytes)>> {
    let RemainingBytes { mut file, span } = remaining;
    let chunk_bytes = span.length.min(READ_BYTES);
    let mut chunk = vec![0; usize::try_from(chunk_bytes).unwrap_or_default()];
    file.seek(SeekFrom::Start(span.first))?;
    file.read_exact(&mut chunk)?;

    let rest = ByteSpan {
        first: span.first + chunk_bytes,
        length: span.length - chunk_bytes,
    };

    Ok(Some((
        Bytes::from(chunk),
        RemainingBytes { file, span: rest },
    )))
}
