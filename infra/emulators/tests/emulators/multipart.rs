//! Objects that come in parts.

use aws_sdk_s3::{
    Client,
    config::RequestChecksumCalculation,
    operation::complete_multipart_upload::CompleteMultipartUploadError,
    primitives::ByteStream,
    types::{
        ChecksumAlgorithm, ChecksumMode, ChecksumType, CompletedMultipartUpload, CompletedPart,
    },
};
use base64::{Engine, prelude::BASE64_STANDARD};
use md5::{Digest, Md5};
use s3s::crypto::Crc32;
use template::{Bucket, LifecycleRule, Stack};

use crate::support::{
    Cloud, DAY_SECONDS, bucket, bytes, code, get_object, media, principal, put_object,
};

/// The smallest part that may be followed by another.
const PART: usize = 5 * 1024 * 1024;

async fn begin(client: &Client, key: &str) -> String {
    let create = client.create_multipart_upload().bucket("media").key(key);
    let create = create.content_type("video/mp4").metadata("a", "b");
    create.send().await.unwrap().upload_id.unwrap()
}

async fn upload(
    client: &Client,
    key: &str,
    id: &str,
    number: i32,
    body: Vec<u8>,
) -> Result<CompletedPart, String> {
    let part = client
        .upload_part()
        .bucket("media")
        .key(key)
        .upload_id(id)
        .part_number(number);
    let part = part
        .body(ByteStream::from(body))
        .send()
        .await
        .map_err(code)?;
    let completed = CompletedPart::builder()
        .part_number(number)
        .set_e_tag(part.e_tag);
    Ok(completed.set_checksum_crc32(part.checksum_crc32).build())
}

async fn complete(
    client: &Client,
    key: &str,
    id: &str,
    parts: Vec<CompletedPart>,
) -> Result<String, String> {
    complete_if(client, key, id, parts, false).await
}

async fn complete_if(
    client: &Client,
    key: &str,
    id: &str,
    parts: Vec<CompletedPart>,
    absent: bool,
) -> Result<String, String> {
    let parts = CompletedMultipartUpload::builder()
        .set_parts(Some(parts))
        .build();
    let complete = client
        .complete_multipart_upload()
        .bucket("media")
        .key(key)
        .upload_id(id);
    let complete = complete
        .set_if_none_match(absent.then(|| "*".to_owned()))
        .multipart_upload(parts)
        .send()
        .await;
    complete
        .map(|done| done.e_tag.unwrap())
        .map_err(code::<CompleteMultipartUploadError, _>)
}

#[tokio::test]
async fn parts_become_one_object() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    let whole = bytes(PART + 1000);
    let id = begin(&client, "film").await;
    // In any order, and the last of a number counts.
    let second = upload(&client, "film", &id, 7, whole[PART..].to_vec())
        .await
        .unwrap();
    upload(&client, "film", &id, 2, b"replaced".to_vec())
        .await
        .unwrap();
    let first = upload(&client, "film", &id, 2, whole[..PART].to_vec())
        .await
        .unwrap();
    upload(&client, "film", &id, 9, b"not named".to_vec())
        .await
        .unwrap();
    assert_eq!(
        get_object(&client, "film").await,
        Err("NoSuchKey".to_owned())
    );

    let listed = client
        .list_parts()
        .bucket("media")
        .key("film")
        .upload_id(&id)
        .max_parts(2)
        .send()
        .await
        .unwrap();
    let numbers: Vec<_> = listed
        .parts()
        .iter()
        .map(|part| (part.part_number(), part.size()))
        .collect();
    assert_eq!(
        numbers,
        [(Some(2), i64::try_from(PART).ok()), (Some(7), Some(1000))]
    );
    assert_eq!(
        (listed.is_truncated(), listed.next_part_number_marker()),
        (Some(true), Some("7"))
    );

    let tag = complete(&client, "film", &id, vec![first, second])
        .await
        .unwrap();
    let md5s = [Md5::digest(&whole[..PART]), Md5::digest(&whole[PART..])].concat();
    assert_eq!(tag, format!("\"{}-2\"", hex::encode(Md5::digest(md5s))));
    let film = client
        .get_object()
        .bucket("media")
        .key("film")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (film.content_type(), &*film.metadata().unwrap()["a"]),
        (Some("video/mp4"), "b")
    );
    assert_eq!(film.body.collect().await.unwrap().to_vec(), whole);
    assert_eq!(
        cloud.object_files(),
        (1, 0),
        "the parts are gone, named or not"
    );
    assert_eq!(
        upload(&client, "film", &id, 1, Vec::new())
            .await
            .unwrap_err(),
        "NoSuchUpload"
    );
}

#[tokio::test]
async fn a_completion_that_does_not_fit_leaves_the_upload() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    let id = begin(&client, "k").await;
    let one = upload(&client, "k", &id, 1, vec![1; PART]).await.unwrap();
    let two = upload(&client, "k", &id, 2, vec![2; 10]).await.unwrap();
    let three = upload(&client, "k", &id, 3, vec![3; 10]).await.unwrap();
    let absent = CompletedPart::builder()
        .part_number(4)
        .e_tag("\"x\"")
        .build();
    let other = CompletedPart::builder()
        .part_number(1)
        .set_e_tag(two.e_tag.clone())
        .build();
    for (parts, refusal) in [
        (vec![], "MalformedXML"),
        (vec![two.clone(), one.clone()], "InvalidPartOrder"),
        (vec![one.clone(), one.clone()], "InvalidPartOrder"),
        (vec![one.clone(), absent], "InvalidPart"),
        (vec![other], "InvalidPart"),
        (vec![one.clone(), two.clone(), three], "EntityTooSmall"),
    ] {
        assert_eq!(
            complete(&client, "k", &id, parts).await.unwrap_err(),
            refusal
        );
    }
    assert_eq!(
        complete(&client, "other", &id, vec![one.clone()])
            .await
            .unwrap_err(),
        "NoSuchUpload"
    );
    put_object(&client, "k", "was there first").await.unwrap();
    let refused = complete_if(&client, "k", &id, vec![one.clone(), two.clone()], true).await;
    assert_eq!(refused.unwrap_err(), "PreconditionFailed");
    assert_eq!(get_object(&client, "k").await.unwrap(), b"was there first");
    complete(&client, "k", &id, vec![one, two]).await.unwrap();
    assert_eq!(get_object(&client, "k").await.unwrap().len(), PART + 10);
    assert_eq!(cloud.object_files(), (1, 0));
}

#[tokio::test]
async fn an_upload_that_is_given_up_is_gone() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    let id = begin(&client, "k").await;
    let part = upload(&client, "k", &id, 1, b"x".to_vec()).await.unwrap();
    let abort = || {
        client
            .abort_multipart_upload()
            .bucket("media")
            .key("k")
            .upload_id(&id)
            .send()
    };
    abort().await.unwrap();
    assert_eq!(code(abort().await.unwrap_err()), "NoSuchUpload");
    assert_eq!(
        complete(&client, "k", &id, vec![part]).await.unwrap_err(),
        "NoSuchUpload"
    );
    assert_eq!(
        upload(&client, "k", "not-an-id", 1, Vec::new())
            .await
            .unwrap_err(),
        "NoSuchUpload"
    );
    let next = begin(&client, "k").await;
    assert_ne!(next, id);
    for number in [0, 10_001] {
        assert_eq!(
            upload(&client, "k", &next, number, Vec::new())
                .await
                .unwrap_err(),
            "InvalidArgument"
        );
    }
    assert_eq!(cloud.object_files(), (0, 0));
}

#[tokio::test]
async fn a_composite_checksum_is_that_of_the_parts_checksums() {
    let cloud = Cloud::with(&media()).await;
    let client = cloud.s3("operator");
    let unsummed = client
        .config()
        .to_builder()
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired);
    let plain = Client::from_conf(unsummed.build());
    let create = plain
        .create_multipart_upload()
        .bucket("media")
        .key("k")
        .checksum_algorithm(ChecksumAlgorithm::Crc32);
    let created = create.send().await.unwrap();
    assert_eq!(created.checksum_type(), Some(&ChecksumType::Composite));
    let id = created.upload_id.unwrap();
    let unsummed = plain
        .upload_part()
        .bucket("media")
        .key("k")
        .upload_id(&id)
        .part_number(1);
    let unsummed = unsummed
        .body(ByteStream::from_static(b"part"))
        .send()
        .await
        .unwrap_err();
    assert_eq!(
        code(unsummed),
        "InvalidRequest",
        "each part comes with the checksum of the upload"
    );
    let mut parts = Vec::new();
    for (number, body) in [(1, vec![1; PART]), (2, vec![2; 10])] {
        let sent = client
            .upload_part()
            .bucket("media")
            .key("k")
            .upload_id(&id)
            .part_number(number);
        let sent = sent.body(ByteStream::from(body)).send().await.unwrap();
        let sum = sent.checksum_crc32.unwrap();
        parts.push(
            CompletedPart::builder()
                .part_number(number)
                .set_e_tag(sent.e_tag)
                .checksum_crc32(sum)
                .build(),
        );
    }
    let sums: Vec<u8> = parts
        .iter()
        .flat_map(|part| {
            BASE64_STANDARD
                .decode(part.checksum_crc32().unwrap())
                .unwrap()
        })
        .collect();
    complete(&client, "k", &id, parts).await.unwrap();
    let head = client
        .head_object()
        .bucket("media")
        .key("k")
        .checksum_mode(ChecksumMode::Enabled)
        .send()
        .await
        .unwrap();
    let expected = BASE64_STANDARD.encode(Crc32::checksum_u32(&sums).to_be_bytes());
    assert_eq!(head.checksum_crc32(), Some(&*format!("{expected}-2")));
    assert_eq!(head.checksum_type(), Some(&ChecksumType::Composite));
}

#[tokio::test]
async fn giving_an_upload_up_is_a_right_of_its_own() {
    let cloud = Cloud::with(&media()).await;
    let objects = "arn:aws:s3:::media/*";
    cloud
        .emulators
        .admit(principal("uploader", &[("s3:PutObject", objects)]));
    cloud.emulators.admit(principal(
        "cleaner",
        &[("s3:AbortMultipartUpload", objects)],
    ));
    let id = begin(&cloud.s3("uploader"), "k").await;
    let abort = |principal: &str| {
        cloud
            .s3(principal)
            .abort_multipart_upload()
            .bucket("media")
            .key("k")
            .upload_id(&id)
            .send()
    };
    assert_eq!(code(abort("uploader").await.unwrap_err()), "AccessDenied");
    abort("cleaner").await.unwrap();
}

#[tokio::test]
async fn parts_survive_a_restart_and_go_when_nobody_completes_them() {
    let rule = LifecycleRule {
        prefix: "a/".to_owned(),
        expiration_days: None,
        abort_multipart_days: Some(1),
    };
    let stack = Stack {
        buckets: vec![Bucket {
            lifecycle: vec![rule],
            ..bucket()
        }],
        ..Stack::default()
    };
    let cloud = Cloud::with(&stack).await;
    let client = cloud.s3("operator");
    put_object(&client, "a/object", "stays").await.unwrap();
    let (due, other) = (
        begin(&client, "a/due").await,
        begin(&client, "b/other").await,
    );
    for (key, id) in [("a/due", &due), ("b/other", &other)] {
        upload(&client, key, id, 1, b"part".to_vec()).await.unwrap();
    }
    let cloud = cloud.restart().await;
    cloud.emulators.provision(&stack).await.unwrap();
    assert_eq!(cloud.object_files(), (3, 0));
    cloud.swept_after(2 * DAY_SECONDS).await;
    assert_eq!(cloud.object_files(), (2, 0));
    let parts = |key: &str, id: &str| {
        cloud
            .s3("operator")
            .list_parts()
            .bucket("media")
            .key(key)
            .upload_id(id)
            .send()
    };
    assert_eq!(
        code(parts("a/due", &due).await.unwrap_err()),
        "NoSuchUpload"
    );
    assert_eq!(parts("b/other", &other).await.unwrap().parts().len(), 1);
}
