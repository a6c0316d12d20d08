//! Who may do what, and what the log says of it.

use aws_sdk_dynamodb::{
    error::ProvideErrorMetadata as _,
    types::{ConditionCheck, Put, TransactWriteItem},
};
use emulators::{CallRecord, Service};
use template::Stack;

use crate::support::{Cloud, exists, principal, put, queue, records, text};

const TABLE: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/records";

fn transaction(
    client: &aws_sdk_dynamodb::Client,
) -> aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder {
    let put = Put::builder()
        .table_name("records")
        .item("pk", text("new"))
        .item("sk", text("-"));
    let check = ConditionCheck::builder()
        .table_name("records")
        .key("pk", text("other"))
        .key("sk", text("-"));
    let check = check.condition_expression("attribute_not_exists(pk)");
    client
        .transact_write_items()
        .transact_items(
            TransactWriteItem::builder()
                .put(put.build().unwrap())
                .build(),
        )
        .transact_items(
            TransactWriteItem::builder()
                .condition_check(check.build().unwrap())
                .build(),
        )
}

#[tokio::test]
async fn a_transaction_needs_the_action_of_each_member() {
    let cloud = Cloud::with(&records()).await;
    cloud
        .emulators
        .admit(principal("writer", &[("dynamodb:PutItem", TABLE)]));
    let writer = cloud.dynamodb("writer");
    let refused = transaction(&writer).send().await.unwrap_err();
    assert_eq!(refused.code(), Some("AccessDeniedException"));
    let message = refused.message().unwrap();
    assert!(
        message.contains("writer is not authorized to perform: dynamodb:ConditionCheckItem"),
        "{message}"
    );
    assert!(!exists(&cloud.dynamodb("operator"), "new").await);

    let both = [
        ("dynamodb:PutItem", TABLE),
        ("dynamodb:ConditionCheckItem", TABLE),
    ];
    cloud.emulators.admit(principal("writer", &both));
    transaction(&writer).send().await.unwrap();
    assert!(exists(&cloud.dynamodb("operator"), "new").await);
}

#[tokio::test]
async fn an_unknown_access_key_is_refused_by_each_service() {
    let cloud = Cloud::with(&Stack {
        queues: vec![queue("jobs")],
        ..records()
    })
    .await;
    let refused = cloud
        .dynamodb("nobody")
        .list_tables()
        .send()
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Some("UnrecognizedClientException"));
    let refused = cloud.sqs("nobody").list_queues().send().await.unwrap_err();
    assert_eq!(refused.code(), Some("InvalidClientTokenId"));
}

#[tokio::test]
async fn queues_are_allowed_one_by_one() {
    let cloud = Cloud::with(&Stack {
        queues: vec![queue("mine"), queue("other")],
        ..Stack::default()
    })
    .await;
    let mine = "arn:aws:sqs:us-east-1:000000000000:mine";
    cloud
        .emulators
        .admit(principal("sender", &[("sqs:SendMessage", mine)]));
    let sender = cloud.sqs("sender");
    sender
        .send_message()
        .queue_url(cloud.queue_url("mine"))
        .message_body("yes")
        .send()
        .await
        .unwrap();
    let other = sender
        .send_message()
        .queue_url(cloud.queue_url("other"))
        .message_body("no")
        .send()
        .await;
    assert_eq!(other.unwrap_err().code(), Some("AccessDenied"));
    let receive = sender
        .receive_message()
        .queue_url(cloud.queue_url("mine"))
        .send()
        .await;
    assert_eq!(receive.unwrap_err().code(), Some("AccessDenied"));
}

#[tokio::test]
async fn the_log_has_every_attempt_of_everybody() {
    let cloud = Cloud::with(&records()).await;
    cloud
        .emulators
        .admit(principal("reader", &[("dynamodb:GetItem", TABLE)]));
    let wire = cloud.emulators.call_log();
    exists(&cloud.dynamodb("operator"), "a").await;
    wire.clear();
    assert!(!exists(&cloud.dynamodb("reader"), "a").await);
    assert!(!put(&cloud.dynamodb("reader"), "a").await);
    let _ = cloud.dynamodb("nobody").list_tables().send().await;
    let call = |principal: &str, operation: &str, status| CallRecord {
        principal: principal.to_owned(),
        service: Service::DynamoDb,
        operation: operation.to_owned(),
        status,
    };
    let expected = [
        call("reader", "GetItem", 200),
        call("reader", "PutItem", 400),
        call("unknown", "ListTables", 400),
    ];
    assert_eq!(wire.calls(), expected);
}
