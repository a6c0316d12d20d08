//! Authorization and the call log.

use std::time::Duration;

use aws_sdk_dynamodb::{
    error::ProvideErrorMetadata as _,
    operation::transact_write_items::builders::TransactWriteItemsFluentBuilder,
    types::{ConditionCheck, TransactWriteItem},
};
use aws_sdk_s3::presigning::PresigningConfig;
use emulators::{CallRecord, Service};

use crate::{
    presigned::{path_of, send},
    support::{Emulation, code, exists, item, principal, put, transactional_put},
};

const TABLE: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/records";

#[tokio::test]
async fn call_without_credentials_or_permission_has_the_error_code_of_its_service() {
    let emulation = Emulation::start().await;
    emulation.register("powerless", &[("*", "arn:other")]);
    let mut impostor = principal("impostor", &[("*", "*")]);
    impostor.secret_key.push('!');
    emulation.emulators.register_principal(impostor);

    // The codes of DynamoDB and Secrets Manager, SQS, and S3.
    for (principal, json_code, sqs_code, s3_code) in [
        (
            "powerless",
            "AccessDeniedException",
            "AccessDenied",
            "AccessDenied",
        ),
        (
            "unregistered",
            "UnrecognizedClientException",
            "InvalidClientTokenId",
            "InvalidAccessKeyId",
        ),
        (
            "impostor",
            "InvalidSignatureException",
            "SignatureDoesNotMatch",
            "SignatureDoesNotMatch",
        ),
    ] {
        let call = emulation.dynamodb(principal).list_tables();
        let error = call.send().await.unwrap_err();
        assert_eq!(code(error), json_code, "{principal}");

        let call = emulation.secrets(principal).get_secret_value();
        let error = call.secret_id("larder-Master").send().await.unwrap_err();
        assert_eq!(code(error), json_code, "{principal}");

        let call = emulation.sqs(principal).receive_message();
        let call = call.queue_url(emulation.queue_url("jobs"));
        let error = call.send().await.unwrap_err();
        assert_eq!(code(error), sqs_code, "{principal}");

        let call = emulation.s3(principal).list_objects_v2();
        let error = call.bucket("media").send().await.unwrap_err();
        assert_eq!(code(error), s3_code, "{principal}");
    }
}

/// Returns a put of the item `new` if there is no item `other`.
fn transaction(client: &aws_sdk_dynamodb::Client) -> TransactWriteItemsFluentBuilder {
    let check = ConditionCheck::builder()
        .table_name("records")
        .set_key(Some(item("other")))
        .condition_expression("attribute_not_exists(pk)");
    let check = TransactWriteItem::builder().condition_check(check.build().unwrap());

    client
        .transact_write_items()
        .transact_items(transactional_put("new"))
        .transact_items(check.build())
}

#[tokio::test]
async fn transaction_requires_permission_of_each_operation() {
    let emulation = Emulation::start().await;
    let operator = emulation.dynamodb("unrestricted");
    let writer = emulation.dynamodb("writer");
    let write = ("dynamodb:PutItem", TABLE);
    emulation.register("writer", &[write]);

    let error = transaction(&writer).send().await.unwrap_err();

    assert_eq!(error.code(), Some("AccessDeniedException"));
    let message = error.message().unwrap();
    let expected = "writer is not authorized to perform: dynamodb:ConditionCheckItem";
    assert!(message.contains(expected), "{message}");
    assert!(!exists(&operator, "new").await);

    let check = ("dynamodb:ConditionCheckItem", TABLE);
    emulation.register("writer", &[write, check]);
    transaction(&writer).send().await.unwrap();
    assert!(exists(&operator, "new").await);
}

#[tokio::test]
async fn every_attempt_is_logged_for_its_principal_but_preflights_are_not() {
    let emulation = Emulation::start().await;
    let objects = ("s3:GetObject", "arn:aws:s3:::media/*");
    let items = ("dynamodb:GetItem", TABLE);
    emulation.register("reader", &[items, objects]);
    emulation.put_object("photo", "bytes").await.unwrap();
    let get = emulation.s3("reader").get_object().bucket("media");
    let expiry = PresigningConfig::expires_in(Duration::from_mins(1)).unwrap();
    let signed = get.key("photo").presigned(expiry).await.unwrap();
    let path = path_of(&emulation, signed.uri());
    let call_log = emulation.emulators.call_log();
    call_log.clear();

    let preflight = "OPTIONS /media/photo HTTP/1.1\r\norigin: https://example.com\r\naccess-control-request-method: PUT";
    let allowed = send(&emulation, preflight, "").await;
    assert!(allowed.contains("access-control-allow-origin"), "{allowed}");
    let reader = emulation.dynamodb("reader");
    assert!(!exists(&reader, "a").await);
    assert!(!put(&reader, "a").await);
    let unregistered = emulation.dynamodb("unregistered").list_tables();
    unregistered.send().await.unwrap_err();
    let presigned = send(&emulation, &format!("GET {path} HTTP/1.1"), "").await;
    assert!(presigned.ends_with("bytes"), "{presigned}");
    send(&emulation, "GET /media/photo HTTP/1.1", "").await;

    let expected = [
        ("reader", Service::DynamoDb, "GetItem", 200),
        ("reader", Service::DynamoDb, "PutItem", 400),
        ("unknown", Service::DynamoDb, "ListTables", 400),
        ("reader", Service::S3, "GetObject", 200),
        ("unknown", Service::S3, "GetObject", 403),
    ];
    let expected = expected.map(|(principal, service, operation, status)| CallRecord {
        principal: principal.to_owned(),
        service,
        operation: operation.to_owned(),
        status,
    });
    assert_eq!(call_log.calls(), expected);
}
