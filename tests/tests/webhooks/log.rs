//! `GET /spaces/:id/webhook-deliveries`: the log of the last 30 days.

use serde_json::Value;
use table::keys::Key;
use tests::{Answer, PHOTO, Stack, UNKNOWN_ID, minutes, seconds, stack_test, text};

use super::fixture::Hooks;

/// Files of the lists.
const FILES: usize = 7;
/// Days for which deliveries are kept.
const RETENTION_DAYS: u64 = 30;

/// Returns the field of each item of a list.
fn column(list: &Value, field: &str) -> Vec<String> {
    let items = list["data"].as_array().expect("a list");
    items.iter().map(|item| text(&item[field])).collect()
}

/// Uploads [`FILES`] files. The endpoint refuses the third and the last one. Returns their ids, newest
/// first.
async fn upload_files(stack: &Stack, hooks: &Hooks) -> Vec<String> {
    let mut ids = Vec::new();
    stack.run_post_upload().await;
    for number in 0..FILES {
        stack.clock.advance(seconds(1));
        let is_refused = number == 2 || number == FILES - 1;
        let status = if is_refused { 410 } else { 204 };
        hooks.receiver.answer_next(Answer::status(status));
        let file = hooks.acme.upload(PHOTO).await;
        stack.run_for(seconds(0)).await;
        ids.insert(0, file.id);
    }
    ids
}

#[stack_test]
async fn deliveries_are_listed_newest_first_in_pages_and_by_filter(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let ids = upload_files(stack, &hooks).await;
    let client = hooks.acme.role("admin").await;
    let get = async |query: &str| {
        let path = format!("{}?{query}", hooks.log_path());
        client.fetch(&path).await.json()
    };

    assert_eq!(column(&get("").await, "file_id"), ids);
    let refused = [ids[0].clone(), ids[4].clone()];
    assert_eq!(column(&get("status=failed").await, "file_id"), refused);
    assert_eq!(column(&get("status=pending").await, "file_id"), [""; 0]);
    assert_eq!(column(&get("event=file.uploaded").await, "file_id"), ids);
    assert_eq!(column(&get("event=file.deleted").await, "file_id"), [""; 0]);
    let of_file = format!("file_id={}", ids[4].to_lowercase());
    assert_eq!(column(&get(&of_file).await, "file_id"), [ids[4].clone()]);
    let delivered_of_file = format!("{of_file}&status=delivered");
    assert_eq!(column(&get(&delivered_of_file).await, "file_id"), [""; 0]);
    let unknown = format!("file_id={UNKNOWN_ID}");
    assert_eq!(column(&get(&unknown).await, "file_id"), [""; 0]);

    for filter in ["", "&status=delivered"] {
        let all = column(&get(&filter.replace('&', "")).await, "file_id");
        let mut listed = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = get(&format!("limit=2{filter}{cursor}")).await;
            listed.extend(column(&page, "file_id"));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(listed, all);
    }

    for query in ["status=lost", "event=file.moved", "file_id=1", "limit=0"] {
        let path = format!("{}?{query}", hooks.log_path());
        client.get_err(422, &path).await;
    }
}

#[stack_test]
async fn single_delivery_has_the_body_of_the_webhook(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    hooks.upload(stack).await;
    let webhook = hooks.receiver.only();
    let listed = hooks.delivery().await;
    assert_eq!(listed.get("payload"), None);

    let path = format!("{}/{}", hooks.log_path(), text(&listed["id"]));
    let mut delivery = hooks.acme.get_ok(&path).await;
    assert_eq!(text(&delivery["payload"]).as_bytes(), webhook.body);
    delivery
        .as_object_mut()
        .expect("an object")
        .remove("payload");
    assert_eq!(delivery, listed);
}

#[stack_test]
async fn log_is_hidden_from_lower_roles_and_other_spaces(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let other = Hooks::named(stack, "Other").await;
    hooks.upload(stack).await;
    let log = hooks.log_path();
    let id = text(&hooks.delivery().await["id"]);
    let delivery = format!("{log}/{id}");
    let redeliver = format!("{delivery}/redeliver");

    let user = hooks.acme.role("user").await;
    for path in [&log, &delivery] {
        user.get_err(403, path).await;
        other.acme.get_err(404, path).await;
        stack.anonymous.get_err(401, path).await;
    }
    let post =
        async |client: &tests::Client, path: &str| client.send(client.request("POST", path)).await;
    post(&user, &redeliver).await.expect_error(403);
    post(&other.acme.client, &redeliver).await.expect_error(404);

    let own_path = format!("{}/{id}", other.log_path());
    other.acme.get_err(404, &own_path).await;
    let own_path = format!("{own_path}/redeliver");
    post(&other.acme.client, &own_path).await.expect_error(404);
    for id in [UNKNOWN_ID, "1", "deliveries"] {
        let path = format!("{log}/{id}");
        hooks.acme.get_err(404, &path).await;
    }
    assert_eq!(other.deliveries().await, Vec::<Value>::new());
    hooks.receiver.only();
}

#[stack_test]
async fn deliveries_are_deleted_after_30_days(stack: &Stack) {
    let hooks = Hooks::new(stack).await;
    let before = stack.dump().await;
    hooks.upload(stack).await;
    hooks.delivery().await;

    stack.clock.advance(minutes(RETENTION_DAYS * 24 * 60 + 1));
    stack.run_for(seconds(0)).await;

    assert_eq!(hooks.deliveries().await, Vec::<Value>::new());
    let kept = stack.dump().await;
    let is_webhook = |key: &Key| key.sort.starts_with("WEBHOOK");
    assert_eq!(before.items.keys().filter(|key| is_webhook(key)).count(), 0);
    assert_eq!(kept.items.keys().filter(|key| is_webhook(key)).count(), 0);
}
