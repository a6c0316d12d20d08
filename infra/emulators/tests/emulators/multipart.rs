//! Multipart uploads.

use aws_sdk_s3::{
    Client,
    config::RequestChecksumCalculation,
    operation::{
        complete_multipart_upload::builders::CompleteMultipartUploadFluentBuilder,
        list_parts::ListPartsOutput,
    },
    primitives::ByteStream,
    types::{
        ChecksumAlgorithm, ChecksumMode, ChecksumType, CompletedMultipartUpload, CompletedPart,
    },
};
use base64::{Engine, prelude::BASE64_STANDARD};
use md5::{Digest, Md5};
use s3s::crypto::Crc32;
use sam_template::{BucketSpec, LifecycleRule, ResolvedTemplate};

use crate::support::{
    DAY_SECONDS, Emulation, ObjectFiles, allow, bucket, bytes, code, get_object, media, principal,
    put_object,
};

/// Minimum size of a part that is not the last, in bytes.
const PART_BYTES: usize = 5 * 1024 * 1024;

/// A multipart upload of one key.
struct Upload<'a> {
    client: &'a Client,
    key: &'a str,
    id: String,
}

impl Upload<'_> {
    async fn create<'a>(client: &'a Client, key: &'a str) -> Upload<'a> {
        let create = client
            .create_multipart_upload()
            .bucket("media")
            .key(key)
            .content_type("video/mp4")
            .metadata("a", "b");
        let id = create.send().await.unwrap().upload_id.unwrap();
        Upload { client, key, id }
    }

    /// Uploads a part. Returns its part of the completion or the error code.
    async fn put_part(&self, number: i32, body: Vec<u8>) -> Result<CompletedPart, String> {
        let part = self
            .client
            .upload_part()
            .bucket("media")
            .key(self.key)
            .upload_id(&self.id)
            .part_number(number)
            .body(ByteStream::from(body))
            .send()
            .await
            .map_err(code)?;
        let completed = CompletedPart::builder()
            .part_number(number)
            .set_e_tag(part.e_tag)
            .set_checksum_crc32(part.checksum_crc32);

        Ok(completed.build())
    }

    fn completion(&self, parts: Vec<CompletedPart>) -> CompleteMultipartUploadFluentBuilder {
        let parts = CompletedMultipartUpload::builder()
            .set_parts(Some(parts))
            .build();
        self.client
            .complete_multipart_upload()
            .bucket("media")
            .key(self.key)
            .upload_id(&self.id)
            .multipart_upload(parts)
    }

    /// Completes the upload. Returns the ETag or the error code.
    async fn complete(&self, parts: Vec<CompletedPart>) -> Result<String, String> {
        let output = self.completion(parts).send().await.map_err(code)?;
        Ok(output.e_tag.unwrap())
    }

    async fn abort(&self) -> Result<(), String> {
        let abort = self
            .client
            .abort_multipart_upload()
            .bucket("media")
            .key(self.key)
            .upload_id(&self.id);
        abort.send().await.map(drop).map_err(code)
    }

    async fn list_parts(&self) -> Result<ListPartsOutput, String> {
        let list = self
            .client
            .list_parts()
            .bucket("media")
            .key(self.key)
            .upload_id(&self.id)
            .max_parts(2);
        list.send().await.map_err(code)
    }
}

#[tokio::test]
async fn completion_joins_the_named_parts() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let whole = bytes(PART_BYTES + 1000);
    let film = Upload::create(&client, "film").await;
    // Parts arrive in any order. The last upload with a number replaces the others.
    let second = film
        .put_part(7, whole[PART_BYTES..].to_vec())
        .await
        .unwrap();
    film.put_part(2, b"replaced".to_vec()).await.unwrap();
    let first = film
        .put_part(2, whole[..PART_BYTES].to_vec())
        .await
        .unwrap();
    film.put_part(9, b"not named".to_vec()).await.unwrap();
    let incomplete = get_object(&client, "film").await;
    assert_eq!(incomplete, Err("NoSuchKey".to_owned()));

    let tag = film.complete(vec![first, second]).await.unwrap();

    let part_md5s = [
        Md5::digest(&whole[..PART_BYTES]),
        Md5::digest(&whole[PART_BYTES..]),
    ];
    let md5 = hex::encode(Md5::digest(part_md5s.concat()));
    assert_eq!(tag, format!("\"{md5}-2\""));

    let object = client
        .get_object()
        .bucket("media")
        .key("film")
        .send()
        .await
        .unwrap();
    assert_eq!(object.content_type(), Some("video/mp4"));
    assert_eq!(object.metadata().unwrap()["a"], "b");
    assert_eq!(object.body.collect().await.unwrap().to_vec(), whole);
    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));

    let late = film.put_part(1, Vec::new()).await;
    assert_eq!(late.unwrap_err(), "NoSuchUpload");
}

#[tokio::test]
async fn parts_are_listed_in_pages_by_number() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let upload = Upload::create(&client, "k").await;
    for (number, length) in [(7, 70), (2, 20), (9, 90)] {
        upload.put_part(number, vec![0; length]).await.unwrap();
    }

    let page = upload.list_parts().await.unwrap();

    let parts: Vec<_> = page
        .parts()
        .iter()
        .map(|part| (part.part_number(), part.size()))
        .collect();
    assert_eq!(parts, [(Some(2), Some(20)), (Some(7), Some(70))]);
    assert_eq!(page.is_truncated(), Some(true));
    assert_eq!(page.next_part_number_marker(), Some("7"));
}

#[tokio::test]
async fn invalid_completion_keeps_the_upload() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let upload = Upload::create(&client, "k").await;
    let one = upload.put_part(1, vec![1; PART_BYTES]).await.unwrap();
    let two = upload.put_part(2, vec![2; 10]).await.unwrap();
    let three = upload.put_part(3, vec![3; 10]).await.unwrap();
    let missing = CompletedPart::builder()
        .part_number(4)
        .e_tag("\"x\"")
        .build();
    let wrong_tag = CompletedPart::builder()
        .part_number(1)
        .set_e_tag(two.e_tag.clone())
        .build();

    for (parts, expected) in [
        (vec![], "MalformedXML"),
        (vec![two.clone(), one.clone()], "InvalidPartOrder"),
        (vec![one.clone(), one.clone()], "InvalidPartOrder"),
        (vec![one.clone(), missing], "InvalidPart"),
        (vec![wrong_tag], "InvalidPart"),
        (vec![one.clone(), two.clone(), three], "EntityTooSmall"),
    ] {
        assert_eq!(upload.complete(parts).await.unwrap_err(), expected);
    }

    let other_key = Upload {
        client: &client,
        key: "other",
        id: upload.id.clone(),
    };
    let error = other_key.complete(vec![one.clone()]).await;
    assert_eq!(error.unwrap_err(), "NoSuchUpload");
    upload.complete(vec![one, two]).await.unwrap();
    let object = get_object(&client, "k").await.unwrap();
    assert_eq!(object.len(), PART_BYTES + 10);
}

#[tokio::test]
async fn conditional_completion_keeps_existing_object() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let upload = Upload::create(&client, "k").await;
    let part = upload.put_part(1, b"part".to_vec()).await.unwrap();
    put_object(&client, "k", "existing").await.unwrap();

    let conditional = upload.completion(vec![part.clone()]).if_none_match("*");
    let error = conditional.send().await.unwrap_err();
    assert_eq!(code(error), "PreconditionFailed");
    assert_eq!(get_object(&client, "k").await.unwrap(), b"existing");

    upload.complete(vec![part]).await.unwrap();
    assert_eq!(get_object(&client, "k").await.unwrap(), b"part");
    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
}

#[tokio::test]
async fn aborted_upload_no_longer_exists() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let upload = Upload::create(&client, "k").await;
    let part = upload.put_part(1, b"x".to_vec()).await.unwrap();

    upload.abort().await.unwrap();

    let no_such_upload = || "NoSuchUpload".to_owned();
    assert_eq!(upload.abort().await, Err(no_such_upload()));
    assert_eq!(upload.complete(vec![part]).await, Err(no_such_upload()));

    let next = Upload::create(&client, "k").await;
    assert_ne!(next.id, upload.id);
    assert_eq!(emulation.object_files(), ObjectFiles::finished(0));
}

#[tokio::test]
async fn invalid_upload_ids_and_part_numbers_are_rejected() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let invalid_id = Upload {
        client: &client,
        key: "k",
        id: "not-an-id".to_owned(),
    };
    let error = invalid_id.put_part(1, Vec::new()).await;
    assert_eq!(error.unwrap_err(), "NoSuchUpload");

    let upload = Upload::create(&client, "k").await;
    for number in [0, 10_001] {
        let error = upload.put_part(number, Vec::new()).await;
        assert_eq!(error.unwrap_err(), "InvalidArgument", "{number}");
    }
}

/// Creates an upload of the key `k` with CRC-32 checksums.
async fn create_with_crc32(client: &Client) -> Upload<'_> {
    let create = client
        .create_multipart_upload()
        .bucket("media")
        .key("k")
        .checksum_algorithm(ChecksumAlgorithm::Crc32);
    let created = create.send().await.unwrap();
    assert_eq!(created.checksum_type(), Some(&ChecksumType::Composite));
    Upload {
        client,
        key: "k",
        id: created.upload_id.unwrap(),
    }
}

#[tokio::test]
async fn part_without_checksum_of_the_upload_is_rejected() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let config = client
        .config()
        .to_builder()
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired);
    let client_without_checksums = Client::from_conf(config.build());

    let upload = create_with_crc32(&client_without_checksums).await;

    let error = upload.put_part(1, b"part".to_vec()).await;
    assert_eq!(error.unwrap_err(), "InvalidRequest");
}

#[tokio::test]
async fn composite_checksum_covers_the_checksums_of_the_parts() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let upload = create_with_crc32(&client).await;
    let parts = vec![
        upload.put_part(1, vec![1; PART_BYTES]).await.unwrap(),
        upload.put_part(2, vec![2; 10]).await.unwrap(),
    ];
    let part_checksums: Vec<u8> = parts
        .iter()
        .filter_map(CompletedPart::checksum_crc32)
        .flat_map(|checksum| BASE64_STANDARD.decode(checksum).unwrap())
        .collect();

    upload.complete(parts).await.unwrap();

    let head = client
        .head_object()
        .bucket("media")
        .key("k")
        .checksum_mode(ChecksumMode::Enabled)
        .send()
        .await
        .unwrap();
    let checksum = Crc32::checksum_u32(&part_checksums).to_be_bytes();
    let expected = format!("{}-2", BASE64_STANDARD.encode(checksum));
    assert_eq!(head.checksum_crc32(), Some(&*expected));
    assert_eq!(head.checksum_type(), Some(&ChecksumType::Composite));
}

#[tokio::test]
async fn abort_requires_its_own_permission() {
    let emulation = Emulation::with(&media()).await;
    let objects = "arn:aws:s3:::media/*";
    for (name, action) in [
        ("uploader", "s3:PutObject"),
        ("cleaner", "s3:AbortMultipartUpload"),
    ] {
        emulation
            .emulators
            .register_principal(principal(name, [allow(action, objects)]));
    }

    let uploader = emulation.s3("uploader");
    let upload = Upload::create(&uploader, "k").await;
    assert_eq!(upload.abort().await, Err("AccessDenied".to_owned()));

    let cleaner = emulation.s3("cleaner");
    let by_cleaner = Upload {
        client: &cleaner,
        ..upload
    };

    by_cleaner.abort().await.unwrap();
}

#[tokio::test]
async fn incomplete_upload_survives_restart_and_expires() {
    let rule = LifecycleRule {
        prefix: "a/".to_owned(),
        expiration_days: None,
        abort_multipart_days: Some(1),
    };
    let template = ResolvedTemplate {
        buckets: vec![BucketSpec {
            lifecycle: vec![rule],
            ..bucket()
        }],
        ..ResolvedTemplate::default()
    };
    let emulation = Emulation::with(&template).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "a/object", "stays").await.unwrap();
    let expiring = Upload::create(&client, "a/expiring").await;
    let other = Upload::create(&client, "b/other").await;
    for upload in [&expiring, &other] {
        upload.put_part(1, b"part".to_vec()).await.unwrap();
    }

    let restarted = emulation.restart().await;
    restarted.emulators.provision(&template).await.unwrap();
    assert_eq!(restarted.object_files(), ObjectFiles::finished(3));
    restarted.sweep_after(2 * DAY_SECONDS).await;

    assert_eq!(restarted.object_files(), ObjectFiles::finished(2));

    let client = restarted.s3("unrestricted");
    let expired = Upload {
        client: &client,
        ..expiring
    };
    let kept = Upload {
        client: &client,
        ..other
    };

    assert_eq!(expired.list_parts().await.unwrap_err(), "NoSuchUpload");
    assert_eq!(kept.list_parts().await.unwrap().parts().len(), 1);
}
