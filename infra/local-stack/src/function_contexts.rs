//! Contexts of functions: variables, and an access key per function.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::Arc,
};

use domain::env::{Clock, Env, Random, Timestamp};
use emulators::{Emulators, IamPrincipal, Presigner, REGION};
use runtime::context::FunctionContext;
use sam_template::{Function, ObjectBehavior, Permission, Schedule};
use sha2::{Digest, Sha256};

use crate::start_error::StartError;

/// Name of the file with the secret that access keys are derived from, so that presigned URLs stay
/// valid after a restart.
pub(crate) const SECRET_FILE: &str = "secret";

/// Creates contexts and registers their access keys with the emulators.
pub(crate) struct FunctionContexts {
    secret: String,
    env: Env,
}

/// Name and permissions of a caller of the emulators.
struct Principal<'a> {
    name: &'a str,
    permissions: Vec<Permission>,
    presigner: Option<Presigner>,
}

impl Principal<'_> {
    fn of(name: &str, permissions: Vec<Permission>) -> Principal<'_> {
        Principal {
            name,
            permissions,
            presigner: None,
        }
    }
}

struct DomainClock(Arc<dyn emulators::AsyncClock>);

impl Clock for DomainClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.0.now_ms())
    }
}

impl FunctionContexts {
    /// Reads the secret from the data directory, or creates it.
    pub(crate) fn open(
        data_dir: &Path,
        clock: Arc<dyn emulators::AsyncClock>,
        random: Arc<dyn Random>,
    ) -> Result<FunctionContexts, StartError> {
        let env = Env::new(Arc::new(DomainClock(clock)), random);
        let path = data_dir.join(SECRET_FILE);
        let secret = match fs::read_to_string(&path) {
            Ok(secret) => Ok(secret),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let secret = hex::encode(env.random_bytes::<32>());
                write_private(&path, secret.as_bytes()).map(|()| secret)
            }
            Err(error) => Err(error),
        };
        let secret = secret.map_err(|reason| StartError::File { path, reason })?;
        Ok(FunctionContexts { secret, env })
    }

    /// Returns the clock and the source of randomness of the stack.
    pub(crate) fn env(&self) -> Env {
        self.env.clone()
    }

    /// Returns the context of a function.
    pub(crate) fn of(&self, function: &Function, emulators: &Emulators) -> FunctionContext {
        let mut variables = function.environment.clone();
        // Access keys of this machine do not expire, so no role has to be assumed; the URLs have
        // its permissions.
        variables.remove("PRESIGN_ROLE_ARN");
        let permissions = function.presign_permissions.clone();
        let presigner = permissions.map(|permissions| Presigner {
            name: format!("{}-urls", function.binary),
            permissions,
        });
        variables.extend([
            (
                "AWS_LAMBDA_FUNCTION_NAME".to_owned(),
                function.binary.clone(),
            ),
            (
                "AWS_LAMBDA_FUNCTION_VERSION".to_owned(),
                "$LATEST".to_owned(),
            ),
            (
                "AWS_LAMBDA_FUNCTION_MEMORY_SIZE".to_owned(),
                function.memory_mib.to_string(),
            ),
        ]);

        let principal = Principal {
            name: &function.binary,
            permissions: function.permissions.clone(),
            presigner,
        };
        self.register(principal, variables, emulators)
    }

    /// Returns the context of an EventBridge rule, with the permissions that queue policies grant.
    pub(crate) fn of_schedule(
        &self,
        schedule: &Schedule,
        emulators: &Emulators,
    ) -> FunctionContext {
        let rule = Principal::of(&schedule.rule, schedule.permissions.clone());
        self.register(rule, BTreeMap::new(), emulators)
    }

    /// Returns the context of the CDN, with the permissions that bucket policies grant.
    pub(crate) fn of_cdn(
        &self,
        behavior: &ObjectBehavior,
        emulators: &Emulators,
    ) -> FunctionContext {
        let cdn = Principal::of("cdn", behavior.permissions.clone());
        self.register(cdn, BTreeMap::new(), emulators)
    }

    /// Returns the context of an operator, who may call all operations of SQS.
    pub(crate) fn of_operator(&self, emulators: &Emulators) -> FunctionContext {
        let permission = Permission {
            actions: vec!["sqs:*".to_owned()],
            resources: vec!["*".to_owned()],
        };
        let operator = Principal::of("operator", vec![permission]);
        self.register(operator, BTreeMap::new(), emulators)
    }

    /// Returns a context with all permissions.
    pub(crate) fn unrestricted(
        &self,
        name: &str,
        variables: BTreeMap<String, String>,
        emulators: &Emulators,
    ) -> FunctionContext {
        let everything = Permission {
            actions: vec!["*".to_owned()],
            resources: vec!["*".to_owned()],
        };
        self.register(Principal::of(name, vec![everything]), variables, emulators)
    }

    /// Registers an access key, and returns a context with it.
    fn register(
        &self,
        principal: Principal<'_>,
        mut variables: BTreeMap<String, String>,
        emulators: &Emulators,
    ) -> FunctionContext {
        let name = principal.name;
        let derived = hex::encode(Sha256::digest(format!("{} {name}", self.secret)));
        let access_key = format!("LOCAL{}", &derived[..15].to_uppercase());
        let secret_key = hex::encode(Sha256::digest(&derived));
        emulators.register_principal(IamPrincipal {
            name: name.to_owned(),
            access_key: access_key.clone(),
            secret_key: secret_key.clone(),
            permissions: principal.permissions,
            presigner: principal.presigner,
        });
        variables.extend(
            [
                ("AWS_ACCESS_KEY_ID", access_key.as_str()),
                ("AWS_SECRET_ACCESS_KEY", &secret_key),
                ("AWS_REGION", REGION),
                ("AWS_ENDPOINT_URL_DYNAMODB", emulators.dynamodb_url()),
                ("AWS_ENDPOINT_URL_S3", emulators.s3_url()),
                (
                    "AWS_ENDPOINT_URL_SECRETS_MANAGER",
                    emulators.secrets_manager_url(),
                ),
                ("AWS_ENDPOINT_URL_SQS", emulators.sqs_url()),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
        );

        FunctionContext::new(name, variables, self.env.clone())
    }
}

/// Writes a file atomically, readable only by its owner.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(draft, path)
}
