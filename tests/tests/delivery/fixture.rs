//! A space with a folder for files of every delivery type, and the secret that signs their URLs.

use std::time::Duration;

use emulators::AsyncClock;
use serde_json::json;
use tests::{PHOTO, Stack, StackOptions, TestSpace};

use super::signers::DeliverySigner;

/// Delivery types.
pub(crate) const TYPES: [&str; 3] = ["upload", "private", "authenticated"];
/// `Cache-Control` of responses that must not be stored.
pub(crate) const NOT_CACHED: &str = "private, no-store";
/// Time for which browsers may cache a public file, in seconds.
pub(crate) const CACHED_SECONDS: i64 = 300;
/// Validity of signed URLs, in seconds.
pub(crate) const HOUR_SECONDS: i64 = 3_600;

/// Returns a `Cache-Control` that permits browsers alone to cache a file.
pub(crate) fn cached(seconds: i64) -> String {
    format!("public, max-age={seconds}, s-maxage=0, stale-if-error=0")
}

/// Redirects bodies that are larger than this, in bytes, with [`options_with_redirects`].
pub(crate) const REDIRECT_ABOVE_BYTES: usize = 100_000;

/// Options of a stack that redirects bodies above [`REDIRECT_ABOVE_BYTES`] to S3.
pub(crate) fn options_with_redirects() -> StackOptions {
    options_with_cdn_redirects().with_parameters(&[("CdnPublicKey", "")])
}

/// Options of a stack that redirects bodies above [`REDIRECT_ABOVE_BYTES`] to the CDN.
pub(crate) fn options_with_cdn_redirects() -> StackOptions {
    let limit = REDIRECT_ABOVE_BYTES.to_string();
    StackOptions::without_rate_limits().with_parameters(&[("RedirectAboveBytes", &limit)])
}

/// A space with a folder.
pub(crate) struct DeliveryFixture<'a> {
    pub(crate) stack: &'a Stack,
    pub(crate) acme: TestSpace,
    pub(crate) signer: DeliverySigner,
    /// Path of the folder in the API.
    pub(crate) folder: String,
}

pub(crate) struct FixtureFile {
    /// Path in the API.
    pub(crate) path: String,
    pub(crate) url: String,
}

/// A file to upload.
pub(crate) struct Content<'a> {
    pub(crate) name: &'a str,
    pub(crate) mime_type: &'a str,
    pub(crate) bytes: &'a [u8],
}

impl DeliveryFixture<'_> {
    /// Creates the space and the folder, and advances the clock to a whole second.
    pub(crate) async fn new(stack: &Stack) -> DeliveryFixture<'_> {
        let past_ms = u64::try_from(stack.clock.now_ms() % 1_000).expect("it is after 1970");
        stack.clock.advance(Duration::from_millis(1_000 - past_ms));

        let acme = stack.space("Acme").await;
        for delivery_type in &TYPES[1..] {
            let config = acme.upload_config(delivery_type);
            config.with_delivery_type(delivery_type).await;
        }

        let signer = DeliverySigner::of(&acme).await;
        let mut fixture = DeliveryFixture {
            stack,
            acme,
            signer,
            folder: String::new(),
        };
        fixture.folder = format!("/folders/{}", fixture.folder_in("Shelf", None).await);

        fixture
    }

    /// Creates a folder in a parent or in the root, and returns its id.
    pub(crate) async fn folder_in(&self, name: &str, parent: Option<&str>) -> String {
        self.acme.folder(name).inside_id(parent).await.id
    }

    /// Uploads the photo with a delivery type into a folder, or into the root for `root`.
    pub(crate) async fn put(&self, delivery_type: &str, folder: &str) -> FixtureFile {
        let photo = Content {
            name: "photo.jpg",
            mime_type: "image/jpeg",
            bytes: PHOTO,
        };
        self.put_file(delivery_type, folder, photo).await
    }

    /// Uploads a file with a delivery type into a folder, or into the root for `root`.
    pub(crate) async fn put_file(
        &self,
        delivery_type: &str,
        folder: &str,
        content: Content<'_>,
    ) -> FixtureFile {
        let Content {
            name,
            mime_type,
            bytes,
        } = content;
        let upload = self.acme.upload(bytes).named(name, mime_type);
        let upload = upload.into_id(folder);
        let file = match delivery_type {
            "upload" => upload.await,
            config => upload.with_config(config).await,
        };

        assert_eq!(file["type"], delivery_type);

        FixtureFile {
            path: file.path().to_owned(),
            url: file.url().to_owned(),
        }
    }

    /// Uploads the photo with a delivery type into the folder of the fixture.
    pub(crate) async fn put_here(&self, delivery_type: &str) -> FixtureFile {
        self.put(delivery_type, self.folder.trim_start_matches("/folders/"))
            .await
    }

    /// Returns the path of the space in the API.
    pub(crate) fn space(&self) -> String {
        self.acme.path()
    }

    /// Returns the Unix time in seconds.
    pub(crate) fn now(&self) -> i64 {
        self.stack.clock.now_ms() / 1_000
    }

    /// Returns a URL, signed for an hour.
    pub(crate) fn signed(&self, url: &str) -> String {
        self.signer.sign(url, self.now() + HOUR_SECONDS, &[])
    }

    /// Sets or resets `requires_auth` of the resource with this path.
    pub(crate) async fn set(&self, path: &str, requires_auth: Option<bool>) {
        let path = format!("{path}/access-control");
        match requires_auth {
            Some(protected) => {
                self.acme
                    .put_ok(
                        &path,
                        json!({"access_control": {"requires_auth": protected}}),
                    )
                    .await
            }
            None => self.acme.delete(&path).await.expect_ok(),
        };
    }
}
