//! Authorization and the call log.

use aws_sdk_dynamodb::{
    config::Credentials,
    error::ProvideErrorMetadata as _,
    types::{ConditionCheck, TransactWriteItem},
};
use emulators::{CallRecord, Service};
use sam_template::ResolvedTemplate;

use crate::support::{
    Emulation, allow, exists, principal, put, queue, records, text, transactional_put,
};

const TABLE: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/records";

fn transaction(
    client: &aws_sdk_dynamodb::Client,
) -> aws_sdk_dynamodb::operation::transact_write_items::builders::TransactWriteItemsFluentBuilder {
    let check = ConditionCheck::builder()
        .table_name("records")
        .key("pk", text("other"))
        .key("sk", text("-"));
    let check = check.condition_expression("attribute_not_exists(pk)");

    client
        .transact_write_items()
        .transact_items(transactional_put("new"))
        .transact_items(
            TransactWriteItem::builder()
                .condition_check(check.build().unwrap())
                .build(),
        )
}

#[tokio::test]
async fn transaction_requires_permission_of_each_operation() {
    let emulation = Emulation::with(&records()).await;
    emulation
        .emulators
        .register_principal(principal("writer", [allow("dynamodb:PutItem", TABLE)]));
    let writer = emulation.dynamodb("writer");
    let error = transaction(&writer).send().await.unwrap_err();
    assert_eq!(error.code(), Some("AccessDeniedException"));

    let message = error.message().unwrap();
    assert!(
        message.contains("writer is not authorized to perform: dynamodb:ConditionCheckItem"),
        "{message}"
    );
    assert!(!exists(&emulation.dynamodb("unrestricted"), "new").await);

    let both = [
        allow("dynamodb:PutItem", TABLE),
        allow("dynamodb:ConditionCheckItem", TABLE),
    ];
    emulation
        .emulators
        .register_principal(principal("writer", both));
    transaction(&writer).send().await.unwrap();
    assert!(exists(&emulation.dynamodb("unrestricted"), "new").await);
}

#[tokio::test]
async fn unregistered_access_key_is_rejected() {
    let emulation = Emulation::with(&ResolvedTemplate {
        queues: vec![queue("jobs")],
        ..records()
    })
    .await;
    let error = emulation
        .dynamodb("unregistered")
        .list_tables()
        .send()
        .await
        .unwrap_err();

    assert_eq!(error.code(), Some("UnrecognizedClientException"));

    let error = emulation
        .sqs("unregistered")
        .list_queues()
        .send()
        .await
        .unwrap_err();

    assert_eq!(error.code(), Some("InvalidClientTokenId"));
}

#[tokio::test]
async fn permissions_apply_per_queue_and_action() {
    let emulation = Emulation::with(&ResolvedTemplate {
        queues: vec![queue("mine"), queue("other")],
        ..ResolvedTemplate::default()
    })
    .await;
    let mine = "arn:aws:sqs:us-east-1:000000000000:mine";
    emulation
        .emulators
        .register_principal(principal("sender", [allow("sqs:SendMessage", mine)]));

    let sender = emulation.sqs("sender");
    sender
        .send_message()
        .queue_url(emulation.queue_url("mine"))
        .message_body("yes")
        .send()
        .await
        .unwrap();

    let other = sender
        .send_message()
        .queue_url(emulation.queue_url("other"))
        .message_body("no")
        .send()
        .await;

    assert_eq!(other.unwrap_err().code(), Some("AccessDenied"));

    let receive = sender
        .receive_message()
        .queue_url(emulation.queue_url("mine"))
        .send()
        .await;

    assert_eq!(receive.unwrap_err().code(), Some("AccessDenied"));
}

#[tokio::test]
async fn call_log_has_every_attempt() {
    let emulation = Emulation::with(&records()).await;
    emulation
        .emulators
        .register_principal(principal("reader", [allow("dynamodb:GetItem", TABLE)]));

    let call_log = emulation.emulators.call_log();
    exists(&emulation.dynamodb("unrestricted"), "a").await;
    call_log.clear();
    assert!(!exists(&emulation.dynamodb("reader"), "a").await);
    assert!(!put(&emulation.dynamodb("reader"), "a").await);

    let _ = emulation
        .dynamodb("unregistered")
        .list_tables()
        .send()
        .await;
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

    assert_eq!(call_log.calls(), expected);
}

#[tokio::test]
async fn access_key_with_a_wrong_secret_is_rejected_by_all_services() {
    let emulation = Emulation::with(&records()).await;
    let guessed = || Credentials::new("unrestricted", "guessed", None, None, "test");

    let config = aws_sdk_dynamodb::Config::builder().credentials_provider(guessed());
    let call = emulation.dynamodb("unrestricted").list_tables();
    let error = call.customize().config_override(config).send().await;
    let error = error.unwrap_err();
    assert_eq!(error.code(), Some("InvalidSignatureException"));

    let config = aws_sdk_secretsmanager::Config::builder().credentials_provider(guessed());
    let call = emulation.secrets("unrestricted").get_secret_value();
    let error = call.secret_id("secret").customize().config_override(config);
    let error = error.send().await.unwrap_err();
    assert_eq!(error.code(), Some("InvalidSignatureException"));

    let config = aws_sdk_sqs::Config::builder().credentials_provider(guessed());
    let call = emulation.sqs("unrestricted").list_queues();
    let error = call.customize().config_override(config).send().await;
    assert_eq!(error.unwrap_err().code(), Some("SignatureDoesNotMatch"));

    let config = aws_sdk_s3::Config::builder().credentials_provider(guessed());
    let call = emulation.s3("unrestricted").list_objects_v2();
    let error = call.bucket("bucket").customize().config_override(config);
    let error = error.send().await.unwrap_err();
    assert_eq!(error.code(), Some("SignatureDoesNotMatch"));
}
