//! A space with a folder, files of every delivery type, and the secret that signs their URLs.

use std::{collections::BTreeSet, ops::Deref, time::Duration};

use emulators::AsyncClock;
use tests::{File, Folder, PHOTO, Stack, StackOptions, TestSpace, large_photo};

use crate::support::signer::SigningSecret;

pub(crate) const TYPES: [&str; 3] = ["upload", "private", "authenticated"];
/// `Cache-Control` of responses that must not be stored.
pub(crate) const NOT_CACHED: &str = "private, no-store";
/// Time for which browsers may cache a public file, in seconds.
pub(crate) const CACHED_SECONDS: i64 = 300;
/// Validity of signed URLs, in seconds.
pub(crate) const HOUR_SECONDS: i64 = 3_600;
/// Time for which redirects of a public file have the same URL, in seconds.
const WINDOW_SECONDS: i64 = 30 * 60;

/// Returns a `Cache-Control` that permits browsers alone to cache a file.
pub(crate) fn cached(seconds: i64) -> String {
    format!("public, max-age={seconds}, s-maxage=0, stale-if-error=0")
}

/// Redirects bodies that are larger than this, in bytes, with [`options_with_redirects`].
pub(crate) const REDIRECT_ABOVE_BYTES: usize = 100_000;
/// Size of a file above this limit, in bytes.
pub(crate) const LARGE_BYTES: usize = 250_001;

/// Options of a stack that redirects bodies above [`REDIRECT_ABOVE_BYTES`] to S3.
pub(crate) fn options_with_redirects() -> StackOptions {
    options_with_cdn_redirects().with_parameters(&[("CdnPublicKey1", "")])
}

/// Options of a stack that redirects bodies above [`REDIRECT_ABOVE_BYTES`] to the CDN.
pub(crate) fn options_with_cdn_redirects() -> StackOptions {
    let limit = REDIRECT_ABOVE_BYTES.to_string();
    StackOptions::without_rate_limits().with_parameters(&[("RedirectAboveBytes", &limit)])
}

/// A space with a folder. Dereferences to the space.
pub(crate) struct DeliveryFixture<'a> {
    pub(crate) acme: TestSpace,
    pub(crate) signer: SigningSecret,
    pub(crate) folder: Folder,
    stack: &'a Stack,
}

impl Deref for DeliveryFixture<'_> {
    type Target = TestSpace;

    fn deref(&self) -> &TestSpace {
        &self.acme
    }
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

        DeliveryFixture {
            signer: SigningSecret::of(&acme).await,
            folder: acme.folder("Shelf").await,
            stack,
            acme,
        }
    }

    /// Creates the space, and advances the clock to the start of a window of redirects.
    pub(crate) async fn at_window_start(stack: &Stack) -> DeliveryFixture<'_> {
        let fixture = DeliveryFixture::new(stack).await;
        let rest_seconds = WINDOW_SECONDS - fixture.now() % WINDOW_SECONDS;
        let rest = Duration::from_secs(rest_seconds.unsigned_abs());
        stack.clock.advance(rest);
        fixture
    }

    /// Uploads the photo with a delivery type into a folder, or into the root for `root`.
    pub(crate) async fn put(&self, delivery_type: &str, folder: &str) -> File {
        let upload = self.acme.upload(PHOTO).of_type(delivery_type);
        let file = upload.into_id(folder).await;
        assert_eq!(file["type"], delivery_type);
        file
    }

    /// Uploads the photo with a delivery type into the folder of the fixture.
    pub(crate) async fn put_here(&self, delivery_type: &str) -> File {
        self.put(delivery_type, &self.folder.id).await
    }

    /// Uploads a photo of [`LARGE_BYTES`] with a delivery type into the root.
    pub(crate) async fn put_large(&self, delivery_type: &str) -> File {
        let upload = self.acme.upload(large_photo(LARGE_BYTES));
        let upload = upload.named("é.jpg", "image/jpeg");
        upload.of_type(delivery_type).await
    }

    /// Returns the Unix time in seconds.
    pub(crate) fn now(&self) -> i64 {
        self.stack.clock.now_ms() / 1_000
    }

    /// Returns a URL that is signed for some seconds.
    pub(crate) fn signed_for(&self, seconds: i64, url: &str) -> String {
        self.signer.sign(url, self.now() + seconds, &[])
    }

    /// Returns a URL that is signed for an hour.
    pub(crate) fn signed(&self, url: &str) -> String {
        self.signed_for(HOUR_SECONDS, url)
    }
}

/// Returns the keys of all stored renditions.
pub(crate) async fn renditions(stack: &Stack) -> BTreeSet<String> {
    let objects = stack.dump().await.objects.into_keys();
    objects.filter(|key| key.contains("/renditions/")).collect()
}
