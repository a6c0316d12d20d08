//! Signed URLs with `folder_id`, `filename` or `content_type`: what uploads by them store, and
//! where.

use serde_json::{Value, json};
use tests::{PHOTO, Response, Stack, UNKNOWN_ID, field_error, stack_test};

use super::{
    config_rules::HEIC_BYTES,
    image_rules::UNKNOWN,
    routes::{Route, SIGNED, Uploads, assert_rejected},
};
use crate::support::signer::Signer;

/// A space whose configs store files in the folder `inbox`, and two more folders.
struct Folders<'a> {
    uploads: Uploads<'a>,
    /// Id of the folder `Family`.
    family: String,
    /// Id of the folder `Work`.
    work: String,
}

impl Folders<'_> {
    async fn new(stack: &Stack) -> Folders<'_> {
        let uploads = Uploads::new(stack, json!({"storage": {"folder": "inbox"}})).await;
        Folders {
            family: uploads.acme().folder("Family").await.id,
            work: uploads.acme().folder("Work").await.id,
            uploads,
        }
    }

    fn signer(&self) -> &Signer {
        &self.uploads.signer
    }

    /// Returns the query of a URL that is signed for a folder.
    async fn query(&self, folder: Value) -> String {
        let signer = self.signer();
        let fields = json!({ "folder_id": folder });
        signer.generated_query(&signer.acme, fields).await
    }

    /// Uploads or presigns the photo with a signed query and another field.
    async fn send(&self, route: Route, query: &str, name: &str, value: &str) -> Response {
        let upload = self.uploads.photo(route).signed(query);
        upload.with(&[(name, value)]).send().await
    }
}

#[stack_test]
async fn signed_upload_goes_to_the_folder_that_its_url_names(stack: &Stack) {
    let folders = Folders::new(stack).await;
    let acme = folders.uploads.acme();
    let family = &folders.family;
    let inbox = acme.folder("inbox").await.id;
    let to_family = folders.query(json!(family)).await;
    let to_root = folders.query(json!("root")).await;
    let to_default = folders.query(json!(null)).await;
    assert!(to_family.contains(&format!("folder_id={family}")));
    assert!(to_root.contains("folder_id=root"));
    // A backend signs the URL itself, as documented.
    let own = folders.signer().query_with(stack, "folder_id", family);

    for (query, requested, folder) in [
        (&to_family, "", json!(family)),
        (&to_family, &**family, json!(family)),
        (&to_family, &family.to_lowercase(), json!(family)),
        (&to_root, "", Value::Null),
        (&to_root, "root", Value::Null),
        (&to_default, "", json!(inbox)),
        (&own, "", json!(family)),
    ] {
        for route in SIGNED {
            let uploaded = folders.send(route, query, "folder_id", requested).await;
            let record = folders.uploads.record(uploaded).await;
            assert_eq!(record["folder_id"], folder, "{route:?} {query} {requested}");
        }
    }

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn signed_upload_that_names_another_folder_returns_403(stack: &Stack) {
    let folders = Folders::new(stack).await;
    let (family, work) = (&folders.family, folders.work.as_str());
    let to_family = folders.query(json!(family)).await;
    let to_root = folders.query(json!("root")).await;
    let to_default = folders.signer().query(stack);
    let before = folders.uploads.stored().await;

    for (query, folder) in [
        (&to_family, work),
        (&to_family, "root"),
        (&to_family, UNKNOWN_ID),
        (&to_family, "x"),
        (&to_root, work),
        (&to_default, work),
        (&to_default, "root"),
        (&to_default, UNKNOWN_ID),
    ] {
        for route in SIGNED {
            let response = folders.send(route, query, "folder_id", folder).await;
            response.expect_message("The URL is signed for another folder.");
            assert_eq!(response.expect_error(403), json!({}), "{folder}");
        }
    }

    // The signature covers the folder.
    for changed in [
        to_family.replace(family, work),
        to_family.replace(family, "root"),
        to_family.replace(&format!("folder_id={family}&"), ""),
        format!("folder_id={work}&{to_default}"),
    ] {
        for route in SIGNED {
            let response = folders.send(route, &changed, "ref", "x").await;
            assert_eq!(response.expect_error(403), json!({}), "{changed}");
        }
    }

    let uploads = &folders.uploads;
    uploads.assert_unchanged(&before, "other folders").await;
}

#[stack_test]
async fn signed_upload_with_a_folder_path_returns_422(stack: &Stack) {
    let folders = Folders::new(stack).await;
    let end = "must not be present: the signed URL or its upload config sets the folder";
    let errors = field_error("folder_path", end);

    for query in [
        folders.signer().query(stack),
        folders.query(json!(folders.family)).await,
    ] {
        for route in SIGNED {
            let response = folders.send(route, &query, "folder_path", "a/b").await;
            assert_eq!(response.expect_error(422), errors);
        }
    }
}

#[stack_test]
async fn signed_url_for_a_deleted_folder_returns_422(stack: &Stack) {
    let folders = Folders::new(stack).await;
    let query = folders.query(json!(folders.family)).await;
    let path = format!("/folders/{}", folders.family);
    folders.uploads.acme().delete_ok(&path).await;

    for route in SIGNED {
        let rejected = folders.send(route, &query, "ref", "x").await;
        assert_eq!(rejected.expect_error(422), field_error("folder_id", ""));
    }
}

const MIDI: &[u8] = b"MThd\0\0\0\x06\0\x01\0\x01\0`MTrk";
const MINE: &str = "application/x-mine";
const RANDOM: &[u8] = b"\0\x01\x02\x03\xF0\xF1";
const TABLE: &[u8] = b"a,b\n1,2\n";
const TYPE: &str = "content_type";

/// A signed parameter, the name, declared type and bytes of a file, and its original name or the
/// end of the error message.
type SignedFile = (
    (&'static str, &'static str),
    (&'static str, &'static str, &'static [u8]),
    Result<&'static str, &'static str>,
);

fn signed_uploads() -> Vec<SignedFile> {
    let jpeg = ("photo.jpg", "image/jpeg", PHOTO);
    let called_exe = ("setup.exe", "image/jpeg", PHOTO);
    let called_png = ("photo.jpg", "image/png", PHOTO);
    let untyped = ("photo.jpg", UNKNOWN, PHOTO);
    let table = ("a.txt", "text/csv", TABLE);
    let alias = ("a.jpg", "image/jpg", PHOTO);
    let heif = ("a.heic", "image/heif", HEIC_BYTES);
    let midi = ("a.mid", "audio/x-midi", MIDI);
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
        ((TYPE, "image/jpeg"), untyped, Ok("photo.jpg")),
        ((TYPE, "image/jpeg"), called_png, Ok("photo.jpg")),
        ((TYPE, "image/png"), called_png, not_png),
        ((TYPE, "image/png"), jpeg, not_png),
        ((TYPE, "text/csv"), table, Ok("a.txt")),
        ((TYPE, "text/csv"), ("a.txt", "text/plain", TABLE), not_csv),
        ((TYPE, "image/jpg"), alias, Ok("a.jpg")),
        ((TYPE, "image/heif"), heif, Ok("a.heic")),
        ((TYPE, "audio/x-midi"), midi, Ok("a.mid")),
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
