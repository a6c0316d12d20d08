//! The operations, as the protocol layer calls them.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    sync::Arc,
};

use bytes::Bytes;
use futures::{Stream, stream};
use http::HeaderMap;
use s3s::{
    S3, S3Request, S3Response, S3Result,
    dto::{
        DeleteObjectInput, DeleteObjectOutput, GetObjectInput, GetObjectOutput, HeadObjectInput, HeadObjectOutput,
        ListObjectsV2Input, ListObjectsV2Output, PutObjectInput, PutObjectOutput, StreamingBlob,
    },
    s3_error,
};
use sync_wrapper::SyncStream;

use super::{
    Shared,
    attributes::Attributes,
    condition::{ReadCondition, Verdict, WriteCondition},
    declared::Declared,
    fault::{Fault, no_such_key, not_emulated, precondition_failed},
    range::Span,
    receive::{Received, receive},
    rows::{self, Object},
};

/// Bytes that are read from a file at once.
const READ_BYTES: u64 = 256 * 1024;
/// Bytes of the longest key.
const KEY_BYTES_MAX: usize = 1024;
/// Objects of the longest page of a list.
const PAGE_MAX: i32 = 1000;

/// The operations on a store.
pub(super) struct Service(pub(super) Arc<Shared>);

#[async_trait::async_trait]
impl S3 for Service {
    async fn put_object(&self, request: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let S3Request { input, headers, trailing_headers, .. } = request;
        self.0.bucket(&input.bucket)?;
        if input.key.len() > KEY_BYTES_MAX {
            return Err(s3_error!(KeyTooLongError, "Your key is too long"));
        }
        let (declared, condition) = (Declared::from_headers(&headers)?, WriteCondition::from_headers(&headers)?);
        let attributes = Attributes::from_headers(&headers)?;
        let received = receive(&self.0, input.body, &declared, trailing_headers.as_ref()).await?;
        let (bucket, key) = (input.bucket, input.key);
        let object = self.0.blocking(move |shared| commit(shared, &bucket, &key, received, attributes, &condition));
        let object = object.await?;
        let mut answer = HeaderMap::new();
        object.checksum.write(&mut answer);
        let output = PutObjectOutput { e_tag: Some(object.tag()), ..PutObjectOutput::default() };
        Ok(S3Response::with_headers(output, answer))
    }

    async fn get_object(&self, request: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let input = request.input;
        self.0.bucket(&input.bucket)?;
        let condition = ReadCondition {
            matches: input.if_match,
            differs: input.if_none_match,
            modified_since: input.if_modified_since,
            unmodified_since: input.if_unmodified_since,
        };
        let (bucket, key) = (input.bucket, input.key);
        let found = self.0.blocking(move |shared| open(shared, &bucket, &key)).await?;
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
            (http::header::CONTENT_DISPOSITION, input.response_content_disposition),
            (http::header::CACHE_CONTROL, input.response_cache_control),
        ] {
            if let Some(value) = value {
                let value =
                    value.try_into().map_err(|_| s3_error!(InvalidArgument, "A header override is malformed"))?;
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

    async fn head_object(&self, request: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let input = request.input;
        self.0.bucket(&input.bucket)?;
        let condition = ReadCondition {
            matches: input.if_match,
            differs: input.if_none_match,
            modified_since: input.if_modified_since,
            unmodified_since: input.if_unmodified_since,
        };
        let (bucket, key) = (input.bucket, input.key);
        let found = self.0.blocking(move |shared| Ok(rows::object(&shared.database(), &bucket, &key)?)).await?;
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

    async fn delete_object(&self, request: S3Request<DeleteObjectInput>) -> S3Result<S3Response<DeleteObjectOutput>> {
        let input = request.input;
        self.0.bucket(&input.bucket)?;
        let (bucket, key) = (input.bucket, input.key);
        let delete = self.0.blocking(move |shared| {
            let database = shared.database();
            let Some(object) = rows::object(&database, &bucket, &key)? else { return Ok(()) };
            rows::delete_object(&database, &bucket, &key)?;
            drop(database);
            shared.blobs.remove(object.blob);
            Ok(())
        });
        delete.await?;
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = request.input;
        self.0.bucket(&input.bucket)?;
        if input.delimiter.is_some() {
            return Err(not_emulated("lists with a delimiter"));
        }
        let most = input.max_keys.unwrap_or(PAGE_MAX).clamp(0, PAGE_MAX);
        let prefix = input.prefix.clone().unwrap_or_default();
        let after = input.continuation_token.clone().or(input.start_after.clone()).unwrap_or_default();
        let bucket = input.bucket.clone();
        let list = move |shared: &Shared| Ok(rows::list(&shared.database(), &bucket, &prefix, &after, most + 1)?);
        let mut listed = self.0.blocking(list).await?;
        let more = listed.len() > usize::try_from(most).unwrap_or_default();
        listed.truncate(usize::try_from(most).unwrap_or_default());
        let output = ListObjectsV2Output {
            name: Some(input.bucket),
            prefix: input.prefix,
            max_keys: Some(most),
            key_count: i32::try_from(listed.len()).ok(),
            is_truncated: Some(more),
            next_continuation_token: listed.last().filter(|_| more).and_then(|object| object.key.clone()),
            continuation_token: input.continuation_token,
            start_after: input.start_after,
            contents: Some(listed),
            ..ListObjectsV2Output::default()
        };
        Ok(S3Response::new(output))
    }
}

/// The only place where an object becomes visible.
fn commit(
    shared: &Shared,
    bucket: &str,
    key: &str,
    received: Received,
    attributes: Attributes,
    condition: &WriteCondition,
) -> Result<Object, Fault> {
    let blob = shared.blobs.finish(received.incoming)?;
    let object = Object {
        size_bytes: received.size_bytes,
        etag: hex::encode(received.sums.md5),
        modified_ms: shared.clock.now_ms(),
        attributes,
        checksum: received.sums.checksum,
        blob,
    };
    let replaced = (|| {
        let mut database = shared.database();
        let transaction = database.transaction()?;
        let current = rows::object(&transaction, bucket, key)?;
        condition.check(current.as_ref())?;
        rows::put_object(&transaction, bucket, key, &object)?;
        transaction.commit()?;
        Ok::<_, Fault>(current)
    })();
    match replaced {
        Ok(current) => {
            if let Some(current) = current {
                shared.blobs.remove(current.blob);
            }
            Ok(object)
        }
        Err(fault) => {
            shared.blobs.remove(blob);
            Err(fault)
        }
    }
}

/// The object under a key with its bytes, which stay readable once they are open.
fn open(shared: &Shared, bucket: &str, key: &str) -> Result<Option<(Object, File)>, Fault> {
    // Under the lock, so that nobody removes the file before it is open.
    let database = shared.database();
    let Some(object) = rows::object(&database, bucket, key)? else { return Ok(None) };
    let file = shared.blobs.read(object.blob)?;
    Ok(Some((object, file)))
}

fn judge(condition: &ReadCondition, object: &Object) -> S3Result<()> {
    match condition.judge(object) {
        Verdict::Proceed => Ok(()),
        Verdict::Failed => Err(precondition_failed()),
        Verdict::NotModified => {
            let mut refusal = s3_error!(NotModified);
            let mut headers = HeaderMap::new();
            object.attributes.write_validators(&mut headers);
            if let Ok(tag) = format!("\"{}\"", object.etag).try_into() {
                headers.insert(http::header::ETAG, tag);
            }
            refusal.set_headers(headers);
            Err(refusal)
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
            let rest = Span { first: span.first + step, length: span.length - step };
            Ok(Some((Bytes::from(bytes), (file, rest))))
        });
        read.await.unwrap_or_else(|error| Err(error.into()))
    })
}
