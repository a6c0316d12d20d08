//! Watermarks from files, with a crash at each call of the request that sets one.

use media::format::Format;
use serde_json::{Value, json};
use tests::{Stack, StackOptions, TestSpace, share_of, stack_test};

use crate::{
    delivery::watermarks::{BLUE, RED, is_marked},
    support::{
        image_server::logo,
        images::image,
        kills::{Kill, count},
    },
};

/// Every how many points the default run kills the function.
const SHARE: usize = 2;

#[stack_test(options = StackOptions::without_rate_limits())]
async fn watermark_of_killed_request_is_set_by_its_repetition(stack: &Stack, acme: &TestSpace) {
    let folder = acme.folder("Photos").await;
    let photo = acme.upload(image(Format::Png, 64, 48));
    let photo = photo.named("a.png", "image/png").into(&folder).await;
    let mut logos = Vec::new();
    for color in [RED, BLUE] {
        logos.push(
            acme.upload(logo(color))
                .named("logo.png", "image/png")
                .await,
        );
    }
    let of = |index: usize, opacity: f64| json!({"watermark": {"enabled": true, "file_id": logos[index].id, "opacity": opacity}});
    let faults = stack.local.faults();

    for (function, path) in [("folders", folder.path()), ("spaces", &acme.path())] {
        // A first copy, another one, and one that is kept.
        for (before, after, color) in [
            (Value::Null, of(0, 1.0), RED),
            (of(0, 1.0), of(1, 1.0), BLUE),
            (of(1, 0.5), of(1, 1.0), BLUE),
        ] {
            acme.set_security(path, before.clone()).await;
            let set = stack.calls_of(acme.set_security(path, after.clone())).await;
            let calls = count(&set.calls, function);

            for kill in share_of(Kill::at_each(function, calls), SHARE) {
                acme.set_security(path, before.clone()).await;
                kill.plan(stack);
                let body = json!({"security": after.clone()});
                acme.put(&format!("{path}/security"), body).await;
                assert!(faults.broken_calls() > 0, "{kill:?} does not happen");
                faults.reconnect();

                acme.set_security(path, after.clone()).await;
                let delivered = stack.anonymous.fetch(photo.url()).await;
                assert!(is_marked(&delivered, color), "{function} {kill:?}");
            }
        }
        acme.set_security(path, Value::Null).await;
    }
}
