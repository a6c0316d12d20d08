//! `GET /spaces/:id/webhook-deliveries`: the log of the last 30 days.

use serde_json::{Value, json};
use table::item_keys::Key;
use tests::{PHOTO, Stack, UNKNOWN_ID, column, minutes, seconds, stack_test, text};

use super::fixture::Hooks;

/// Files of the lists.
const FILES: usize = 7;
/// Days for which messages are kept.
const RETENTION_DAYS: u64 = 30;

/// Uploads [`FILES`] files. The endpoint refuses the third and the last one. Returns their ids,
/// newest first.
async fn upload_files(stack: &Stack, hooks: &Hooks) -> Vec<String> {
    let mut ids = Vec::new();
    stack.run_post_upload().await;
    for number in 0..FILES {
        stack.clock.advance(seconds(1));
        let is_refused = number == 2 || number == FILES - 1;
        hooks.answer_next(if is_refused { 410 } else { 204 });
        let file = hooks.acme.upload(PHOTO).await;
        stack.run_for(seconds(0)).await;
        ids.insert(0, file.id);
    }
    ids
}

#[stack_test]
async fn messages_are_listed_newest_first_in_pages_and_by_filter(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let ids = upload_files(stack, &hooks).await;
    let client = hooks.acme.role("admin").await;
    let get = async |query: &str| {
        let path = format!("{}?{query}", hooks.log_path());
        client.fetch(&path).await.json()
    };

    let of_file = format!("file_id={}", ids[4].to_lowercase());
    for (filter, expected) in [
        ("", &ids[..]),
        ("status=failed", &[ids[0].clone(), ids[4].clone()]),
        ("status=pending", &[]),
        ("event=file.uploaded", &ids),
        ("event=file.deleted", &[]),
        (&of_file, &ids[4..5]),
        (&format!("{of_file}&status=delivered"), &[]),
        (&format!("file_id={UNKNOWN_ID}"), &[]),
    ] {
        let page = get(filter).await;
        assert_eq!(column(&page["data"], "file_id"), expected, "{filter}");
    }

    for filter in ["", "&status=delivered"] {
        let all = column(&get(&filter.replace('&', "")).await["data"], "file_id");
        let mut listed = Vec::new();
        let mut cursor = Some(String::new());
        while let Some(after) = cursor {
            let page = get(&format!("limit=2{filter}&cursor={after}")).await;
            listed.extend(column(&page["data"], "file_id"));
            cursor = page["next_cursor"].as_str().map(str::to_owned);
        }
        assert_eq!(listed, all);
    }

    for query in ["status=lost", "event=file.moved", "file_id=1", "limit=0"] {
        let path = format!("{}?{query}", hooks.log_path());
        client.get_err(422, &path).await;
    }
}

#[stack_test]
async fn single_message_has_the_body_of_the_webhook(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.upload(stack).await;
    let webhook = hooks.receiver.only();
    let listed = hooks.message().await;
    assert_eq!(listed.get("payload"), None);

    let path = format!("{}/{}", hooks.log_path(), text(&listed["id"]));
    let mut message = hooks.acme.get_ok(&path).await;
    let fields = message.as_object_mut().expect("an object");
    let payload = text(&fields.remove("payload").expect("a payload"));
    assert_eq!(payload.as_bytes(), webhook.body);
    assert_eq!(message, listed);
}

/// `routes::roles` tests lower roles and keys of other spaces.
#[stack_test]
async fn log_of_a_space_has_none_of_another(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let other = Hooks::named(stack, "Other").await;
    hooks.upload(stack).await;
    let id = text(&hooks.message().await["id"]);

    let own_path = format!("{}/{id}", other.log_path());
    other.acme.get_err(404, &own_path).await;
    let redeliver = format!("{own_path}/redeliver");
    other.acme.post_err(404, &redeliver, json!({})).await;
    for id in [UNKNOWN_ID, "1", "deliveries"] {
        let path = format!("{}/{id}", hooks.log_path());
        hooks.acme.get_err(404, &path).await;
    }
    assert_eq!(other.messages().await, Vec::<Value>::new());
    hooks.receiver.only();
}

#[stack_test]
async fn messages_are_deleted_after_30_days(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let before = stack.dump().await;
    hooks.upload(stack).await;
    hooks.message().await;

    stack.clock.advance(minutes(RETENTION_DAYS * 24 * 60 + 1));
    stack.run_for(seconds(0)).await;

    assert_eq!(hooks.messages().await, Vec::<Value>::new());
    let kept = stack.dump().await;
    let is_webhook = |key: &Key| key.sort.starts_with("WEBHOOK");
    assert_eq!(before.items.keys().filter(|key| is_webhook(key)).count(), 0);
    assert_eq!(kept.items.keys().filter(|key| is_webhook(key)).count(), 0);
}
