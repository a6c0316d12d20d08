//! Multipart uploads, of parts that are sent or copied from ranges of objects.

use aws_sdk_s3::{
    Client,
    operation::{
        complete_multipart_upload::builders::CompleteMultipartUploadFluentBuilder,
        upload_part_copy::builders::UploadPartCopyFluentBuilder,
    },
    types::{CompletedMultipartUpload, CompletedPart},
};
use md5::{Digest, Md5};
use sam_template::LifecycleRule;

use crate::{
    copies::copy,
    support::{DAY_SECONDS, Emulation, ObjectFiles, bytes, code, template_with},
};

/// Minimum size of a part that is not the last, in bytes.
const PART_BYTES: usize = 5 * 1024 * 1024;

/// A multipart upload of one key.
pub(crate) struct Upload {
    client: Client,
    key: String,
    pub(crate) id: String,
}

impl Upload {
    pub(crate) async fn create(emulation: &Emulation, key: &str) -> Upload {
        let client = emulation.s3("unrestricted");
        let create = client.create_multipart_upload().bucket("media").key(key);
        let create = create.content_type("video/mp4").metadata("a", "b");
        let id = create.send().await.unwrap().upload_id.unwrap();
        Upload {
            client,
            key: key.to_owned(),
            id,
        }
    }

    /// Uploads a part. Returns its part of the completion or the error code.
    pub(crate) async fn put_part(
        &self,
        number: i32,
        body: impl Into<Vec<u8>>,
    ) -> Result<CompletedPart, String> {
        let part = self
            .client
            .upload_part()
            .bucket("media")
            .key(&self.key)
            .upload_id(&self.id)
            .part_number(number)
            .body(body.into().into());
        let output = part.send().await.map_err(code)?;
        Ok(completed(number, output.e_tag))
    }

    /// Copies a range of the object `source` to a part.
    fn copy_part(&self, number: i32, range: &str) -> UploadPartCopyFluentBuilder {
        self.client
            .upload_part_copy()
            .bucket("media")
            .key(&self.key)
            .upload_id(&self.id)
            .part_number(number)
            .copy_source("media/source")
            .copy_source_range(range)
    }

    fn completion(&self, parts: Vec<CompletedPart>) -> CompleteMultipartUploadFluentBuilder {
        let parts = CompletedMultipartUpload::builder().set_parts(Some(parts));
        self.client
            .complete_multipart_upload()
            .bucket("media")
            .key(&self.key)
            .upload_id(&self.id)
            .multipart_upload(parts.build())
    }

    /// Completes the upload. Returns the ETag or the error code.
    pub(crate) async fn complete(&self, parts: Vec<CompletedPart>) -> Result<String, String> {
        let output = self.completion(parts).send().await.map_err(code)?;
        Ok(output.e_tag.unwrap())
    }

    async fn abort(&self) -> Result<(), String> {
        let abort = self.client.abort_multipart_upload().bucket("media");
        let abort = abort.key(&self.key).upload_id(&self.id);
        abort.send().await.map(drop).map_err(code)
    }
}

fn completed(number: i32, tag: Option<String>) -> CompletedPart {
    let part = CompletedPart::builder().part_number(number);
    part.set_e_tag(tag).build()
}

fn no_such_upload<T>() -> Result<T, String> {
    Err("NoSuchUpload".to_owned())
}

#[tokio::test]
async fn completion_joins_the_named_parts() {
    let emulation = Emulation::start().await;
    let whole = bytes(PART_BYTES + 1000);
    let (large, small) = whole.split_at(PART_BYTES);
    let film = Upload::create(&emulation, "film").await;
    // Parts arrive in any order. The last upload with a number replaces the others.
    let second = film.put_part(7, small).await.unwrap();
    film.put_part(2, "replaced").await.unwrap();
    let first = film.put_part(2, large).await.unwrap();
    film.put_part(9, "not named").await.unwrap();
    let incomplete = emulation.get_object("film").await;
    assert_eq!(incomplete, Err("NoSuchKey".to_owned()));

    let tag = film.complete(vec![first, second]).await.unwrap();

    let md5s = [Md5::digest(large), Md5::digest(small)].concat();
    let md5 = hex::encode(Md5::digest(md5s));
    assert_eq!(tag, format!("\"{md5}-2\""));
    let get = film.client.get_object().bucket("media").key("film");
    let object = get.send().await.unwrap();
    assert_eq!(object.content_type(), Some("video/mp4"));
    assert_eq!(object.metadata().unwrap()["a"], "b");
    assert_eq!(object.body.collect().await.unwrap().to_vec(), whole);
    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
    assert_eq!(film.put_part(1, "").await, no_such_upload());
}

#[tokio::test]
async fn invalid_completion_keeps_the_upload() {
    let emulation = Emulation::start().await;
    let upload = Upload::create(&emulation, "k").await;
    let one = upload.put_part(1, vec![1; PART_BYTES]).await.unwrap();
    let two = upload.put_part(2, vec![2; 10]).await.unwrap();
    let three = upload.put_part(3, vec![3; 10]).await.unwrap();
    let missing = completed(4, Some("\"x\"".to_owned()));
    let wrong_tag = completed(1, two.e_tag.clone());

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

    upload.complete(vec![one, two]).await.unwrap();
    let object = emulation.get_object("k").await.unwrap();
    assert_eq!(object.len(), PART_BYTES + 10);
}

#[tokio::test]
async fn conditional_completion_keeps_existing_object() {
    let emulation = Emulation::start().await;
    let upload = Upload::create(&emulation, "k").await;
    let part = upload.put_part(1, "part").await.unwrap();
    emulation.put_object("k", "existing").await.unwrap();

    let conditional = upload.completion(vec![part.clone()]).if_none_match("*");
    let error = conditional.send().await.unwrap_err();
    assert_eq!(code(error), "PreconditionFailed");
    assert_eq!(emulation.get_object("k").await.unwrap(), b"existing");

    upload.complete(vec![part]).await.unwrap();
    assert_eq!(emulation.get_object("k").await.unwrap(), b"part");
    assert_eq!(emulation.object_files(), ObjectFiles::finished(1));
}

#[tokio::test]
async fn upload_is_found_by_its_id_and_key_until_it_is_aborted() {
    let emulation = Emulation::start().await;
    let upload = Upload::create(&emulation, "k").await;
    let next = Upload::create(&emulation, "k").await;
    assert_ne!(next.id, upload.id);
    let part = upload.put_part(1, "x").await.unwrap();

    for (key, id) in [("k", "not-an-id"), ("other", &upload.id)] {
        let unknown = Upload {
            client: upload.client.clone(),
            key: key.to_owned(),
            id: id.to_owned(),
        };
        assert_eq!(unknown.put_part(1, "").await, no_such_upload());
        let completion = unknown.complete(vec![part.clone()]).await;
        assert_eq!(completion, no_such_upload());
    }
    for number in [0, 10_001] {
        let error = upload.put_part(number, "").await.unwrap_err();
        assert_eq!(error, "InvalidArgument", "{number}");
    }

    upload.abort().await.unwrap();
    assert_eq!(upload.abort().await, no_such_upload());
    assert_eq!(upload.complete(vec![part]).await, no_such_upload());
    assert_eq!(emulation.object_files(), ObjectFiles::finished(0));
}

#[tokio::test]
async fn copied_ranges_are_joined_to_an_object_whose_copy_has_an_md5_as_etag() {
    let emulation = Emulation::start().await;
    let source = bytes(PART_BYTES + 100);
    let put = emulation.put_object("source", source.clone()).await;
    let tag = put.unwrap();
    let upload = Upload::create(&emulation, "joined").await;

    let last = PART_BYTES + 99;
    let mut parts = Vec::new();
    for (number, range) in [(1, format!("bytes=100-{last}")), (2, "bytes=0-99".into())] {
        let copied = upload.copy_part(number, &range).copy_source_if_match(&tag);
        let result = copied.send().await.unwrap().copy_part_result.unwrap();
        parts.push(completed(number, result.e_tag));
    }
    upload.complete(parts).await.unwrap();

    let joined = emulation.get_object("joined").await.unwrap();
    assert_eq!(joined, [&source[100..], &source[..100]].concat());
    let copy = copy(&upload.client, "media/joined", "copy").send().await;
    let result = copy.unwrap().copy_object_result.unwrap();
    let md5 = hex::encode(Md5::digest(&joined));
    assert_eq!(result.e_tag(), Some(&*format!("\"{md5}\"")));
}

#[tokio::test]
async fn part_copy_fails_if_its_range_exceeds_the_source_or_the_source_has_changed() {
    let emulation = Emulation::start().await;
    let source = bytes(PART_BYTES + 1);
    emulation.put_object("source", source).await.unwrap();
    let upload = Upload::create(&emulation, "joined").await;

    let too_long = upload.copy_part(1, &format!("bytes=0-{}", PART_BYTES + 1));
    let error = too_long.send().await.unwrap_err();
    assert_eq!(code(error), "InvalidArgument");

    let changed = upload.copy_part(1, "bytes=0-9");
    let changed = changed.copy_source_if_match("\"other\"");
    let error = changed.send().await.unwrap_err();
    assert_eq!(code(error), "PreconditionFailed");
}

#[tokio::test]
async fn incomplete_upload_survives_restart_and_expires() {
    let rule = LifecycleRule {
        prefix: "a/".to_owned(),
        expiration_days: None,
        abort_multipart_days: Some(1),
    };
    let emulation = Emulation::with(template_with(rule)).await;
    emulation.put_object("a/object", "stays").await.unwrap();
    let mut expiring = Upload::create(&emulation, "a/expiring").await;
    let mut kept = Upload::create(&emulation, "b/kept").await;
    expiring.put_part(1, "part").await.unwrap();
    let part = kept.put_part(1, "part").await.unwrap();

    let restarted = emulation.restart().await;
    assert_eq!(restarted.object_files(), ObjectFiles::finished(3));
    restarted.sweep_after(2 * DAY_SECONDS).await;

    assert_eq!(restarted.object_files(), ObjectFiles::finished(2));
    for upload in [&mut expiring, &mut kept] {
        upload.client = restarted.s3("unrestricted");
    }
    assert_eq!(expiring.abort().await, no_such_upload());
    kept.complete(vec![part]).await.unwrap();
}
