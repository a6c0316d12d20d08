//! Presign requests with a key or a signed URL: they create a pending file, whose bytes the client
//! sends to S3. If the function assumes a role to sign the URLs, these end with its sessions.

use domain::env::Timestamp;
use futures::future::join_all;
use serde_json::{Value, json};
use table::item_keys;
use tests::{
    Client, PHOTO, Response, Stack, StackOptions, TestSpace, assert_fields, field_names, merged,
    minutes, seconds, stack_test, text,
};

use crate::{
    delivery::fixture::{DeliveryFixture, options_with_redirects},
    support::{
        signer::{Signer, declared_photo},
        sts::FakeSts,
    },
};

/// Number of concurrent requests.
const CALLERS: usize = 8;

/// A pending file, created by a presign request.
#[derive(Debug)]
pub(crate) struct PendingFile {
    /// Body of the response.
    pub(crate) response: Value,
}

impl PendingFile {
    /// Returns the file of a response, which must have the status 201.
    #[track_caller]
    pub(crate) fn of(response: Response) -> PendingFile {
        let response = response.expect_status(201).json();
        PendingFile { response }
    }

    /// Sends a presign request as a client.
    pub(crate) async fn by(client: &Client, body: Value) -> PendingFile {
        PendingFile::of(client.post("/upload/presign", body).await)
    }

    /// Presigns an upload of the photo as the owner. `fields` replace those of the request.
    pub(crate) async fn create(acme: &TestSpace, fields: Value) -> PendingFile {
        PendingFile::by(&acme.client, presign_body(acme, fields)).await
    }

    pub(crate) fn id(&self) -> &str {
        self.text("file_id")
    }

    /// Returns the path of the file in the API.
    pub(crate) fn address(&self) -> String {
        format!("/files/{}", self.id())
    }

    /// Returns the path of the confirmation.
    pub(crate) fn confirmation(&self) -> String {
        format!("/upload/confirm/{}", self.id())
    }

    /// Returns the presigned URL.
    pub(crate) fn url(&self) -> &str {
        self.text("upload_url")
    }

    /// Returns the key of the staged object.
    pub(crate) fn object_key(&self) -> &str {
        self.text("object_key")
    }

    /// Sends bytes to the presigned URL, with the signed content type.
    pub(crate) async fn send(&self, stack: &Stack, bytes: impl Into<Vec<u8>>) -> Response {
        let content_type = text(&self.response["headers"]["content-type"]);
        let request = stack.anonymous.request("PUT", self.url());
        let request = request.header("content-type", content_type);
        stack.anonymous.send(request.body(bytes.into())).await
    }

    /// Sends bytes to the presigned URL, which accepts them.
    pub(crate) async fn put(&self, stack: &Stack, bytes: impl Into<Vec<u8>>) {
        self.send(stack, bytes).await.expect_status(200);
    }

    pub(crate) async fn confirm(&self, client: &Client) -> Response {
        let request = client.request("POST", &self.confirmation());
        client.send(request).await
    }

    /// Confirms the file with its token, without a key.
    pub(crate) async fn confirm_by_token(&self, stack: &Stack) -> Response {
        let body = json!({"confirm_token": self.response["confirm_token"]});
        stack.anonymous.post(&self.confirmation(), body).await
    }

    fn text(&self, field: &str) -> &str {
        self.response[field].as_str().expect("a text")
    }
}

/// Returns a presign request for the photo. `fields` replace or extend its fields.
pub(crate) fn presign_body(acme: &TestSpace, fields: Value) -> Value {
    let photo = merged(json!({"space": acme.handle}), declared_photo());
    merged(photo, fields)
}

/// Presigns an upload of the photo with an idempotency key.
pub(super) async fn presign_with_key(acme: &TestSpace, key: &str, fields: Value) -> Response {
    let request = acme.request("POST", "/upload/presign");
    let request = request.header("idempotency-key", key);
    acme.send(request.json(&presign_body(acme, fields))).await
}

/// Asserts the conflict of a key whose file cannot be uploaded any more.
#[track_caller]
fn assert_key_used_up(response: Response) {
    let errors = response.expect_error(409);
    assert!(errors["idempotency_key"].is_array(), "{errors}");
}

/// Asserts the response to a presign request for a JPEG, which has these fields.
#[track_caller]
fn assert_presigned(acme: &TestSpace, pending_file: &PendingFile, fields: &str) {
    assert_eq!(field_names(&pending_file.response).join(" "), fields);
    let key = format!("staging/{}/{}", acme.id, pending_file.id());
    let values = json!({
        "object_key": key, "expires_in": 3_600, "headers": {"content-type": "image/jpeg"},
    });
    assert_fields(&pending_file.response, values);
}

#[stack_test]
async fn presign_returns_unwrapped_response_and_creates_pending_file(
    stack: &Stack,
    acme: &TestSpace,
) {
    let pending_file = PendingFile::create(acme, json!({"ref": "order 7"})).await;

    let fields = "expires_in file_id headers object_key upload_url";
    assert_presigned(acme, &pending_file, fields);
    let url = pending_file.url();
    assert!(url.starts_with(stack.local.s3_url()) && url.contains(pending_file.object_key()));

    let pending = acme.get_ok(&pending_file.address()).await;
    let expected = json!({
        "status": "pending", "original_name": "photo.jpg", "mime_type": "image/jpeg", "size": PHOTO.len(),
        "ref": "order 7", "checksum_sha256": null, "space_id": acme.id,
        "uploaded_by": {"type": "api_key", "id": acme.key_id},
    });
    assert_fields(&pending, expected);
    let path = text(&pending["storage_path"]);
    let url = format!("{}/{path}", stack.local.cdn_url());
    stack.anonymous.get_err(404, &url).await;

    stack.run_confirm_checks().await;
}

#[stack_test(undrained)]
async fn signed_presign_returns_a_confirm_token(stack: &Stack) {
    let signer = Signer::new(stack, "Acme", json!({})).await;
    let generated = signer.generate(&signer.acme, json!({})).await.expect_ok();
    let url = text(&generated["presign_url"]);

    let pending_file = PendingFile::of(stack.anonymous.post(&url, declared_photo()).await);

    let fields = "confirm_token expires_in file_id headers object_key upload_url";
    assert_presigned(&signer.acme, &pending_file, fields);
    let early = pending_file.confirm_by_token(stack).await;
    assert!(early.expect_error(409)["file"].is_array());
}

#[stack_test]
async fn replayed_presign_returns_same_file_and_new_url(stack: &Stack, acme: &TestSpace) {
    let first = PendingFile::of(presign_with_key(acme, "one", json!({})).await);
    let before = stack.dump().await;
    stack.clock.advance(minutes(40));

    let again = PendingFile::of(presign_with_key(acme, " one ", json!({})).await);
    assert_ne!(again.url(), first.url());
    // The deadline of the check does not move.
    assert_eq!(first.response["expires_in"], 3_600);
    let same = json!({
        "file_id": first.id(), "object_key": first.object_key(), "headers": first.response["headers"],
        "expires_in": 1_200,
    });
    assert_fields(&again.response, same);
    stack.assert_unchanged(&before, "a replayed request").await;

    again.put(stack, PHOTO).await;
    let active = again.confirm(&acme.client).await.expect_ok();
    assert_eq!(active["id"], first.id());

    // A replay does not make an active file pending again.
    let before = stack.dump().await;
    let replay = PendingFile::of(presign_with_key(acme, "one", json!({})).await);
    assert_eq!(replay.id(), first.id());
    stack.assert_unchanged(&before, "a second replay").await;

    stack.clock.advance(minutes(20));
    assert_key_used_up(presign_with_key(acme, "one", json!({})).await);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn replayed_presign_of_rejected_file_reports_it(stack: &Stack, acme: &TestSpace) {
    let fields = json!({"size": 4});
    let pending_file = PendingFile::of(presign_with_key(acme, "one", fields.clone()).await);

    pending_file.put(stack, b"text").await;
    pending_file.confirm(&acme.client).await.expect_error(422);

    assert_key_used_up(presign_with_key(acme, "one", fields).await);
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn concurrent_presigns_with_one_key_create_one_file(stack: &Stack, acme: &TestSpace) {
    let responses = join_all((0..CALLERS).map(|_| presign_with_key(acme, "one", json!({})))).await;
    let last = PendingFile::of(presign_with_key(acme, "one", json!({})).await);

    for response in responses {
        if response.status == 201 {
            assert_eq!(response.json()["file_id"], last.id());
        } else {
            assert_key_used_up(response);
        }
    }

    let dump = stack.dump().await;
    let pending = dump.items.iter().filter(|(key, item)| {
        key.sort.starts_with(item_keys::FILES) && item["status"] == "pending"
    });
    assert_eq!((pending.count(), dump.files_with_bytes().len()), (1, 0));
    stack.run_confirm_checks().await;
}

/// Time for which a function does not repeat a request to STS that failed.
const FAILURE_SECONDS: u64 = 3;
/// Lifetime of a session that STS shortens.
const SHORT_MINUTES: i64 = 20;

fn after(stack: &Stack, minutes: i64) -> Timestamp {
    stack.now().plus_ms(minutes * 60_000)
}

async fn presign(acme: &TestSpace) -> Response {
    let body = presign_body(acme, json!({}));
    acme.post("/upload/presign", body).await
}

/// Requires that a session of the role signed a URL. The function's own credentials have no session
/// token.
#[track_caller]
pub(crate) fn assert_signed_by_session(url: &str) {
    let mut parameters = url.split(['?', '&']);
    let token = parameters.find(|pair| *pair == "X-Amz-Security-Token=session");
    assert!(token.is_some(), "{url}");
}

/// Presigns an upload, and returns it if its lifetime is this number of seconds.
async fn presign_for(acme: &TestSpace, expected: i64) -> PendingFile {
    let response: Value = presign(acme).await.expect_status(201).json();
    assert_eq!(response["expires_in"], expected);
    let pending = PendingFile { response };
    let parameter = format!("X-Amz-Expires={expected}&");
    assert!(pending.url().contains(&parameter), "{}", pending.url());
    assert_signed_by_session(pending.url());
    pending
}

#[tokio::test]
async fn upload_url_ends_with_the_session_of_its_role() {
    let sts = FakeSts::start().await;
    let stack = Stack::start_with(sts.options(StackOptions::default())).await;
    let acme = stack.space("Acme").await;

    let before = stack.dump().await;
    presign(&acme).await.expect_busy();
    stack.assert_unchanged(&before, "a presign request").await;
    let all = join_all((0..8).map(|_| presign(&acme))).await;
    all.into_iter().for_each(Response::expect_busy);
    assert_eq!(sts.take_requests(), 1);
    stack.clock.advance(seconds(FAILURE_SECONDS));

    // A session with an early end, which is replaced as soon as STS may be asked again.
    sts.end_sessions_at(after(&stack, SHORT_MINUTES));
    let pending = presign_for(&acme, 1_200).await;
    pending.put(&stack, PHOTO).await;
    pending.confirm(&acme.client).await.expect_ok();
    let late = presign_for(&acme, 1_200).await;
    stack.clock.advance(seconds(59));
    sts.end_sessions_at(after(&stack, 60));
    presign_for(&acme, 1_141).await;
    stack.clock.advance(seconds(2));
    presign_for(&acme, 3_598).await;
    assert_eq!(sts.take_requests(), 2);

    // Refreshed when less than 50 minutes are left, once for all requests, which do not wait for
    // it.
    stack.clock.advance(minutes(9));
    presign_for(&acme, 3_058).await;
    sts.end_sessions_at(after(&stack, 61));
    stack.clock.advance(minutes(1));
    for response in join_all((0..8).map(|_| presign(&acme))).await {
        let response: Value = response.expect_status(201).json();
        let expires_in = &response["expires_in"];
        assert!(*expires_in == 3_600 || *expires_in == 2_998, "{response}");
    }
    presign_for(&acme, 3_600).await;
    assert_eq!(sts.take_requests(), 1);

    // Without STS the session is used up.
    sts.reject_requests();
    stack.clock.advance(minutes(58));
    presign_for(&acme, 120).await;
    late.send(&stack, PHOTO).await.expect_status(403);
    stack.clock.advance(minutes(1));
    presign(&acme).await.expect_busy();

    stack.run_confirm_checks().await;
    stack.stop().await;
}

#[tokio::test]
async fn redirect_ends_with_the_session_of_its_role() {
    let sts = FakeSts::start().await;
    let options = options_with_redirects().with_parameters(&[("RedirectAboveBytes", "1000")]);
    let stack = Stack::start_with(sts.options(options)).await;
    let fixture = DeliveryFixture::new(&stack).await;
    let original = fixture.put("upload", "root").await.url().to_owned();
    let rendition = format!("{original}?w=400");

    stack.anonymous.get(&original).await.expect_busy();
    stack.clock.advance(seconds(FAILURE_SECONDS));
    sts.end_sessions_at(after(&stack, SHORT_MINUTES));
    let mut locations = Vec::new();
    for url in [&original, &rendition] {
        let location = stack.anonymous.redirect(url).await;
        assert_signed_by_session(&location);
        stack.anonymous.fetch(&location).await;
        locations.push(location);
    }
    assert_eq!(sts.take_requests(), 2);

    let session = minutes(SHORT_MINUTES.unsigned_abs());
    stack.clock.advance(session + seconds(1));
    for location in locations {
        stack.anonymous.get(&location).await.expect_status(403);
    }
    stack.stop().await;
}
