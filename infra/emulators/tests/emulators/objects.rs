//! S3 behind its gate. What the store itself does is tested in its module.

use std::time::Duration;

use aws_sdk_s3::{
    presigning::PresigningConfig,
    types::{Delete, ObjectIdentifier},
};
use bytes::Bytes;
use emulators::{AsyncClock, CallRecord, InjectedError, Service};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::TokioIo;
use template::{Bucket, LifecycleRule, Stack};
use tokio::net::TcpStream;

use crate::support::{Cloud, DAY_SECONDS, bucket, code, get_object, media, principal, put_object};

const OBJECTS: &str = "arn:aws:s3:::media/*";

/// Sends a request that no client signs.
async fn send(cloud: &Cloud, request: Request<Empty<Bytes>>) -> Response<Bytes> {
    let authority = cloud.emulators.s3_url().strip_prefix("http://").unwrap();
    let stream = TokioIo::new(TcpStream::connect(authority).await.unwrap());
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await.unwrap();
    let exchange = async {
        let (head, body) = sender.send_request(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        drop(sender);
        Response::from_parts(head, body)
    };
    futures::join!(exchange, connection).0
}

#[tokio::test]
async fn objects_are_allowed_by_action_and_survive_a_restart() {
    let cloud = Cloud::with(&media()).await;
    cloud
        .emulators
        .admit(principal("writer", &[("s3:PutObject", OBJECTS)]));
    let writer = cloud.s3("writer");
    put_object(&writer, "a/b c", b"bytes".to_vec())
        .await
        .unwrap();
    assert_eq!(
        get_object(&writer, "a/b c").await,
        Err("AccessDenied".to_owned())
    );
    assert_eq!(
        put_object(&cloud.s3("nobody"), "x", Vec::new()).await,
        Err("InvalidAccessKeyId".to_owned())
    );

    let cloud = cloud.restart().await;
    cloud.emulators.provision(&media()).await.unwrap();
    assert_eq!(
        get_object(&cloud.s3("operator"), "a/b c").await.unwrap(),
        b"bytes"
    );
}

#[tokio::test]
async fn an_absent_object_is_told_only_to_those_who_may_list() {
    let cloud = Cloud::with(&media()).await;
    cloud
        .emulators
        .admit(principal("reader", &[("s3:GetObject", OBJECTS)]));
    assert_eq!(
        get_object(&cloud.s3("reader"), "absent").await,
        Err("AccessDenied".to_owned())
    );
    assert_eq!(
        get_object(&cloud.s3("operator"), "absent").await,
        Err("NoSuchKey".to_owned())
    );
    let head = cloud
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
async fn faults_reach_objects_too() {
    let cloud = Cloud::with(&media()).await;
    let faults = cloud.emulators.faults();
    let client = cloud.s3("operator");
    faults.lose_response(Service::S3, "PutObject", 1);
    assert_eq!(
        put_object(&client, "lost", b"kept".to_vec()).await,
        Err("no answer".to_owned())
    );
    assert_eq!(get_object(&client, "lost").await.unwrap(), b"kept");

    // The whole body is read before a refusal, or the client would see a broken connection.
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
async fn a_presigned_request_counts_for_its_signer_and_a_preflight_for_nobody() {
    let cloud = Cloud::with(&media()).await;
    cloud
        .emulators
        .admit(principal("signer", &[("s3:GetObject", OBJECTS)]));
    put_object(&cloud.s3("operator"), "photo", b"bytes".to_vec())
        .await
        .unwrap();
    let expiry = PresigningConfig::expires_in(Duration::from_mins(1)).unwrap();
    let signed = cloud
        .s3("signer")
        .get_object()
        .bucket("media")
        .key("photo")
        .presigned(expiry)
        .await
        .unwrap();
    let host = cloud.emulators.s3_url().strip_prefix("http://").unwrap();
    let request = || Request::builder().header("host", host);

    let wire = cloud.emulators.call_log();
    wire.clear();
    let preflight = request()
        .method(Method::OPTIONS)
        .uri("/media/photo")
        .header("origin", "https://example.com");
    let preflight = preflight
        .header("access-control-request-method", "PUT")
        .body(Empty::new())
        .unwrap();
    let allowed = send(&cloud, preflight).await;
    assert!(
        allowed
            .headers()
            .contains_key("access-control-allow-origin"),
        "{allowed:?}"
    );
    assert_eq!(wire.calls(), []);

    let path = signed.uri().strip_prefix(cloud.emulators.s3_url()).unwrap();
    let answer = send(&cloud, request().uri(path).body(Empty::new()).unwrap()).await;
    assert_eq!(answer.body(), "bytes");
    let anonymous = send(
        &cloud,
        request().uri("/media/photo").body(Empty::new()).unwrap(),
    )
    .await;
    assert_eq!(anonymous.status(), StatusCode::FORBIDDEN);
    let call = |principal: &str, status| CallRecord {
        principal: principal.to_owned(),
        service: Service::S3,
        operation: "GetObject".to_owned(),
        status,
    };
    assert_eq!(wire.calls(), [call("signer", 200), call("unknown", 403)]);
}

#[tokio::test]
async fn objects_expire_by_their_prefix_at_the_midnight_after_their_days() {
    let rule = LifecycleRule {
        prefix: "staging/".to_owned(),
        expiration_days: Some(1),
        abort_multipart_days: None,
    };
    let stack = Stack {
        buckets: vec![Bucket {
            lifecycle: vec![rule],
            ..bucket()
        }],
        ..Stack::default()
    };
    let cloud = Cloud::with(&stack).await;
    let of_day = u64::try_from(cloud.clock.now_ms()).unwrap() / 1000 % DAY_SECONDS;
    cloud.swept_after(DAY_SECONDS - of_day + 60).await;
    let client = cloud.s3("operator");
    for key in ["staging/a", "staging", "kept/staging/a"] {
        put_object(&client, key, "bytes").await.unwrap();
    }
    // A minute after one midnight it is put, a day of its own and the rest of the next pass.
    cloud.swept_after(2 * DAY_SECONDS - 120).await;
    assert_eq!(get_object(&client, "staging/a").await.unwrap(), b"bytes");
    cloud.swept_after(61).await;
    assert_eq!(
        get_object(&client, "staging/a").await,
        Err("NoSuchKey".to_owned())
    );
    assert_eq!(cloud.object_files(), (2, 0));
}

fn named(keys: &[&str]) -> Delete {
    let objects = keys
        .iter()
        .map(|key| ObjectIdentifier::builder().key(*key).build().unwrap());
    Delete::builder()
        .set_objects(Some(objects.collect()))
        .build()
        .unwrap()
}

#[tokio::test]
async fn many_objects_are_deleted_at_once_and_each_on_its_own() {
    let cloud = Cloud::with(&media()).await;
    cloud
        .emulators
        .admit(principal("cleaner", &[("s3:DeleteObject", OBJECTS)]));
    cloud
        .emulators
        .admit(principal("reader", &[("s3:GetObject", OBJECTS)]));
    let client = cloud.s3("operator");
    let tag = put_object(&client, "a&b <c>", "x").await.unwrap();
    for key in ["changed", "kept", "quiet"] {
        put_object(&client, key, "x").await.unwrap();
    }
    let delete = |principal: &str, keys: &[&str]| {
        cloud
            .s3(principal)
            .delete_objects()
            .bucket("media")
            .delete(named(keys))
            .send()
    };
    assert_eq!(
        code(delete("reader", &["kept"]).await.unwrap_err()),
        "AccessDenied"
    );
    let deleted = delete("cleaner", &["a&b <c>", "absent"]).await.unwrap();
    let keys: Vec<_> = deleted
        .deleted()
        .iter()
        .filter_map(|object| object.key())
        .collect();
    assert_eq!(
        (keys, deleted.errors().len()),
        (vec!["a&b <c>", "absent"], 0)
    );
    assert_eq!(
        get_object(&client, "a&b <c>").await,
        Err("NoSuchKey".to_owned())
    );

    // One that fails keeps no other from going, and a quiet answer names it alone.
    put_object(&client, "changed", "y").await.unwrap();
    let conditional = ObjectIdentifier::builder()
        .key("changed")
        .e_tag(tag)
        .build()
        .unwrap();
    let other = ObjectIdentifier::builder().key("quiet").build().unwrap();
    let both = Delete::builder()
        .objects(conditional)
        .objects(other)
        .quiet(true)
        .build()
        .unwrap();
    let deleted = client
        .delete_objects()
        .bucket("media")
        .delete(both)
        .send()
        .await
        .unwrap();
    let errors: Vec<_> = deleted
        .errors()
        .iter()
        .map(|error| (error.key(), error.code()))
        .collect();
    assert_eq!(
        (deleted.deleted().len(), errors),
        (0, vec![(Some("changed"), Some("PreconditionFailed"))])
    );
    assert_eq!(get_object(&client, "changed").await.unwrap(), b"y");
    assert_eq!(
        get_object(&client, "quiet").await,
        Err("NoSuchKey".to_owned())
    );
}

#[tokio::test]
async fn a_thousand_long_keys_fit_into_one_deletion_and_one_more_does_not() {
    let cloud = Cloud::with(&media()).await;
    let keys: Vec<String> = (0..1001)
        .map(|number| format!("{number:04}{}", "&".repeat(1020)))
        .collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let client = cloud.s3("operator");
    let delete = |keys: &[&str]| {
        client
            .delete_objects()
            .bucket("media")
            .delete(named(keys))
            .send()
    };
    assert_eq!(delete(&keys[..1000]).await.unwrap().deleted().len(), 1000);
    assert_eq!(code(delete(&keys).await.unwrap_err()), "MalformedXML");
}
