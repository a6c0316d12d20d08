//! Invalid folders of uploads: unknown ids, malformed paths and too deep paths.

use serde_json::{Value, json};
use tests::{PHOTO, Stack, UNKNOWN_ID, folder_path, stack_test, text};

use super::folders::{BY_KEY, Route, Uploads, assert_in, folder_of};
use super::presign::presign_body;
use crate::folders::create::assert_only;

/// Maximum depth of folders.
const MAX_DEPTH: usize = 20;

/// Returns paths of folders that are malformed.
fn malformed_paths() -> Vec<String> {
    let mut paths: Vec<String> = [
        "a//b",
        "..",
        "a/../b",
        ".",
        "a/./b",
        "a/ /b",
        "a\u{7}",
        "a/\u{85}b",
    ]
    .map(str::to_owned)
    .into();
    paths.push("x".repeat(256));
    paths.push(format!("a/{}", "é".repeat(256)));

    paths
}

/// Uploads with invalid fields, and returns the errors.
async fn errors_of(uploads: &Uploads<'_>, route: Route, fields: &[(&str, &str)]) -> Value {
    uploads
        .send(&uploads.acme().client, route, fields)
        .await
        .expect_error(422)
}

#[stack_test]
async fn invalid_folder_ids_are_rejected_on_every_route(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let other = stack.space("Other").await;
    let foreign = other.folder("Photos").await;
    let gone = acme.folder("Gone").await;
    acme.delete_ok(&folder_path(&gone)).await;

    let foreign = text(&foreign["id"]);
    let gone = text(&gone["id"]);
    let file = text(&acme.upload(PHOTO).await["id"]);
    let long = "x".repeat(256);
    let before = uploads.stored().await;
    let invalid = json!({"folder_id": ["The selected folder id is invalid."]});
    let mut both = invalid.clone();
    both["ref"] = json!(["The ref field must not be greater than 255 characters."]);

    for route in BY_KEY {
        for id in [
            UNKNOWN_ID,
            "x",
            "Gone",
            "root/",
            &acme.id,
            &acme.handle,
            &foreign,
            &gone,
            &file,
        ] {
            for fields in [
                &[("folder_id", id)][..],
                &[("folder_id", id), ("folder_path", "a/b")],
            ] {
                let errors = errors_of(&uploads, route, fields).await;
                assert_eq!(errors, invalid, "{route:?} {fields:?}");
            }
        }

        let fields = [("folder_id", UNKNOWN_ID), ("ref", long.as_str())];
        let errors = errors_of(&uploads, route, &fields).await;
        assert_eq!(errors, both, "{route:?}");
    }

    uploads
        .stored()
        .await
        .assert_unchanged(&before, "uploads into invalid folders");
}

#[stack_test]
async fn invalid_folder_paths_are_rejected_on_every_route(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let before = uploads.stored().await;
    let missing =
        json!({"folder_id": ["The folder id field is required when folder path is present."]});

    for route in BY_KEY {
        for fields in [
            &[("folder_path", "a")][..],
            &[("folder_path", "a"), ("folder_id", " ")],
        ] {
            let errors = errors_of(&uploads, route, fields).await;
            assert_eq!(errors, missing, "{route:?} {fields:?}");
        }

        for path in malformed_paths() {
            let fields = [("folder_id", "root"), ("folder_path", path.as_str())];
            let errors = errors_of(&uploads, route, &fields).await;
            assert_only(&errors, "folder_path");
        }
    }

    uploads
        .stored()
        .await
        .assert_unchanged(&before, "uploads into invalid paths");
}

#[stack_test]
async fn folder_id_and_path_must_be_strings(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let before = uploads.stored().await;
    let untyped = json!({"folder_id": 5, "folder_path": ["a"]});

    let errors = acme
        .post_err(422, "/upload/presign", presign_body(acme, untyped))
        .await;

    let expected = json!({
        "folder_id": ["The folder id field must be a string."],
        "folder_path": ["The folder path field must be a string."],
    });
    assert_eq!(errors, expected);
    uploads
        .stored()
        .await
        .assert_unchanged(&before, "an upload into an untyped folder");
}

#[stack_test]
async fn folder_path_is_limited_to_folder_depth(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let repeated = |count: usize, name: &str| vec![name; count].join("/");

    for (route, top) in [(Route::Form, "form"), (Route::Presign, "presign")] {
        let top = acme.folder(top).await;
        let id = text(&top["id"]);
        let halfway = repeated(MAX_DEPTH / 2 - 1, "a");
        let file = uploads
            .upload(route, &[("folder_id", &id), ("folder_path", &halfway)])
            .await;
        let tenth = text(&file["folder_id"]);
        let before = uploads.stored().await;
        for (from, path) in [
            ("root", repeated(MAX_DEPTH + 1, "b")),
            ("root", repeated(500, "b")),
            (&id, repeated(MAX_DEPTH, "a")),
            (&id, repeated(MAX_DEPTH, "b")),
            (&tenth, repeated(MAX_DEPTH / 2 + 1, "a")),
        ] {
            let response = uploads
                .send(
                    &acme.client,
                    route,
                    &[("folder_id", from), ("folder_path", &path)],
                )
                .await;
            assert_only(&response.expect_error(422), "folder_path");
        }
        uploads
            .stored()
            .await
            .assert_unchanged(&before, "uploads into too deep paths");
        let rest = repeated(MAX_DEPTH / 2, "a");
        let deepest = uploads
            .upload(route, &[("folder_id", &tenth), ("folder_path", &rest)])
            .await;
        assert_eq!(
            deepest["folder_path"],
            json!(format!(
                "{}{}/",
                text(&top["path"]),
                repeated(MAX_DEPTH - 1, "a")
            ))
        );
        // Existing folders match in another case.
        let whole = repeated(MAX_DEPTH - 1, "A");
        assert_in(
            &uploads
                .upload(route, &[("folder_id", &id), ("folder_path", &whole)])
                .await,
            &folder_of(&deepest),
        );
        let from_top = format!("{route:?}/{}", repeated(MAX_DEPTH - 1, "b"));
        let file = uploads
            .upload(route, &[("folder_id", "root"), ("folder_path", &from_top)])
            .await;
        assert_eq!(
            file["folder_path"],
            json!(format!(
                "{}{}/",
                text(&top["path"]),
                repeated(MAX_DEPTH - 1, "b")
            ))
        );
    }

    stack.run_confirm_checks().await;
}
