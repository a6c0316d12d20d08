//! Access at the CDN, by the settings of a file, its type, its folders and its space, and by the
//! credentials of the request; and access to transformed images, by signatures and the policy of
//! the space.

use serde_json::json;
use tests::{Client, PHOTO, Stack, StackOptions, TestSpace, stack_test};

use super::fixture::{CACHED_SECONDS, DeliveryFixture, HOUR_SECONDS, NOT_CACHED, TYPES, cached};
use crate::support::signer::SigningSecret;

/// The values of `requires_auth` on each level.
const CHOICES: [Option<bool>; 3] = [None, Some(false), Some(true)];

struct Visitors {
    anonymous: Client,
    /// Has a viewer key of the space.
    viewer: Client,
    /// Has an account key of a viewer of the space.
    member: Client,
    /// Has an account key of an owner of the space.
    account: Client,
    /// Has the owner key of another space.
    foreign: Client,
    /// Has an account key of a member of the other space alone.
    outsider: Client,
    /// Has a key that does not exist.
    odd: Client,
    /// Signs with the secret of the other space.
    signer: SigningSecret,
}

impl Visitors {
    async fn of(stack: &Stack, acme: &DeliveryFixture<'_>) -> Visitors {
        let other = stack.space("Other").await;
        let member = stack.user().await;
        let outsider = stack.user().await;
        stack.add_member(&member, acme, "viewer").await;
        stack.add_member(&outsider, &other, "owner").await;

        Visitors {
            anonymous: stack.anonymous.clone(),
            viewer: acme.role("viewer").await,
            member: member.client,
            signer: SigningSecret::of(&other).await,
            account: stack.account(),
            foreign: other.client,
            outsider: outsider.client,
            odd: stack.anonymous.with_key("sk_nonsense"),
        }
    }

    /// Returns requests with every kind of credential, valid and invalid.
    fn probes(&self, acme: &DeliveryFixture<'_>, url: &str) -> Vec<Probe<'_>> {
        let anonymous = &self.anonymous;
        let viewer = &self.viewer;
        let plain = &url.to_owned();
        let valid = &acme.signed(url);
        let last_second = &acme.signed_for(1, url);
        let expired = &acme.signed_for(0, url);
        let tampered = &tampered(valid);
        let no_kid = &valid.replace("&kid=1", "");
        let foreign = &self.signer.sign(url, acme.now() + CACHED_SECONDS, &[]);
        let keyed = &format!("{url}?api_key={}", viewer.key.as_deref().expect("a key"));
        let opened = OpenedFor(CACHED_SECONDS);

        let probes = [
            ("a signature", valid, anonymous, opened),
            ("one for a second", last_second, anonymous, OpenedFor(1)),
            ("an expired signature", expired, anonymous, Rejected),
            ("a tampered signature", tampered, anonymous, Rejected),
            ("one that names no secret", no_kid, anonymous, Rejected),
            ("another space's signature", foreign, anonymous, Rejected),
            ("no credential", plain, anonymous, Anonymous),
            ("a viewer's key", plain, viewer, OpenedByKey),
            ("a member's key", plain, &self.member, OpenedByKey),
            ("an account of an owner", plain, &self.account, OpenedByKey),
            ("a foreign key", plain, &self.foreign, Anonymous),
            ("key of an outsider", plain, &self.outsider, Anonymous),
            ("what looks like a key", plain, &self.odd, Anonymous),
            ("a key in the query", keyed, anonymous, Anonymous),
            // Of a signature and a key, the signature decides.
            ("a signature and a key", valid, viewer, opened),
            ("one and a foreign key", valid, &self.foreign, opened),
            ("one and no real key", valid, &self.odd, opened),
            ("a tampered one and a key", tampered, viewer, Rejected),
            ("an expired one and a key", expired, viewer, Rejected),
        ];
        let owned = |(what, url, client, outcome)| Probe(what, String::clone(url), client, outcome);
        probes.map(owned).into()
    }
}

/// The outcome of a request for a file that requires authentication.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    /// No valid credential: 403, or 200 if the file is public.
    Anonymous,
    /// An invalid signature: 403 even if the file is public.
    Rejected,
    /// A valid signature: 200, and browsers may cache the file for this number of seconds.
    OpenedFor(i64),
    /// A valid key: 200.
    OpenedByKey,
}
use Outcome::{Anonymous, OpenedByKey, OpenedFor, Rejected};

/// What a request sends, its URL and client, and the expected outcome.
struct Probe<'a>(&'static str, String, &'a Client, Outcome);

impl Probe<'_> {
    /// Sends the request for a file of a type that requires authentication or not, and asserts the
    /// response.
    async fn send(&self, delivery_type: &str, requires_auth: bool, case: &str) {
        let Probe(what, url, client, outcome) = self;
        let cache_control = match *outcome {
            Anonymous | OpenedByKey if !requires_auth => Some(cached(CACHED_SECONDS)),
            Anonymous | Rejected => None,
            OpenedFor(seconds) if delivery_type != "authenticated" => Some(cached(seconds)),
            OpenedFor(_) | OpenedByKey => Some(NOT_CACHED.to_owned()),
        };

        let case = format!("{what}: {case}");
        let response = client.get(url).await.with_context(&case);
        let Some(cache_control) = cache_control else {
            response.expect_error(403);
            return;
        };
        let readers = if requires_auth && matches!(outcome, OpenedByKey) {
            "same-site"
        } else {
            "cross-origin"
        };
        let delivered = response.expect_status(200);
        delivered.expect_header("cache-control", cache_control);
        delivered.expect_header("cross-origin-resource-policy", readers);
        delivered.expect_body(PHOTO);
    }
}

/// Returns a URL with another signature.
fn tampered(url: &str) -> String {
    let (prefix, last) = url.split_at(url.len() - 1);
    format!("{prefix}{}", if last == "0" { "1" } else { "0" })
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn only_credentials_that_a_level_requires_open_file(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let visitors = Visitors::of(stack, &acme).await;
    let mut files = Vec::new();
    for delivery_type in TYPES {
        let file = acme.put_here(delivery_type).await;
        let probes = visitors.probes(&acme, file.url());
        files.push((delivery_type, file, probes));
    }

    for (first, space) in CHOICES.into_iter().enumerate() {
        acme.set_access(&acme.path(), space).await;
        for (second, folder) in CHOICES.into_iter().enumerate() {
            acme.set_access(acme.folder.path(), folder).await;
            for (third, direct) in CHOICES.into_iter().enumerate() {
                // The nearest level with a setting decides. A type that requires authentication
                // always does.
                let nearest = direct.or(folder).or(space).unwrap_or(false);
                for (index, (delivery_type, file, probes)) in files.iter().enumerate() {
                    let is_protected_type = *delivery_type != "upload";
                    // A third of the combinations, in which every two levels have every pair of
                    // values.
                    let is_share = (first + second + third + index).is_multiple_of(3);
                    if is_protected_type && !is_share && !tests::is_thorough() {
                        continue;
                    }

                    acme.set_access(file.path(), direct).await;
                    let requires_auth = nearest || is_protected_type;
                    let case = format!("{delivery_type}, {:?}", [space, folder, direct]);
                    for probe in probes {
                        probe.send(delivery_type, requires_auth, &case).await;
                    }
                }
            }
        }
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn key_in_the_header_of_the_cdn_is_ignored(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let file = acme.put_here("private").await;
    let bearer = format!("Bearer {}", acme.client.key.as_deref().expect("a key"));

    let forged = [("x-larder-authorization", &*bearer)];
    stack.anonymous.fetch_as(403, file.url(), &forged).await;
}

/// Returns a URL with a transformation, signed for an hour.
fn signed(acme: &DeliveryFixture<'_>, url: &str, width: &str) -> String {
    let expires = acme.now() + HOUR_SECONDS;
    acme.signer.sign(url, expires, &[("w", width)])
}

async fn set_policy(acme: &TestSpace, policy: &str) {
    let security = json!({ "transformations": policy });
    let space = acme.set_security(&acme.path(), security).await;
    assert_eq!(space["security"]["transformations"], policy);
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn rendition_of_private_file_is_public_once_it_is_rendered(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let file = acme.put_here("private").await;
    let anonymous = &stack.anonymous;
    let unsigned = file.url_with("w=32");
    let any = [("if-none-match", "*")];

    anonymous.get_err(403, &unsigned).await;
    anonymous.fetch_as(403, &unsigned, &any).await;
    anonymous.fetch(&signed(&acme, file.url(), "32")).await;

    anonymous.fetch(&unsigned).await;
    anonymous.fetch_as(304, &unsigned, &any).await;
    anonymous.get_err(403, &file.url_with("w=33")).await;
    anonymous.get_err(403, file.url()).await;

    // A key creates renditions too.
    let by_key = file.url_with("w=34");
    let other = stack.space("Other").await;
    other.get_err(403, &by_key).await;
    acme.role("viewer").await.fetch(&by_key).await;
    anonymous.fetch(&by_key).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn protected_renditions_always_require_credentials(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let authenticated = acme.put_here("authenticated").await;
    let private = acme.put_here("private").await;
    acme.set_access(private.path(), Some(true)).await;

    for file in [&authenticated, &private] {
        let signed = signed(&acme, file.url(), "32");
        stack.anonymous.fetch(&signed).await;
        stack.anonymous.get_err(403, &file.url_with("w=32")).await;

        let changed = signed.replace("w=32", "w=33");
        stack.anonymous.get_err(403, &changed).await;
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn space_requires_signatures_to_create_renditions(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let file = acme.put_here("upload").await;
    let anonymous = &stack.anonymous;
    let existing = file.url_with("w=32");
    anonymous.fetch(&existing).await;

    set_policy(&acme, "signed").await;

    anonymous.fetch(&existing).await;
    anonymous.fetch(file.url()).await;
    anonymous.get_err(403, &file.url_with("w=33")).await;
    anonymous.fetch(&signed(&acme, file.url(), "33")).await;
    anonymous.fetch(&file.url_with("w=33")).await;

    // A folder with a watermark inherits the policy.
    let url = file.url_with("w=34");
    let security = json!({"watermark": {"enabled": false}});
    acme.set_security(acme.folder.path(), security).await;
    anonymous.get_err(403, &url).await;
    let security = json!({"transformations": "any"});
    acme.set_security(acme.folder.path(), security).await;
    anonymous.fetch(&url).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn space_allows_eager_transformations_only(stack: &Stack) {
    let acme = DeliveryFixture::new(stack).await;
    let eager = json!([
        {"width": 32, "height": 32, "crop": "fill"},
        {"width": 20, "crop": "fit", "format": "png"},
        {"width": 36, "crop": "fit"},
    ]);
    for delivery_type in ["upload", "private"] {
        let config = acme.upload_config(&format!("eager-{delivery_type}"));
        let config = config.with_delivery_type(delivery_type);
        let settings = json!({"transformations": {"eager": eager}});
        config.with_settings(settings).await;
    }
    let file = acme.upload(PHOTO).with_config("eager-upload").await;
    let private = acme.upload(PHOTO).with_config("eager-private").await;

    set_policy(&acme, "named").await;

    for (query, status) in [
        ("w=32&h=32&r=fill", 200),
        ("w=32&h=32&r=thumb&g=center&q=auto", 200),
        ("w=20&f=png", 200),
        ("w=32&h=32&r=fill&f=gif", 403),
        ("w=32&h=32&r=fill&q=50", 403),
        ("w=20", 403),
        ("w=20&f=jpeg", 403),
        ("w=32&h=32", 403),
        ("w=33&h=32&r=fill", 403),
        ("f=webp", 403),
    ] {
        let url = file.url_with(query);
        stack.anonymous.fetch_as(status, &url, &[]).await;
    }

    // Those of a private file require credentials until they are rendered.
    let url = private.url_with("w=36");
    stack.anonymous.get_err(403, &url).await;
    let signed = signed(&acme, private.url(), "36");
    stack.anonymous.fetch(&signed).await;
    stack.anonymous.fetch(&url).await;
}
