//! Records a request and a response of every operation as the examples of `openapi.json`.
//!
//! Invariant: a run writes the same examples as the run before. What differs between runs, such as
//! ids, times, secrets and ports, is replaced.

use std::{env, fs, path::Path, time::Duration};

use emulators::AsyncClock as _;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, stack_test};

use super::{
    example_replacements::{HANDLE, Replacements},
    example_session::Session,
};

/// Requests that create the records of the others, in the form of [`Session::send_all`].
fn creations() -> Value {
    json!([
        ["getAccount", "/account"],
        ["createSpace", "/spaces", {"name": "Travel blog", "description": "Photos of the blog"}, {"space": "/data/id", "handle": "/data/handle"}],
        ["updateSpace", "/spaces/{space}", {"name": "Travel blog", "webhook_url": "https://blog.example.com/hooks/larder", "trash_days": 30}],
        ["getSpace", "/spaces/{space}"],
        ["listSpaces", "/spaces?limit=20"],
        ["updateAccount", "/account", {"default_space_id": "{space}"}],
        ["createAccountKey", "/account/api-keys", {"name": "Continuous integration"}, {"account_key": "/data/id"}],
        ["listAccountKeys", "/account/api-keys"],
        ["revokeAccountKey", "/account/api-keys/{account_key}"],
        ["createSpaceKey", "/spaces/{space}/api-keys", {"name": "Website", "role": "user"}, {"key": "/data/id"}],
        ["listSpaceKeys", "/spaces/{space}/api-keys"],
        ["createFolder", "/folders", {"space_id": "{space}", "name": "Summer"}, {"folder": "/data/id"}],
        ["updateFolder", "/folders/{folder}", {"name": "Summer 2026"}],
        ["listFolders", "/folders?space_id={space}&parent_id=root"],
        ["getFolder", "/folders/{folder}"],
        ["createUploadConfig", "/upload-configs", {
            "space_id": "{space}", "name": "guestbook", "allow_unsigned": true,
            "config": {"validation": {"allowed_formats": ["jpg", "png"], "max_file_size": 5_000_000}},
            "unsigned_restrictions": {"allowed_referrers": ["blog.example.com"], "require_https": true, "max_uploads_per_hour": 50},
        }, {"config": "/data/id"}],
        ["listUploadConfigs", "/upload-configs?space_id={space}"],
        ["listAllUploadConfigs", "/upload-configs/all"],
        ["getUploadConfig", "/upload-configs/{config}"],
        ["updateUploadConfig", "/upload-configs/update", {"id": "{config}", "description": "Photos of guests"}],
    ])
}

/// Requests about the uploaded file, and all deletions.
fn changes_and_deletions() -> Value {
    json!([
        ["updateFile", "/files/{file}", {"title": "Harbour", "alt": "Two boats at a pier", "tags": ["boats"], "metadata": {"camera": "X100"}}],
        ["updateFileById", "/files", {"id": "{file}", "folder_id": "root"}],
        ["getFile", "/files/{file}"],
        ["listFiles", "/files?space_id={space}&tag=boats"],
        ["getSpaceUsage", "/spaces/{space}/usage"],
        ["getFileByReference", "/files/by-ref?space_id={space}&ref=post-17"],
        ["getFileUrls", "/files/urls", {"file_ids": ["{file}"], "expiration_minutes": 60, "transformation": {"w": 320, "f": "webp"}}],
        ["signFileUrl", "/files/{file}/signed-url", {"expiration_minutes": 60, "w": 640, "f": "webp"}],
        ["setFileAccessControl", "/files/{file}/access-control", {"access_control": {"requires_auth": true}}],
        ["resetFileAccessControl", "/files/{file}/access-control"],
        ["setFolderAccessControl", "/folders/{folder}/access-control", {"access_control": {"requires_auth": true}}],
        ["resetFolderAccessControl", "/folders/{folder}/access-control"],
        ["setSpaceAccessControl", "/spaces/{space}/access-control", {"access_control": {"requires_auth": true}}],
        ["resetSpaceAccessControl", "/spaces/{space}/access-control"],
        ["setFolderSecurity", "/folders/{folder}/security", {"security": {"transformations": "named"}}],
        ["resetFolderSecurity", "/folders/{folder}/security"],
        ["setSpaceSecurity", "/spaces/{space}/security", {"security": {"transformations": "named"}}],
        ["resetSpaceSecurity", "/spaces/{space}/security"],
        ["getSigningSecret", "/spaces/{space}/signing-secret"],
        ["rotateSigningSecret", "/spaces/{space}/signing-secret/rotate", {"immediate": false}],
        ["getWebhookSecret", "/spaces/{space}/webhook-secret"],
        ["rotateWebhookSecret", "/spaces/{space}/webhook-secret/rotate"],
        ["listWebhookDeliveries", "/spaces/{space}/webhook-deliveries?file_id={file}", null, {"message": "/data/0/id"}],
        ["getWebhookDelivery", "/spaces/{space}/webhook-deliveries/{message}"],
        ["redeliverWebhook", "/spaces/{space}/webhook-deliveries/{message}/redeliver"],
        ["batchFiles", "/files/batch", {"ids": ["{file}", "01K00000000000000000000000"], "operation": "update", "folder_id": "{folder}", "add_tags": ["harbour"]}],
        ["deleteFile", "/files/{file}"],
        ["restoreFile", "/files/{file}/restore"],
        ["deleteFileById", "/files", {"id": "{file}"}],
        ["deleteFolder", "/folders/{folder}"],
        ["deleteUploadConfig", "/upload-configs", {"id": "{config}"}],
        ["revokeSpaceKey", "/spaces/{space}/api-keys/{key}"],
        ["deleteSpace", "/spaces?id={space}&force=true"],
    ])
}

/// Records all ways to upload. The file of the form is the one of later examples.
async fn record_uploads(stack: &Stack, session: &mut Session) {
    let fields = json!({"space": "{handle}", "folder_id": "{folder}", "ref": "post-17"});
    let uploaded = session.upload("uploadFiles", "/upload", fields).await;
    session.keep("file", &uploaded["data"]["id"]);

    let declared = json!({"space": "{handle}", "filename": "harbour.jpg", "content_type": "image/jpeg", "size": 3_400_000});
    let signed = json!([
        ["presignUpload", "/upload/presign", declared],
        [
            "generateSignedUploadUrl", "/upload/generate-signed-url",
            {"upload_config_id": "{config}", "filename": "harbour.jpg", "expiration_minutes": 60},
            {"url": "/data/url", "presign_url": "/data/presign_url"},
        ],
    ]);
    session.send_all(&signed).await;

    session.client = stack.anonymous.clone();
    for (id, path) in [
        ("uploadSigned", "{url}"),
        ("uploadUnsigned", "/upload/unsigned/{handle}/guestbook"),
    ] {
        session.upload(id, path, json!({})).await;
    }
    let declared =
        json!({"filename": "boats.jpg", "content_type": "image/jpeg", "size": PHOTO.len()});
    let kept =
        json!({"pending": "/file_id", "upload_url": "/upload_url", "token": "/confirm_token"});
    let presigned = json!([
        ["presignSignedUpload", "{presign_url}", declared],
        [
            "presignUnsignedUpload",
            "/upload/unsigned/{handle}/guestbook/presign",
            declared,
            kept
        ],
    ]);
    session.send_all(&presigned).await;

    let put = stack.anonymous.request("PUT", &session.value("upload_url"));
    let put = put.header("content-type", "image/jpeg").body(PHOTO);
    stack.anonymous.send(put).await.expect_status(200);
    let confirmation =
        json!(["confirmUpload", "/upload/confirm/{pending}", {"confirm_token": "{token}"}]);
    session.send_all(&json!([confirmation])).await;
    session.client = stack.account();
    let content = "/files/{file}/content";
    session
        .upload("replaceFileContent", content, json!({}))
        .await;
}

#[stack_test(undrained)]
#[expect(
    clippy::disallowed_methods,
    reason = "`scripts/openapi` sets the variable for this test only"
)]
async fn recorded_examples_match_responses(stack: &Stack) {
    // Times in seconds are rounded.
    let past_second = u64::try_from(stack.clock.now_ms() % 1_000).expect("a time after 1970");
    stack
        .clock
        .advance(Duration::from_millis(1_000 - past_second));
    let start_ms = stack.clock.now_ms();

    let mut session = Session::new(stack);
    session.send_all(&creations()).await;
    record_uploads(stack, &mut session).await;
    session.send_all(&changes_and_deletions()).await;
    assert_eq!(session.unrecorded(), None);

    let local = &stack.local;
    let replacements = Replacements {
        texts: vec![
            (local.api_url().to_owned(), "https://api.example.com/api/v1"),
            (local.cdn_url().to_owned(), "https://cdn.example.com"),
            (
                local.s3_url().to_owned(),
                "https://s3.eu-central-1.amazonaws.com",
            ),
            (session.value("handle"), HANDLE),
        ],
        start_ms,
    };
    let examples = replacements.apply(&session.examples);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../infra/openapi/examples.json");
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &examples).expect("a written file");
    }

    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        examples == committed,
        "infra/openapi/examples.json is out of date: run scripts/openapi"
    );
}
