//! Signed URLs with `folder_id`: uploads go into that folder only.

use serde_json::{Value, json};
use table::keys;
use tests::{Response, Stack, UNKNOWN_ID, stack_test, text};

use crate::support::signer::{Signer, photo, query, with};

/// A signer whose config stores files in the folder `inbox`, and two more folders.
struct FolderSigner {
    signer: Signer,
    /// Id of the folder `Family`.
    family: String,
    /// Id of the folder `Work`.
    work: String,
}

async fn signer_with_folders(stack: &Stack) -> FolderSigner {
    let signer = Signer::new(stack, "Acme", json!({"storage": {"folder": "inbox"}})).await;
    let family = signer.acme.folder("Family").await.id;
    let work = signer.acme.folder("Work").await.id;

    FolderSigner {
        signer,
        family,
        work,
    }
}

/// Requests a signed URL with more fields.
async fn generate(signer: &Signer, fields: Value) -> Response {
    let mut body = json!({"upload_config_id": signer.config});
    body.as_object_mut()
        .expect("an object")
        .extend(fields.as_object().expect("an object").clone());
    signer.acme.post("/upload/generate-signed-url", body).await
}

/// Returns the query of a signed URL that is generated with more fields.
async fn generate_query(signer: &Signer, fields: Value) -> String {
    let url = text(&generate(signer, fields).await.expect_ok()["url"]);
    url.split_once('?').expect("a query").1.to_owned()
}

/// Returns the folder ids of an uploaded and of a presigned file.
async fn folders_of(signer: &Signer, query: &str, fields: &[(&'static str, String)]) -> [Value; 2] {
    let form = fields
        .iter()
        .fold(signer.form(photo()), |form, (name, value)| {
            form.text(*name, value.clone())
        });
    let uploaded = text(&signer.send_form(query, form).await.expect_created()["id"]);
    let more = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    let pending_file = signer
        .presign(query, Value::Object(more))
        .await
        .expect_status(201)
        .json();

    let mut folders = [Value::Null, Value::Null];
    for (folder, id) in folders
        .iter_mut()
        .zip([uploaded, text(&pending_file["file_id"])])
    {
        *folder = signer.acme.get_ok(&format!("/files/{id}")).await["folder_id"].clone();
    }
    folders
}

#[stack_test]
async fn signed_upload_goes_to_the_folder_that_its_url_names(stack: &Stack) {
    let FolderSigner { signer, family, .. } = signer_with_folders(stack).await;
    let to_family = generate_query(&signer, json!({"folder_id": family})).await;
    let to_root = generate_query(&signer, json!({"folder_id": "root"})).await;
    let to_default = generate_query(&signer, json!({"folder_id": null})).await;
    assert!(
        to_family.contains(&format!("folder_id={family}")) && to_root.contains("folder_id=root")
    );

    for fields in [
        &[][..],
        &[("folder_id", family.clone())],
        &[("folder_id", family.to_lowercase())],
    ] {
        assert_eq!(
            folders_of(&signer, &to_family, fields).await,
            [json!(family), json!(family)]
        );
    }

    for fields in [&[][..], &[("folder_id", "root".to_owned())]] {
        assert_eq!(
            folders_of(&signer, &to_root, fields).await,
            [Value::Null, Value::Null]
        );
    }

    let [uploaded, pending_file] = folders_of(&signer, &to_default, &[]).await;
    assert_eq!(uploaded, pending_file);
    assert!(
        uploaded.is_string() && uploaded != json!(family),
        "the folder of the config"
    );

    // A backend signs the URL itself, as documented.
    let own = signer.signed(with(signer.parameters(stack), "folder_id", &family));
    assert_eq!(
        folders_of(&signer, &query(&own), &[]).await,
        [json!(family), json!(family)]
    );

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn signed_upload_that_names_another_folder_returns_403(stack: &Stack) {
    let FolderSigner {
        signer,
        family,
        work,
    } = signer_with_folders(stack).await;
    let to_family = generate_query(&signer, json!({"folder_id": family})).await;
    let to_root = generate_query(&signer, json!({"folder_id": "root"})).await;
    let before = stack
        .dump()
        .await
        .items
        .keys()
        .filter(|key| key.sort.starts_with(keys::FILES))
        .count();

    let to_default = signer.query(stack);
    for (query, folder) in [
        (&to_family, work.as_str()),
        (&to_family, "root"),
        (&to_family, UNKNOWN_ID),
        (&to_family, "x"),
        (&to_root, &work),
        (&to_default, &work),
        (&to_default, "root"),
        (&to_default, UNKNOWN_ID),
    ] {
        let form = signer.form(photo()).text("folder_id", folder.to_owned());
        let responses = [
            signer.send_form(query, form).await,
            signer.presign(query, json!({"folder_id": folder})).await,
        ];
        for response in responses {
            assert_eq!(
                response.json()["message"],
                "The URL is signed for another folder.",
                "{query} {folder}"
            );
            assert_eq!(response.expect_error(403), json!({}));
        }
    }

    // The signature covers the folder.
    for changed in [
        to_family.replace(&family, &work),
        to_family.replace(&family, "root"),
        to_family.replace(&format!("folder_id={family}&"), ""),
        format!("folder_id={work}&{to_default}"),
    ] {
        assert_eq!(
            signer.send(&changed).await.expect_error(403),
            json!({}),
            "{changed}"
        );
        assert_eq!(
            signer.presign(&changed, json!({})).await.expect_error(403),
            json!({}),
            "{changed}"
        );
    }

    let after = stack
        .dump()
        .await
        .items
        .keys()
        .filter(|key| key.sort.starts_with(keys::FILES))
        .count();
    assert_eq!(after, before);
}

#[stack_test]
async fn signed_upload_with_a_folder_path_returns_422(stack: &Stack) {
    let FolderSigner { signer, family, .. } = signer_with_folders(stack).await;
    let end = "must not be present: the signed URL or its upload config sets the folder";
    let errors = json!({"folder_path": [format!("The folder path field {end}.")]});

    for query in [
        signer.query(stack),
        generate_query(&signer, json!({"folder_id": family})).await,
    ] {
        let form = signer.form(photo()).text("folder_path", "a/b");
        assert_eq!(
            signer.send_form(&query, form).await.expect_error(422),
            errors
        );
        assert_eq!(
            signer
                .presign(&query, json!({"folder_path": "a/b"}))
                .await
                .expect_error(422),
            errors
        );
    }
}

#[stack_test]
async fn signed_url_for_an_unknown_folder_returns_422(stack: &Stack) {
    let FolderSigner { signer, family, .. } = signer_with_folders(stack).await;
    let other = Signer::new(stack, "Other", json!({})).await;
    let foreign = other.acme.folder("Foreign").await.id;
    let errors = json!({"folder_id": ["The selected folder id is invalid."]});
    for folder in [UNKNOWN_ID, "x", &foreign] {
        assert_eq!(
            generate(&signer, json!({"folder_id": folder}))
                .await
                .expect_error(422),
            errors,
            "{folder}"
        );
    }

    // A signed URL of a deleted folder is rejected.
    let query = generate_query(&signer, json!({"folder_id": family})).await;
    signer.acme.delete_ok(&format!("/folders/{family}")).await;
    assert_eq!(signer.send(&query).await.expect_error(422), errors);
    assert_eq!(
        signer.presign(&query, json!({})).await.expect_error(422),
        errors
    );
}
