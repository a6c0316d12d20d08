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

use crate::support::{Emulation, ObjectFiles, bytes, code};

/// A key whose `x-amz-copy-source` has to be percent-encoded.
const SPECIAL_KEY: &str = "from a+b/ü";
const SPECIAL_SOURCE: &str = "media/from%20a%2Bb/%C3%BC";

/// Copies an object with the headers of the request, as the functions do.
pub(crate) fn copy(client: &Client, source: &str, key: &str) -> CopyObjectFluentBuilder {
    client
        .copy_object()
        .bucket("media")
        .key(key)
        .copy_source(source)
        .metadata_directive(MetadataDirective::Replace)
}

async fn head(client: &Client, key: &str) -> HeadObjectOutput {
    let head = client.head_object().bucket("media").key(key);
    let head = head.checksum_mode(ChecksumMode::Enabled);
    head.send().await.unwrap()
}

#[tokio::test]
async fn copy_has_bytes_etag_and_checksum_of_its_source_and_new_headers() {
    let emulation = Emulation::start().await;
    let client = emulation.s3("unrestricted");
    let body = bytes(3 * 1024 * 1024 + 1);
    let sha256 = BASE64_STANDARD.encode(Sha256::checksum(&body));
    let put = client.put_object().bucket("media").key(SPECIAL_KEY);
    let put = put.content_type("a/b").metadata("k", "v");
    let source = put.body(body.clone().into()).send().await.unwrap();

    for (algorithm, checksum, checksum_type) in [
        (None, None, None),
        (
            Some(ChecksumAlgorithm::Sha256),
            Some(sha256.as_str()),
            Some(&ChecksumType::FullObject),
        ),
    ] {
        let copy = copy(&client, SPECIAL_SOURCE, "copy")
            .content_type("c/d")
            .metadata("l", "w")
            .copy_source_if_match(source.e_tag().unwrap())
            .set_checksum_algorithm(algorithm);
        let result = copy.send().await.unwrap().copy_object_result.unwrap();

        assert_eq!(result.e_tag(), source.e_tag());
        assert_eq!(result.checksum_sha256(), checksum);
        assert_eq!(result.checksum_type(), checksum_type);
        let head = head(&client, "copy").await;
        assert_eq!(head.checksum_sha256(), checksum);
        assert_eq!(head.content_type(), Some("c/d"));
        assert_eq!(head.metadata().unwrap().get("k"), None);
        assert_eq!(head.metadata().unwrap()["l"], "w");
        assert_eq!(emulation.get_object("copy").await.unwrap(), body);
    }
}

#[tokio::test]
async fn copy_outlives_its_source_and_replaces_its_own_headers() {
    let emulation = Emulation::start().await;
    let client = emulation.s3("unrestricted");
    emulation.put_object("source", "bytes").await.unwrap();
    let first = copy(&client, "media/source", "copy").send().await;
    first.unwrap();

    emulation.delete_objects(&["source"]).await.unwrap();
    let replaced = copy(&client, "media/copy", "copy").content_type("x/y");
    replaced.send().await.unwrap();
    let late = copy(&client, "media/source", "late").send().await;

    assert_eq!(code(late.unwrap_err()), "NoSuchKey");
    assert_eq!(emulation.get_object("copy").await.unwrap(), b"bytes");
    assert_eq!(head(&client, "copy").await.content_type(), Some("x/y"));
    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
}

#[tokio::test]
async fn colliding_etags_depend_only_on_length() {
    let emulation = Emulation::start().await;
    let client = emulation.s3("unrestricted");
    emulation.emulators.collide_etags();
    for (key, body) in [("a", "one"), ("b", "two"), ("longer", "three")] {
        emulation.put_object(key, body).await.unwrap();
    }

    copy(&client, "media/a", "copy").send().await.unwrap();

    let tag = head(&client, "a").await.e_tag;
    assert_eq!(head(&client, "b").await.e_tag, tag);
    assert_eq!(head(&client, "copy").await.e_tag, tag);
    assert_ne!(head(&client, "longer").await.e_tag, tag);
}

#[tokio::test]
async fn copy_fails_if_its_source_has_changed_or_its_target_exists() {
    let emulation = Emulation::start().await;
    let client = emulation.s3("unrestricted");
    let old = emulation.put_object("staging", "old").await.unwrap();
    let new = emulation.put_object("staging", "new").await.unwrap();
    let copy = || copy(&client, "media/staging", "final");

    for algorithm in [None, Some(ChecksumAlgorithm::Sha256)] {
        let outdated = copy().copy_source_if_match(&old);
        let outdated = outdated.set_checksum_algorithm(algorithm).send().await;
        assert_eq!(code(outdated.unwrap_err()), "PreconditionFailed");
        let absent = emulation.get_object("final").await;
        assert_eq!(absent, Err("NoSuchKey".to_owned()));
        assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
    }

    let first = copy().copy_source_if_match(&new).if_none_match("*");
    first.send().await.unwrap();
    assert_eq!(emulation.get_object("final").await.unwrap(), b"new");
    let again = copy().if_none_match("*").send().await;
    assert_eq!(code(again.unwrap_err()), "PreconditionFailed");
    copy().send().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn copy_during_writes_has_bytes_of_one_version() {
    let emulation = Emulation::start().await;
    let client = emulation.s3("unrestricted");
    emulation.put_object("source", vec![0; 1000]).await.unwrap();

    let change = async {
        for round in 1..40_u8 {
            let body = vec![round; 1000];
            emulation.put_object("source", body).await.unwrap();
        }
    };

    let copy_repeatedly = async {
        for _ in 0..40 {
            let output = copy(&client, "media/source", "copy").send().await.unwrap();
            let tag = output.copy_object_result.unwrap().e_tag.unwrap();
            let copied = emulation.get_object("copy").await.unwrap();
            assert_eq!(tag, format!("\"{}\"", hex::encode(Md5::digest(&copied))));
            assert!(copied.iter().all(|byte| *byte == copied[0]));
        }
    };

    join(Box::pin(change), Box::pin(copy_repeatedly)).await;
    assert_eq!(emulation.object_files(), ObjectFiles::finished(2));
}
