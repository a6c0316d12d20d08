//! Builders for the records that most tests start with, and handles of what they create.
//!
//! ```ignore
//! let photos = acme.folder("Photos").await;
//! let photo = acme.upload(PHOTO).into(&photos).with_ref("cover").await;
//! let signed = acme.sign(&photo, minutes(10)).await;
//! ```

use std::{
    future::{Future, IntoFuture},
    ops::Deref,
    pin::Pin,
};

use reqwest::multipart::Form;
use serde_json::{Map, Value, json};

use crate::{Client, Response, TestSpace, client};

/// A request that a builder sends when it is awaited.
pub(crate) type Sending<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Declares a handle of a record that was created in a collection of the API.
macro_rules! handle {
    ($(#[$docs:meta])* $name:ident in $collection:literal) => {
        $(#[$docs])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            /// Id of the record.
            pub id: String,
            /// The record as the API returned it.
            pub record: Value,
            path: String,
        }

        impl $name {
            fn new(record: Value) -> $name {
                let id = record["id"].as_str().expect("an id").to_owned();
                let path = format!("{}/{id}", $collection);
                $name { id, record, path }
            }

            /// Returns the path of the record in the API.
            pub fn path(&self) -> &str {
                &self.path
            }
        }

        impl Deref for $name {
            type Target = Value;

            fn deref(&self) -> &Value {
                &self.record
            }
        }

        impl PartialEq<Value> for $name {
            fn eq(&self, other: &Value) -> bool {
                self.record == *other
            }
        }

        impl PartialEq<$name> for Value {
            fn eq(&self, other: &$name) -> bool {
                *self == other.record
            }
        }
    };
}

handle! {
    /// A folder. Dereferences to its record.
    Folder in "/folders"
}
handle! {
    /// An uploaded file. Dereferences to its record.
    File in "/files"
}
handle! {
    /// An upload config. Dereferences to its record.
    UploadConfig in "/upload-configs"
}

impl File {
    /// Returns the CDN URL of the file.
    pub fn url(&self) -> &str {
        self.record["url"].as_str().expect("a URL")
    }

    /// Returns the CDN URL of the file with a query.
    pub fn url_with(&self, query: &str) -> String {
        format!("{}?{query}", self.url())
    }
}

impl TestSpace {
    /// Creates a folder, in the root unless [`NewFolder::inside`] names a parent.
    pub fn folder(&self, name: &str) -> NewFolder<'_> {
        let body = json!({"space_id": self.id, "name": name, "parent_id": null});
        NewFolder { tenant: self, body }
    }

    /// Uploads a file, which is `photo.jpg` of type `image/jpeg` unless [`Upload::named`] changes
    /// it.
    pub fn upload(&self, bytes: impl Into<Vec<u8>>) -> Upload<'_> {
        Upload {
            handle: &self.handle,
            client: &self.client,
            name: "photo.jpg".to_owned(),
            mime_type: "image/jpeg".to_owned(),
            bytes: bytes.into(),
            fields: Vec::new(),
        }
    }

    /// Creates an upload config.
    pub fn upload_config(&self, name: &str) -> NewUploadConfig<'_> {
        let body = json!({"space_id": self.id, "name": name});
        NewUploadConfig { tenant: self, body }
    }
}

/// A folder to create.
pub struct NewFolder<'a> {
    tenant: &'a TestSpace,
    body: Value,
}

impl<'a> NewFolder<'a> {
    /// Sets the parent folder, the root for a null record.
    #[must_use]
    pub fn inside(mut self, parent: &Value) -> NewFolder<'a> {
        self.body["parent_id"] = parent["id"].clone();
        self
    }

    /// Sets the id of the parent folder, the root without one.
    #[must_use]
    pub fn inside_id(mut self, parent: Option<&str>) -> NewFolder<'a> {
        self.body["parent_id"] = json!(parent);
        self
    }
}

impl<'a> IntoFuture for NewFolder<'a> {
    type Output = Folder;
    type IntoFuture = Sending<'a, Folder>;

    fn into_future(self) -> Sending<'a, Folder> {
        let created = self.tenant.client.create("/folders", self.body);
        Box::pin(async { Folder::new(created.await) })
    }
}

/// An upload config to create.
pub struct NewUploadConfig<'a> {
    tenant: &'a TestSpace,
    body: Value,
}

impl<'a> NewUploadConfig<'a> {
    /// Sets `config`, the settings that uploads follow.
    #[must_use]
    pub fn with_settings(mut self, settings: Value) -> NewUploadConfig<'a> {
        self.body["config"] = settings;
        self
    }

    /// Sets the delivery type of uploads.
    #[must_use]
    pub fn with_delivery_type(mut self, delivery_type: &str) -> NewUploadConfig<'a> {
        self.body["delivery_type"] = json!(delivery_type);
        self
    }

    /// Sets fields of the request, given as a JSON object.
    #[must_use]
    pub fn with(mut self, fields: Value) -> NewUploadConfig<'a> {
        let fields: Map<String, Value> = serde_json::from_value(fields).expect("a JSON object");
        self.body.as_object_mut().expect("an object").extend(fields);
        self
    }
}

impl<'a> IntoFuture for NewUploadConfig<'a> {
    type Output = UploadConfig;
    type IntoFuture = Sending<'a, UploadConfig>;

    fn into_future(self) -> Sending<'a, UploadConfig> {
        let created = self.tenant.client.create("/upload-configs", self.body);
        Box::pin(async { UploadConfig::new(created.await) })
    }
}

/// A file to upload.
pub struct Upload<'a> {
    handle: &'a str,
    client: &'a Client,
    name: String,
    mime_type: String,
    bytes: Vec<u8>,
    fields: Vec<(&'static str, String)>,
}

impl<'a> Upload<'a> {
    /// Sets name and MIME type of the file.
    #[must_use]
    pub fn named(mut self, name: &str, mime_type: &str) -> Upload<'a> {
        name.clone_into(&mut self.name);
        mime_type.clone_into(&mut self.mime_type);
        self
    }

    /// Sets the client that sends the upload, instead of the owner.
    #[must_use]
    pub fn by(self, client: &'a Client) -> Upload<'a> {
        Upload { client, ..self }
    }

    #[must_use]
    pub fn into(self, folder: &Value) -> Upload<'a> {
        self.into_id(folder["id"].as_str().unwrap_or("root"))
    }

    /// Sets the id of the folder, `root` for the root.
    #[must_use]
    pub fn into_id(self, folder_id: &str) -> Upload<'a> {
        self.with("folder_id", folder_id.to_owned())
    }

    /// Sets the path of a folder below the folder, which the upload creates if it is missing.
    #[must_use]
    pub fn with_path(self, path: &str) -> Upload<'a> {
        self.with("folder_path", path.to_owned())
    }

    #[must_use]
    pub fn with_ref(self, reference: &str) -> Upload<'a> {
        self.with("ref", reference.to_owned())
    }

    /// Sets the upload config, by name.
    #[must_use]
    pub fn with_config(self, name: &str) -> Upload<'a> {
        self.with("upload_config", name.to_owned())
    }

    /// Sets the delivery type. The space must have an upload config of this name, unless it is
    /// `upload`.
    #[must_use]
    pub fn of_type(self, delivery_type: &str) -> Upload<'a> {
        match delivery_type {
            "upload" => self,
            config => self.with_config(config),
        }
    }

    /// Sends the upload, and returns the response with any status.
    pub async fn send(self) -> Response {
        let form = client::form(self.handle, &self.name, &self.mime_type, self.bytes);
        let form = self.fields.into_iter().fold(form, |form: Form, field| {
            let (name, value) = field;
            form.text(name, value)
        });
        self.client.upload_form(form).await
    }

    fn with(mut self, field: &'static str, value: String) -> Upload<'a> {
        self.fields.push((field, value));
        self
    }
}

impl<'a> IntoFuture for Upload<'a> {
    type Output = File;
    type IntoFuture = Sending<'a, File>;

    fn into_future(self) -> Sending<'a, File> {
        Box::pin(async { File::new(self.send().await.expect_created()) })
    }
}
