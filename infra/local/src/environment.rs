//! What each function is started with: its variables, and an access key of its own.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::Arc,
};

use domain::{Clock, Env, Random, Timestamp};
use emulators::{ACCOUNT_ID, Emulators, IamPrincipal, REGION};
use runtime::Environment;
use sha2::{Digest, Sha256};
use template::{Function, Permission, Schedule};

use crate::StartError;

/// The file with what every access key's secret is derived from, so that addresses presigned before
/// a restart stay good.
pub(crate) const SECRET_FILE: &str = "secret";

/// Makes environments, and admits their access keys.
pub(crate) struct Environments {
    secret: String,
    env: Env,
}

struct DomainClock(Arc<dyn emulators::AsyncClock>);

impl Clock for DomainClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_ms(self.0.now_ms())
    }
}

impl Environments {
    pub(crate) fn open(
        data_dir: &Path,
        clock: Arc<dyn emulators::AsyncClock>,
        random: Arc<dyn Random>,
    ) -> Result<Environments, StartError> {
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
        Ok(Environments { secret, env })
    }

    /// Time and randomness of everything here.
    pub(crate) fn env(&self) -> Env {
        self.env.clone()
    }

    /// The environment of a function.
    pub(crate) fn of(&self, function: &Function, emulators: &Emulators) -> Environment {
        let mut variables = function.environment.clone();
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
        self.admitted(
            &function.binary,
            function.permissions.clone(),
            variables,
            emulators,
        )
    }

    /// The environment of a rule, which may send to its queue.
    pub(crate) fn of_schedule(&self, schedule: &Schedule, emulators: &Emulators) -> Environment {
        let queue = format!("arn:aws:sqs:{REGION}:{ACCOUNT_ID}:{}", schedule.queue);
        let permission = Permission {
            actions: vec!["sqs:SendMessage".to_owned()],
            resources: vec![queue],
        };
        self.admitted(&schedule.rule, vec![permission], BTreeMap::new(), emulators)
    }

    /// The environment of whoever runs the stack, who may do everything.
    pub(crate) fn operator(
        &self,
        name: &str,
        variables: BTreeMap<String, String>,
        emulators: &Emulators,
    ) -> Environment {
        let everything = Permission {
            actions: vec!["*".to_owned()],
            resources: vec!["*".to_owned()],
        };
        self.admitted(name, vec![everything], variables, emulators)
    }

    fn admitted(
        &self,
        name: &str,
        permissions: Vec<Permission>,
        mut variables: BTreeMap<String, String>,
        emulators: &Emulators,
    ) -> Environment {
        let derived = hex::encode(Sha256::digest(format!("{} {name}", self.secret)));
        let access_key = format!("LOCAL{}", &derived[..15].to_uppercase());
        let secret_key = hex::encode(Sha256::digest(&derived));
        emulators.admit(IamPrincipal {
            name: name.to_owned(),
            access_key: access_key.clone(),
            secret_key: secret_key.clone(),
            permissions,
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
        Environment {
            function: name.to_owned(),
            variables,
            env: self.env.clone(),
        }
    }
}

/// Writes a file that its owner alone can read, whole or not at all.
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
