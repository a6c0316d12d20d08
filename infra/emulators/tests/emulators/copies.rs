//! Copies of objects.

use aws_sdk_s3::{
    Client,
    operation::{copy_object::builders::CopyObjectFluentBuilder, head_object::HeadObjectOutput},
    types::{ChecksumAlgorithm, ChecksumMode, ChecksumType, MetadataDirective},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use futures::future::join;
use md5::{Digest, Md5};
use s3s::crypto::{Checksum, Sha256};

use crate::support::{
    Emulation, ObjectFiles, allow, bytes, code, get_object, media, principal, put_object,
};

/// A key whose `x-amz-copy-source` has to be percent-encoded.
const SPECIAL_KEY: &str = "from a+b/ü";
const SPECIAL_SOURCE: &str = "media/from%20a%2Bb/%C3%BC";

/// Copies an object with the headers of the request, as the functions do.
fn copy(client: &Client, source: &str, key: &str) -> CopyObjectFluentBuilder {
    client
        .copy_object()
        .bucket("media")
        .key(key)
        .copy_source(source)
        .metadata_directive(MetadataDirective::Replace)
}

async fn head(client: &Client, key: &str) -> HeadObjectOutput {
    client
        .head_object()
        .bucket("media")
        .key(key)
        .checksum_mode(ChecksumMode::Enabled)
        .send()
        .await
        .unwrap()
}

/// Puts an object with content type `a/b` and metadata `k: v`, and returns its ETag.
async fn put_with_headers(client: &Client, key: &str, body: Vec<u8>) -> String {
    let put = client
        .put_object()
        .bucket("media")
        .key(key)
        .content_type("a/b")
        .metadata("k", "v")
        .body(body.into());
    put.send().await.unwrap().e_tag.unwrap()
}

#[tokio::test]
async fn copy_has_bytes_and_etag_of_its_source_and_new_headers() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let tag = put_with_headers(&client, SPECIAL_KEY, b"bytes".to_vec()).await;

    let output = copy(&client, SPECIAL_SOURCE, "copy")
        .content_type("c/d")
        .metadata("l", "w")
        .send()
        .await
        .unwrap();

    let result = output.copy_object_result.unwrap();
    assert_eq!(result.e_tag(), Some(&*tag));
    let head = head(&client, "copy").await;
    assert_eq!(head.content_type(), Some("c/d"));
    assert_eq!(head.metadata().unwrap().get("k"), None);
    assert_eq!(head.metadata().unwrap()["l"], "w");
    assert_eq!(get_object(&client, "copy").await.unwrap(), b"bytes");
}

#[tokio::test]
async fn copy_outlives_its_source() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "source", "bytes").await.unwrap();
    copy(&client, "media/source", "copy").send().await.unwrap();

    client
        .delete_object()
        .bucket("media")
        .key("source")
        .send()
        .await
        .unwrap();

    assert_eq!(get_object(&client, "copy").await.unwrap(), b"bytes");

    let late = copy(&client, "media/source", "late").send().await;
    assert_eq!(code(late.unwrap_err()), "NoSuchKey");
    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
}

#[tokio::test]
async fn colliding_etags_depend_only_on_length() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    emulation.emulators.collide_etags();
    for (key, body) in [("a", "one"), ("b", "two"), ("longer", "three")] {
        put_object(&client, key, body.as_bytes()).await.unwrap();
    }

    copy(&client, "media/a", "copy").send().await.unwrap();

    let tag = head(&client, "a").await.e_tag;
    assert_eq!(head(&client, "b").await.e_tag, tag);
    assert_eq!(head(&client, "copy").await.e_tag, tag);
    assert_ne!(head(&client, "longer").await.e_tag, tag);
}

#[tokio::test]
async fn copy_to_itself_replaces_its_headers() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "k", "bytes").await.unwrap();

    let copy = copy(&client, "media/k", "k").content_type("x/y");
    copy.send().await.unwrap();

    assert_eq!(head(&client, "k").await.content_type(), Some("x/y"));
    assert_eq!(get_object(&client, "k").await.unwrap(), b"bytes");
    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
}

#[tokio::test]
async fn copy_of_changed_source_fails() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let old = put_object(&client, "staging", "old").await.unwrap();
    let new = put_object(&client, "staging", "new").await.unwrap();
    let copy = || copy(&client, "media/staging", "final");

    let outdated = copy().copy_source_if_match(&old).send().await;
    assert_eq!(code(outdated.unwrap_err()), "PreconditionFailed");

    let absent = get_object(&client, "final").await;
    assert_eq!(absent, Err("NoSuchKey".to_owned()));

    copy().copy_source_if_match(&new).send().await.unwrap();
    assert_eq!(get_object(&client, "final").await.unwrap(), b"new");
}

#[tokio::test]
async fn copy_over_existing_target_fails_on_condition() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "staging", "bytes").await.unwrap();
    let copy = || copy(&client, "media/staging", "final");

    copy().if_none_match("*").send().await.unwrap();
    let again = copy().if_none_match("*").send().await.unwrap_err();
    assert_eq!(code(again), "PreconditionFailed");
    copy().send().await.unwrap();
}

#[tokio::test]
async fn other_copies_are_not_emulated() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let tag = put_object(&client, "staging", "bytes").await.unwrap();
    let copy = || copy(&client, "media/staging", "final");

    for not_emulated in [
        copy().metadata_directive(MetadataDirective::Copy),
        copy().checksum_algorithm(ChecksumAlgorithm::Crc32),
        copy().copy_source_if_none_match(&tag),
        copy().if_match(&tag),
    ] {
        let error = not_emulated.send().await.unwrap_err();
        assert_eq!(code(error), "NotImplemented");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn copy_during_writes_has_bytes_of_one_version() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "source", vec![0; 1000]).await.unwrap();

    let change = async {
        for round in 1..40_u8 {
            let body = vec![round; 1000];
            put_object(&client, "source", body).await.unwrap();
        }
    };

    let copy_repeatedly = async {
        for _ in 0..40 {
            let output = copy(&client, "media/source", "copy").send().await.unwrap();
            let tag = output.copy_object_result.unwrap().e_tag.unwrap();
            let copied = get_object(&client, "copy").await.unwrap();
            assert_eq!(tag, format!("\"{}\"", hex::encode(Md5::digest(&copied))));
            assert!(copied.iter().all(|byte| *byte == copied[0]));
        }
    };

    join(Box::pin(change), Box::pin(copy_repeatedly)).await;
    assert_eq!(emulation.object_files(), ObjectFiles::finished(2));
}

#[tokio::test]
async fn copy_has_requested_checksum_of_all_bytes() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let body = bytes(3 * 1024 * 1024 + 1);
    let tag = put_with_headers(&client, "source", body.clone()).await;
    let checksum = BASE64_STANDARD.encode(Sha256::checksum(&body));

    let output = copy(&client, "media/source", "copy")
        .checksum_algorithm(ChecksumAlgorithm::Sha256)
        .copy_source_if_match(&tag)
        .send()
        .await
        .unwrap();

    let result = output.copy_object_result.unwrap();
    assert_eq!(result.checksum_sha256(), Some(&*checksum));
    assert_eq!(result.checksum_type(), Some(&ChecksumType::FullObject));
    assert_eq!(result.e_tag(), Some(&*tag));
    assert_eq!(
        head(&client, "copy").await.checksum_sha256(),
        Some(&*checksum)
    );
    assert_eq!(get_object(&client, "copy").await.unwrap(), body);
}

#[tokio::test]
async fn failed_copy_with_checksum_leaves_no_file() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "source", "bytes").await.unwrap();

    let changed = copy(&client, "media/source", "copy")
        .checksum_algorithm(ChecksumAlgorithm::Sha256)
        .copy_source_if_match("\"other\"")
        .send()
        .await;
    assert_eq!(code(changed.unwrap_err()), "PreconditionFailed");

    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
}

#[tokio::test]
async fn copy_requires_permission_to_read_source_and_write_target() {
    let emulation = Emulation::with(&media()).await;
    let read = allow("s3:GetObject", "arn:aws:s3:::media/staging/*");
    let write = allow("s3:PutObject", "arn:aws:s3:::media/final/*");
    emulation
        .emulators
        .register_principal(principal("reader", [read.clone()]));
    emulation
        .emulators
        .register_principal(principal("writer", [write.clone()]));
    emulation
        .emulators
        .register_principal(principal("mover", [read, write]));

    let client = emulation.s3("unrestricted");
    put_object(&client, "staging/a", "bytes").await.unwrap();

    for name in ["reader", "writer"] {
        let client = emulation.s3(name);
        let denied = copy(&client, "media/staging/a", "final/a").send().await;
        assert_eq!(code(denied.unwrap_err()), "AccessDenied", "{name}");
    }

    let mover = emulation.s3("mover");
    copy(&mover, "media/staging/a", "final/a")
        .send()
        .await
        .unwrap();
    assert_eq!(get_object(&client, "final/a").await.unwrap(), b"bytes");
}
