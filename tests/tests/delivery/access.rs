//! Access at the CDN, by the settings of a file, its type, its folders and its space, and by the
//! credentials of the request.

use serde_json::json;
use tests::{Client, PHOTO, Stack, StackOptions, stack_test};

use super::fixture::{CACHED_SECONDS, DeliveryFixture, HOUR_SECONDS, NOT_CACHED, TYPES, cached};
use super::signers::DeliverySigner;

/// The values of `requires_auth` on each level.
const CHOICES: [Option<bool>; 3] = [None, Some(false), Some(true)];

/// Clients with credentials.
struct Visitors {
    /// Has a viewer key of the space.
    viewer: Client,
    /// Has an account key of a viewer of the space.
    member: Client,
    /// Has the owner key of another space.
    foreign: Client,
    /// Has an account key of a member of the other space alone.
    outsider: Client,
    /// Has a key that does not exist.
    odd: Client,
    /// Signs with the secret of the other space.
    signer: DeliverySigner,
}

impl Visitors {
    async fn of(DeliveryFixture { stack, acme, .. }: &DeliveryFixture<'_>) -> Visitors {
        let other = stack.space("Other").await;
        let member = stack.user().await;
        let outsider = stack.user().await;
        stack.add_member(&member, acme, "viewer").await;
        stack.add_member(&outsider, &other, "owner").await;
        Visitors {
            viewer: acme.role("viewer").await,
            member: member.client,
            signer: DeliverySigner::of(&other).await,
            foreign: other.client,
            outsider: outsider.client,
            odd: stack.anonymous.with_key("sk_nonsense"),
        }
    }
}

/// The outcome of a request for a file that requires authentication.
#[derive(Clone, Copy, Debug)]
enum Comes {
    /// No valid credential: 403, or 200 if the file is public.
    ToNothing,
    /// An invalid signature: 403 even if the file is public.
    ToRejection,
    /// A valid signature: 200, and browsers may cache the file for this number of seconds.
    BySignature(i64),
    /// A valid key: 200.
    ByKey,
}
use Comes::{ByKey, BySignature, ToNothing, ToRejection};

/// A request and its expected outcome.
struct Probe<'a> {
    what: &'static str,
    address: String,
    client: &'a Client,
    comes: Comes,
}

/// Returns a URL with another signature.
fn tampered(address: &str) -> String {
    let (prefix, last) = address.split_at(address.len() - 1);
    format!("{prefix}{}", if last == "0" { "1" } else { "0" })
}

/// Returns requests with every kind of credential, valid and invalid.
fn probes<'a>(
    fixture: &'a DeliveryFixture<'a>,
    visitors: &'a Visitors,
    url: &str,
) -> Vec<Probe<'a>> {
    let anonymous = &fixture.stack.anonymous;
    let viewer = &visitors.viewer;
    let foreign = &visitors.foreign;
    let signed =
        |signer: &DeliverySigner, seconds: i64| signer.sign(url, fixture.now() + seconds, &[]);
    let good = signed(&fixture.signer, HOUR_SECONDS);
    let bad = tampered(&good);
    let expired = signed(&fixture.signer, 0);
    let keyed = format!("{url}?api_key={}", viewer.key.as_deref().expect("a key"));
    let probe = |what: &'static str, address: &str, client: &'a Client, comes: Comes| {
        let address = address.to_owned();
        Probe {
            what,
            address,
            client,
            comes,
        }
    };

    vec![
        probe("nothing", url, anonymous, ToNothing),
        probe("a signature", &good, anonymous, BySignature(CACHED_SECONDS)),
        probe(
            "a signature for one second more",
            &signed(&fixture.signer, 1),
            anonymous,
            BySignature(1),
        ),
        probe("an expired signature", &expired, anonymous, ToRejection),
        probe("a tampered signature", &bad, anonymous, ToRejection),
        probe(
            "a signature that names no secret",
            &good.replace("&kid=1", ""),
            anonymous,
            ToRejection,
        ),
        probe(
            "another space's signature",
            &signed(&visitors.signer, HOUR_SECONDS),
            anonymous,
            ToRejection,
        ),
        probe("a viewer's key", url, viewer, ByKey),
        probe("a member's key", url, &visitors.member, ByKey),
        probe("a foreign key", url, foreign, ToNothing),
        probe("key of an outsider", url, &visitors.outsider, ToNothing),
        probe("what looks like a key", url, &visitors.odd, ToNothing),
        probe("a key in the query", &keyed, anonymous, ToNothing),
        probe(
            "a signature and a foreign key",
            &good,
            foreign,
            BySignature(CACHED_SECONDS),
        ),
        probe(
            "a signature and what looks like a key",
            &good,
            &visitors.odd,
            BySignature(CACHED_SECONDS),
        ),
        probe(
            "a tampered signature and a viewer's key",
            &bad,
            viewer,
            ToRejection,
        ),
        probe(
            "an expired signature and a viewer's key",
            &expired,
            viewer,
            ToRejection,
        ),
    ]
}

/// Sends every request for a file. `asks` tells whether the file requires authentication.
async fn assert_responses(probes: &[Probe<'_>], delivery_type: &str, asks: bool, settings: &str) {
    for Probe {
        what,
        address,
        client,
        comes,
    } in probes
    {
        let cache_control = match comes {
            ToNothing | ByKey if !asks => Some(cached(CACHED_SECONDS)),
            ToNothing | ToRejection => None,
            BySignature(seconds) if delivery_type != "authenticated" => Some(cached(*seconds)),
            BySignature(_) | ByKey => Some(NOT_CACHED.to_owned()),
        };
        let response = client.get(address).await;
        let expected = if cache_control.is_some() { 200 } else { 403 };
        assert_eq!(
            response.status, expected,
            "{what}: {delivery_type}, {settings}"
        );
        if let Some(cache_control) = cache_control {
            assert_eq!(
                response.header("cache-control"),
                cache_control,
                "{what}: {delivery_type}, {settings}"
            );
            assert!(
                response.body == PHOTO,
                "{what}: {delivery_type}, {settings}"
            );
        } else {
            response.expect_error(403);
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn only_credentials_that_a_level_requires_open_file(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let visitors = Visitors::of(&fixture).await;
    let mut files = Vec::new();

    for delivery_type in TYPES {
        let file = fixture.put_here(delivery_type).await;
        let probes = probes(&fixture, &visitors, &file.url);
        files.push((delivery_type, file, probes));
    }

    for (first, space) in CHOICES.into_iter().enumerate() {
        fixture.set(&fixture.space(), space).await;
        for (second, folder) in CHOICES.into_iter().enumerate() {
            fixture.set(&fixture.folder, folder).await;
            for (third, direct) in CHOICES.into_iter().enumerate() {
                let settings = format!("space {space:?}, folder {folder:?}, file {direct:?}");
                // The nearest level with a setting decides. A type that requires authentication
                // always does.
                let set = direct.or(folder).or(space).unwrap_or(false);
                for (index, (delivery_type, file, probes)) in files.iter().enumerate() {
                    let asks_always = *delivery_type != "upload";
                    // A third of the combinations, in which every two levels have every pair of
                    // values.
                    let is_share = (first + second + third + index).is_multiple_of(3);
                    if asks_always && !is_share && !tests::is_thorough() {
                        continue;
                    }
                    fixture.set(&file.path, direct).await;
                    assert_responses(probes, delivery_type, set || asks_always, &settings).await;
                }
            }
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn valid_signature_together_with_valid_key_opens_file(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let viewer = fixture.acme.role("viewer").await;

    for delivery_type in &TYPES[1..] {
        let file = fixture.put_here(delivery_type).await;
        assert!(
            viewer
                .get(&fixture.signed(&file.url))
                .await
                .expect_status(200)
                .body
                == PHOTO,
            "{delivery_type}"
        );
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn key_opens_files_until_revoked(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let file = fixture.put_here("private").await;
    let keys = format!("{}/api-keys", fixture.space());
    let key = fixture
        .acme
        .client
        .post(&keys, json!({"name": "viewer", "role": "viewer"}))
        .await
        .expect_created();
    let holder = fixture
        .stack
        .anonymous
        .with_key(key["key"].as_str().expect("a key"));

    holder.get(&file.url).await.expect_status(200);
    fixture
        .acme
        .client
        .delete(&format!("{keys}/{}", key["id"]))
        .await
        .expect_status(204);
    holder.get(&file.url).await.expect_error(403);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn either_access_flag_closes_file_folder_and_space(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let file = fixture.put_here("upload").await;

    for path in [&fixture.space(), &fixture.folder, &file.path] {
        let path = format!("{path}/access-control");
        for (flags, closed) in [
            (json!({}), false),
            (json!({"public_read": false}), true),
            (json!({}), true),
            (json!({"requires_auth": false}), false),
            (json!({"requires_auth": true}), true),
            (json!({"public_read": true}), false),
            (json!({"requires_auth": true, "public_read": true}), true),
            (json!({"requires_auth": false, "public_read": true}), false),
            (json!({"requires_auth": false, "public_read": false}), true),
        ] {
            fixture
                .acme
                .client
                .put(&path, json!({"access_control": flags}))
                .await
                .expect_ok();
            let status = if closed { 403 } else { 200 };
            fixture
                .stack
                .anonymous
                .get(&file.url)
                .await
                .expect_status(status);
            let access_control =
                fixture.acme.client.get(&file.path).await.expect_ok()["access_control"].clone();
            let both = (
                &access_control["requires_auth"],
                &access_control["public_read"],
            );
            assert_eq!(both, (&json!(closed), &json!(!closed)), "{path} {flags}");
        }
        fixture.acme.client.delete(&path).await.expect_ok();
        fixture
            .stack
            .anonymous
            .get(&file.url)
            .await
            .expect_status(200);
    }
}
