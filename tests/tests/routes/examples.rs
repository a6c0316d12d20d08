//! Records a request and a response of every operation as the examples of `openapi.json`.
//!
//! Invariant: a run writes the same examples as the run before. What differs between runs, such as ids,
//! times, secrets and ports, is replaced.

use std::{env, fs, path::Path, time::Duration};

use emulators::AsyncClock as _;
use reqwest::multipart::Form;
use serde_json::json;
use tests::{PHOTO, Stack, stack_test, text};

use super::{
    example_replacements::{HANDLE, Replacements},
    example_session::Session,
};

/// A space, and ids of what it contains.
struct Recorded {
    space: String,
    handle: String,
    key: String,
    folder: String,
    config: String,
    file: String,
}

/// Records the account and a space with settings, and returns the id and the handle of the space.
async fn record_space(session: &mut Session) -> (String, String) {
    session.call("getAccount", "/account").await;
    let body = json!({"name": "Travel blog", "description": "Photos of the blog"});
    let created = session.send("createSpace", "/spaces", body).await;
    let space = text(&created["data"]["id"]);
    let path = format!("/spaces/{space}");
    let body =
        json!({"name": "Travel blog", "webhook_url": "https://blog.example.com/hooks/larder"});
    session.send("updateSpace", &path, body).await;
    session.call("getSpace", &path).await;
    session.call("listSpaces", "/spaces?limit=20").await;
    session
        .send(
            "updateAccount",
            "/account",
            json!({"default_space_id": space}),
        )
        .await;

    let handle = text(&created["data"]["handle"]);
    (space, handle)
}

/// Records keys of the account and of the space, and returns the id of a key of the space.
async fn record_keys(session: &mut Session, space: &str) -> String {
    let body = json!({"name": "Continuous integration"});
    let key = session
        .send("createAccountKey", "/account/api-keys", body)
        .await;
    session.call("listAccountKeys", "/account/api-keys").await;
    session
        .call(
            "revokeAccountKey",
            &format!("/account/api-keys/{}", key["data"]["id"]),
        )
        .await;
    let keys = format!("/spaces/{space}/api-keys");
    let body = json!({"name": "Website", "role": "user"});
    let key = session.send("createSpaceKey", &keys, body).await["data"]["id"].to_string();
    session.call("listSpaceKeys", &keys).await;

    key
}

/// Records a folder, and returns its id.
async fn record_folder(session: &mut Session, space: &str) -> String {
    let body = json!({"space_id": space, "name": "Summer"});
    let folder = text(&session.send("createFolder", "/folders", body).await["data"]["id"]);
    let folder_path = format!("/folders/{folder}");
    session
        .send("updateFolder", &folder_path, json!({"name": "Summer 2026"}))
        .await;
    session
        .call(
            "listFolders",
            &format!("/folders?space_id={space}&parent_id=root"),
        )
        .await;
    session.call("getFolder", &folder_path).await;

    folder
}

/// Records an upload config, and returns its id.
async fn record_config(session: &mut Session, space: &str) -> String {
    let body = json!({
        "space_id": space, "name": "guestbook", "allow_unsigned": true,
        "config": {"validation": {"allowed_formats": ["jpg", "png"], "max_file_size": 5_000_000}},
        "unsigned_restrictions": {
            "allowed_referrers": ["blog.example.com"], "require_https": true, "max_uploads_per_hour": 50,
        },
    });
    let config = session
        .send("createUploadConfig", "/upload-configs", body)
        .await;
    let config = text(&config["data"]["id"]);
    session
        .call(
            "listUploadConfigs",
            &format!("/upload-configs?space_id={space}"),
        )
        .await;
    session
        .call("listAllUploadConfigs", "/upload-configs/all")
        .await;
    session
        .call("getUploadConfig", &format!("/upload-configs/{config}"))
        .await;
    let body = json!({"id": config, "description": "Photos of guests"});
    session
        .send("updateUploadConfig", "/upload-configs/update", body)
        .await;

    config
}

/// Records all ways to upload. The file of the form is the one of later examples.
async fn record_uploads(stack: &Stack, session: &mut Session, recorded: &mut Recorded) {
    let Recorded {
        handle,
        folder,
        config,
        ..
    } = &*recorded;
    let form = Form::new()
        .text("space", handle.clone())
        .text("folder_id", folder.clone())
        .text("ref", "post-17");
    let uploaded = session.upload("uploadFiles", "/upload", form).await;

    let body = json!({
        "space": handle, "filename": "harbour.jpg", "content_type": "image/jpeg", "size": PHOTO.len(),
    });
    let pending = session.send("presignUpload", "/upload/presign", body).await;
    let put = stack
        .anonymous
        .request("PUT", &text(&pending["upload_url"]));
    let put = put.header("content-type", "image/jpeg").body(PHOTO);
    stack.anonymous.send(put).await.expect_status(200);
    let confirm = format!("/upload/confirm/{}", text(&pending["file_id"]));
    session.call("confirmUpload", &confirm).await;

    let body =
        json!({"upload_config_id": config, "filename": "harbour.jpg", "expiration_minutes": 60});
    let path = "/upload/generate-signed-url";
    let signed = session.send("generateSignedUploadUrl", path, body).await;
    let url = text(&signed["data"]["url"]);
    session.client = stack.anonymous.clone();
    session.upload("uploadSigned", &url, Form::new()).await;
    let declared =
        json!({"filename": "boats.jpg", "content_type": "image/jpeg", "size": 3_400_000});
    let presign = url.replace("/upload/signed?", "/upload/signed/presign?");
    session
        .send("presignSignedUpload", &presign, declared.clone())
        .await;
    let unsigned = format!("/upload/unsigned/{handle}/guestbook");
    session
        .upload("uploadUnsigned", &unsigned, Form::new())
        .await;
    session
        .send(
            "presignUnsignedUpload",
            &format!("{unsigned}/presign"),
            declared,
        )
        .await;

    session.client = stack.account();
    recorded.file = text(&uploaded["data"]["id"]);
}

/// Records files and their URLs.
async fn record_files(session: &mut Session, recorded: &Recorded) {
    let Recorded { space, file, .. } = recorded;
    let path = format!("/files/{file}");
    let body = json!({"title": "Harbour", "alt": "Two boats at a pier", "tags": ["boats"], "metadata": {"camera": "X100"}});
    session.send("updateFile", &path, body).await;
    let body = json!({"id": file, "folder_id": "root"});
    session.send("updateFileById", "/files", body).await;
    session.call("getFile", &path).await;
    session
        .call("listFiles", &format!("/files?space_id={space}&tag=boats"))
        .await;
    session
        .call(
            "getFileByReference",
            &format!("/files/by-ref?space_id={space}&ref=post-17"),
        )
        .await;
    session
        .send("getFileUrls", "/files/urls", json!({"file_ids": [file]}))
        .await;
    let body = json!({"expiration_minutes": 60, "w": 640, "f": "webp"});
    session
        .send("signFileUrl", &format!("{path}/signed-url"), body)
        .await;
}

/// Records the access control and the security of the file, the folder and the space.
async fn record_access(session: &mut Session, recorded: &Recorded) {
    let Recorded {
        space,
        folder,
        file,
        ..
    } = recorded;
    let path = format!("/files/{file}");
    let paths = [
        ("File", path),
        ("Folder", format!("/folders/{folder}")),
        ("Space", format!("/spaces/{space}")),
    ];
    for (resource, path) in &paths {
        let access = format!("{path}/access-control");
        let body = json!({"access_control": {"requires_auth": true}});
        session
            .send(&format!("set{resource}AccessControl"), &access, body)
            .await;
        session
            .call(&format!("reset{resource}AccessControl"), &access)
            .await;
    }
    for (resource, path) in &paths[1..] {
        let security = format!("{path}/security");
        let body = json!({"security": {"transformations": "named"}});
        session
            .send(&format!("set{resource}Security"), &security, body)
            .await;
        session
            .call(&format!("reset{resource}Security"), &security)
            .await;
    }
}

/// Records the secrets of the space and its log of webhooks.
async fn record_secrets(session: &mut Session, recorded: &Recorded) {
    let file = &recorded.file;
    let space = &format!("/spaces/{}", recorded.space);
    session
        .call("getSigningSecret", &format!("{space}/signing-secret"))
        .await;
    let rotate = format!("{space}/signing-secret/rotate");
    session
        .send("rotateSigningSecret", &rotate, json!({"immediate": false}))
        .await;
    session
        .call("getWebhookSecret", &format!("{space}/webhook-secret"))
        .await;
    session
        .call(
            "rotateWebhookSecret",
            &format!("{space}/webhook-secret/rotate"),
        )
        .await;
    let log = format!("{space}/webhook-deliveries");
    let messages = session
        .call("listWebhookDeliveries", &format!("{log}?file_id={file}"))
        .await;
    let message = format!("{log}/{}", text(&messages["data"][0]["id"]));
    session.call("getWebhookDelivery", &message).await;
    session
        .call("redeliverWebhook", &format!("{message}/redeliver"))
        .await;
}

/// Records all deletions.
async fn record_deletions(session: &mut Session, recorded: &Recorded, spare: &str) {
    let Recorded {
        space,
        key,
        folder,
        config,
        file,
        ..
    } = recorded;
    session.call("deleteFile", &format!("/files/{file}")).await;
    session
        .call("deleteFileById", &format!("/files?id={spare}"))
        .await;
    session
        .call("deleteFolder", &format!("/folders/{folder}"))
        .await;
    session
        .call(
            "deleteUploadConfig",
            &format!("/upload-configs?id={config}"),
        )
        .await;
    session
        .call("revokeSpaceKey", &format!("/spaces/{space}/api-keys/{key}"))
        .await;
    session
        .call("deleteSpace", &format!("/spaces?id={space}&force=true"))
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
    let (space, handle) = record_space(&mut session).await;
    let mut recorded = Recorded {
        key: record_keys(&mut session, &space).await,
        folder: record_folder(&mut session, &space).await,
        config: record_config(&mut session, &space).await,
        space,
        handle,
        file: String::new(),
    };
    record_uploads(stack, &mut session, &mut recorded).await;
    record_files(&mut session, &recorded).await;
    record_access(&mut session, &recorded).await;
    record_secrets(&mut session, &recorded).await;
    let confirmed = session.examples["confirmUpload"]["response"]["data"]["id"].clone();
    record_deletions(&mut session, &recorded, &text(&confirmed)).await;
    let missing = session
        .endpoints
        .keys()
        .find(|id| !session.examples.contains_key(**id));
    assert_eq!(missing, None);

    let local = &stack.local;
    let replacements = Replacements {
        texts: vec![
            (local.api_url().to_owned(), "https://api.example.com/api/v1"),
            (local.cdn_url().to_owned(), "https://cdn.example.com"),
            (
                local.s3_url().to_owned(),
                "https://s3.eu-central-1.amazonaws.com",
            ),
            (recorded.handle, HANDLE),
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
