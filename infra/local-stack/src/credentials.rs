//! Credentials of the clients that the local stack itself has.

use aws_sdk_sqs::config::Credentials;
use runtime::context::FunctionContext;

/// Returns a variable of a context, or an empty text without it.
pub(crate) fn variable(context: &FunctionContext, name: &str) -> String {
    context.variables.get(name).cloned().unwrap_or_default()
}

/// Returns the credentials of a context.
pub(crate) fn credentials(context: &FunctionContext) -> Credentials {
    let id = variable(context, "AWS_ACCESS_KEY_ID");
    let secret = variable(context, "AWS_SECRET_ACCESS_KEY");
    Credentials::new(id, secret, None, None, "local")
}
