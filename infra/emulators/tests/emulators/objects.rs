//! Objects in S3, behind the proxy.

use aws_sdk_s3::types::{ChecksumAlgorithm, Delete, MetadataDirective, ObjectIdentifier};
use emulators::{AsyncClock, InjectedError, Service};
use sam_template::LifecycleRule;

use crate::{
    copies::copy,
    multipart::Upload,
    support::{DAY_SECONDS, Emulation, ObjectFiles, code, template_with},
};

#[tokio::test]
async fn missing_object_is_reported_only_with_list_permission() {
    let emulation = Emulation::start().await;
    emulation.register("reader", &[("s3:GetObject", "arn:aws:s3:::media/*")]);
    let absent = emulation.get_object("absent").await;
    assert_eq!(absent, Err("NoSuchKey".to_owned()));

    let reader = emulation.s3("reader");
    let get = reader.get_object().bucket("media").key("absent");
    assert_eq!(code(get.send().await.unwrap_err()), "AccessDenied");
    let head = reader.head_object().bucket("media").key("absent");
    let error = head.send().await.unwrap_err();
    assert_eq!(error.raw_response().unwrap().status().as_u16(), 403);
}

#[tokio::test]
async fn rejected_upload_is_read_to_its_end() {
    let emulation = Emulation::start().await;
    let faults = emulation.emulators.faults();
    let slow_down = InjectedError::new(503, "SlowDown");
    faults.fail(Service::S3, "PutObject", 1, slow_down);

    // The proxy reads the whole body before it responds, or the client would miss the response.
    let put = emulation.put_object("slow", vec![0; 8 * 1024 * 1024]).await;

    assert_eq!(put, Err("SlowDown".to_owned()));
    let absent = emulation.get_object("slow").await;
    assert_eq!(absent, Err("NoSuchKey".to_owned()));
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn objects_expire_at_the_midnight_after_their_days() {
    let rule = LifecycleRule {
        prefix: "staging/".to_owned(),
        expiration_days: Some(1),
        abort_multipart_days: None,
    };
    let emulation = Emulation::with(template_with(rule)).await;
    let of_day = u64::try_from(emulation.clock.now_ms()).unwrap() / 1000 % DAY_SECONDS;
    emulation.sweep_after(DAY_SECONDS - of_day + 60).await;
    for key in ["staging/a", "staging", "kept/staging/a"] {
        emulation.put_object(key, "bytes").await.unwrap();
    }

    // Put one minute after midnight: a day later, the rest of that day has to pass as well.
    emulation.sweep_after(2 * DAY_SECONDS - 120).await;
    assert_eq!(emulation.get_object("staging/a").await.unwrap(), b"bytes");

    emulation.sweep_after(61).await;
    let expired = emulation.get_object("staging/a").await;
    assert_eq!(expired, Err("NoSuchKey".to_owned()));
    assert_eq!(emulation.object_files(), ObjectFiles::finished(2));
}

#[tokio::test]
async fn batch_delete_ignores_missing_objects_and_has_at_most_1000_keys() {
    let emulation = Emulation::start().await;
    emulation.put_object("a&b <c>", "x").await.unwrap();

    let output = emulation.delete_objects(&["a&b <c>", "missing"]).await;
    let output = output.unwrap();
    let deleted = output.deleted().iter();
    let keys: Vec<_> = deleted.filter_map(|object| object.key()).collect();
    assert_eq!(keys, ["a&b <c>", "missing"]);
    assert!(output.errors().is_empty());
    let object = emulation.get_object("a&b <c>").await;
    assert_eq!(object, Err("NoSuchKey".to_owned()));

    let long = "&".repeat(1020);
    let long_keys: Vec<String> = (0..1001).map(|n| format!("{n:04}{long}")).collect();
    let output = emulation.delete_objects(&long_keys[..1000]).await;
    assert_eq!(output.unwrap().deleted().len(), 1000);
    let error = emulation.delete_objects(&long_keys).await.unwrap_err();
    assert_eq!(error, "MalformedXML");
}

#[tokio::test]
async fn quiet_batch_delete_returns_only_errors() {
    let emulation = Emulation::start().await;
    let tag = emulation.put_object("kept", "x").await.unwrap();
    emulation.put_object("other", "x").await.unwrap();
    let conditional = ObjectIdentifier::builder().key("kept").e_tag(tag);
    let unconditional = ObjectIdentifier::builder().key("other");
    let delete = Delete::builder()
        .objects(conditional.build().unwrap())
        .objects(unconditional.build().unwrap())
        .quiet(true);

    let client = emulation.s3("unrestricted");
    let request = client.delete_objects().bucket("media");
    let request = request.delete(delete.build().unwrap());
    let output = request.send().await.unwrap();

    let errors = output.errors().iter();
    let errors: Vec<_> = errors.map(|error| (error.key(), error.code())).collect();
    assert_eq!(errors, [(Some("kept"), Some("NotImplemented"))]);
    assert!(output.deleted().is_empty());
    assert_eq!(emulation.get_object("kept").await.unwrap(), b"x");
    let other = emulation.get_object("other").await;
    assert_eq!(other, Err("NoSuchKey".to_owned()));
}

#[tokio::test]
async fn requests_that_are_not_emulated_are_rejected() {
    let emulation = Emulation::start().await;
    let client = emulation.s3("unrestricted");
    let tag = emulation.put_object("staging", "bytes").await.unwrap();
    let copy = || copy(&client, "media/staging", "final");
    for copy in [
        copy().metadata_directive(MetadataDirective::Copy),
        copy().checksum_algorithm(ChecksumAlgorithm::Crc32),
        copy().copy_source_if_none_match(&tag),
        copy().if_match(&tag),
    ] {
        let error = copy.send().await.unwrap_err();
        assert_eq!(code(error), "NotImplemented");
    }

    let list = client.list_objects_v2().bucket("media").max_keys(0);
    let error = list.send().await.unwrap_err();
    assert_eq!(code(error), "NotImplemented");

    let create = client.create_multipart_upload().bucket("media").key("k");
    let create = create.checksum_algorithm(ChecksumAlgorithm::Crc32);
    let error = create.send().await.unwrap_err();
    assert_eq!(code(error), "NotImplemented");

    let upload = Upload::create(&emulation, "k").await;
    let list = client.list_parts().bucket("media").key("k");
    let error = list.upload_id(&upload.id).send().await.unwrap_err();
    assert_eq!(code(error), "NotImplemented");

    let mut part = upload.put_part(1, "part").await.unwrap();
    part.checksum_crc32 = Some("y/Q5Jg==".to_owned());
    let error = upload.complete(vec![part]).await.unwrap_err();
    assert_eq!(error, "NotImplemented");
}
