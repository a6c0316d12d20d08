//! S3 behind its gate. What the store itself does is tested in its module.

use std::time::Duration;

use aws_sdk_s3::{
    Client, error::ProvideErrorMetadata as _, error::SdkError, operation::get_object::GetObjectError,
    presigning::PresigningConfig,
};
use bytes::Bytes;
use emulators::{Call, Service};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper_util::rt::TokioIo;
use template::Stack;
use tokio::net::TcpStream;

use crate::support::{Cloud, bucket, principal};

const OBJECTS: &str = "arn:aws:s3:::media/*";

fn media() -> Stack {
    Stack { buckets: vec![bucket()], ..Stack::default() }
}

async fn put(client: &Client, key: &str, body: Vec<u8>) -> Result<(), String> {
    let put = client.put_object().bucket("media").key(key).body(body.into()).send().await;
    put.map(drop).map_err(|error| error.code().unwrap_or("no answer").to_owned())
}

async fn get(client: &Client, key: &str) -> Result<Vec<u8>, SdkError<GetObjectError>> {
    let object = client.get_object().bucket("media").key(key).send().await?;
    Ok(object.body.collect().await.unwrap().to_vec())
}

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
    cloud.emulators.admit(principal("writer", &[("s3:PutObject", OBJECTS)]));
    let writer = cloud.s3("writer");
    put(&writer, "a/b c", b"bytes".to_vec()).await.unwrap();
    assert_eq!(get(&writer, "a/b c").await.unwrap_err().code(), Some("AccessDenied"));
    assert_eq!(put(&cloud.s3("nobody"), "x", Vec::new()).await, Err("InvalidAccessKeyId".to_owned()));

    let cloud = cloud.restart().await;
    cloud.emulators.provision(&media()).await.unwrap();
    assert_eq!(get(&cloud.s3("operator"), "a/b c").await.unwrap(), b"bytes");
}

#[tokio::test]
async fn an_absent_object_is_told_only_to_those_who_may_list() {
    let cloud = Cloud::with(&media()).await;
    cloud.emulators.admit(principal("reader", &[("s3:GetObject", OBJECTS)]));
    assert_eq!(get(&cloud.s3("reader"), "absent").await.unwrap_err().code(), Some("AccessDenied"));
    assert_eq!(get(&cloud.s3("operator"), "absent").await.unwrap_err().code(), Some("NoSuchKey"));
    let head = cloud.s3("reader").head_object().bucket("media").key("absent").send().await.unwrap_err();
    assert_eq!(head.raw_response().unwrap().status().as_u16(), 403);
}

#[tokio::test]
async fn faults_reach_objects_too() {
    let cloud = Cloud::with(&media()).await;
    let faults = cloud.emulators.faults();
    let client = cloud.s3("operator");
    faults.lose_answer(Service::S3, "PutObject", 1);
    assert_eq!(put(&client, "lost", b"kept".to_vec()).await, Err("no answer".to_owned()));
    assert_eq!(get(&client, "lost").await.unwrap(), b"kept");

    // The whole body is read before a refusal, or the client would see a broken connection.
    faults.refuse(Service::S3, "PutObject", 1, 503, "SlowDown");
    assert_eq!(put(&client, "slow", vec![0; 8 * 1024 * 1024]).await, Err("SlowDown".to_owned()));
    assert_eq!(get(&client, "slow").await.unwrap_err().code(), Some("NoSuchKey"));
    assert_eq!(faults.pending(), 0);
}

#[tokio::test]
async fn a_presigned_request_counts_for_its_signer_and_a_preflight_for_nobody() {
    let cloud = Cloud::with(&media()).await;
    cloud.emulators.admit(principal("signer", &[("s3:GetObject", OBJECTS)]));
    put(&cloud.s3("operator"), "photo", b"bytes".to_vec()).await.unwrap();
    let expiry = PresigningConfig::expires_in(Duration::from_mins(1)).unwrap();
    let signed = cloud.s3("signer").get_object().bucket("media").key("photo").presigned(expiry).await.unwrap();
    let host = cloud.emulators.s3_url().strip_prefix("http://").unwrap();
    let request = || Request::builder().header("host", host);

    let wire = cloud.emulators.wire();
    wire.clear();
    let preflight = request().method(Method::OPTIONS).uri("/media/photo").header("origin", "https://example.com");
    let preflight = preflight.header("access-control-request-method", "PUT").body(Empty::new()).unwrap();
    let allowed = send(&cloud, preflight).await;
    assert!(allowed.headers().contains_key("access-control-allow-origin"), "{allowed:?}");
    assert_eq!(wire.calls(), []);

    let path = signed.uri().strip_prefix(cloud.emulators.s3_url()).unwrap();
    let answer = send(&cloud, request().uri(path).body(Empty::new()).unwrap()).await;
    assert_eq!(answer.body(), "bytes");
    let anonymous = send(&cloud, request().uri("/media/photo").body(Empty::new()).unwrap()).await;
    assert_eq!(anonymous.status(), StatusCode::FORBIDDEN);
    let call = |principal: &str, status| Call {
        principal: principal.to_owned(),
        service: Service::S3,
        operation: "GetObject".to_owned(),
        status,
    };
    assert_eq!(wire.calls(), [call("signer", 200), call("unknown", 403)]);
}
