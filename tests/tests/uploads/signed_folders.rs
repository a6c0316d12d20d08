//! Signed URLs with `folder_id`: uploads go into that folder only.

use serde_json::{Value, json};
use tests::{Response, Stack, UNKNOWN_ID, field_error, stack_test, text};

use super::routes::{Route, SIGNED, Uploads};
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
        let client = &self.signer().acme.client;
        let fields = json!({ "folder_id": folder });
        let url = text(&self.signer().generate(client, fields).await.expect_ok()["url"]);
        url.split_once('?').expect("a query").1.to_owned()
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
            let message = &response.json()["message"];
            assert_eq!(message, "The URL is signed for another folder.", "{folder}");
            assert_eq!(response.expect_error(403), json!({}));
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

    folders
        .uploads
        .assert_unchanged(&before, "other folders")
        .await;
}

#[stack_test]
async fn signed_upload_with_a_folder_path_returns_422(stack: &Stack) {
    let folders = Folders::new(stack).await;
    let end = "must not be present: the signed URL or its upload config sets the folder";
    let errors = json!({"folder_path": [format!("The folder path field {end}.")]});

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
