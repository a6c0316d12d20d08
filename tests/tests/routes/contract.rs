//! Compares `openapi.json` with the API by external tools: schemathesis sends valid and invalid
//! requests; redocly and Spectral lint the description.

use std::{collections::BTreeMap, fs, path::Path};

use http_api::describe::ValueForms;
use serde_json::{Map, Value, json};
use tests::{Extent, PHOTO, Stack, StackOptions, TestSpace, is_thorough, stack_test};
use tokio::process::Command;

use crate::{files::trash::keep_for_days, support::external_programs};

/// Number of records of each kind that a run may delete or restore.
const SPARES: usize = 8;
/// `Referer` of unsigned uploads.
const REFERRER: &str = "https://example.com/";

/// Number of responses by status.
type Statuses = BTreeMap<String, u64>;

/// Creates two spaces with records, one that requests change and one that uploads go to, and
/// returns the description of the records for `tests/contract/hooks.py`.
async fn describe_records(stack: &Stack) -> Value {
    let acme = stack.space("Acme").await;
    let uploads = stack.space("Uploads").await;
    let account = stack.account().get_ok("/account").await;
    let file = acme.upload(PHOTO).await;
    // Another file, whose reference no request changes.
    acme.upload(PHOTO).with_ref("photo").await;
    let uploading = describe_uploads(&uploads).await;

    json!({
        "space": acme.id,
        "folder": acme.folder("seed").await.id,
        "file": file.id,
        "config": acme.upload_config("seed").await.id,
        "reference": "photo",
        "webhook_message": stack.add_webhook_message(&acme, &file.id).await,
        "kept": [uploads.id, uploads.key_id, uploading["upload_config_id"], uploading["folder_id"], account["key"]["id"]],
        "uploads": uploading,
        "spares": spares(stack, &acme).await,
    })
}

/// Creates the records that uploads need, and returns their values by names of fields and
/// parameters.
async fn describe_uploads(uploads: &TestSpace) -> Value {
    let restrictions = json!({"allowed_referrers": ["example.com"], "require_https": false});
    let unsigned = json!({"allow_unsigned": true, "unsigned_restrictions": restrictions});
    let config = uploads.upload_config("open").with(unsigned).await.id;
    let folder = uploads.folder("inbox").await.id;
    let body = json!({"upload_config_id": config, "folder_id": folder, "expiration_minutes": 1440});
    let path = "/upload/generate-signed-url";
    let signed = uploads.post_ok(path, body).await;

    json!({
        "space": uploads.handle,
        "spaceHandle": uploads.handle,
        "space_id": uploads.id,
        "upload_config": config,
        "upload_config_id": config,
        "configName": "open",
        "folder_id": folder,
        "referrer": REFERRER,
        "url": signed["url"],
    })
}

/// Creates records that requests may delete or restore, and returns their ids by kind.
async fn spares(stack: &Stack, acme: &TestSpace) -> Value {
    keep_for_days(acme, 1).await;
    let account = stack.account();
    let mut spares: BTreeMap<&str, Vec<Value>> = BTreeMap::new();

    for number in 0..SPARES {
        let name = format!("spare-{number}");
        let named = json!({ "name": name });
        let key = account.create("/account/api-keys", &named).await;
        let space = account.create("/spaces", &named).await;
        let trashed = acme.upload(PHOTO).await;
        acme.delete_ok(trashed.path()).await;

        for (kind, id) in [
            ("spaces", space["id"].clone()),
            ("space_keys", json!(acme.create_key(&name).await.id)),
            ("account_keys", key["id"].clone()),
            ("folders", json!(acme.folder(&name).await.id)),
            ("configs", json!(acme.upload_config(&name).await.id)),
            ("files", json!(acme.upload(PHOTO).await.id)),
            ("named_files", json!(acme.upload(PHOTO).await.id)),
            ("trashed_files", json!(trashed.id)),
        ] {
            spares.entry(kind).or_default().push(id);
        }
    }

    json!(spares)
}

/// Returns the phases of a run, and the number of requests that it generates per operation.
fn extent() -> [String; 4] {
    let examples = Extent::new(12, 100, "LARDER_CONTRACT_EXAMPLES");
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
        "UnsignedUploadsPerHour",
        "ApiRequestsPerSecond",
    ];
    let options = StackOptions::default().with_parameters(&limits.map(|name| (name, "1000000")));
    let stack = Stack::start_with(options).await;
    let records = describe_records(&stack).await;
    let statuses = stack.directory().path().join("statuses.json");
    let document = stack.directory().path().join("openapi.json");
    let accepted = openapi::document(ValueForms::Accepted).to_string();
    fs::write(&document, accepted).expect("a written document");
    let mut command = Command::new(program);

    command
        .current_dir(root.join("tests/contract"))
        .args(["run", "--seed", "1", "--no-shrink"])
        .arg(&document)
        .args(extent())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("LARDER_API_URL", stack.local.api_url())
        .env(
            "LARDER_API_KEY",
            stack.account().key.as_deref().expect("a key"),
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
    let failed: Vec<_> = openapi::api(ValueForms::Accepted)
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
async fn linters_pass() {
    let root = external_programs::root();
    let packages = root.join("tests/contract/node_modules");
    for (program, arguments) in [
        ("@redocly/cli/bin/cli.js", &["lint", "openapi.json"][..]),
        (
            "@stoplight/spectral-cli/dist/index.js",
            &[
                "lint",
                "--ruleset",
                "tests/contract/spectral.yaml",
                "--fail-severity",
                "hint",
                "openapi.json",
            ],
        ),
    ] {
        let program = packages.join(program);
        if !external_programs::installed("linters of openapi.json", &["node"], &[&program]) {
            return;
        }

        let mut command = Command::new("node");
        command.arg(program).args(arguments).current_dir(&root);
        // Disables usage reports and update checks.
        command
            .env("REDOCLY_TELEMETRY", "off")
            .env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
        external_programs::run(&mut command).await;
    }
}

/// Returns the JSON pointers of all objects in a value, with the objects.
fn objects<'a>(pointer: &str, value: &'a Value, found: &mut Vec<(String, &'a Map<String, Value>)>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                objects(&format!("{pointer}/{index}"), item, found);
            }
        }
        Value::Object(object) => {
            found.push((pointer.to_owned(), object));
            for (name, item) in object {
                objects(&format!("{pointer}/{name}"), item, found);
            }
        }
        _ => {}
    }
}

#[test]
fn committed_document_has_an_example_of_each_request_and_success() {
    let document: Value =
        serde_json::from_str(include_str!("../../../openapi.json")).expect("JSON");
    let mut found = Vec::new();
    objects("/paths", &document["paths"], &mut found);

    let is_body = |pointer: &str| {
        let excluded = ["/responses/4", "/parameters/"];
        pointer.contains("/content/") && !excluded.iter().any(|part| pointer.contains(part))
    };
    let without: Vec<&String> = found
        .iter()
        .filter(|(pointer, object)| is_body(pointer) && object.contains_key("schema"))
        .filter(|(_, object)| !object.contains_key("example"))
        .map(|(pointer, _)| pointer)
        .collect();

    assert_eq!(without, Vec::<&String>::new());
    assert!(
        document["webhooks"]["file.uploaded"]["post"]["requestBody"]["content"]["application/json"]
            ["example"]
            .is_object()
    );
}

/// What generators of clients need: named types for every body, one form of each value.
#[test]
fn document_has_a_name_for_every_type() {
    let document = openapi::document(ValueForms::Canonical);
    let mut found = Vec::new();
    objects("", &document, &mut found);
    assert!(found.len() > 2_000, "{}", found.len());

    for (pointer, object) in found {
        let is_body = pointer.contains("/content/") && pointer.ends_with("/schema");
        assert!(
            !is_body || object.contains_key("$ref"),
            "{pointer} has no name"
        );
        let is_enum = object
            .get("oneOf")
            .is_some_and(|one_of| one_of[0]["$ref"].is_null());
        assert!(!is_enum, "{pointer} is no plain enumeration");
        let has_default = object.contains_key("$ref") && object.contains_key("default");
        assert!(!has_default, "{pointer} has a default beside a reference");
        assert!(!object.contains_key("x-accepted"), "{pointer}");
    }

    let schemas = document["components"]["schemas"]
        .as_object()
        .expect("schemas");
    let is_internal = |name: &&String| name.ends_with("View") || *name == "Blank";
    assert_eq!(schemas.keys().find(is_internal), None);
    let operations = openapi::api(ValueForms::Canonical).operations;
    let undescribed = operations
        .iter()
        .find(|operation| operation.endpoint.description.is_empty());
    assert_eq!(undescribed.map(|operation| operation.endpoint.id), None);
}

#[stack_test]
async fn document_is_served_without_a_key(stack: &Stack) {
    const PATH: &str = "/openapi.json";
    let served = stack.anonymous.get(PATH).await;
    assert_eq!(served.status, 200);
    assert_eq!(served.body, include_str!("../../../openapi.json"));
    assert_eq!(served.header("content-type"), "application/json");
    assert_eq!(served.header("access-control-allow-origin"), "*");

    let etag = served.header("etag");
    for (tags, status) in [
        (etag, 304),
        (&*format!("\"other\", W/{etag}"), 304),
        ("\"other\"", 200),
    ] {
        let conditional = [("if-none-match", tags)];
        let again = stack.anonymous.get_with(PATH, &conditional).await;
        assert_eq!(again.status, status);
        assert_eq!(again.header("etag"), etag);
    }
    for (tag, status) in [(etag, 200), ("*", 200), ("\"other\"", 412)] {
        let required = [("if-match", tag)];
        let response = stack.anonymous.get_with(PATH, &required).await;
        assert_eq!(response.status, status, "{tag}");
    }

    let other = stack.anonymous.post(PATH, json!({})).await;
    assert_eq!(other.status, 405);
    assert_eq!(other.header("allow"), "GET, HEAD, OPTIONS");
}
