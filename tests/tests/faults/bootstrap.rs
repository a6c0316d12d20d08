//! Creation of the first user, space and key while responses of the table are lost. A start or the
//! next one completes it in every case.

use std::{net::TcpListener, sync::Arc};

use domain::{Env, KeySecret, UserId};
use emulators::{
    EmulatorOptions, Emulators, ExistingData, Faults, IamPrincipal, REGION, Service::DynamoDb,
};
use runtime::{FunctionContext, Settings, SystemClock};
use tempfile::TempDir;
use template::Permission;
use tenant::{Tenants, bootstrap};
use tests::{DYNAMODB_ATTEMPTS, SeededRandom};

/// Attempts of one AWS call.
const TRIES: u32 = DYNAMODB_ATTEMPTS;

/// An empty table, and a principal with all permissions for it.
struct Empty {
    emulators: Emulators,
    context: FunctionContext,
    _directory: TempDir,
}

impl Empty {
    async fn start() -> Empty {
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

        let everything = Permission {
            actions: vec!["*".to_owned()],
            resources: vec!["*".to_owned()],
        };
        let access_key = "LOCALUNRESTRICTED".to_owned();
        let secret_key = "secret".to_owned();
        let variables = [
            ("TABLE_NAME", template.tables[0].name.as_str()),
            ("DELIVERY_REPLICAS", "8"),
            ("AWS_ACCESS_KEY_ID", &access_key),
            ("AWS_SECRET_ACCESS_KEY", &secret_key),
            ("AWS_REGION", REGION),
            ("AWS_ENDPOINT_URL_DYNAMODB", emulators.dynamodb_url()),
        ];
        let variables = variables
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        emulators.register_principal(IamPrincipal {
            name: "unrestricted".to_owned(),
            access_key,
            secret_key,
            permissions: vec![everything],
        });

        let env = Env::new(Arc::new(SystemClock), Arc::new(SeededRandom::new(1)));

        Empty {
            emulators,
            context: FunctionContext {
                function: "unrestricted".to_owned(),
                variables,
                env,
            },
            _directory: directory,
        }
    }

    fn tenants(&self) -> Tenants {
        Tenants::new(Settings::of(&self.context).table())
    }

    fn faults(&self) -> Faults {
        self.emulators.faults()
    }

    /// Returns the user of a key.
    async fn user(&self, key: &KeySecret) -> UserId {
        let caller = self.tenants().authenticate(key).await.expect("a table");
        caller
            .and_then(|caller| caller.user())
            .expect("an account key that works")
    }

    /// Counts the records.
    async fn records(&self) -> i32 {
        let mut settings = Settings::of(&self.context);
        let scan = settings
            .dynamodb()
            .scan()
            .table_name(settings.text("TABLE_NAME"));
        scan.send().await.expect("a scan").count
    }

    async fn stop(self) {
        let pending = self.faults().describe_pending();
        assert!(
            pending.is_empty(),
            "planned faults did not fire: {pending:?}"
        );
        self.emulators.stop().await;
    }
}

/// Counts the records of a bootstrap without faults.
async fn records_without_faults() -> i32 {
    let empty = Empty::start().await;
    assert!(
        bootstrap(&empty.tenants(), None)
            .await
            .expect("a key")
            .is_new
    );
    let records = empty.records().await;
    empty.stop().await;
    records
}

#[tokio::test]
async fn lost_responses_during_bootstrap_create_one_user_and_working_key() {
    let empty = Empty::start().await;
    empty
        .faults()
        .lose_response(DynamoDb, "TransactWriteItems", TRIES - 1);
    empty
        .faults()
        .lose_response(DynamoDb, "UpdateItem", TRIES - 1);
    let first = bootstrap(&empty.tenants(), None).await.expect("a key");
    let user = empty.user(&first.api_key).await;
    assert_eq!(empty.records().await, records_without_faults().await);

    // The user was created; the response for the key is lost.
    empty
        .faults()
        .lose_response(DynamoDb, "TransactWriteItems", TRIES - 1);
    let second = bootstrap(&empty.tenants(), None).await.expect("a key");
    assert!(second.is_new && second.api_key != first.api_key);
    // Its use is recorded twice.
    empty
        .faults()
        .lose_response(DynamoDb, "UpdateItem", TRIES - 1);
    let existing = bootstrap(&empty.tenants(), Some(second.api_key.reveal()))
        .await
        .expect("a key");
    assert!(!existing.is_new && existing.api_key == second.api_key);
    assert_eq!(
        (
            empty.user(&first.api_key).await,
            empty.user(&second.api_key).await
        ),
        (user, user)
    );
    empty.stop().await;
}

#[tokio::test]
async fn failed_bootstrap_is_completed_by_next_start() {
    let empty = Empty::start().await;
    empty
        .faults()
        .lose_response(DynamoDb, "TransactWriteItems", TRIES);
    bootstrap(&empty.tenants(), None)
        .await
        .expect_err("all answers were lost");
    let finished = bootstrap(&empty.tenants(), None).await.expect("a key");
    empty.user(&finished.api_key).await;
    assert_eq!(empty.records().await, records_without_faults().await);
    empty.stop().await;
}
