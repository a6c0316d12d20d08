//! Objects in S3, behind the proxy.

use std::time::Duration;

use aws_sdk_s3::{
    Client,
    operation::delete_objects::DeleteObjectsOutput,
    presigning::PresigningConfig,
    types::{Delete, ObjectIdentifier},
};
use emulators::{AsyncClock, CallRecord, InjectedError, Service};
use sam_template::LifecycleRule;

use crate::{
    presigned::send,
    support::{
        DAY_SECONDS, Emulation, ObjectFiles, allow, code, get_object, media, media_with, principal,
        put_object,
    },
};

const OBJECTS: &str = "arn:aws:s3:::media/*";

#[tokio::test]
async fn permissions_apply_per_action_and_objects_survive_restart() {
    let emulation = Emulation::with(&media()).await;
    emulation
        .emulators
        .register_principal(principal("writer", [allow("s3:PutObject", OBJECTS)]));
    let writer = emulation.s3("writer");
    put_object(&writer, "a/b c", b"bytes".to_vec())
        .await
        .unwrap();
    assert_eq!(
        get_object(&writer, "a/b c").await,
        Err("AccessDenied".to_owned())
    );
    assert_eq!(
        put_object(&emulation.s3("unregistered"), "x", Vec::new()).await,
        Err("InvalidAccessKeyId".to_owned())
    );

    let emulation = emulation.restart().await;
    emulation.emulators.provision(&media()).await.unwrap();
    assert_eq!(
        get_object(&emulation.s3("unrestricted"), "a/b c")
            .await
            .unwrap(),
        b"bytes"
    );
}

#[tokio::test]
async fn missing_object_is_reported_only_with_list_permission() {
    let emulation = Emulation::with(&media()).await;
    emulation
        .emulators
        .register_principal(principal("reader", [allow("s3:GetObject", OBJECTS)]));
    assert_eq!(
        get_object(&emulation.s3("reader"), "absent").await,
        Err("AccessDenied".to_owned())
    );
    assert_eq!(
        get_object(&emulation.s3("unrestricted"), "absent").await,
        Err("NoSuchKey".to_owned())
    );

    let head = emulation
        .s3("reader")
        .head_object()
        .bucket("media")
        .key("absent")
        .send()
        .await
        .unwrap_err();

    assert_eq!(head.raw_response().unwrap().status().as_u16(), 403);
}

#[tokio::test]
async fn rejected_upload_is_read_to_its_end() {
    let emulation = Emulation::with(&media()).await;
    let faults = emulation.emulators.faults();
    let client = emulation.s3("unrestricted");

    // The proxy reads the whole body before it responds, or the client would miss the response.
    faults.fail(
        Service::S3,
        "PutObject",
        1,
        InjectedError::new(503, "SlowDown"),
    );

    assert_eq!(
        put_object(&client, "slow", vec![0; 8 * 1024 * 1024]).await,
        Err("SlowDown".to_owned())
    );
    assert_eq!(
        get_object(&client, "slow").await,
        Err("NoSuchKey".to_owned())
    );
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn presigned_request_is_logged_for_its_signer_and_preflight_is_not_logged() {
    let emulation = Emulation::with(&media()).await;
    emulation
        .emulators
        .register_principal(principal("signer", [allow("s3:GetObject", OBJECTS)]));
    put_object(&emulation.s3("unrestricted"), "photo", b"bytes".to_vec())
        .await
        .unwrap();
    let expiry = PresigningConfig::expires_in(Duration::from_mins(1)).unwrap();
    let signed = emulation
        .s3("signer")
        .get_object()
        .bucket("media")
        .key("photo")
        .presigned(expiry)
        .await
        .unwrap();
    let call_log = emulation.emulators.call_log();
    call_log.clear();
    let preflight = "OPTIONS /media/photo HTTP/1.1\r\norigin: https://example.com\r\naccess-control-request-method: PUT";
    let allowed = send(&emulation, preflight, "").await;
    assert!(
        allowed.text.contains("access-control-allow-origin"),
        "{allowed:?}"
    );
    assert_eq!(call_log.calls(), []);

    let path = signed
        .uri()
        .strip_prefix(emulation.emulators.s3_url())
        .unwrap();
    let response = send(&emulation, &format!("GET {path} HTTP/1.1"), "").await;
    assert!(response.text.ends_with("bytes"), "{response:?}");
    let anonymous = send(&emulation, "GET /media/photo HTTP/1.1", "").await;
    assert_eq!(anonymous.status, 403);
    let call = |principal: &str, status| CallRecord {
        principal: principal.to_owned(),
        service: Service::S3,
        operation: "GetObject".to_owned(),
        status,
    };
    assert_eq!(
        call_log.calls(),
        [call("signer", 200), call("unknown", 403)]
    );
}

#[tokio::test]
async fn objects_expire_at_the_midnight_after_their_days() {
    let rule = LifecycleRule {
        prefix: "staging/".to_owned(),
        expiration_days: Some(1),
        abort_multipart_days: None,
    };
    let template = media_with(rule);
    let emulation = Emulation::with(&template).await;
    let of_day = u64::try_from(emulation.clock.now_ms()).unwrap() / 1000 % DAY_SECONDS;
    emulation.sweep_after(DAY_SECONDS - of_day + 60).await;

    let client = emulation.s3("unrestricted");
    for key in ["staging/a", "staging", "kept/staging/a"] {
        put_object(&client, key, "bytes").await.unwrap();
    }

    // Put one minute after midnight: a day later, the rest of that day has to pass as well.
    emulation.sweep_after(2 * DAY_SECONDS - 120).await;
    assert_eq!(get_object(&client, "staging/a").await.unwrap(), b"bytes");
    emulation.sweep_after(61).await;
    assert_eq!(
        get_object(&client, "staging/a").await,
        Err("NoSuchKey".to_owned())
    );
    assert_eq!(emulation.object_files(), ObjectFiles::finished(2));
}

fn delete_request(keys: &[&str]) -> Delete {
    let objects = keys
        .iter()
        .map(|key| ObjectIdentifier::builder().key(*key).build().unwrap());
    Delete::builder()
        .set_objects(Some(objects.collect()))
        .build()
        .unwrap()
}

async fn delete_objects(client: &Client, delete: Delete) -> Result<DeleteObjectsOutput, String> {
    let request = client.delete_objects().bucket("media").delete(delete);
    request.send().await.map_err(code)
}

#[tokio::test]
async fn batch_delete_deletes_existing_and_ignores_missing_objects() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    put_object(&client, "a&b <c>", "x").await.unwrap();

    let output = delete_objects(&client, delete_request(&["a&b <c>", "missing"])).await;

    let deleted = output.unwrap();
    let keys: Vec<_> = deleted
        .deleted()
        .iter()
        .filter_map(|object| object.key())
        .collect();
    assert_eq!(keys, ["a&b <c>", "missing"]);
    assert!(deleted.errors().is_empty());
    let object = get_object(&client, "a&b <c>").await;
    assert_eq!(object, Err("NoSuchKey".to_owned()));
}

#[tokio::test]
async fn batch_delete_requires_delete_permission() {
    let emulation = Emulation::with(&media()).await;
    for (name, action) in [("cleaner", "s3:DeleteObject"), ("reader", "s3:GetObject")] {
        emulation
            .emulators
            .register_principal(principal(name, [allow(action, OBJECTS)]));
    }
    let delete = async |name: &str| {
        let client = emulation.s3(name);
        delete_objects(&client, delete_request(&["k"])).await
    };

    assert_eq!(delete("reader").await.unwrap_err(), "AccessDenied");
    assert_eq!(delete("cleaner").await.unwrap().deleted().len(), 1);
}

#[tokio::test]
async fn quiet_batch_delete_returns_only_errors() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let tag = put_object(&client, "kept", "x").await.unwrap();
    put_object(&client, "other", "x").await.unwrap();
    let conditional = ObjectIdentifier::builder().key("kept").e_tag(tag);
    let unconditional = ObjectIdentifier::builder().key("other");
    let delete = Delete::builder()
        .objects(conditional.build().unwrap())
        .objects(unconditional.build().unwrap())
        .quiet(true);

    let output = delete_objects(&client, delete.build().unwrap()).await;

    let output = output.unwrap();
    let errors: Vec<_> = output
        .errors()
        .iter()
        .map(|error| (error.key(), error.code()))
        .collect();
    assert_eq!(errors, [(Some("kept"), Some("NotImplemented"))]);
    assert!(output.deleted().is_empty());
    assert_eq!(get_object(&client, "kept").await.unwrap(), b"x");
    let other = get_object(&client, "other").await;
    assert_eq!(other, Err("NoSuchKey".to_owned()));
}

#[tokio::test]
async fn batch_delete_accepts_at_most_1000_keys() {
    let emulation = Emulation::with(&media()).await;
    let client = emulation.s3("unrestricted");
    let long_keys: Vec<String> = (0..1001)
        .map(|number| format!("{number:04}{}", "&".repeat(1020)))
        .collect();
    let keys: Vec<&str> = long_keys.iter().map(String::as_str).collect();

    let output = delete_objects(&client, delete_request(&keys[..1000])).await;
    assert_eq!(output.unwrap().deleted().len(), 1000);

    let error = delete_objects(&client, delete_request(&keys)).await;
    assert_eq!(error.unwrap_err(), "MalformedXML");
}
