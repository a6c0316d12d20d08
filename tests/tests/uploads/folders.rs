//! `folder_id` and `folder_path` of uploads, on each route that accepts them.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use table::keys;
use tests::{Client, Dump, Response, Stack, TestSpace, stack_test, text};

use super::{
    presign::presign_body,
    unsigned::{self, UnsignedConfig},
};
use crate::{
    folders::create::{ROOT, paths},
    support::signer::{Signer, photo},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Form,
    Presign,
    Signed,
    SignedPresign,
    Unsigned,
    UnsignedPresign,
}

use Route::{Presign, Signed, SignedPresign, Unsigned, UnsignedPresign};

pub(crate) const ROUTES: [Route; 6] = [
    Route::Form,
    Presign,
    Signed,
    SignedPresign,
    Unsigned,
    UnsignedPresign,
];
/// The routes with an API key, whose requests may name a folder. `signed_folders` tests signed URLs
/// of a folder.
pub(crate) const BY_KEY: [Route; 2] = [Route::Form, Presign];

/// A space with a config of the same settings for every upload route.
pub(crate) struct Uploads<'a> {
    stack: &'a Stack,
    signer: Signer,
    unsigned: UnsignedConfig,
}

impl Uploads<'_> {
    pub(crate) async fn new(stack: &Stack, settings: Value) -> Uploads<'_> {
        let signer = Signer::new(stack, "Acme", settings.clone()).await;
        signer
            .acme
            .upload_config("by-key")
            .with_settings(settings.clone())
            .await;

        let unsigned =
            UnsignedConfig::new(stack, &signer.acme, "open", json!({"config": settings})).await;
        Uploads {
            stack,
            signer,
            unsigned,
        }
    }

    pub(crate) fn acme(&self) -> &TestSpace {
        &self.signer.acme
    }

    /// Uploads or presigns the photo with more fields. `client` is used on routes with a key.
    pub(crate) async fn send(
        &self,
        client: &Client,
        route: Route,
        fields: &[(&str, &str)],
    ) -> Response {
        let add = |form: Form, (name, value): &(&str, &str)| {
            form.text((*name).to_owned(), (*value).to_owned())
        };
        let with = |form: Form| fields.iter().fold(form, add);
        let object: Value = fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let query = self.signer.query(self.stack);

        match route {
            Route::Form => {
                let form = Form::new()
                    .text("space", self.acme().handle.clone())
                    .text("upload_config", "by-key");
                client.upload_form(with(form.part("file", photo()))).await
            }
            Presign => {
                let mut body = presign_body(self.acme(), object);
                body["upload_config"] = json!("by-key");
                client.post("/upload/presign", body).await
            }
            Signed => {
                self.signer
                    .send_form(&query, with(self.signer.form(photo())))
                    .await
            }
            SignedPresign => self.signer.presign(&query, object).await,
            Unsigned => self.unsigned.send_form(with(unsigned::form(photo()))).await,
            UnsignedPresign => self.unsigned.presign(object).await,
        }
    }

    /// Returns the record of an uploaded or pending file.
    pub(crate) async fn record(&self, response: Response) -> Value {
        let created = response.expect_status(201).json();
        let id = if created["file_id"].is_string() {
            text(&created["file_id"])
        } else {
            text(&created["data"]["id"])
        };
        self.acme().client.get_ok(&format!("/files/{id}")).await
    }

    /// Uploads or presigns the photo, as the owner on routes with a key, and returns its record.
    pub(crate) async fn upload(&self, route: Route, fields: &[(&str, &str)]) -> Value {
        self.record(self.send(&self.acme().client, route, fields).await)
            .await
    }

    /// Returns the stored data without usage and rate counters.
    pub(crate) async fn stored(&self) -> Dump {
        let mut dump = self.stack.dump().await.without_usage();
        dump.items
            .retain(|key, _| !key.partition.starts_with(keys::RATE_COUNTERS));
        dump
    }
}

/// Asserts the folder of a file.
#[track_caller]
pub(crate) fn assert_in(file: &Value, folder: &Value) {
    assert_eq!(
        (&file["folder_id"], &file["folder_path"]),
        (&folder["id"], &folder["path"])
    );
}

#[stack_test]
async fn upload_goes_into_requested_folder(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let photos = acme.folder("Photos").await;
    let south = acme.folder("Süd").inside(&photos).await;
    let beach = acme.folder("Strand").inside(&south).await;
    let [photos_id, south_id, beach_id] =
        [&photos, &south, &beach].map(|folder| text(&folder["id"]));
    let lower = photos_id.to_lowercase();
    let blank = format!(" {photos_id} ");
    let user = acme.role("user").await;

    let cases: [(&[(&str, &str)], &Value); 13] = [
        (&[], &ROOT),
        (&[("folder_id", "")], &ROOT),
        (&[("folder_id", " "), ("folder_path", "  ")], &ROOT),
        (&[("folder_id", "root")], &ROOT),
        (&[("folder_id", &photos_id)], &photos),
        (&[("folder_id", &lower)], &photos),
        (&[("folder_id", &blank), ("folder_path", " ")], &photos),
        (&[("folder_id", &beach_id)], &beach),
        (&[("folder_id", "root"), ("folder_path", "photos")], &photos),
        (
            &[
                ("folder_path", "/PHOTOS/su\u{308}d/"),
                ("folder_id", "root"),
            ],
            &south,
        ),
        (
            &[("folder_id", "root"), ("folder_path", "Photos/Süd/Strand")],
            &beach,
        ),
        (
            &[("folder_id", &photos_id), ("folder_path", "Süd/Strand")],
            &beach,
        ),
        (
            &[("folder_id", &south_id), ("folder_path", "STRAND")],
            &beach,
        ),
    ];

    for (fields, folder) in cases {
        for route in BY_KEY {
            let file = uploads.upload(route, fields).await;
            assert_in(&file, folder);
            let path = format!("{}/{}", acme.handle, text(&file["name"]));
            assert_eq!(file["storage_path"], json!(path), "{route:?} {fields:?}");
        }
        for route in BY_KEY {
            assert_in(
                &uploads
                    .record(uploads.send(&user, route, fields).await)
                    .await,
                folder,
            );
        }
    }

    assert_eq!(
        paths(acme).await,
        ["Photos/", "Photos/Süd/", "Photos/Süd/Strand/"]
    );

    stack.run_confirm_checks().await;
}

#[stack_test]
async fn missing_folders_are_created_for_admins_only(stack: &Stack) {
    let uploads = Uploads::new(stack, json!({})).await;
    let acme = uploads.acme();
    let admin = acme.role("admin").await;
    let user = acme.role("user").await;
    let viewer = acme.role("viewer").await;
    let photos = acme.folder("Photos").await;
    let id = text(&photos["id"]);

    for (role, client) in [
        ("admin", &admin),
        ("owner", &acme.client),
        ("account", &stack.account()),
    ] {
        for route in BY_KEY {
            let path = format!("{role}/{route:?}");
            let fields = [("folder_id", id.as_str()), ("folder_path", &path)];
            let file = uploads
                .record(uploads.send(client, route, &fields).await)
                .await;
            assert_eq!(file["folder_path"], json!(format!("Photos/{path}/")));
            // Every uploader can use the folders now, in any case.
            let whole = format!("PHOTOS/{}", path.to_uppercase());
            let fields = [("folder_id", "root"), ("folder_path", whole.as_str())];
            for later in BY_KEY {
                for by in [&user, &admin] {
                    assert_in(
                        &uploads.record(uploads.send(by, later, &fields).await).await,
                        &folder_of(&file),
                    );
                }
            }
        }
    }

    let before = uploads.stored().await;
    for fields in [
        [("folder_id", "root"), ("folder_path", "New")],
        [("folder_id", "root"), ("folder_path", "Photos/admin/New")],
        [("folder_id", id.as_str()), ("folder_path", "New/Newer")],
    ] {
        for client in [&user, &viewer] {
            for route in BY_KEY {
                assert_eq!(
                    uploads.send(client, route, &fields).await.expect_error(403),
                    json!({}),
                    "{route:?} {fields:?}"
                );
            }
        }
    }

    uploads
        .stored()
        .await
        .assert_unchanged(&before, "uploads by users role may not create folders");

    assert_eq!(paths(acme).await.len(), 1 + 3 + 6);

    stack.run_confirm_checks().await;
}

/// Returns the id and path of a file's folder.
pub(super) fn folder_of(file: &Value) -> Value {
    json!({"id": file["folder_id"], "path": file["folder_path"]})
}
