//! Copies of objects, and of ranges of them.

use aws_sdk_s3::{
    primitives::ByteStream,
    types::{
        ChecksumAlgorithm, ChecksumMode, ChecksumType, CompletedMultipartUpload, CompletedPart,
        MetadataDirective,
    },
};
use base64::{Engine, prelude::BASE64_STANDARD};
use futures::future::join;
use md5::{Digest, Md5};
use s3s::crypto::{Checksum, Sha256};

use crate::support::{Cloud, bytes, code, get_object, media, principal, put_object};

#[tokio::test]
async fn a_copy_has_the_bytes_and_the_attributes_it_is_given() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    let put = client
        .put_object()
        .bucket("media")
        .key("from a+b/ü")
        .content_type("a/b")
        .metadata("k", "v");
    let tag = put
        .body(ByteStream::from_static(b"bytes"))
        .send()
        .await
        .unwrap()
        .e_tag
        .unwrap();
    let copy = |to: &str| {
        let copy = client.copy_object().bucket("media").key(to);
        copy.copy_source("media/from%20a%2Bb/%C3%BC")
    };
    let result = copy("same")
        .send()
        .await
        .unwrap()
        .copy_object_result
        .unwrap();
    assert_eq!(result.e_tag(), Some(&*tag));
    let same = client
        .head_object()
        .bucket("media")
        .key("same")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (same.content_type(), &*same.metadata().unwrap()["k"]),
        (Some("a/b"), "v")
    );

    let other = copy("other")
        .metadata_directive(MetadataDirective::Replace)
        .content_type("c/d")
        .metadata("l", "w");
    other.send().await.unwrap();
    let other = client
        .head_object()
        .bucket("media")
        .key("other")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (other.content_type(), other.metadata().unwrap().get("k")),
        (Some("c/d"), None)
    );

    // A copy outlives its source.
    client
        .delete_object()
        .bucket("media")
        .key("from a+b/ü")
        .send()
        .await
        .unwrap();
    assert_eq!(get_object(&client, "same").await.unwrap(), b"bytes");
    assert_eq!(code(copy("late").send().await.unwrap_err()), "NoSuchKey");
    assert_eq!(cloud.object_files(), (2, 0));
}

#[tokio::test]
async fn colliding_etags_are_those_of_the_length_alone() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    cloud.emulators.collide_etags();
    for (key, bytes) in [("a", "one"), ("b", "two"), ("c", "three")] {
        put_object(&client, key, bytes.as_bytes()).await.unwrap();
    }
    client
        .copy_object()
        .bucket("media")
        .key("d")
        .copy_source("media/a")
        .send()
        .await
        .unwrap();
    let mut tags = Vec::new();
    for key in ["a", "b", "c", "d"] {
        tags.push(
            client
                .head_object()
                .bucket("media")
                .key(key)
                .send()
                .await
                .unwrap()
                .e_tag
                .unwrap(),
        );
    }
    assert!(
        tags[0] == tags[1] && tags[0] == tags[3] && tags[0] != tags[2],
        "{tags:?}"
    );
}

#[tokio::test]
async fn an_object_is_copied_to_itself_only_to_be_described_anew() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    put_object(&client, "k", "bytes").await.unwrap();
    let copy = || {
        client
            .copy_object()
            .bucket("media")
            .key("k")
            .copy_source("media/k")
    };
    assert_eq!(code(copy().send().await.unwrap_err()), "InvalidRequest");
    copy()
        .metadata_directive(MetadataDirective::Replace)
        .content_type("x/y")
        .send()
        .await
        .unwrap();
    let object = client
        .get_object()
        .bucket("media")
        .key("k")
        .send()
        .await
        .unwrap();
    assert_eq!(object.content_type(), Some("x/y"));
    assert_eq!(object.body.collect().await.unwrap().to_vec(), b"bytes");
    assert_eq!(cloud.object_files(), (1, 0));
}

#[tokio::test]
async fn a_copy_of_what_has_changed_meanwhile_is_refused() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    let old = put_object(&client, "staging", "old").await.unwrap();
    let new = put_object(&client, "staging", "new").await.unwrap();
    let copy = || {
        client
            .copy_object()
            .bucket("media")
            .key("final")
            .copy_source("media/staging")
    };
    assert_eq!(
        code(copy().copy_source_if_match(&old).send().await.unwrap_err()),
        "PreconditionFailed"
    );
    assert_eq!(
        code(
            copy()
                .copy_source_if_none_match(&new)
                .send()
                .await
                .unwrap_err()
        ),
        "PreconditionFailed"
    );
    assert_eq!(
        get_object(&client, "final").await,
        Err("NoSuchKey".to_owned())
    );
    copy()
        .copy_source_if_match(&new)
        .if_none_match("*")
        .send()
        .await
        .unwrap();
    assert_eq!(
        code(copy().if_none_match("*").send().await.unwrap_err()),
        "PreconditionFailed"
    );
    assert_eq!(
        code(copy().if_match(&old).send().await.unwrap_err()),
        "PreconditionFailed"
    );
    copy().if_match(&new).send().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_copy_is_of_one_object_however_often_its_source_changes() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    put_object(&client, "source", vec![0; 1000]).await.unwrap();
    let change = async {
        for round in 1..40_u8 {
            put_object(&client, "source", vec![round; 1000])
                .await
                .unwrap();
        }
    };
    let copy = async {
        for _ in 0..40 {
            let copy = client
                .copy_object()
                .bucket("media")
                .key("copy")
                .copy_source("media/source");
            let tag = copy
                .send()
                .await
                .unwrap()
                .copy_object_result
                .unwrap()
                .e_tag
                .unwrap();
            let copied = get_object(&client, "copy").await.unwrap();
            assert_eq!(tag, format!("\"{}\"", hex::encode(Md5::digest(&copied))));
            assert!(copied.iter().all(|byte| *byte == copied[0]));
        }
    };
    join(Box::pin(change), Box::pin(copy)).await;
    assert_eq!(cloud.object_files(), (2, 0));
}

#[tokio::test]
async fn ranges_of_objects_become_parts() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    let whole = bytes(5 * 1024 * 1024 + 100);
    let tag = put_object(&client, "source", whole.clone()).await.unwrap();
    let create = client
        .create_multipart_upload()
        .bucket("media")
        .key("joined")
        .send()
        .await
        .unwrap();
    let id = create.upload_id.unwrap();
    let part = |number: i32, range: String| {
        let part = client
            .upload_part_copy()
            .bucket("media")
            .key("joined")
            .upload_id(&id)
            .part_number(number);
        part.copy_source("media/source").copy_source_range(range)
    };
    let beyond = part(1, format!("bytes=0-{}", whole.len()))
        .send()
        .await
        .unwrap_err();
    assert_eq!(code(beyond), "InvalidArgument");
    let changed = part(1, "bytes=0-9".to_owned())
        .copy_source_if_match("\"other\"")
        .send()
        .await
        .unwrap_err();
    assert_eq!(code(changed), "PreconditionFailed");

    let mut parts = CompletedMultipartUpload::builder();
    for (number, range) in [
        (1, format!("bytes=100-{}", whole.len() - 1)),
        (2, "bytes=0-99".to_owned()),
    ] {
        let copied = part(number, range)
            .copy_source_if_match(&tag)
            .send()
            .await
            .unwrap()
            .copy_part_result
            .unwrap();
        let completed = CompletedPart::builder()
            .part_number(number)
            .set_e_tag(copied.e_tag);
        parts = parts.parts(completed.set_checksum_crc32(copied.checksum_crc32).build());
    }
    let complete = client
        .complete_multipart_upload()
        .bucket("media")
        .key("joined")
        .upload_id(&id);
    complete
        .multipart_upload(parts.build())
        .send()
        .await
        .unwrap();
    let joined = get_object(&client, "joined").await.unwrap();
    assert_eq!(joined, [&whole[100..], &whole[..100]].concat());

    // What is copied in one piece was not uploaded in parts, and its ETag says so.
    let copy = client
        .copy_object()
        .bucket("media")
        .key("copy")
        .copy_source("media/joined");
    let copied = copy.send().await.unwrap().copy_object_result.unwrap();
    assert_eq!(
        copied.e_tag(),
        Some(&*format!("\"{}\"", hex::encode(Md5::digest(&joined))))
    );
}

#[tokio::test]
async fn a_copy_gets_the_checksum_that_is_asked_for_over_all_its_bytes() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    let bytes = bytes(3 * 1024 * 1024 + 1);
    let put = client
        .put_object()
        .bucket("media")
        .key("from")
        .content_type("a/b")
        .body(bytes.clone().into());
    let tag = put.send().await.unwrap().e_tag.unwrap();
    let copy = |key: &str| {
        client
            .copy_object()
            .bucket("media")
            .key(key)
            .copy_source("media/from")
    };
    let copy = |key: &str| copy(key).checksum_algorithm(ChecksumAlgorithm::Sha256);
    let changed = copy("kept")
        .copy_source_if_match("\"other\"")
        .send()
        .await
        .unwrap_err();
    assert_eq!(
        (code(changed), cloud.object_files()),
        ("PreconditionFailed".to_owned(), (1, 0))
    );

    let sum = BASE64_STANDARD.encode(Sha256::checksum(&bytes));
    for (key, directive, content_type) in [
        ("kept", MetadataDirective::Copy, "a/b"),
        ("replaced", MetadataDirective::Replace, "c/d"),
    ] {
        let copy = copy(key)
            .copy_source_if_match(&tag)
            .metadata_directive(directive)
            .content_type("c/d");
        let result = copy.send().await.unwrap().copy_object_result.unwrap();
        assert_eq!(
            (result.checksum_sha256(), result.e_tag()),
            (Some(&*sum), Some(&*tag))
        );
        assert_eq!(
            (result.checksum_type(), result.checksum_crc32()),
            (Some(&ChecksumType::FullObject), None)
        );
        let head = client
            .head_object()
            .bucket("media")
            .key(key)
            .checksum_mode(ChecksumMode::Enabled);
        let head = head.send().await.unwrap();
        assert_eq!(
            (head.checksum_sha256(), head.content_type()),
            (Some(&*sum), Some(content_type))
        );
        assert_eq!(get_object(&client, key).await.unwrap(), bytes);
    }
    let unknown = copy("kept")
        .checksum_algorithm("MD4".into())
        .send()
        .await
        .unwrap_err();
    assert_eq!(code(unknown), "InvalidRequest");
}

#[tokio::test]
async fn a_copy_needs_the_right_to_read_and_to_write() {
    let cloud = Cloud::with(&media()).await;
    let (staging, kept) = ("arn:aws:s3:::media/staging/*", "arn:aws:s3:::media/kept/*");
    cloud.emulators.admit(principal(
        "keeper",
        &[("s3:GetObject", staging), ("s3:PutObject", kept)],
    ));
    cloud
        .emulators
        .admit(principal("reader", &[("s3:GetObject", staging)]));
    cloud
        .emulators
        .admit(principal("writer", &[("s3:PutObject", kept)]));
    put_object(&cloud.s3("operator"), "staging/a", "bytes")
        .await
        .unwrap();
    for (principal, expected) in [
        ("reader", Err("AccessDenied")),
        ("writer", Err("AccessDenied")),
        ("keeper", Ok(())),
    ] {
        let copy = cloud
            .s3(principal)
            .copy_object()
            .bucket("media")
            .key("kept/a")
            .copy_source("media/staging/a");
        assert_eq!(
            copy.send().await.map(drop).map_err(code),
            expected.map_err(str::to_owned),
            "{principal}"
        );
    }
    assert_eq!(
        get_object(&cloud.s3("operator"), "kept/a").await.unwrap(),
        b"bytes"
    );
}
