//! `PUT /files/:id`: effects on lists and pending files, and concurrent updates.

use futures::future::{join, join_all};
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, file_path, stack_test, text};

use crate::{support::pages::list_ids, uploads::presign::PendingFile};

/// Rounds of a race.
const ROUNDS: usize = 20;

/// Asserts which of these lists contain this file alone, and which are empty.
async fn assert_listed(acme: &TestSpace, id: &str, listed: &[String], unlisted: &[String]) {
    for filters in listed {
        assert_eq!(list_ids(&acme.client, filters).await, [id], "{filters}");
    }
    for filters in unlisted {
        assert_eq!(list_ids(&acme.client, filters).await, [""; 0], "{filters}");
    }
}

/// Fields that the test changes to and fro.
#[derive(Clone, Copy)]
struct Variant<'a> {
    name: &'a str,
    tag: &'a str,
    kind: &'a str,
    folder: &'a str,
}

impl Variant<'_> {
    /// Returns queries that list a file with these fields, and none with those of the other variant.
    fn filters(self) -> Vec<String> {
        let Variant {
            name,
            tag,
            kind,
            folder,
        } = self;
        vec![
            format!("search={name}"),
            format!("tag={tag}"),
            format!("type={kind}"),
            format!("folder_id={folder}"),
            format!("tag={tag}&search={}", &name[..2]),
        ]
    }
}

#[stack_test]
async fn update_is_visible_in_all_lists_at_once(acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let texts = acme.folder("Texts").await.id;
    let file = acme.upload(PHOTO).await;
    let id = text(&file["id"]);
    let variants = [
        Variant {
            name: "Alpha.jpg",
            tag: "a",
            kind: "upload",
            folder: &photos,
        },
        Variant {
            name: "Beta.jpg",
            tag: "b",
            kind: "private",
            folder: &texts,
        },
    ];
    let filters = variants.map(Variant::filters);

    for round in 1..7 {
        let current = round % 2;
        let then = (round + 1) % 2;
        let Variant {
            name,
            tag,
            kind,
            folder,
        } = variants[current];
        let tags = json!(["always", tag, round.to_string()]);
        let body = json!({"original_name": name, "tags": tags, "ref": tag, "type": kind, "folder_id": folder});
        acme.put_ok(&file_path(&file), body).await;
        let mut listed = filters[current].clone();
        listed.extend([
            "tag=always".to_owned(),
            format!("tag={round}"),
            "status=active".to_owned(),
            String::new(),
        ]);
        let mut unlisted = filters[then].clone();
        unlisted.extend([
            "search=photo".to_owned(),
            "folder_id=root".to_owned(),
            format!("tag={}", round - 1),
        ]);
        assert_listed(acme, &id, &listed, &unlisted).await;
        assert_eq!(
            acme.get_ok(&format!("/files/by-ref?ref={tag}")).await["id"],
            json!(id)
        );
        acme.get_err(404, &format!("/files/by-ref?ref={}", variants[then].tag))
            .await;
    }
}

/// A pending file whose record was changed.
struct ChangedFile {
    pending_file: PendingFile,
    /// The record after the changes.
    record: Value,
}

/// Presigns a photo and changes all changeable fields, before or after its bytes are sent.
async fn changed_while_pending(
    stack: &Stack,
    acme: &TestSpace,
    folder: &str,
    sent_first: bool,
) -> ChangedFile {
    let pending_file = PendingFile::create(acme, json!({"ref": "old"})).await;
    if sent_first {
        pending_file.send(stack, PHOTO).await.expect_status(200);
    }

    let body = json!({
        "original_name": "Renamed.jpg", "ref": "new", "tags": ["a", "b"], "type": "private", "folder_id": folder,
    });
    let path = pending_file.address();

    acme.put_ok(&path, body).await;

    let access = json!({"access_control": {"requires_auth": true}});
    let pending = acme.put_ok(&format!("{path}/access-control"), access).await;

    assert_eq!(
        (&pending["status"], &pending["access_control"]["source"]),
        (&json!("pending"), &json!("direct"))
    );
    acme.get_err(
        404,
        &format!(
            "{}/{}",
            stack.local.cdn_url(),
            text(&pending["storage_path"])
        ),
    )
    .await;
    if !sent_first {
        pending_file.send(stack, PHOTO).await.expect_status(200);
    }

    ChangedFile {
        pending_file,
        record: pending,
    }
}

/// Asserts that a file is active, with the sent bytes and all changes that were made while it was
/// pending.
async fn assert_kept(stack: &Stack, acme: &TestSpace, folder: &str, pending: &Value) {
    let active = acme.get_ok(&file_path(pending)).await;
    let detected_by_bytes = [
        "status",
        "url",
        "checksum_sha256",
        "updated_at",
        "storage_meta",
        "thumbnails",
    ];

    for (field, value) in pending.as_object().expect("an object") {
        assert!(
            detected_by_bytes.contains(&field.as_str()) || active[field] == *value,
            "{field} is {}",
            active[field]
        );
    }

    assert_eq!(active["status"], "active");

    let url = text(&active["url"]);
    stack.anonymous.get_err(403, &url).await;
    assert!(acme.fetch(&url).await.body == PHOTO);

    let id = text(&pending["id"]);
    for filters in [
        "search=renamed",
        "tag=a",
        "tag=b",
        "type=private",
        "status=active",
        &format!("folder_id={folder}"),
    ] {
        assert!(
            list_ids(&acme.client, filters).await.contains(&id),
            "{filters}"
        );
    }

    for filters in [
        "search=photo",
        "status=pending",
        "folder_id=root",
        "type=upload",
    ] {
        assert!(
            !list_ids(&acme.client, filters).await.contains(&id),
            "{filters}"
        );
    }
}

#[stack_test]
async fn changes_of_pending_file_survive_activation(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let mut unconfirmed = Vec::new();

    for sent_first in [true, false] {
        let changed = changed_while_pending(stack, acme, &photos, sent_first).await;
        let pending_file = &changed.pending_file;
        let active = pending_file.confirm(&acme.client).await.expect_ok();
        assert_eq!(acme.get_ok(&pending_file.address()).await, active);
        assert_kept(stack, acme, &photos, &changed.record).await;
        let other = changed_while_pending(stack, acme, &photos, sent_first).await;
        unconfirmed.push(other.record);
    }

    let stored_count = stack.dump().await.files_with_bytes().len();
    assert_eq!(stored_count, 2);

    // The confirm-check activates the files that no client confirms.
    stack.run_confirm_checks().await;
    for pending in &unconfirmed {
        assert_kept(stack, acme, &photos, pending).await;
    }

    assert_eq!(stack.dump().await.files_with_bytes().len(), 4);
}

#[stack_test]
async fn concurrent_update_and_activation_both_take_effect(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;

    for round in 0..ROUNDS {
        let pending_file = PendingFile::create(acme, json!({})).await;
        pending_file.send(stack, PHOTO).await.expect_status(200);
        let path = pending_file.address();
        let body = json!({"original_name": "b.jpg", "tags": ["x"], "folder_id": photos});
        // Other requests before it delay the change by the number of the round.
        let change = async {
            for _ in 0..round % 5 {
                acme.get_ok(&path).await;
            }
            acme.put_ok(&path, body).await
        };
        let (confirmed, changed) = join(pending_file.confirm(&acme.client), change).await;
        assert_eq!(confirmed.expect_ok()["id"], changed["id"]);
        let record = acme.get_ok(&path).await;
        for (field, value) in [
            ("status", json!("active")),
            ("original_name", json!("b.jpg")),
            ("tags", json!(["x"])),
            ("folder_path", json!("Photos/")),
        ] {
            assert_eq!(record[field], value, "{field} in round {round}");
        }
        assert!(stack.anonymous.fetch(&text(&record["url"])).await.body == PHOTO);
    }

    assert_eq!(list_ids(&acme.client, "tag=x&search=b").await.len(), ROUNDS);
    assert_eq!(list_ids(&acme.client, "search=photo").await.len(), 0);
    assert_eq!(stack.dump().await.files_with_bytes().len(), ROUNDS);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_updates_keep_each_others_fields(stack: &Stack, acme: &TestSpace) {
    let photos = acme.folder("Photos").await.id;
    let file = acme.upload("some text").named("a.txt", "text/plain").await;
    let put = |path: &str, body: Value| {
        let address = format!("{}{path}", file_path(&file));
        let client = &acme.client;
        async move { client.put_ok(&address, body).await }
    };

    for round in 0..ROUNDS {
        let name = format!("{round}.txt");
        let tag = format!("mark {round}");
        let folder = if round % 2 == 0 {
            photos.as_str()
        } else {
            "root"
        };
        let protected = round % 3 == 0;
        join_all([
            put("", json!({"original_name": name})),
            put("", json!({"tags": [tag]})),
            put("", json!({"folder_id": folder})),
            put(
                "/access-control",
                json!({"access_control": {"requires_auth": protected}}),
            ),
        ])
        .await;
        let record = acme.get_ok(&file_path(&file)).await;
        let expected = (json!(name), json!([tag]), protected);
        let path = if round % 2 == 0 {
            json!("Photos/")
        } else {
            Value::Null
        };
        let access = record["access_control"]["requires_auth"] == json!(true);
        assert_eq!(
            (
                record["original_name"].clone(),
                record["tags"].clone(),
                access
            ),
            expected,
            "round {round}"
        );
        assert_eq!(record["folder_path"], path, "round {round}");
        let listed = [
            format!("tag=mark%20{round}"),
            format!("search={name}"),
            format!("folder_id={folder}"),
        ];
        let unlisted = [
            format!("tag=mark%20{}", round + 1),
            format!("search={}.", round + 1),
        ];
        assert_listed(acme, &text(&file["id"]), &listed, &unlisted).await;
        let status = if protected { 403 } else { 200 };
        stack
            .anonymous
            .get(&text(&file["url"]))
            .await
            .expect_status(status);
    }
}
