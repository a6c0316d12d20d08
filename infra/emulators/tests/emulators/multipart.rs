//! Multipart uploads.

use aws_sdk_s3::{
    Client,
    operation::complete_multipart_upload::builders::CompleteMultipartUploadFluentBuilder,
    primitives::ByteStream,
    types::{ChecksumAlgorithm, CompletedMultipartUpload, CompletedPart},
};
use md5::{Digest, Md5};
use sam_template::LifecycleRule;

use crate::support::{
    DAY_SECONDS, Emulation, ObjectFiles, allow, bytes, code, get_object, media, media_with,
    principal, put_object,
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
            .set_e_tag(part.e_tag);

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

#[tokio::test]
async fn checksums_and_lists_of_parts_are_not_emulated() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let create = client
        .create_multipart_upload()
        .bucket("media")
        .key("k")
        .checksum_algorithm(ChecksumAlgorithm::Crc32);
    let error = create.send().await.unwrap_err();
    assert_eq!(code(error), "NotImplemented");

    let upload = Upload::create(&client, "k").await;
    let list = client
        .list_parts()
        .bucket("media")
        .key("k")
        .upload_id(&upload.id);
    assert_eq!(code(list.send().await.unwrap_err()), "NotImplemented");

    let mut part = upload.put_part(1, b"part".to_vec()).await.unwrap();
    part.checksum_crc32 = Some("y/Q5Jg==".to_owned());
    let error = upload.complete(vec![part]).await.unwrap_err();
    assert_eq!(error, "NotImplemented");
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
    let template = media_with(rule);
    let emulation = Emulation::with(&template).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "a/object", "stays").await.unwrap();
    let expiring = Upload::create(&client, "a/expiring").await;
    let other = Upload::create(&client, "b/other").await;
    expiring.put_part(1, b"part".to_vec()).await.unwrap();
    let part = other.put_part(1, b"part".to_vec()).await.unwrap();

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

    assert_eq!(expired.abort().await.unwrap_err(), "NoSuchUpload");
    kept.complete(vec![part]).await.unwrap();
}
