//! The first user, space and account key: `scripts/bootstrap` and the start of the local stack.

mod faults;
mod program;

use std::{net::TcpListener, sync::Arc};

use domain::{env::Env, id::UserId, keys::KeySecret};
use emulators::{EmulatorOptions, Emulators, ExistingData, Faults, IamPrincipal, REGION};
use runtime::context::{FunctionContext, Settings, SystemClock};
use sam_template::Permission;
use space_store::spaces::Tenants;
use tempfile::TempDir;
use tests::SeededRandom;

/// Secret access key of all principals.
const SECRET: &str = "secret";

/// An empty table, and a principal with all permissions for it.
pub(crate) struct Empty {
    pub(crate) emulators: Emulators,
    context: FunctionContext,
    _directory: TempDir,
}

impl Empty {
    pub(crate) async fn start() -> Empty {
        let directory = TempDir::new().expect("a temporary directory");
        let options = EmulatorOptions {
            data_dir: directory.path().join("data"),
            existing: ExistingData::Keep,
            clock: Arc::new(emulators::AsyncSystemClock),
            s3_listener: TcpListener::bind(("127.0.0.1", 0)).expect("a port"),
        };
        let emulators = Emulators::start(options).await.expect("emulators");
        let template = crate::routes::declarations::deployed_template();
        emulators.provision(&template).await.expect("a table");

        let variables = [
            ("TABLE_NAME", template.tables[0].name.as_str()),
            ("AWS_ACCESS_KEY_ID", "LOCALUNRESTRICTED"),
            ("AWS_SECRET_ACCESS_KEY", SECRET),
            ("AWS_REGION", REGION),
            ("AWS_ENDPOINT_URL_DYNAMODB", emulators.dynamodb_url()),
        ];
        let variables = variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        register(&emulators, "LOCALUNRESTRICTED", &["*"]);
        let env = Env::new(Arc::new(SystemClock), Arc::new(SeededRandom::new(1)));

        Empty {
            emulators,
            context: FunctionContext::new("unrestricted", variables, env),
            _directory: directory,
        }
    }

    pub(crate) fn tenants(&self) -> Tenants {
        Tenants::new(Settings::of(&self.context).table())
    }

    pub(crate) fn faults(&self) -> Faults {
        self.emulators.faults()
    }

    /// Returns the user of a key.
    pub(crate) async fn user(&self, key: &KeySecret) -> UserId {
        let caller = self
            .tenants()
            .requests()
            .authenticate(key)
            .await
            .expect("a table");
        caller
            .and_then(|caller| caller.user())
            .expect("an account key that works")
    }

    pub(crate) async fn records(&self) -> i32 {
        let mut settings = Settings::of(&self.context);
        let scan = settings
            .dynamodb()
            .scan()
            .table_name(settings.text("TABLE_NAME"));
        scan.send().await.expect("a scan").count
    }

    pub(crate) async fn stop(self) {
        let pending = self.faults().describe_pending();
        assert!(
            pending.is_empty(),
            "planned faults did not fire: {pending:?}"
        );
        self.emulators.stop().await;
    }
}

/// Registers an access key that may call these actions.
pub(crate) fn register(emulators: &Emulators, access_key: &str, actions: &[&str]) {
    emulators.register_principal(IamPrincipal {
        name: access_key.to_owned(),
        access_key: access_key.to_owned(),
        secret_key: SECRET.to_owned(),
        permissions: vec![Permission {
            actions: actions.iter().map(|&action| action.to_owned()).collect(),
            resources: vec!["*".to_owned()],
        }],
        presigner: None,
    });
}
