//! A second PUT to the presigned URL, before each AWS call of a confirmation.
//!
//! The two uploads always have equal ETags: either their MD5 digests collide, or the S3 emulator is
//! set to collide.

use std::pin::pin;

use media::format::Format;
use serde_json::{Value, json};
use tests::{Stack, TestSpace, stack_test};

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

/// The outcome of an interleaved confirmation.
struct Interleaved {
    /// Record of the file, unless the confirmation removed it.
    record: Option<Value>,
    /// Whether the confirmation made the AWS call.
    is_reached: bool,
}

/// Two uploads of equal length into a space.
struct Pair<'a> {
    stack: &'a Stack,
    acme: &'a TestSpace,
    content_type: &'static str,
    first: Vec<u8>,
    second: Vec<u8>,
}

impl Pair<'_> {
    async fn presign(&self, config: &str) -> PendingFile {
        assert_eq!(self.first.len(), self.second.len());
        let fields = json!({"upload_config": config, "content_type": self.content_type, "size": self.first.len()});
        PendingFile::create(self.acme, fields).await
    }

    /// Returns the delivered bytes of an upload without interference.
    async fn stored(&self, config: &str, bytes: &[u8]) -> Vec<u8> {
        let pending_file = self.presign(config).await;
        pending_file.put(self.stack, bytes).await;
        let active = pending_file.confirm(self.acme).await.expect_ok();
        delivered_bytes(self.stack, &active).await
    }

    /// Confirms the first upload, and sends the second before the nth AWS call of the confirmation.
    async fn interleave(&self, route: Route, config: &str, call: u32) -> Interleaved {
        let pending_file = self.presign(config).await;
        pending_file.put(self.stack, &self.first[..]).await;

        let principal = match route {
            Route::Request => "uploads",
            Route::Check => "confirm-check",
        };
        let mut hold = self.stack.local.faults().hold(principal, call);
        let mut confirmation = pin!(async {
            match route {
                Route::Request => Some(pending_file.confirm(self.acme).await.status),
                Route::Check => {
                    check_now(self.stack, self.acme, &pending_file).await;
                    None
                }
            }
        });
        tokio::select! {
            biased;
            () = hold.reached() => {}
            status = &mut confirmation => return self.outcome(&pending_file, status, false).await,
        }
        pending_file.put(self.stack, &self.second[..]).await;
        hold.release();
        let status = confirmation.await;
        self.outcome(&pending_file, status, true).await
    }

    /// Asserts that the status of a confirmation, unless it was by the check, is that of its
    /// outcome.
    async fn outcome(
        &self,
        file: &PendingFile,
        status: Option<u16>,
        is_reached: bool,
    ) -> Interleaved {
        let response = self.acme.get(&file.address()).await;
        let record = (response.status != 404).then(|| response.expect_ok());
        let expected = if record.is_some() { 200 } else { 422 };
        assert_eq!(status.unwrap_or(expected), expected, "{record:?}");
        Interleaved { record, is_reached }
    }

    /// Interleaves both routes at every call. Asserts that active bytes are one of `valid`.
    async fn check(&self, config: &str, valid: &[Vec<u8>]) {
        for route in [Route::Request, Route::Check] {
            let mut calls = 0;
            loop {
                let outcome = self.interleave(route, config, calls).await;
                if let Some(record) = outcome.record {
                    let bytes = delivered_bytes(self.stack, &record).await;
                    assert!(valid.contains(&bytes), "{route:?} {config}, call {calls}");
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
        let originals = original_keys(&dump, &self.acme.id);
        assert_eq!(dump.files_with_bytes().len(), originals.len(), "{config}");
    }
}

async fn create_configs(acme: &TestSpace) {
    let measured = json!({"validation": {"max_image_width": 5_000}});
    acme.upload_config("measured").with_settings(measured).await;
    let transformed = json!({"transformations": {"upload_format": "webp"}});
    let config = acme.upload_config("transformed");
    config.with_settings(transformed).await;
}

/// Pads bytes with zeros.
fn padded(mut bytes: Vec<u8>, length: usize) -> Vec<u8> {
    bytes.resize(length.max(bytes.len()), 0);
    bytes
}

#[stack_test]
async fn interleaved_put_never_mixes_two_uploads(stack: &Stack, acme: &TestSpace) {
    create_configs(acme).await;
    stack.local.collide_etags();
    let jpeg = image(Format::Jpeg, 48, 32);
    let png = image(Format::Png, 40, 40);
    let length = jpeg.len().max(png.len());
    let pair = Pair {
        stack,
        acme,
        content_type: "image/jpeg",
        first: padded(jpeg, length),
        second: padded(png, length),
    };

    for config in CONFIGS {
        let first = pair.stored(config, &pair.first).await;
        let second = pair.stored(config, &pair.second).await;
        pair.check(config, &[first, second]).await;
    }
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn executable_with_etag_of_photo_is_never_active(stack: &Stack, acme: &TestSpace) {
    create_configs(acme).await;
    stack.local.collide_etags();
    let photo = image(Format::Jpeg, 48, 32);
    let executable = padded(b"MZ\x90\0\x03\0\0\0".to_vec(), photo.len());

    for (first, second) in [(&photo, &executable), (&executable, &photo)] {
        let pair = Pair {
            stack,
            acme,
            content_type: "image/jpeg",
            first: first.clone(),
            second: second.clone(),
        };
        for config in CONFIGS {
            let valid = [pair.stored(config, &photo).await];
            pair.check(config, &valid).await;
        }
    }
    stack.run_confirm_checks().await;
}

#[stack_test]
async fn uploads_with_equal_md5_are_distinguished_by_checksum(stack: &Stack, acme: &TestSpace) {
    let [first, second] = MD5_COLLISION.map(|message| hex::decode(message).expect("hexadecimal"));
    let pair = Pair {
        stack,
        acme,
        content_type: "application/octet-stream",
        first,
        second,
    };

    let pending_file = pair.presign("starter").await;
    for bytes in [&pair.first, &pair.second] {
        let stored = pending_file.send(stack, &bytes[..]).await;
        stored.expect_header("etag", "\"79054025255fb1a26e4bc422aef54eb4\"");
    }

    let valid = [pair.first.clone(), pair.second.clone()];
    pair.check("starter", &valid).await;
    stack.run_confirm_checks().await;
}
