//! Options of a local stack, and the context of its template.

use std::{collections::BTreeMap, num::NonZeroU64, path::PathBuf, sync::Arc};

use domain::env::Random;
use emulators::{ACCOUNT_ID, REGION};
use runtime::http::BodyDeadlines;
use sam_template::{Context, Template};

use crate::{
    cargo_lambda::CargoLambda, cdn_key_pair::CdnKeyPair, registry::Registry,
    start_error::StartError,
};

/// Name of the emulated CloudFormation stack.
pub(crate) const STACK_NAME: &str = "larder";
/// The template parameter for the base URL of delivery.
const CDN_URL_PARAMETER: &str = "CdnUrl";
/// The template parameter for the public key of the CDN.
const PUBLIC_KEY_PARAMETER: &str = "CdnPublicKey1";
/// Logical id of the template's resource for it, whose physical name is its id.
pub(crate) const PUBLIC_KEY_RESOURCE: &str = "CdnKey1";
/// The template parameter for the secret with its private key.
const PRIVATE_KEY_PARAMETER: &str = "CdnPrivateKeySecretArn";
/// The value of [`REDIRECT`] under cargo-lambda, which hangs on larger responses: 3 MiB.
const CARGO_LAMBDA_REDIRECT: u64 = 3 << 20;

/// A parameter of local stacks, which sets a variable of all functions. Deployments leave the
/// variable unset, so that its default applies.
pub struct LocalParameter {
    pub name: &'static str,
    pub description: &'static str,
    /// The default of a stack that runs the functions in its process.
    pub default: &'static str,
    /// Variable of the functions.
    variable: &'static str,
    /// What a value must be, in words, and whether one is.
    values: (&'static str, fn(&str) -> bool),
}

const LOOPBACK_URLS: LocalParameter = LocalParameter {
    name: "AllowLoopbackUrls",
    description: "Whether URLs of watermarks and webhooks may also be http://127.0.0.1 and http://localhost.",
    default: "true",
    variable: "ALLOW_LOOPBACK_URLS",
    values: ("true or false", |value| value.parse::<bool>().is_ok()),
};
/// Without a limit by default: responses of this process are not limited, and no file is larger
/// than a pebibyte.
const REDIRECT: LocalParameter = LocalParameter {
    name: "RedirectAboveBytes",
    description: "Maximum size of a body that delivery sends itself, in bytes. Larger files are delivered by a redirect to storage, larger ranges are truncated. On AWS it is 4194304.",
    default: "1125899906842624",
    variable: "REDIRECT_ABOVE_BYTES",
    values: ("a positive integer", |value| {
        value.parse::<NonZeroU64>().is_ok()
    }),
};
/// Parameters that only local stacks have.
pub const LOCAL_PARAMETERS: [&LocalParameter; 2] = [&LOOPBACK_URLS, &REDIRECT];

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
    /// Parameters of the template, and [`LOCAL_PARAMETERS`], that override their defaults.
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
    /// Returns whether the stack creates a key pair for the CDN: if large bodies are redirected,
    /// and no parameter specifies or disables the key pair.
    pub(crate) fn needs_key_pair(&self) -> bool {
        let redirects = self.cargo_lambda.is_some() || self.parameters.contains_key(REDIRECT.name);
        redirects && !self.parameters.contains_key(PUBLIC_KEY_PARAMETER)
    }

    /// Returns the variables of all functions that [`LOCAL_PARAMETERS`] set.
    pub(crate) fn local_variables(&self) -> Result<BTreeMap<String, String>, StartError> {
        let variable = |parameter: &LocalParameter| {
            let default = if parameter.name == REDIRECT.name && self.cargo_lambda.is_some() {
                CARGO_LAMBDA_REDIRECT.to_string()
            } else {
                parameter.default.to_owned()
            };
            let value = self.parameters.get(parameter.name).cloned();
            let value = value.unwrap_or(default);

            let (expected, is_valid) = parameter.values;
            if !is_valid(&value) {
                let name = parameter.name;
                return Err(StartError::Parameter { name, expected });
            }
            Ok((parameter.variable.to_owned(), value))
        };
        LOCAL_PARAMETERS.into_iter().map(variable).collect()
    }
}

/// Returns the context that the template is resolved with.
pub(crate) fn context(
    options: &Options,
    origins: &Origins<'_>,
    key_pair: Option<&CdnKeyPair>,
) -> Context {
    let mut local_values = vec![(CDN_URL_PARAMETER, origins.cdn.to_owned())];
    if let Some(key_pair) = key_pair {
        local_values.extend([
            (PUBLIC_KEY_PARAMETER, key_pair.public_key.clone()),
            (PRIVATE_KEY_PARAMETER, key_pair.private_key_arn.clone()),
        ]);
    }

    let mut parameters = options.parameters.clone();
    for local in LOCAL_PARAMETERS {
        parameters.remove(local.name);
    }
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
