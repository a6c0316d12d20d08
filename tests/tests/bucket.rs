//! What becomes of bytes that somebody sent to storage: looked at, copied as they were seen, or not at all.

use ::bucket::{Bucket, Copied, DELETE_MANY_MAX, Error, LIST_MAX, Looked, ObjectKey, Seen};
use bytes::Bytes;
use domain::{FileId, Revision, SpaceId, Timestamp};
use emulators::{Clock, Service::S3};
use futures::TryStreamExt;
use hex::encode;
use runtime::Settings;
use sha2::{Digest, Sha256};
use tests::{Stack, minutes};

/// Bytes of an object that is copied in parts: two of them, the second a short one.
const IN_PARTS: usize = (128 << 20) + 5;

/// A bucket with one file's keys: where its bytes are sent, and where they are to be kept.
struct Place {
    stack: Stack,
    bucket: Bucket,
    staged: ObjectKey,
    kept: ObjectKey,
}

impl Place {
    async fn start() -> Place {
        let stack = Stack::start().await;
        let environment = stack.operator();
        let mut settings = Settings::of(&environment.variables);
        let bucket = Bucket::new(runtime::s3(&mut settings), settings.text("BUCKET_NAME"));
        let (space, file) = (SpaceId::new(&environment.sources), FileId::new(&environment.sources));
        Place {
            stack,
            bucket,
            staged: ObjectKey::staged(space, file),
            kept: ObjectKey::original(space, file, Revision::FIRST),
        }
    }

    /// Sends bytes as a client does.
    async fn send(&self, bytes: impl Into<Bytes>) {
        let (bytes, now) = (bytes.into(), Timestamp::from_ms(self.stack.clock.now_ms()));
        let length_bytes = bytes.len() as u64;
        let url = self.bucket.presign_put(&self.staged, "text/plain", length_bytes, now, minutes(60)).await;
        let put = reqwest::Client::new().put(url.expect("an address")).header("content-type", "text/plain");
        assert_eq!(put.body(bytes).send().await.expect("an answer").status(), 200);
    }

    async fn looked(&self, key: &ObjectKey, bytes: u64) -> Option<Looked> {
        self.bucket.look(key, bytes).await.expect("a look")
    }

    async fn copy(&self, seen: &Looked) -> Result<Seen<Copied>, Error> {
        self.bucket.copy(&self.staged, &seen.etag, seen.size_bytes, &self.kept, "image/png").await
    }

    async fn read(&self, seen: &Looked) -> Option<Bytes> {
        match self.bucket.get_seen(&self.staged, &seen.etag).await.expect("an answer") {
            Seen::Same(stream) => Some(stream.try_collect::<Vec<Bytes>>().await.expect("its bytes").concat().into()),
            Seen::Changed => None,
        }
    }
}

#[tokio::test]
async fn a_look_tells_size_and_beginning_of_what_is_there() {
    let place = Place::start().await;
    assert_eq!(place.looked(&place.staged, 5).await, None);
    for (sent, beginning) in [("", ""), ("a", "a"), ("twelve bytes", "twelv")] {
        place.stack.put_object(place.staged.as_str(), sent.as_bytes()).await;
        let looked = place.looked(&place.staged, 5).await.expect("an object");
        assert_eq!((looked.size_bytes, &looked.beginning[..]), (sent.len() as u64, beginning.as_bytes()));
        assert_eq!(place.read(&looked).await.expect("the same"), sent);
        assert!(matches!(place.copy(&looked).await, Ok(Seen::Same(_))), "{sent}");
    }
    place.stack.stop().await;
}

#[tokio::test]
async fn only_what_was_seen_is_read_and_copied() {
    let place = Place::start().await;
    place.send("as it was seen").await;
    let seen = place.looked(&place.staged, 100).await.expect("an object");
    let copied = place.copy(&seen).await.expect("a copy");
    assert_eq!(copied, Seen::Same(Copied { checksum_sha256: Some(encode(Sha256::digest("as it was seen"))) }));
    let kept = place.looked(&place.kept, 100).await.expect("the copy");
    assert_eq!(&kept.beginning[..], b"as it was seen");

    place.send("as it is since").await;
    assert_eq!(place.read(&seen).await, None);
    assert_eq!(place.copy(&seen).await.expect("an answer"), Seen::Changed);
    place.bucket.delete(&place.staged).await.expect("gone");
    assert_eq!(place.read(&seen).await, None);
    assert_eq!(place.copy(&seen).await.expect("an answer"), Seen::Changed);
    assert_eq!(place.looked(&place.kept, 100).await, Some(kept));
    place.stack.stop().await;
}

#[tokio::test]
async fn a_large_object_is_copied_in_parts_or_not_at_all() {
    let place = Place::start().await;
    let bytes: Bytes = tests::noise(1, IN_PARTS).into();
    place.send(bytes.clone()).await;
    let seen = place.looked(&place.staged, 4).await.expect("an object");
    let kinds = |calls: Vec<String>| calls.into_iter().collect::<std::collections::BTreeSet<_>>();

    // Each call of a copy fails for good, and then nothing is kept of it.
    for operation in ["CreateMultipartUpload", "UploadPartCopy", "CompleteMultipartUpload"] {
        place.stack.cloud.faults().refuse(S3, operation, 1, 400, "InvalidArgument");
        let (copied, calls) = Box::pin(place.stack.calls_of(place.copy(&seen))).await;
        assert!(matches!(copied, Err(Error::Refused(_))), "{operation}: {copied:?}");
        let is_aborted = kinds(calls).contains("operator AbortMultipartUpload");
        assert_eq!(is_aborted, operation != "CreateMultipartUpload", "{operation}");
        assert_eq!(place.looked(&place.kept, 1).await, None, "{operation}");
    }
    assert_eq!(place.copy(&seen).await.expect("a copy"), Seen::Same(Copied { checksum_sha256: None }));
    let kept = place.looked(&place.kept, 4).await.expect("the copy");
    assert_eq!((kept.size_bytes, &kept.beginning[..]), (IN_PARTS as u64, &bytes[..4]));
    let objects = place.stack.dump().await.objects;
    assert_eq!(objects[place.kept.as_str()], encode(Sha256::digest(&bytes)));

    place.bucket.delete(&place.kept).await.expect("gone");
    place.send("another").await;
    assert_eq!(place.copy(&seen).await.expect("an answer"), Seen::Changed);
    assert_eq!(place.looked(&place.kept, 1).await, None);
    place.stack.stop().await;
}

#[tokio::test]
async fn a_purge_takes_what_is_kept_and_what_was_sent_of_one_space_alone() {
    let place = Place::start().await;
    let sources = place.stack.operator().sources;
    let (space, other) = (SpaceId::new(&sources), SpaceId::new(&sources));
    for owner in [space, other] {
        let file = FileId::new(&sources);
        for key in [ObjectKey::original(owner, file, Revision::FIRST), ObjectKey::staged(owner, file)] {
            place.stack.put_object(key.as_str(), b"bytes").await;
        }
    }
    while place.bucket.purge_page(space, LIST_MAX).await.expect("a page") {}
    let left: Vec<String> = place.stack.dump().await.objects.into_keys().collect();
    assert_eq!(left.len(), 2);
    assert!(left.iter().all(|key| key.contains(&other.to_string())), "{left:?}");

    let keys: Vec<ObjectKey> = (0..DELETE_MANY_MAX).map(|_| ObjectKey::staged(other, FileId::new(&sources))).collect();
    place.bucket.delete_many(&keys).await.expect("what is not there is gone");
    place.bucket.delete_many(&[]).await.expect("nothing is done");
    place.stack.stop().await;
}
