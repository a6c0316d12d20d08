//! The S3 client of the CDN.

use aws_sdk_s3::{
    Client, Config,
    config::{BehaviorVersion, Region},
};
use aws_smithy_http_client::Builder;
use emulators::REGION;
use runtime::context::FunctionContext;

use crate::credentials::{credentials, variable};

/// Creates a client with the credentials and the endpoint of a context.
pub(crate) fn s3_client(context: &FunctionContext) -> Client {
    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(REGION))
        .credentials_provider(credentials(context))
        .endpoint_url(variable(context, "AWS_ENDPOINT_URL_S3"))
        .force_path_style(true)
        .http_client(Builder::new().build_http());
    Client::from_conf(config.build())
}
