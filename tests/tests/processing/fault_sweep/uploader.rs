//! Uploads by each route into one space, and the webhooks that follow.

use std::collections::BTreeSet;

use bytes::Bytes;
use serde_json::{Value, json};
use tests::{PHOTO, Stack, TestSpace, WebhookReceiver, text};

use super::run_jobs;
use crate::{
    support::signer::{Signer, photo},
    uploads::{
        presign::PendingFile,
        unsigned::{self, UnsignedConfig},
    },
};

/// Name of the upload config of uploads with a key.
const CONFIG: &str = "with-key";

/// How the bytes of a file are uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Route {
    /// In a form, with a key.
    Form,
    /// In a form, with a key. The file is a text, which no job processes.
    Text,
    /// In a form, to a signed URL.
    Signed,
    /// In a form, from an allowed referrer.
    Unsigned,
    /// To a presigned URL, confirmed by the client.
    Confirm,
    /// To a presigned URL, confirmed by the client. The upload config has no webhook URL before.
    LateUrl,
    /// To a presigned URL, confirmed by the confirm-check.
    Check,
}

pub(super) const ROUTES: [Route; 7] = [
    Route::Form,
    Route::Text,
    Route::Signed,
    Route::Unsigned,
    Route::Confirm,
    Route::LateUrl,
    Route::Check,
];

/// A webhook. Its repetitions are equal.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Webhook {
    /// Event and id of the file.
    event: String,
    id: String,
    body: Bytes,
}

/// A stack, and a space that accepts uploads by all routes.
pub(super) struct Uploader<'a> {
    pub(super) stack: &'a Stack,
    pub(super) receiver: WebhookReceiver,
    signer: Signer,
    unsigned: UnsignedConfig,
}

impl<'a> Uploader<'a> {
    /// Creates the space, and uploads a file by some routes: the first request of a function makes
    /// more calls than later ones.
    pub(super) async fn new(
        stack: &'a Stack,
        routes: impl IntoIterator<Item = Route>,
    ) -> Uploader<'a> {
        let receiver = WebhookReceiver::start().await;
        let settings = settings(Some(receiver.url()));
        let signer = Signer::new(stack, "Acme", settings.clone()).await;
        let acme = &signer.acme;
        let unsigned =
            UnsignedConfig::new(stack, acme, "unsigned", json!({"config": settings})).await;
        acme.upload_config(CONFIG).with_settings(settings).await;
        let uploader = Uploader {
            stack,
            receiver,
            signer,
            unsigned,
        };

        for route in routes {
            let reference = format!("{route:?} warm-up");
            uploader.upload(route, &reference, || ()).await;
            run_jobs(stack, None).await;
        }
        uploader
    }

    fn acme(&self) -> &TestSpace {
        &self.signer.acme
    }

    /// Uploads the photo, or a text, under a reference. `begin` is called right before the request
    /// that activates the file. Returns whether the file must become active: an upload in a form
    /// succeeded, or the bytes are at a presigned URL, so that the confirm-check finds them.
    pub(super) async fn upload(&self, route: Route, reference: &str, begin: impl FnOnce()) -> bool {
        let field = reference.to_owned();

        let response = match route {
            Route::Form => {
                let upload = self.acme().upload(PHOTO).with_config(CONFIG);
                begin();
                upload.with_ref(reference).send().await
            }
            Route::Text => {
                let upload = self.acme().upload("Hello").named("a.txt", "text/plain");
                begin();
                let upload = upload.with_config(CONFIG).with_ref(reference);
                upload.send().await
            }
            Route::Signed => {
                let form = self.signer.form(photo()).text("ref", field);
                let query = self.signer.query(self.stack);
                begin();
                self.signer.send_form(&query, form).await
            }
            Route::Unsigned => {
                let form = unsigned::form(photo()).text("ref", field);
                begin();
                self.unsigned.send_form(form).await
            }
            Route::Confirm | Route::LateUrl | Route::Check => {
                let pending = self.send_to_presigned_url(route, reference).await;
                begin();
                if route != Route::Check {
                    pending.confirm(&self.acme().client).await;
                }
                return true;
            }
        };
        response.status == 201
    }

    /// Creates a pending file, and sends its bytes.
    async fn send_to_presigned_url(&self, route: Route, reference: &str) -> PendingFile {
        let acme = self.acme();
        if route != Route::LateUrl {
            let fields = json!({"ref": reference, "upload_config": CONFIG});
            let pending = PendingFile::create(acme, fields).await;
            pending.send(self.stack, PHOTO).await.expect_status(200);
            return pending;
        }

        let name = reference.replace(' ', "-");
        let config = acme.upload_config(&name).with_settings(settings(None));
        let config = config.await;
        let fields = json!({"ref": reference, "upload_config": name});
        let pending = PendingFile::create(acme, fields).await;
        pending.send(self.stack, PHOTO).await.expect_status(200);

        let update = json!({"id": config.id, "config": settings(Some(self.receiver.url()))});
        let updated = acme.post("/upload-configs/update", update).await;
        updated.expect_ok();
        pending
    }

    /// Returns the active file with a reference, if there is one.
    pub(super) async fn find(&self, reference: &str) -> Option<Value> {
        let acme = self.acme();
        let reference = reference.replace(' ', "%20");
        let path = format!("/files/by-ref?space_id={}&ref={reference}", acme.id);
        let found = acme.get(&path).await.expect_status_of(&[200, 404]);
        (found.status == 200).then(|| found.json()["data"].clone())
    }

    /// Returns the pending files.
    pub(super) async fn pending_files(&self) -> Value {
        let acme = self.acme();
        let path = format!("/files?space_id={}&status=pending", acme.id);
        let pending = acme.fetch(&path).await.json();
        pending["data"].clone()
    }

    /// Returns the events of the webhooks that were received after the first ones, each with the id
    /// of its file, sorted. Repetitions of a webhook do not count.
    pub(super) fn events_since(&self, earlier: usize) -> Vec<String> {
        let received = self.receiver.received().into_iter().skip(earlier);
        let webhooks: BTreeSet<Webhook> = received
            .map(|webhook| {
                let payload = webhook.json();
                let event = text(&payload["event"]);
                let file_id = text(&payload["file"]["id"]);
                Webhook {
                    event: format!("{event} {file_id}"),
                    id: webhook.header("webhook-id").to_owned(),
                    body: webhook.body,
                }
            })
            .collect();
        webhooks.into_iter().map(|webhook| webhook.event).collect()
    }
}

/// Returns the settings of an upload config that requests all events.
fn settings(webhook_url: Option<&str>) -> Value {
    let events = ["file.processed", "file.failed"];
    json!({"notifications": {"webhook_url": webhook_url, "events": events}})
}
