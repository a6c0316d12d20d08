//! The sweep for renditions that are no longer delivered.

use std::{collections::BTreeSet, time::Duration};

use bucket::ObjectKey;
use domain::{
    id::{FileId, Revision},
    renditions::{ImageFormat, Rendition, RenditionLocation, Retention, Transformation},
};
use sam_template::RecursiveLoop;
use serde_json::json;
use tests::{PHOTO, Stack, TestSpace, stack_test};

use super::batches::small_jobs;
use crate::support::image_server::{ImageServer, logo};

/// Period of the sweep, and minimum age of the objects that it deletes.
const DAY: Duration = Duration::from_hours(24);
/// A second less than the period.
const ALMOST_DAY: Duration = Duration::from_secs(24 * 60 * 60 - 1);

async fn renditions(stack: &Stack) -> BTreeSet<String> {
    let objects = stack.dump().await.objects.into_keys();
    objects.filter(|key| key.contains("/renditions/")).collect()
}

async fn set_watermark(acme: &TestSpace, enabled: bool, server: &ImageServer) {
    let watermark = json!({"enabled": enabled, "url": server.url()});
    let security = json!({ "watermark": watermark });
    acme.set_security(&acme.path(), security).await;
}

/// Requests an image, and returns the renditions that this added.
async fn added(stack: &Stack, url: &str) -> BTreeSet<String> {
    let before = renditions(stack).await;
    stack.anonymous.fetch(url).await;
    renditions(stack)
        .await
        .difference(&before)
        .cloned()
        .collect()
}

#[stack_test(options = small_jobs(RecursiveLoop::Allow))]
async fn renditions_with_replaced_watermarks_are_swept_after_a_day(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let url = format!("{}?w=32&f=jpeg", file.url());
    let server = ImageServer::start(&logo([255, 0, 0])).await;

    let plain = added(stack, &url).await;
    set_watermark(acme, true, &server).await;
    let replaced = added(stack, &url).await;
    set_watermark(acme, true, &server).await;
    let current = added(stack, &url).await;
    for added in [&plain, &replaced, &current] {
        assert_eq!(added.len(), 1, "{added:?}");
    }

    stack.run_for(ALMOST_DAY).await;
    assert_eq!(renditions(stack).await.len(), 3);
    stack.run_for(DAY).await;
    let expected: BTreeSet<String> = plain.union(&current).cloned().collect();
    assert_eq!(renditions(stack).await, expected);

    set_watermark(acme, false, &server).await;
    stack.run_for(DAY).await;
    assert_eq!(renditions(stack).await, plain);
}

#[stack_test]
async fn renditions_without_a_file_or_of_another_version_are_swept_after_a_day(
    stack: &Stack,
    acme: &TestSpace,
) {
    let file = acme.upload(PHOTO).await;
    let kept = added(stack, &format!("{}?w=32&f=jpeg", file.url())).await;
    let current = kept.first().expect("a rendition");
    let (directory, _) = current.rsplit_once('/').expect("a key");

    let env = stack.unrestricted_context().env;
    let id = Rendition::of(Transformation::default(), ImageFormat::Png).id();
    let orphans = Retention::ALL.map(|retention| {
        let location = RenditionLocation {
            id: id.clone(),
            retention,
        };
        let file = FileId::new(&env);
        let key = ObjectKey::rendition(acme.space_id(), file, Revision::new(&env), &location);
        key.as_str().to_owned()
    });
    let [permanent, expiring] = orphans;
    let unused = [
        permanent,
        expiring,
        format!("{directory}/{}", "0".repeat(32)),
        format!("{directory}/0-{}", "0".repeat(32)),
    ];
    for key in &unused {
        stack.put_object(key, b"unused").await;
    }

    stack.run_for(ALMOST_DAY).await;
    assert_eq!(renditions(stack).await.len(), kept.len() + unused.len());
    stack.run_for(DAY).await;
    assert_eq!(renditions(stack).await, kept);
}
