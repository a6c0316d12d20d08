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
use http::{
    HeaderMap, HeaderName,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ETAG},
};
use s3s::{
    S3Error, S3Request, S3Response, S3Result,
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

/// Headers of a request that `GetObject` and `HeadObject` share.
struct ReadRequest {
    location: ObjectLocation,
    condition: ReadCondition,
    has_checksum: bool,
    /// Headers of the response in place of the stored ones.
    overrides: [(HeaderName, Option<String>); 3],
}

macro_rules! read_request {
    ($input:expr) => {
        ReadRequest {
            location: ObjectLocation {
                bucket: $input.bucket,
                key: $input.key,
            },
            condition: ReadCondition {
                if_match: $input.if_match,
                if_none_match: $input.if_none_match,
                if_modified_since: $input.if_modified_since,
                if_unmodified_since: $input.if_unmodified_since,
            },
            has_checksum: $input.checksum_mode.is_some(),
            overrides: [
                (CONTENT_TYPE, $input.response_content_type),
                (CONTENT_DISPOSITION, $input.response_content_disposition),
                (CACHE_CONTROL, $input.response_cache_control),
            ],
        }
    };
}

impl ReadRequest {
    /// Returns the headers of the response. Fails with a 304 or 412 if the conditions do not hold.
    fn headers(self, object: &StoredObject) -> S3Result<HeaderMap> {
        match self.condition.evaluate(object) {
            ConditionOutcome::Proceed => {}
            ConditionOutcome::Failed => return Err(precondition_failed()),
            ConditionOutcome::NotModified => return Err(not_modified(object)),
        }

        let mut headers = HeaderMap::new();
        object.headers.write(&mut headers);
        for (name, value) in self.overrides {
            if let Some(value) = value {
                let value = value
                    .try_into()
                    .map_err(|_| s3_error!(InvalidArgument, "A header override is malformed"))?;
                headers.insert(name, value);
            }
        }
        if self.has_checksum {
            write_sha256(object.sha256.as_deref(), &mut headers);
        }
        Ok(headers)
    }
}

/// Returns an object, or a range of it.
pub(super) async fn get(
    store: &Arc<ObjectStore>,
    request: S3Request<GetObjectInput>,
) -> S3Result<S3Response<GetObjectOutput>> {
    let input = request.input;
    store.bucket(&input.bucket)?;
    let range = input.range;
    let mut request = read_request!(input);
    request.has_checksum &= range.is_none();
    let location = request.location.clone();
    let OpenObject { object, file } = store.blocking(move |store| open(store, &location)).await?;

    let headers = request.headers(&object)?;
    let span = match range {
        Some(range) => ByteSpan::of_range(range, object.size_bytes)?,
        None => ByteSpan::whole(object.size_bytes),
    };
    let output = GetObjectOutput {
        accept_ranges: Some("bytes".to_owned()),
        body: Some(StreamingBlob::wrap(SyncStream::new(stream_bytes(
            file, span,
        )))),
        content_length: Some(i64::try_from(span.length).unwrap_or(i64::MAX)),
        content_range: range.map(|_| span.content_range(object.size_bytes)),
        e_tag: Some(object.tag()),
        last_modified: Some(object.last_modified()),
        ..GetObjectOutput::default()
    };

    Ok(S3Response::with_headers(output, headers))
}

/// Returns what [`get`] returns, without the bytes.
pub(super) async fn head(
    store: &Arc<ObjectStore>,
    request: S3Request<HeadObjectInput>,
) -> S3Result<S3Response<HeadObjectOutput>> {
    let input = request.input;
    store.bucket(&input.bucket)?;
    let request = read_request!(input);
    let location = request.location.clone();
    let object = store
        .blocking(move |store| Ok(object_rows::object(&store.database(), &location)?))
        .await?
        .ok_or_else(no_such_key)?;

    let headers = request.headers(&object)?;
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

fn not_modified(object: &StoredObject) -> S3Error {
    let mut headers = HeaderMap::new();
    if let Ok(tag) = format!("\"{}\"", object.etag).try_into() {
        headers.insert(ETAG, tag);
    }
    let mut error = s3_error!(NotModified);
    error.set_headers(headers);
    error
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
