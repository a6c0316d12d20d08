//! The S3 client of the CDN.

use aws_sdk_s3::{
    Client, Config,
    config::{BehaviorVersion, Credentials, Region},
};
use aws_smithy_http_client::Builder;
use emulators::REGION;
use runtime::context::FunctionContext;

/// Creates a client with the credentials and the endpoint of a context.
pub(crate) fn s3_client(context: &FunctionContext) -> Client {
    let variable = |name: &str| context.variables.get(name).cloned().unwrap_or_default();
    let credentials = Credentials::new(
        variable("AWS_ACCESS_KEY_ID"),
        variable("AWS_SECRET_ACCESS_KEY"),
        None,
        None,
        "local",
    );

    let config = Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(REGION))
        .credentials_provider(credentials)
        .endpoint_url(variable("AWS_ENDPOINT_URL_S3"))
        .force_path_style(true)
        .http_client(Builder::new().build_http());
    Client::from_conf(config.build())
}
