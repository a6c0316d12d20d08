//! Signed URLs with `filename` and `content_type`.

use serde_json::json;
use tests::{PHOTO, Stack, stack_test};

use super::{
    image_rules::UNKNOWN,
    routes::{Route, SIGNED, Uploads, assert_rejected},
};

const MINE: &str = "application/x-mine";
const RANDOM: &[u8] = b"\0\x01\x02\x03\xF0\xF1";
const TABLE: &[u8] = b"a,b\n1,2\n";
const TYPE: &str = "content_type";

/// A signed parameter, the name, declared type and bytes of a file, and its original name or the end of the error
/// message.
type SignedUpload = (
    (&'static str, &'static str),
    (&'static str, &'static str, &'static [u8]),
    Result<&'static str, &'static str>,
);

fn signed_uploads() -> Vec<SignedUpload> {
    let jpeg = ("photo.jpg", "image/jpeg", PHOTO);
    let called_exe = ("setup.exe", "image/jpeg", PHOTO);
    let called_png = ("photo.jpg", "image/png", PHOTO);
    let executable = Err("must not be an executable file");
    let not_png = Err("must be a file of type: image/png");
    let not_csv = Err("must be a file of type: text/csv");
    let not_mine = Err("must be a file of type: application/x-mine");

    vec![
        (("filename", "invoice 7.jpg"), jpeg, Ok("invoice 7.jpg")),
        (("filename", "invoice.jpg"), called_exe, Ok("invoice.jpg")),
        (("filename", "../../a\u{202E}b.jpg"), jpeg, Ok("ab.jpg")),
        (("filename", "setup.exe"), jpeg, executable),
        ((TYPE, "image/jpeg"), jpeg, Ok("photo.jpg")),
        (
            (TYPE, "image/jpeg"),
            ("photo.jpg", UNKNOWN, PHOTO),
            Ok("photo.jpg"),
        ),
        ((TYPE, "image/jpeg"), called_png, Ok("photo.jpg")),
        ((TYPE, "image/png"), called_png, not_png),
        ((TYPE, "image/png"), jpeg, not_png),
        (
            (TYPE, "text/csv"),
            ("a.txt", "text/csv", TABLE),
            Ok("a.txt"),
        ),
        ((TYPE, "text/csv"), ("a.txt", "text/plain", TABLE), not_csv),
        ((TYPE, MINE), ("a.mine", MINE, RANDOM), Ok("a.mine")),
        ((TYPE, MINE), ("a.mine", MINE, PHOTO), not_mine),
    ]
}

#[stack_test(undrained)]
async fn signed_name_and_type_are_used(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;

    for ((parameter, value), (name, declared, bytes), expected) in signed_uploads() {
        let query = uploads.signer.query_with(stack, parameter, value);
        for route in SIGNED {
            let upload = uploads.file(route, name, declared, bytes).signed(&query);
            let response = upload.finish().await.with_context(value);
            if route == Route::SignedPresign && parameter == TYPE && declared != value {
                assert_rejected(response, &format!("must be a file of type: {value}"));
                continue;
            }
            match expected {
                Ok(name) => {
                    let record = uploads.record(response).await;
                    assert_eq!(record["original_name"], name);
                }
                Err(end) => assert_rejected(response, end),
            }
        }
    }
}

#[stack_test]
async fn signed_url_with_unknown_type_accepts_no_file(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    for content_type in ["jpeg", "", "image/"] {
        let query = uploads.signer.query_with(stack, TYPE, content_type);
        for route in SIGNED {
            let response = uploads.photo(route).signed(&query).send().await;
            response.expect_status_of(&[403, 422]);
        }
    }
}
