use std::cell::Cell;

use aws_sdk_dynamodb::{error::SdkError, types::AttributeValue};
use base64::{Engine, engine::general_purpose::STANDARD};
use bucket::ObjectKey;
use domain::id::{FileId, SpaceId};
use sha2::{Digest, Sha256};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::Instant,
};

use super::*;
use crate::context::{FunctionContext, system_env};

struct Clients {
    dynamodb: aws_sdk_dynamodb::Client,
    s3: aws_sdk_s3::Client,
}

fn context(variables: &[(&str, &str)]) -> FunctionContext {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    FunctionContext::new("test", variables.iter().map(owned).collect(), system_env())
}

#[test]
fn endpoint_of_one_service_precedes_that_of_all() {
    let context = context(&[
        ("AWS_ENDPOINT_URL", "http://all"),
        ("AWS_ENDPOINT_URL_S3", "http://storage"),
    ]);
    let settings = Settings::of(&context);

    let endpoints = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL_SQS"];
    let endpoints = endpoints.map(|variable| settings.endpoint(variable).expect("set"));
    assert_eq!(endpoints, ["http://storage", "http://all"]);
}

/// Opens the bucket of a function that presigns, with credentials, a session token and a role.
fn open_presigning_bucket(token: &str, role_arn: &str) -> Result<(), String> {
    let context = context(&[
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_SESSION_TOKEN", token),
        ("AWS_REGION", "us-east-1"),
        ("BUCKET_NAME", "bucket"),
        ("PRESIGN_ROLE_ARN", role_arn),
    ]);
    let mut settings = Settings::of(&context);
    settings.presigning_bucket();
    settings.finish().map_err(|error| error.to_string())
}

#[test]
fn function_with_a_session_requires_a_role_that_presigns() {
    let missing = "the function cannot start: PRESIGN_ROLE_ARN is not set".to_owned();
    assert_eq!(open_presigning_bucket("token", ""), Err(missing));
    assert_eq!(open_presigning_bucket("token", "role"), Ok(()));
    assert_eq!(open_presigning_bucket("", ""), Ok(()));
}

/// Returns the context of a function whose endpoints are this listener.
fn context_of(listener: &TcpListener) -> FunctionContext {
    let url = format!("http://{}", listener.local_addr().unwrap());
    context(&[
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ENDPOINT_URL", &url),
        ("BUCKET_NAME", "bucket"),
    ])
}

/// Returns clients whose endpoints are this listener.
fn clients(listener: &TcpListener) -> Clients {
    let context = context_of(listener);
    let mut settings = Settings::of(&context);
    let clients = Clients {
        dynamodb: settings.dynamodb(),
        s3: settings.s3(),
    };
    settings.finish().unwrap();
    clients
}

#[tokio::test(start_paused = true)]
async fn call_without_a_response_ends_before_the_response_deadline() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let Clients { dynamodb, s3 } = clients(&listener);

    let started = Instant::now();
    let result = dynamodb
        .get_item()
        .table_name("table")
        .key("pk", AttributeValue::S("key".to_owned()))
        .send()
        .await;
    let error = result.unwrap_err();
    let SdkError::DispatchFailure(failure) = &error else {
        panic!("{error:?}");
    };
    assert!(failure.is_timeout(), "{error:?}");
    assert!(started.elapsed() < crate::http::RESPONSE_DEADLINE);

    let started = Instant::now();
    let get = s3.get_object().bucket("bucket").key("key").send();
    get.await.unwrap_err();
    assert!(started.elapsed() < crate::http::RESPONSE_DEADLINE);
}

#[tokio::test(start_paused = true)]
async fn attempt_without_response_ends_after_its_timeout() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let Clients { dynamodb, s3 } = clients(&listener);

    let started = Instant::now();
    dynamodb.list_tables().send().await.unwrap_err();
    let attempts = RESPONSE_TIMEOUT * DYNAMODB_ATTEMPTS;
    let expected = attempts..=attempts + DYNAMODB_BACKOFF;
    assert!(
        expected.contains(&started.elapsed()),
        "{:?}",
        started.elapsed()
    );

    let started = Instant::now();
    s3.list_buckets().send().await.unwrap_err();
    assert!(started.elapsed() > S3_ATTEMPT_TIMEOUT);
}

#[tokio::test(start_paused = true)]
async fn response_that_stalls_ends_after_the_timeout_of_its_attempts() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let Clients { dynamodb, .. } = clients(&listener);
    let responses = Cell::new(0);
    let server = async {
        let mut open = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 8192]).await.unwrap();
            let start = b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{";
            stream.write_all(start).await.unwrap();
            responses.set(responses.get() + 1);
            open.push(stream);
        }
    };

    let started = Instant::now();
    tokio::select! {
        () = server => {}
        result = dynamodb.list_tables().send() => {
            let error = result.unwrap_err();
            assert!(matches!(error, SdkError::TimeoutError(_)), "{error:?}");
        }
    }
    let elapsed = started.elapsed();
    assert_eq!(responses.get(), DYNAMODB_ATTEMPTS);
    let attempts = ATTEMPT_TIMEOUT * DYNAMODB_ATTEMPTS;
    let expected = attempts..=attempts + DYNAMODB_BACKOFF;
    assert!(expected.contains(&elapsed), "{elapsed:?}");
}

#[tokio::test]
async fn clients_of_a_function_share_connections() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let Clients { dynamodb, s3 } = clients(&listener);

    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 8192];
        let response = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
        while stream
            .read(&mut buffer)
            .await
            .is_ok_and(|length| length > 0)
        {
            stream.write_all(response).await.unwrap();
        }
        panic!("the connection was closed");
    };
    let calls = async {
        dynamodb.list_tables().send().await.unwrap_err();
        s3.list_buckets().send().await.unwrap_err();
        dynamodb.list_tables().send().await.unwrap_err();
    };
    tokio::select! {
        () = server => {}
        result = tokio::time::timeout(Duration::from_secs(10), calls) => {
            result.expect("all calls use one connection");
        }
    }
}

#[tokio::test]
async fn delivery_alone_requests_no_checksums_of_objects() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let context = context_of(&listener);
    let mut settings = Settings::of(&context);
    let key = ObjectKey::staged(SpaceId::MIN, FileId::MIN);

    for (bucket, is_verified) in [
        (settings.bucket(), true),
        (settings.presigning_bucket(), true),
        (settings.delivery_bucket(), false),
    ] {
        let server = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 8192];
            let length = stream.read(&mut request).await.unwrap();
            let response =
                b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(response).await.unwrap();
            String::from_utf8_lossy(&request[..length]).into_owned()
        };
        let (request, _) = tokio::join!(server, bucket.get(&key, None));
        assert_eq!(
            request.contains("x-amz-checksum-mode"),
            is_verified,
            "{request}"
        );
    }
}

#[tokio::test]
async fn roots_of_amazon_are_certificates() {
    let closed = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("https://{}", closed.local_addr().unwrap());
    drop(closed);
    let context = context(&[
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ENDPOINT_URL", &url),
    ]);
    let dynamodb = Settings::of(&context).dynamodb();

    // The first connection parses the roots, and panics if one is invalid.
    let error = dynamodb.list_tables().send().await.unwrap_err();
    assert!(matches!(error, SdkError::DispatchFailure(_)), "{error:?}");
}

#[test]
fn roots_of_amazon_have_their_fingerprints() {
    let pem = std::str::from_utf8(AMAZON_ROOTS).unwrap();
    let certificates: Vec<&str> = pem.split_inclusive("-----END CERTIFICATE-----\n").collect();
    assert_eq!(certificates.len(), 5);

    for certificate in certificates {
        let (title, rest) = certificate
            .split_once("-----BEGIN CERTIFICATE-----")
            .unwrap();
        let (text, _) = rest.split_once("-----END").unwrap();
        let der = STANDARD.decode(text.replace('\n', "")).unwrap();
        let (_, expected) = title.trim().rsplit_once(' ').unwrap();

        let digest = hex::encode_upper(Sha256::digest(der));
        assert_eq!(digest, expected.replace(':', ""), "{title}");
    }
}
