//! Parts that are copied from ranges of objects.

use aws_sdk_s3::{
    Client,
    operation::upload_part_copy::builders::UploadPartCopyFluentBuilder,
    types::{CompletedMultipartUpload, CompletedPart, MetadataDirective},
};
use md5::{Digest, Md5};

use crate::support::{Emulation, bytes, code, get_object, media, put_object};

const SOURCE_BYTES: usize = 5 * 1024 * 1024 + 100;

async fn create_upload(client: &Client) -> String {
    let create = client
        .create_multipart_upload()
        .bucket("media")
        .key("joined");
    create.send().await.unwrap().upload_id.unwrap()
}

fn copy_part(
    client: &Client,
    upload_id: &str,
    number: i32,
    range: &str,
) -> UploadPartCopyFluentBuilder {
    client
        .upload_part_copy()
        .bucket("media")
        .key("joined")
        .upload_id(upload_id)
        .part_number(number)
        .copy_source("media/source")
        .copy_source_range(range)
}

/// Completes an upload of the last 5 MiB of the source, followed by its first 100 bytes.
async fn join_ranges(client: &Client, source_tag: &str) {
    let id = create_upload(client).await;
    let mut parts = CompletedMultipartUpload::builder();

    for (number, range) in [
        (1, format!("bytes=100-{}", SOURCE_BYTES - 1)),
        (2, "bytes=0-99".to_owned()),
    ] {
        let copied = copy_part(client, &id, number, &range)
            .copy_source_if_match(source_tag)
            .send()
            .await
            .unwrap()
            .copy_part_result
            .unwrap();
        let part = CompletedPart::builder()
            .part_number(number)
            .set_e_tag(copied.e_tag);
        parts = parts.parts(part.build());
    }

    client
        .complete_multipart_upload()
        .bucket("media")
        .key("joined")
        .upload_id(&id)
        .multipart_upload(parts.build())
        .send()
        .await
        .unwrap();
}

#[tokio::test]
async fn part_copy_checks_range_and_condition() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "source", bytes(SOURCE_BYTES))
        .await
        .unwrap();
    let id = create_upload(&client).await;

    let too_long = format!("bytes=0-{SOURCE_BYTES}");
    let error = copy_part(&client, &id, 1, &too_long).send().await;
    assert_eq!(code(error.unwrap_err()), "InvalidArgument");

    let error = copy_part(&client, &id, 1, "bytes=0-9")
        .copy_source_if_match("\"other\"")
        .send()
        .await;
    assert_eq!(code(error.unwrap_err()), "PreconditionFailed");
}

#[tokio::test]
async fn copied_ranges_are_joined_to_one_object() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let source = bytes(SOURCE_BYTES);
    let tag = put_object(&client, "source", source.clone()).await.unwrap();

    join_ranges(&client, &tag).await;

    let joined = get_object(&client, "joined").await.unwrap();
    assert_eq!(joined, [&source[100..], &source[..100]].concat());
}

#[tokio::test]
async fn copy_of_multipart_object_has_md5_as_etag() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let tag = put_object(&client, "source", bytes(SOURCE_BYTES))
        .await
        .unwrap();
    join_ranges(&client, &tag).await;

    let copy = client
        .copy_object()
        .bucket("media")
        .key("copy")
        .copy_source("media/joined")
        .metadata_directive(MetadataDirective::Replace);
    let result = copy.send().await.unwrap().copy_object_result.unwrap();

    let joined = get_object(&client, "joined").await.unwrap();
    let md5 = hex::encode(Md5::digest(&joined));
    assert_eq!(result.e_tag(), Some(&*format!("\"{md5}\"")));
}
