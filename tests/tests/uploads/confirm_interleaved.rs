//! A second PUT to the presigned URL, before each AWS call of a confirmation.
//!
//! The two uploads always have equal ETags: either their MD5 digests collide, or the S3 emulator is
//! set to collide.

use std::pin::pin;

use emulators::Hold;
use media::Format;
use serde_json::{Value, json};
use tests::{Stack, TestSpace};

use super::{
    confirm::{delivered_bytes, original_keys},
    presign::PendingFile,
};
use crate::jobs::confirm_check::check_now;
use crate::support::images::image;

/// Two messages of 128 bytes with one MD5, 79054025255fb1a26e4bc422aef54eb4: Wang and Yu, 2004.
/// They differ in six bytes.
const MD5_COLLISION: [&str; 2] = [
    "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a\
     085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0\
     e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70",
    "d131dd02c5e6eec4693d9a0698aff95c2fcab50712467eab4004583eb8fb7f8955ad340609f4b30283e4888325f1415a\
     085125e8f7cdc99fd91dbd7280373c5bd8823e3156348f5bae6dacd436c919c6dd53e23487da03fd02396306d248cda0\
     e99f33420f577ee8ce54b67080280d1ec69821bcb6a8839396f965ab6ff72a70",
];
/// Configs without image rules, with a rule for dimensions, and with a transformation.
const CONFIGS: [&str; 3] = ["starter", "measured", "transformed"];
/// Upper bound of the AWS calls of a confirmation.
const MAX_CALLS: u32 = 20;

/// How a pending file is confirmed.
#[derive(Clone, Copy, Debug)]
enum Route {
    /// By `POST /upload/confirm/:fileId`.
    Request,
    /// By the confirm check.
    Check,
}

impl Route {
    /// Returns the function that confirms.
    fn principal(self) -> &'static str {
        match self {
            Route::Request => "uploads",
            Route::Check => "confirm-check",
        }
    }

    /// Confirms a file. Returns the status of the response, which a check does not have.
    async fn confirm(
        self,
        stack: &Stack,
        acme: &TestSpace,
        pending_file: &PendingFile,
    ) -> Option<u16> {
        match self {
            Route::Request => Some(pending_file.confirm(&acme.client).await.status),
            Route::Check => {
                check_now(stack, acme, pending_file).await;
                None
            }
        }
    }
}

/// The outcome of an interleaved confirmation.
struct Interleaved {
    /// Record of the file, unless the confirmation removed it.
    record: Option<Value>,
    /// Whether the confirmation made the AWS call.
    is_reached: bool,
}

/// A space, and two uploads of equal length.
struct Pair {
    stack: Stack,
    acme: TestSpace,
    content_type: &'static str,
    first: Vec<u8>,
    second: Vec<u8>,
}

impl Pair {
    async fn start(content_type: &'static str, first: Vec<u8>, second: Vec<u8>) -> Pair {
        assert_eq!(first.len(), second.len());

        let stack = Stack::start().await;
        let acme = stack.space("Acme").await;
        for (name, settings) in [
            (
                "measured",
                json!({"validation": {"max_image_width": 5_000}}),
            ),
            (
                "transformed",
                json!({"transformations": {"upload_format": "webp"}}),
            ),
        ] {
            acme.upload_config(name).with_settings(settings).await;
        }

        Pair {
            stack,
            acme,
            content_type,
            first,
            second,
        }
    }

    async fn presign(&self, config: &str) -> PendingFile {
        let fields = json!({"upload_config": config, "content_type": self.content_type, "size": self.first.len()});
        PendingFile::create(&self.acme, fields).await
    }

    /// Returns the delivered bytes of an upload without interference.
    async fn stored(&self, config: &str, bytes: &[u8]) -> Vec<u8> {
        let pending_file = self.presign(config).await;
        pending_file.put(&self.stack, bytes).await;
        let active = pending_file.confirm(&self.acme.client).await.expect_ok();
        delivered_bytes(&self.stack, &active).await
    }

    /// Confirms the first upload, and sends the second before the nth AWS call of the confirmation.
    async fn interleave(&self, route: Route, config: &str, call: u32) -> Interleaved {
        let pending_file = self.presign(config).await;
        pending_file.put(&self.stack, &self.first[..]).await;

        let mut hold = self.stack.local.faults().hold(route.principal(), call);
        let mut confirmation = pin!(route.confirm(&self.stack, &self.acme, &pending_file));
        let (status, is_reached) = tokio::select! {
            status = &mut confirmation => (status, false),
            () = hold.reached() => (self.send_and_release(&pending_file, hold, confirmation).await, true),
        };

        let response = self.acme.get(&pending_file.address()).await;
        let record = (response.status != 404).then(|| response.expect_ok());
        match status {
            Some(200) => assert_eq!(record.as_ref().expect("a file")["status"], "active"),
            Some(422) => assert_eq!(record, None),
            Some(other) => panic!("{route:?} {config} {call}: {other}"),
            None => {}
        }

        Interleaved { record, is_reached }
    }

    async fn send_and_release(
        &self,
        pending_file: &PendingFile,
        hold: Hold,
        confirmation: impl Future<Output = Option<u16>>,
    ) -> Option<u16> {
        pending_file.put(&self.stack, &self.second[..]).await;
        hold.release();
        confirmation.await
    }

    /// Interleaves both routes at every call. Asserts that active bytes are one of `valid`.
    async fn check(&self, config: &str, valid: &[Vec<u8>]) {
        for route in [Route::Request, Route::Check] {
            let mut calls = 0;
            loop {
                let outcome = self.interleave(route, config, calls).await;
                if let Some(record) = outcome.record {
                    let bytes = delivered_bytes(&self.stack, &record).await;
                    assert!(
                        valid.contains(&bytes),
                        "{route:?} {config}, before call {calls}: other bytes are active"
                    );
                }
                if !outcome.is_reached {
                    break;
                }
                calls += 1;
                assert!(calls < MAX_CALLS, "{route:?} {config}");
            }
            assert!(calls > 3, "{route:?} {config}: only {calls} calls");
        }

        let dump = self.stack.dump().await;
        assert_eq!(
            dump.files_with_bytes().len(),
            original_keys(&dump, &self.acme.id).len(),
            "{config}"
        );
    }

    async fn stop(self) {
        self.stack.run_confirm_checks().await;
        self.stack.stop().await;
    }
}

/// Pads bytes with zeros.
fn padded(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length.max(bytes.len()), 0);
    bytes
}

#[tokio::test]
async fn interleaved_put_never_mixes_two_uploads() {
    let jpeg = image(Format::Jpeg, 48, 32);
    let png = image(Format::Png, 40, 40);
    let length = jpeg.len().max(png.len());
    let pair = Pair::start("image/jpeg", padded(jpeg, length), padded(png, length)).await;

    pair.stack.local.collide_etags();
    for config in CONFIGS {
        let valid = [
            pair.stored(config, &pair.first).await,
            pair.stored(config, &pair.second).await,
        ];
        pair.check(config, &valid).await;
    }

    pair.stop().await;
}

#[tokio::test]
async fn executable_with_etag_of_photo_is_never_active() {
    let photo = image(Format::Jpeg, 48, 32);
    let executable = padded(b"MZ\x90\0\x03\0\0\0".to_vec(), photo.len());

    for (first, second) in [
        (photo.clone(), executable.clone()),
        (executable, photo.clone()),
    ] {
        let pair = Pair::start("image/jpeg", first, second).await;
        pair.stack.local.collide_etags();
        for config in CONFIGS {
            let valid = [pair.stored(config, &photo).await];
            pair.check(config, &valid).await;
        }
        pair.stop().await;
    }
}

#[tokio::test]
async fn uploads_with_equal_md5_are_distinguished_by_checksum() {
    let [first, second] = MD5_COLLISION.map(|message| hex::decode(message).expect("hexadecimal"));
    let pair = Pair::start("application/octet-stream", first, second).await;

    let pending_file = pair.presign("starter").await;
    for bytes in [&pair.first, &pair.second] {
        let stored = pending_file.send(&pair.stack, &bytes[..]).await;
        assert_eq!(
            stored.header("etag"),
            "\"79054025255fb1a26e4bc422aef54eb4\""
        );
    }

    pair.check("starter", &[pair.first.clone(), pair.second.clone()])
        .await;
    pair.stop().await;
}
