//! Reads, copies and deletions of objects in the bucket.

use ::bucket::{
    Bucket, BucketError, Copied, CopyOutcome, MAX_DELETED_OBJECTS, MAX_LISTED_OBJECTS, ObjectHead,
    ObjectKey, PutGrant,
};
use aws_sdk_s3::{Client, types::MetadataDirective};
use bytes::Bytes;
use domain::{
    env::Timestamp,
    id::{FileId, Revision, SpaceId},
};
use emulators::{AsyncClock, InjectedError, Service::S3};
use futures::future::join;
use hex::encode;
use runtime::context::Settings;
use sha2::{Digest, Sha256};
use tests::{Stack, minutes, stack_test};

/// Size of an object that is copied in two parts, the second a short one, in bytes.
const IN_PARTS: usize = (128 << 20) + 5;

/// A bucket, and the keys of one file: where clients send the bytes and where they are stored.
struct BucketFixture<'a> {
    stack: &'a Stack,
    bucket: Bucket,
    client: Client,
    bucket_name: String,
    space: SpaceId,
    staged: ObjectKey,
    stored: ObjectKey,
}

/// Returns the bucket with the permissions of a function.
fn bucket_of(stack: &Stack, binary: &str) -> Bucket {
    let context = stack.local.environment_of(binary).expect("a function");
    Settings::of(&context).bucket()
}

impl BucketFixture<'_> {
    async fn new(stack: &Stack) -> BucketFixture<'_> {
        let context = stack.unrestricted_context();
        let mut settings = Settings::of(&context);
        let client = settings.s3();
        let bucket_name = settings.text("BUCKET_NAME");
        let bucket = settings.bucket();
        let space = SpaceId::new(&context.env);
        let file = FileId::new(&context.env);

        BucketFixture {
            stack,
            bucket,
            client,
            bucket_name,
            space,
            staged: ObjectKey::staged(space, file),
            stored: ObjectKey::original(space, file, Revision::MIN),
        }
    }

    /// Uploads bytes with a presigned URL.
    async fn send(&self, bytes: impl Into<Bytes>) {
        let bytes = bytes.into();
        let grant = PutGrant {
            content_type: "text/plain",
            size_bytes: bytes.len() as u64,
            now: Timestamp::from_ms(self.stack.clock.now_ms()),
            lifetime: minutes(60),
        };
        let url = self.bucket.presign_put(&self.staged, grant).await;

        let anonymous = &self.stack.anonymous;
        let put = anonymous.request("PUT", &url.expect("an address").url);
        let put = put.header("content-type", "text/plain").body(bytes);
        anonymous.send(put).await.expect_status(200);
    }

    /// Copies an object inside the S3 emulator, which is fast for any size.
    async fn put_copy(&self, from: &ObjectKey, to: &ObjectKey) {
        let source = format!("{}/{}", self.bucket_name, from.as_str());
        let copy = self
            .client
            .copy_object()
            .bucket(&self.bucket_name)
            .key(to.as_str())
            .copy_source(source)
            .metadata_directive(MetadataDirective::Replace);
        copy.send().await.expect("a copy");
    }

    async fn head(&self, key: &ObjectKey, bytes: u64) -> Option<ObjectHead> {
        self.bucket
            .head_with_prefix(key, bytes)
            .await
            .expect("an answer")
    }

    async fn copy(&self, declared_size: usize) -> Result<CopyOutcome, BucketError> {
        self.bucket
            .copy(&self.staged, declared_size as u64, &self.stored)
            .await
    }

    /// Asserts that a copy ends with these bytes at its target.
    async fn assert_copies(&self, bytes: &str) {
        let copied = self.copy(bytes.len()).await.expect("a copy");
        let expected = CopyOutcome::Copied(Copied {
            checksum_sha256: Some(encode(Sha256::digest(bytes))),
        });
        assert_eq!(copied, expected);
        let stored = self.read(&self.stored).await.expect("the copy");
        assert_eq!(stored, bytes.as_bytes());
    }

    async fn read(&self, key: &ObjectKey) -> Option<Vec<u8>> {
        let mut object = self.bucket.open(key).await.expect("an answer")?;
        let mut bytes = Vec::new();
        while let Some(chunk) = object.next().await.expect("its bytes") {
            bytes.extend_from_slice(&chunk);
        }
        assert_eq!(object.size_bytes(), bytes.len() as u64);
        Some(bytes)
    }
}

#[stack_test]
async fn read_returns_object_or_its_first_bytes_and_size(stack: &Stack) {
    let fixture = BucketFixture::new(stack).await;
    let key = &fixture.staged;
    assert_eq!(fixture.head(key, 5).await, None);
    assert_eq!(fixture.read(key).await, None);

    for (sent, prefix) in [("", ""), ("a", "a"), ("twelve bytes", "twelv")] {
        stack.put_object(key.as_str(), sent.as_bytes()).await;
        let head = fixture.head(key, 5).await.expect("an object");
        assert_eq!(head.size_bytes, sent.len() as u64);
        assert_eq!(head.prefix, prefix);
        assert_eq!(fixture.read(key).await.as_deref(), Some(sent.as_bytes()));
    }
}

#[stack_test]
async fn copy_copies_current_source_and_never_overwrites_target(stack: &Stack) {
    let fixture = BucketFixture::new(stack).await;
    let absent = fixture.copy(5).await.expect("an answer");
    assert_eq!(absent, CopyOutcome::Absent);
    assert_eq!(fixture.head(&fixture.stored, 1).await, None);

    fixture.send("first").await;
    fixture.assert_copies("first").await;

    // A late attempt of the same copy finds the key taken.
    fixture.send("other").await;
    fixture.assert_copies("first").await;

    // A retry by the AWS client does too, after a lost response.
    fixture.bucket.delete(&fixture.stored).await.expect("gone");
    let faults = stack.local.faults();
    faults.lose_response(S3, "CopyObject", 1);
    fixture.assert_copies("other").await;
}

#[stack_test]
async fn multipart_copy_succeeds_whole_or_leaves_nothing(stack: &Stack) {
    let fixture = BucketFixture::new(stack).await;
    let bytes: Bytes = tests::noise(1, IN_PARTS).into();
    let absent = fixture.copy(IN_PARTS).await.expect("an answer");
    assert_eq!(absent, CopyOutcome::Absent);
    fixture.send(bytes.clone()).await;
    let other_size = fixture.copy(IN_PARTS + 1).await.expect("an answer");
    assert_eq!(other_size, CopyOutcome::OtherSize);
    assert_eq!(fixture.head(&fixture.stored, 1).await, None);

    // If a call of the copy fails permanently, no part of it remains.
    for (binary, operation, must_abort) in [
        ("uploads", "CreateMultipartUpload", false),
        ("uploads", "UploadPartCopy", true),
        ("confirm-check", "CompleteMultipartUpload", true),
    ] {
        let error = InjectedError::new(400, "InvalidArgument");
        stack.local.faults().fail(S3, operation, 1, error);
        let bucket = bucket_of(stack, binary);
        let copy = bucket.copy(&fixture.staged, IN_PARTS as u64, &fixture.stored);
        let run = Box::pin(stack.calls_of(copy)).await;
        let is_rejected = matches!(run.output, Err(BucketError::Rejected(_)));
        assert!(is_rejected, "{operation}: {:?}", run.output);
        let abort = format!("{binary} AbortMultipartUpload");
        assert_eq!(run.calls.contains(&abort), must_abort, "{operation}");
        assert_eq!(fixture.head(&fixture.stored, 1).await, None, "{operation}");
    }

    let expected = CopyOutcome::Copied(Copied {
        checksum_sha256: None,
    });
    assert_eq!(fixture.copy(IN_PARTS).await.expect("a copy"), expected);
    let stored = fixture.head(&fixture.stored, 4).await.expect("the copy");
    assert_eq!(stored.size_bytes, IN_PARTS as u64);
    assert_eq!(stored.prefix, bytes[..4]);
    let stored = fixture.read(&fixture.stored).await.expect("the copy");
    assert!(stored == bytes, "other bytes were copied");
}

#[stack_test]
async fn multipart_copy_fails_as_busy_if_source_is_replaced(stack: &Stack) {
    let fixture = BucketFixture::new(stack).await;
    // Uploaded first: the deadline of a held call runs, and an upload may take longer.
    let mut versions = Vec::new();
    for seed in [1, 2] {
        let file = FileId::new(&stack.unrestricted_context().env);
        let version = ObjectKey::staged(fixture.space, file);
        fixture.send(tests::noise(seed, IN_PARTS)).await;
        fixture.put_copy(&fixture.staged, &version).await;
        versions.push(version);
    }

    // Before the third and the fourth call: after HeadObject and CreateMultipartUpload, and between
    // the parts.
    for (call, other) in [2, 3].into_iter().zip(&versions) {
        let mut hold = fixture.stack.local.faults().hold("unrestricted", call);
        let replace = async {
            hold.reached().await;
            fixture.put_copy(other, &fixture.staged).await;
            hold.release();
        };
        let (copied, ()) = Box::pin(join(fixture.copy(IN_PARTS), replace)).await;
        assert!(
            matches!(copied, Err(BucketError::Busy(_))),
            "{call}: {copied:?}"
        );
        assert_eq!(fixture.head(&fixture.stored, 1).await, None, "{call}");
    }
}

#[stack_test]
async fn purge_deletes_stored_and_staged_objects_of_one_space_only(stack: &Stack) {
    let bucket = bucket_of(stack, "purge");
    let env = stack.unrestricted_context().env;
    let space = SpaceId::new(&env);
    let other = SpaceId::new(&env);
    for owner in [space, other] {
        let file = FileId::new(&env);
        for key in [
            ObjectKey::original(owner, file, Revision::MIN),
            ObjectKey::watermark(owner, Revision::MIN),
            ObjectKey::staged(owner, file),
        ] {
            stack.put_object(key.as_str(), b"bytes").await;
        }
    }
    while bucket
        .purge_page(space, MAX_LISTED_OBJECTS)
        .await
        .expect("a page")
    {}
    let remaining: Vec<String> = stack.dump().await.objects.into_keys().collect();
    assert_eq!(remaining.len(), 3);
    assert!(
        remaining.iter().all(|key| key.contains(&other.to_string())),
        "{remaining:?}"
    );

    let keys: Vec<ObjectKey> = (0..MAX_DELETED_OBJECTS)
        .map(|_| ObjectKey::staged(other, FileId::new(&env)))
        .collect();
    let deleted = bucket.delete_many(&keys).await;
    deleted.expect("deleting missing objects succeeds");
    bucket.delete_many(&[]).await.expect("nothing is done");
}

/// More renditions of one file than one list contains, the last of them in a second one.
#[stack_test]
async fn purge_of_a_file_deletes_objects_on_all_pages(stack: &Stack) {
    let fixture = BucketFixture::new(stack).await;
    let file = FileId::new(&stack.unrestricted_context().env);
    for index in 0..=MAX_LISTED_OBJECTS {
        let key = format!("_objects/{}/renditions/{file}/0/{index}", fixture.space);
        stack.put_object(&key, b"bytes").await;
    }

    let purge = bucket_of(stack, "purge");
    let observed = stack.calls_of(purge.purge_file(fixture.space, file)).await;

    observed.output.expect("a purge");
    assert!(stack.dump().await.objects.is_empty());
    let is_list = |call: &&String| call.ends_with(" ListObjectsV2");
    assert_eq!(observed.calls.iter().filter(is_list).count(), 4);
}
