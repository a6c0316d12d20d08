//! Compares `openapi.json` with the API by external tools: schemathesis sends valid and invalid
//! requests, redocly lints the description.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};
use tests::{Client, Extent, PHOTO, Stack, StackOptions, TestSpace, is_thorough};
use tokio::process::Command;

use crate::support::external_programs;

/// Number of records of each kind that a run may delete.
const SPARES: usize = 4;
/// `Referer` of unsigned uploads.
const REFERRER: &str = "https://example.com/";

/// Number of responses by status.
type Statuses = BTreeMap<String, u64>;

/// Two spaces: `acme`, which requests change, and `uploads`, which uploads go to.
struct Records<'a> {
    stack: &'a Stack,
    acme: TestSpace,
    uploads: TestSpace,
}

impl Records<'_> {
    async fn new(stack: &Stack) -> Records<'_> {
        Records {
            stack,
            acme: stack.space("Acme").await,
            uploads: stack.space("Uploads").await,
        }
    }

    /// Creates the records, and returns their description for `tests/contract/hooks.py`.
    async fn describe(&self) -> Value {
        let Records {
            stack,
            acme,
            uploads,
        } = self;
        let file = acme.upload(PHOTO).await;
        let delivery = stack.add_webhook_delivery(acme, id(&file)).await;
        let uploading = self.uploads().await;
        let account = stack.account().get_ok("/account").await;

        acme.put_ok(&format!("/files/{}", id(&file)), json!({"ref": "photo"}))
            .await;

        json!({
            "space": acme.id,
            "folder": self.folder(acme, "seed").await,
            "file": file["id"],
            "config": self.config("seed").await,
            "reference": "photo",
            "delivery": delivery,
            "kept": [uploads.id, uploads.key_id, uploading["upload_config_id"], uploading["folder_id"], account["key"]["id"]],
            "uploads": uploading,
            "spares": self.spares().await,
        })
    }

    /// Creates the records that uploads need, and returns their values by names of fields and
    /// parameters.
    async fn uploads(&self) -> Value {
        let Records { uploads, .. } = self;
        let unsigned = json!({
            "allow_unsigned": true,
            "unsigned_restrictions": {"allowed_referrers": ["example.com"], "require_https": false},
        });
        let config = uploads.upload_config("open").with(unsigned).await;
        let folder = self.folder(uploads, "inbox").await;
        let body = json!({"upload_config_id": config["id"], "folder_id": folder, "expiration_minutes": 1440});
        let signed = uploads
            .client
            .post_ok("/upload/generate-signed-url", body)
            .await;

        json!({
            "space": uploads.handle,
            "spaceHandle": uploads.handle,
            "space_id": uploads.id,
            "upload_config": config["id"],
            "upload_config_id": config["id"],
            "configName": "open",
            "folder_id": folder,
            "referrer": REFERRER,
            "url": signed["url"],
        })
    }

    async fn spares(&self) -> Value {
        let Records { stack, acme, .. } = self;
        let mut spares: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for number in 0..SPARES {
            let name = format!("spare-{number}");
            let keys = acme.keys_path();
            let mut add = |kind, id| spares.entry(kind).or_default().push(id);

            add(
                "spaces",
                created(&stack.account(), "/spaces", json!({"name": name})).await,
            );
            add(
                "space_keys",
                created(&stack.account(), &keys, json!({"name": name})).await,
            );
            add(
                "account_keys",
                created(&stack.account(), "/account/api-keys", json!({"name": name})).await,
            );
            add("folders", self.folder(acme, &name).await);
            add("configs", self.config(&name).await);
            add("files", acme.upload(PHOTO).await["id"].clone());
            add("named_files", acme.upload(PHOTO).await["id"].clone());
        }

        json!(spares)
    }

    async fn folder(&self, tenant: &TestSpace, name: &str) -> Value {
        created(
            &tenant.client,
            "/folders",
            json!({"space_id": tenant.id, "name": name}),
        )
        .await
    }

    async fn config(&self, name: &str) -> Value {
        created(
            &self.acme.client,
            "/upload-configs",
            json!({"space_id": self.acme.id, "name": name}),
        )
        .await
    }
}

async fn created(client: &Client, path: &str, body: Value) -> Value {
    client.create(path, body).await["id"].clone()
}

fn id(record: &Value) -> &str {
    record["id"].as_str().expect("an id")
}

/// Returns the phases of a run, and the number of requests that it generates per operation.
fn extent() -> [String; 4] {
    let examples = Extent {
        default: 12,
        thorough: 100,
        variable: "LARDER_CONTRACT_EXAMPLES",
    };
    let phases = if is_thorough() {
        "coverage,fuzzing,stateful"
    } else {
        "fuzzing"
    };

    [
        "--phases".to_owned(),
        phases.to_owned(),
        "--max-examples".to_owned(),
        examples.rounds().to_string(),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn schemathesis_passes() {
    let root = external_programs::root();
    let clients = root.join(".tools/clients");
    let program = clients.join("bin/st");
    let stamp = clients.join("installed");

    if !external_programs::installed("schemathesis", &[], &[&program, &stamp]) {
        return;
    }

    let limits = [
        "AdminRequestsPerMinute",
        "UploadRequestsPerMinute",
        "UnsignedRequestsPerMinute",
    ];
    let limits = limits.into_iter().chain([
        "UnsignedUploadsPerHour",
        "ApiRequestsPerSecond",
        "ApiBurstRequests",
    ]);
    let parameters = limits
        .map(|name| (name.to_owned(), "1000000".to_owned()))
        .collect();
    let stack = Stack::start_with(StackOptions {
        parameters,
        ..StackOptions::default()
    })
    .await;
    let records = Records::new(&stack).await.describe().await;
    let url = records["uploads"]["url"].as_str().expect("a URL");
    let (_, signature) = url.split_once("signature=").expect("a signature");

    let statuses = stack.directory().path().join("statuses.json");
    let origin = stack.local.api_url().trim_end_matches(http_api::API_PREFIX);
    let mut command = Command::new(program);

    command
        .current_dir(root.join("tests/contract"))
        .args(["run", "--seed", "1", "--no-shrink"])
        .arg(root.join("openapi.json"))
        .args(extent())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("LARDER_API_ORIGIN", origin)
        .env(
            "LARDER_API_KEY",
            stack.account().key.as_deref().expect("a key"),
        )
        .env(
            "LARDER_SIGNATURE",
            signature.split('&').next().unwrap_or_default(),
        )
        .env("LARDER_CONTRACT_RECORDS", records.to_string())
        .env("LARDER_CONTRACT_STATUSES", &statuses);
    external_programs::run(&mut command).await;

    assert_success_of_each(&statuses);
    // The queues still hold jobs for deleted records and pending files.
    stack.stop_undrained().await;
}

/// Asserts that every operation had a successful response, since otherwise only its errors were
/// compared.
#[track_caller]
fn assert_success_of_each(statuses: &Path) {
    let statuses = fs::read(statuses).expect("the hooks write the file");
    let statuses: BTreeMap<String, Statuses> =
        serde_json::from_slice(&statuses).expect("statuses by operation");
    let succeeded = |id: &str| {
        statuses
            .get(id)
            .is_some_and(|statuses| statuses.keys().any(|status| status.starts_with('2')))
    };
    let failed: Vec<_> = openapi::api()
        .operations
        .iter()
        .map(|operation| operation.endpoint.id)
        .filter(|id| !succeeded(id))
        .collect();

    assert!(
        failed.is_empty(),
        "no request succeeded of {failed:?}; all: {statuses:#?}"
    );
}

#[tokio::test]
async fn redocly_passes() {
    let root = external_programs::root();
    let tests = root.join("tests/contract");
    let program = tests.join("node_modules/@redocly/cli/bin/cli.js");

    if !external_programs::installed("redocly", &["node"], &[&program]) {
        return;
    }

    let mut command = Command::new("node");
    command
        .arg(program)
        .arg("lint")
        .arg("openapi.json")
        .current_dir(&root);
    // Disables usage reports and update checks.
    command
        .env("REDOCLY_TELEMETRY", "off")
        .env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    external_programs::run(&mut command).await;
}
