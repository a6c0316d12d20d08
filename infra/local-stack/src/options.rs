//! Options of a local stack, and the context of its template.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use domain::Random;
use emulators::{ACCOUNT_ID, REGION};
use runtime::BodyDeadlines;
use sam_template::{Context, Template};

use crate::{cargo_lambda::CargoLambda, cdn_key_pair::CdnKeyPair, registry::Registry};

/// Name of the emulated CloudFormation stack.
const STACK_NAME: &str = "larder";
/// The template parameter for the base URL of delivery.
const CDN_URL_PARAMETER: &str = "CdnUrl";
/// The template parameter that allows URLs of loopback hosts.
const LOOPBACK_URLS_PARAMETER: &str = "AllowLoopbackUrls";
/// The template parameter for the maximum size of a body that delivery sends itself.
const REDIRECT_PARAMETER: &str = "RedirectAboveBytes";
/// The template parameter for the public key of the CDN.
const PUBLIC_KEY_PARAMETER: &str = "CdnPublicKey";
/// The template parameter for the secret with its private key.
const PRIVATE_KEY_PARAMETER: &str = "CdnPrivateKeySecretArn";
/// The value of [`REDIRECT_PARAMETER`] in this process, where responses are not limited: larger than any file.
const NEVER_REDIRECT: u64 = 1 << 50;
/// Its value under cargo-lambda, which hangs on larger responses: 3 MiB.
const CARGO_LAMBDA_REDIRECT: u64 = 3 << 20;

/// The ports to listen on. 0 selects a free port.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ports {
    /// Port of the API.
    pub api: u16,
    /// Port of the CDN.
    pub cdn: u16,
    pub s3: u16,
}

/// Options of a local stack.
pub struct Options {
    /// Directory of all data.
    pub data_dir: PathBuf,
    /// Whether to delete the data of earlier runs.
    pub reset: bool,
    /// The template, shared by the stacks of one process.
    pub template: Arc<Template>,
    /// The functions of the template.
    pub registry: Registry,
    /// Ports to listen on.
    pub ports: Ports,
    /// Parameters of the template that override their defaults.
    pub parameters: BTreeMap<String, String>,
    /// Clock of the emulators and functions.
    pub clock: Arc<dyn emulators::AsyncClock>,
    /// Source of randomness of the functions.
    pub random: Arc<dyn Random>,
    /// Time limits for receiving request bodies.
    pub body_deadlines: BodyDeadlines,
    /// Workers, by binary name, that process no message until [`LocalStack::resume_workers`].
    ///
    /// [`LocalStack::resume_workers`]: crate::LocalStack::resume_workers
    pub paused_workers: &'static [&'static str],
    /// cargo-lambda to run the functions under. `None` runs them in this process.
    pub cargo_lambda: Option<CargoLambda>,
}

/// Base URLs of a local stack.
pub(crate) struct Origins<'a> {
    pub(crate) cdn: &'a str,
    pub(crate) sqs: &'a str,
}

impl Options {
    /// Returns whether the stack creates a key pair for the CDN: if large bodies are redirected, and no
    /// parameter specifies or disables the key pair.
    pub(crate) fn needs_key_pair(&self) -> bool {
        let redirects =
            self.cargo_lambda.is_some() || self.parameters.contains_key(REDIRECT_PARAMETER);
        redirects && !self.parameters.contains_key(PUBLIC_KEY_PARAMETER)
    }
}

/// Returns the value of a template parameter in a local stack that runs the functions in its process;
/// `None` if it is the template's default, or depends on the ports.
pub fn local_default(parameter: &str) -> Option<String> {
    match parameter {
        REDIRECT_PARAMETER => Some(NEVER_REDIRECT.to_string()),
        LOOPBACK_URLS_PARAMETER => Some(true.to_string()),
        _ => None,
    }
}

/// Returns the context that the template is resolved with.
pub(crate) fn context(
    options: &Options,
    origins: &Origins<'_>,
    key_pair: Option<&CdnKeyPair>,
) -> Context {
    let redirect_above = if options.cargo_lambda.is_some() {
        CARGO_LAMBDA_REDIRECT
    } else {
        NEVER_REDIRECT
    };
    let mut local_values = vec![
        (CDN_URL_PARAMETER, origins.cdn.to_owned()),
        (REDIRECT_PARAMETER, redirect_above.to_string()),
        (LOOPBACK_URLS_PARAMETER, true.to_string()),
    ];
    if let Some(key_pair) = key_pair {
        local_values.extend([
            (PUBLIC_KEY_PARAMETER, key_pair.public_key.clone()),
            (PRIVATE_KEY_PARAMETER, key_pair.private_key_arn.clone()),
        ]);
    }

    let mut parameters = options.parameters.clone();
    for (name, value) in local_values {
        if options.template.parameters().contains_key(name) {
            parameters.entry(name.to_owned()).or_insert(value);
        }
    }

    Context {
        stack_name: STACK_NAME.to_owned(),
        region: REGION.to_owned(),
        account_id: ACCOUNT_ID.to_owned(),
        parameters,
        queue_url_base: origins.sqs.to_owned(),
    }
}
