//! `GetObject` and `HeadObject`.
//!
//! Invariant: a file is opened under the lock under which its row was read, and never changes: an
//! answer holds the bytes of one object from beginning to end, whatever happens to its key
//! meanwhile.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    sync::Arc,
};

use bytes::Bytes;
use futures::{Stream, stream};
use http::HeaderMap;
use s3s::{
    S3Request, S3Response, S3Result,
    dto::{GetObjectInput, GetObjectOutput, HeadObjectInput, HeadObjectOutput, StreamingBlob},
    s3_error,
};
use sync_wrapper::SyncStream;

use super::{
    condition::{ReadCondition, Verdict},
    fault::{Fault, no_such_key, precondition_failed},
    range::Span,
    rows::{self, Object},
    shared::{Address, Shared},
};

/// Bytes that are read from a file at once.
const READ_BYTES: u64 = 256 * 1024;

/// Answers with an object, or with a range of it.
pub(super) async fn get(
    shared: &Arc<Shared>,
    request: S3Request<GetObjectInput>,
) -> S3Result<S3Response<GetObjectOutput>> {
    let input = request.input;
    shared.bucket(&input.bucket)?;
    let condition = ReadCondition {
        matches: input.if_match,
        differs: input.if_none_match,
        modified_since: input.if_modified_since,
        unmodified_since: input.if_unmodified_since,
    };
    let address = Address {
        bucket: input.bucket,
        key: input.key,
    };
    let found = shared
        .blocking(move |shared| open(shared, &address))
        .await?;
    let (object, file) = found.ok_or_else(no_such_key)?;
    judge(&condition, &object)?;
    let span = match input.range {
        Some(range) => Span::of_range(range, object.size_bytes)?,
        None => Span::whole(object.size_bytes),
    };
    let mut headers = HeaderMap::new();
    object.attributes.write(&mut headers);
    if input.range.is_none() && input.checksum_mode.is_some() {
        object.checksum.write(&mut headers);
    }
    for (name, value) in [
        (http::header::CONTENT_TYPE, input.response_content_type),
        (
            http::header::CONTENT_DISPOSITION,
            input.response_content_disposition,
        ),
        (http::header::CACHE_CONTROL, input.response_cache_control),
    ] {
        if let Some(value) = value {
            let value = value
                .try_into()
                .map_err(|_| s3_error!(InvalidArgument, "A header override is malformed"))?;
            headers.insert(name, value);
        }
    }
    let output = GetObjectOutput {
        accept_ranges: Some("bytes".to_owned()),
        body: Some(StreamingBlob::wrap(SyncStream::new(bytes(file, span)))),
        content_length: Some(i64::try_from(span.length).unwrap_or(i64::MAX)),
        content_range: input.range.map(|_| span.content_range(object.size_bytes)),
        e_tag: Some(object.tag()),
        last_modified: Some(object.last_modified()),
        ..GetObjectOutput::default()
    };
    Ok(S3Response::with_headers(output, headers))
}

/// Answers as [`get`] does, without the bytes.
pub(super) async fn head(
    shared: &Arc<Shared>,
    request: S3Request<HeadObjectInput>,
) -> S3Result<S3Response<HeadObjectOutput>> {
    let input = request.input;
    shared.bucket(&input.bucket)?;
    let condition = ReadCondition {
        matches: input.if_match,
        differs: input.if_none_match,
        modified_since: input.if_modified_since,
        unmodified_since: input.if_unmodified_since,
    };
    let address = Address {
        bucket: input.bucket,
        key: input.key,
    };
    let found = shared
        .blocking(move |shared| Ok(rows::object(&shared.database(), &address)?))
        .await?;
    let object = found.ok_or_else(no_such_key)?;
    judge(&condition, &object)?;
    let mut headers = HeaderMap::new();
    object.attributes.write(&mut headers);
    if input.checksum_mode.is_some() {
        object.checksum.write(&mut headers);
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

/// The object under a key with its bytes, which stay readable once they are open.
fn open(shared: &Shared, address: &Address) -> Result<Option<(Object, File)>, Fault> {
    // Under the lock, so that nobody removes the file before it is open.
    let database = shared.database();
    let Some(object) = rows::object(&database, address)? else {
        return Ok(None);
    };
    let file = shared.blobs.read(object.blob)?;
    Ok(Some((object, file)))
}

fn judge(condition: &ReadCondition, object: &Object) -> S3Result<()> {
    match condition.judge(object) {
        Verdict::Proceed => Ok(()),
        Verdict::Failed => Err(precondition_failed()),
        Verdict::NotModified => {
            let mut rejection = s3_error!(NotModified);
            let mut headers = HeaderMap::new();
            object.attributes.write_validators(&mut headers);
            if let Ok(tag) = format!("\"{}\"", object.etag).try_into() {
                headers.insert(http::header::ETAG, tag);
            }
            rejection.set_headers(headers);
            Err(rejection)
        }
    }
}

/// The bytes of a span, read in steps off the async threads.
fn bytes(file: File, span: Span) -> impl Stream<Item = io::Result<Bytes>> + Send {
    stream::try_unfold((file, span), |(mut file, span)| async move {
        if span.length == 0 {
            return Ok(None);
        }
        let read = tokio::task::spawn_blocking(move || {
            let step = span.length.min(READ_BYTES);
            let mut bytes = vec![0; usize::try_from(step).unwrap_or_default()];
            file.seek(SeekFrom::Start(span.first))?;
            file.read_exact(&mut bytes)?;
            let rest = Span {
                first: span.first + step,
                length: span.length - step,
            };
            Ok(Some((Bytes::from(bytes), (file, rest))))
        });
        read.await.unwrap_or_else(|error| Err(error.into()))
    })
}
