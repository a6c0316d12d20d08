//! The ways to upload a file, and an upload in each of them.

use reqwest::multipart::Form;
use serde_json::{Value, json};
use table::item_keys;
use tests::{
    Client, Dump, PHOTO, Response, Stack, StackOptions, TestSpace, field_error, field_names, file,
    merged, text,
};

use super::{
    presign::PendingFile,
    unsigned::{REFERRER, UnsignedConfig},
};
use crate::support::signer::Signer;

/// A credential, with which a file is sent in a form, or presigned, sent to S3 and confirmed.
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
/// The routes with an API key, whose requests may name a folder. `signed_parameters` tests signed
/// URLs of a folder.
pub(crate) const BY_KEY: [Route; 2] = [Route::Form, Presign];
/// The routes without an owner of the file.
pub(crate) const WITHOUT_KEY: [Route; 4] = [Signed, SignedPresign, Unsigned, UnsignedPresign];
/// The routes by signed URLs.
pub(crate) const SIGNED: [Route; 2] = [Signed, SignedPresign];
/// The routes whose requests declare a file that S3 receives.
pub(crate) const PRESIGNED: [Route; 3] = [Presign, SignedPresign, UnsignedPresign];

/// Returns options of a stack for tables of many uploads.
pub(crate) fn without_limits() -> StackOptions {
    let limits = [
        ("UnsignedRequestsPerMinute", "1000000"),
        ("UnsignedUploadsPerHour", "1000000"),
    ];
    StackOptions::without_rate_limits().with_parameters(&limits)
}

/// A space with a config of the same fields for every route.
pub(crate) struct Uploads<'a> {
    pub(crate) stack: &'a Stack,
    pub(crate) signer: Signer,
    pub(crate) unsigned: UnsignedConfig,
    /// Ids of the configs.
    pub(crate) configs: [String; 3],
}

impl Uploads<'_> {
    /// Creates a space with configs of these settings.
    pub(crate) async fn new(stack: &Stack, settings: Value) -> Uploads<'_> {
        Uploads::with(stack, json!({ "config": settings })).await
    }

    /// Creates a space with configs of these fields.
    pub(crate) async fn with(stack: &Stack, fields: Value) -> Uploads<'_> {
        let signer = Signer::new(stack, "Acme", json!({})).await;
        let only_signed = json!({"name": "signed", "is_signed": true});
        let signer = signer.for_config(merged(only_signed, fields.clone())).await;
        let by_key = signer.acme.upload_config("by-key");
        let by_key = by_key.with(fields.clone()).await;
        let unsigned = UnsignedConfig::new(stack, &signer.acme, "open", fields).await;

        let configs = [by_key.id, signer.config.clone(), unsigned.config.clone()];
        Uploads {
            stack,
            signer,
            unsigned,
            configs,
        }
    }

    pub(crate) fn acme(&self) -> &TestSpace {
        &self.signer.acme
    }

    /// Replaces the settings of the configs.
    pub(crate) async fn set_rules(&self, settings: Value) {
        for id in &self.configs {
            let change = json!({ "config": settings });
            self.acme().update_upload_config(id, change).await;
        }
    }

    /// Returns an upload of the photo, by the owner on routes with a key.
    pub(crate) fn photo(&self, route: Route) -> RoutedUpload<'_> {
        self.file(route, "photo.jpg", "image/jpeg", PHOTO)
    }

    pub(crate) fn file(
        &self,
        route: Route,
        name: &str,
        content_type: &str,
        bytes: impl Into<Vec<u8>>,
    ) -> RoutedUpload<'_> {
        RoutedUpload {
            uploads: self,
            route,
            client: self.acme().client.clone(),
            name: name.to_owned(),
            content_type: content_type.to_owned(),
            bytes: bytes.into(),
            fields: Vec::new(),
            key: None,
            query: self.signer.query(self.stack),
        }
    }

    /// Returns the record of the file in a response, active or pending.
    pub(crate) async fn record(&self, response: Response) -> Value {
        let created = response.expect_status_of(&[200, 201]).json();
        let id = match &created["file_id"] {
            Value::String(id) => id.clone(),
            _ => text(&created["data"]["id"]),
        };
        self.acme().get_ok(&format!("/files/{id}")).await
    }

    /// Uploads or presigns the photo with more fields, and returns its record.
    pub(crate) async fn upload(&self, route: Route, fields: &[(&str, &str)]) -> Value {
        let uploaded = self.photo(route).with(fields).send().await;
        self.record(uploaded).await
    }

    /// Returns the stored data without counters of requests and of presigned uploads.
    pub(crate) async fn stored(&self) -> Dump {
        let mut dump = self.stack.dump().await.without_usage();
        dump.items.retain(|key, _| {
            !key.partition.starts_with(item_keys::RATE_COUNTERS) && !key.sort.ends_with("#PRESIGNS")
        });
        dump
    }

    /// Panics unless the same data is stored as before.
    pub(crate) async fn assert_unchanged(&self, before: &Dump, operation: &str) {
        self.stored().await.assert_unchanged(before, operation);
    }
}

/// An upload by a route.
#[derive(Clone)]
pub(crate) struct RoutedUpload<'a> {
    uploads: &'a Uploads<'a>,
    route: Route,
    client: Client,
    name: String,
    content_type: String,
    bytes: Vec<u8>,
    fields: Vec<(String, String)>,
    key: Option<&'static str>,
    query: String,
}

impl<'a> RoutedUpload<'a> {
    /// Adds fields to the form or to the presign request.
    #[must_use]
    pub(crate) fn with(mut self, fields: &[(&str, &str)]) -> RoutedUpload<'a> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        self.fields.extend(fields.iter().map(owned));
        self
    }

    /// Sets the client that uploads on routes with a key.
    #[must_use]
    pub(crate) fn by(mut self, client: &Client) -> RoutedUpload<'a> {
        self.client = client.clone();
        self
    }

    /// Sets the query of the signed URL.
    #[must_use]
    pub(crate) fn signed(mut self, query: &str) -> RoutedUpload<'a> {
        query.clone_into(&mut self.query);
        self
    }

    /// Sets the idempotency key.
    #[must_use]
    pub(crate) fn once(mut self, key: &'static str) -> RoutedUpload<'a> {
        self.key = Some(key);
        self
    }

    /// Sends the form or the presign request.
    pub(crate) async fn send(&self) -> Response {
        let query = &self.query;
        let unsigned = &self.uploads.unsigned.path;
        let path = match self.route {
            Route::Form => "/upload".to_owned(),
            Presign => "/upload/presign".to_owned(),
            Signed => format!("/upload/signed?{query}"),
            SignedPresign => format!("/upload/signed/presign?{query}"),
            Unsigned => unsigned.clone(),
            UnsignedPresign => format!("{unsigned}/presign"),
        };
        let client = if BY_KEY.contains(&self.route) {
            &self.client
        } else {
            &self.uploads.stack.anonymous
        };

        let request = client.request("POST", &path).header("referer", REFERRER);
        let request = match self.key {
            Some(key) => request.header("idempotency-key", key),
            None => request,
        };
        let request = if PRESIGNED.contains(&self.route) {
            request.json(&self.body())
        } else {
            request.multipart(self.form())
        };
        let response = client.send(request).await;
        response.with_context(&format!("{:?} of {}", self.route, self.name))
    }

    /// Sends the form; or the presign request, the bytes to S3, and the confirmation. Returns the
    /// last response, which is the first error.
    pub(crate) async fn finish(&self) -> Response {
        let first = self.send().await;
        if !PRESIGNED.contains(&self.route) || first.status != 201 {
            return first;
        }

        let pending = PendingFile::of(first);
        pending.put(self.uploads.stack, self.bytes.clone()).await;
        let confirmed = if self.route == Presign {
            pending.confirm(&self.client).await
        } else {
            pending.confirm_by_token(self.uploads.stack).await
        };
        confirmed.with_context(&format!("{:?} of {}", self.route, self.name))
    }

    fn form(&self) -> Form {
        let form = match self.route {
            Route::Form => Form::new()
                .text("space", self.uploads.acme().handle.clone())
                .text("upload_config", "by-key"),
            _ => Form::new(),
        };
        let add =
            |form: Form, (name, value): &(String, String)| form.text(name.clone(), value.clone());
        let part = file(&self.name, &self.content_type, self.bytes.clone());
        self.fields.iter().fold(form, add).part("file", part)
    }

    fn body(&self) -> Value {
        let declared = json!({
            "filename": self.name, "content_type": self.content_type, "size": self.bytes.len(),
        });
        let fields = self.fields.iter();
        let fields = fields.map(|(name, value)| (name.clone(), json!(value)));
        let body = merged(declared, fields.collect());

        if self.route != Presign {
            return body;
        }
        let space = json!({"space": self.uploads.acme().handle, "upload_config": "by-key"});
        merged(space, body)
    }
}

/// Asserts a 422 whose only error, about the file or a declared value, ends with this text.
#[track_caller]
pub(crate) fn assert_rejected(response: Response, error_end: &str) {
    let request = response.request.clone();
    let errors = response.expect_error(422);
    let [field] = field_names(&errors)[..] else {
        panic!("{request}: {errors}");
    };
    assert_eq!(errors, field_error(field, error_end), "{request}");
}
