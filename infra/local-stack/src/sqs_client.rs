//! The SQS client of the local stack.

use aws_sdk_sqs::{
    Client,
    config::{BehaviorVersion, Region},
};
use aws_smithy_http_client::Builder;
use emulators::{ACCOUNT_ID, REGION};
use runtime::context::FunctionContext;

use crate::credentials::{credentials, variable};

/// An SQS client with the credentials of one role.
#[derive(Clone)]
pub(crate) struct SqsClient {
    pub(crate) client: Client,
    endpoint: String,
}

impl SqsClient {
    /// Creates a client with the credentials and the endpoint of a context.
    pub(crate) fn new(context: &FunctionContext) -> SqsClient {
        let endpoint = variable(context, "AWS_ENDPOINT_URL_SQS");
        let config = aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(REGION))
            .credentials_provider(credentials(context))
            .endpoint_url(&endpoint)
            .http_client(Builder::new().build_http())
            .build();
        SqsClient {
            client: Client::from_conf(config),
            endpoint,
        }
    }

    /// Returns the URL of a queue, given its physical name.
    pub(crate) fn queue_url(&self, queue: &str) -> String {
        format!("{}/{ACCOUNT_ID}/{queue}", self.endpoint)
    }
}
