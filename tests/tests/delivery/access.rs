//! Access at the CDN, by the settings of a file, its type, its folders and its space, and by the
//! credentials of the request.

use serde_json::json;
use tests::{Client, PHOTO, Stack, StackOptions, stack_test};

use super::fixture::{CACHED_SECONDS, DeliveryFixture, HOUR_SECONDS, NOT_CACHED, TYPES, cached};
use super::signers::DeliverySigner;

/// The values of `requires_auth` on each level.
const CHOICES: [Option<bool>; 3] = [None, Some(false), Some(true)];

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

/// A request and its expected outcome.
struct Probe<'a> {
    what: &'static str,
    url: String,
    client: &'a Client,
    outcome: Outcome,
}

impl<'a> Probe<'a> {
    fn new(what: &'static str, url: &str, client: &'a Client, outcome: Outcome) -> Probe<'a> {
        Probe {
            what,
            url: url.to_owned(),
            client,
            outcome,
        }
    }
}

/// The file that is requested, and the settings that apply to it.
struct ProbedFile<'a> {
    delivery_type: &'a str,
    /// Values of `requires_auth` of the space, the folder and the file.
    settings: [Option<bool>; 3],
    /// The expected effective setting.
    requires_auth: bool,
}

/// Signed URLs of a file.
struct SignedUrls {
    /// The URL that is signed.
    url: String,
    valid: String,
    tampered: String,
    expired: String,
}

impl SignedUrls {
    fn of(fixture: &DeliveryFixture<'_>, url: &str) -> SignedUrls {
        let valid = fixture.signer.sign(url, fixture.now() + HOUR_SECONDS, &[]);
        SignedUrls {
            url: url.to_owned(),
            tampered: tampered(&valid),
            expired: fixture.signer.sign(url, fixture.now(), &[]),
            valid,
        }
    }
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
    let signed = SignedUrls::of(fixture, url);

    let mut probes = signature_probes(fixture, visitors, &signed);
    probes.extend(key_probes(fixture, visitors, url));
    probes.extend(signature_and_key_probes(visitors, &signed));
    probes
}

/// Returns requests with a signature alone.
fn signature_probes<'a>(
    fixture: &'a DeliveryFixture<'a>,
    visitors: &Visitors,
    signed: &SignedUrls,
) -> Vec<Probe<'a>> {
    let anonymous = &fixture.stack.anonymous;
    let expires = fixture.now() + HOUR_SECONDS;
    let last_second = fixture.signer.sign(&signed.url, fixture.now() + 1, &[]);
    let without_secret_id = signed.valid.replace("&kid=1", "");
    let foreign = visitors.signer.sign(&signed.url, expires, &[]);
    let probe = |what, url: &str, outcome| Probe::new(what, url, anonymous, outcome);

    vec![
        probe("a signature", &signed.valid, OpenedFor(CACHED_SECONDS)),
        probe(
            "a signature for one second more",
            &last_second,
            OpenedFor(1),
        ),
        probe("an expired signature", &signed.expired, Rejected),
        probe("a tampered signature", &signed.tampered, Rejected),
        probe(
            "a signature that names no secret",
            &without_secret_id,
            Rejected,
        ),
        probe("another space's signature", &foreign, Rejected),
    ]
}

/// Returns requests with a key alone, and one without any credential.
fn key_probes<'a>(
    fixture: &'a DeliveryFixture<'a>,
    visitors: &'a Visitors,
    url: &str,
) -> Vec<Probe<'a>> {
    let anonymous = &fixture.stack.anonymous;
    let viewer = &visitors.viewer;
    let keyed = format!("{url}?api_key={}", viewer.key.as_deref().expect("a key"));
    let probe = |what, client, outcome| Probe::new(what, url, client, outcome);

    vec![
        probe("no credential", anonymous, Anonymous),
        probe("a viewer's key", viewer, OpenedByKey),
        probe("a member's key", &visitors.member, OpenedByKey),
        probe("a foreign key", &visitors.foreign, Anonymous),
        probe("key of an outsider", &visitors.outsider, Anonymous),
        probe("what looks like a key", &visitors.odd, Anonymous),
        Probe::new("a key in the query", &keyed, anonymous, Anonymous),
    ]
}

/// Returns requests with both a signature and a key: the signature decides.
fn signature_and_key_probes<'a>(visitors: &'a Visitors, signed: &SignedUrls) -> Vec<Probe<'a>> {
    let viewer = &visitors.viewer;
    let public = OpenedFor(CACHED_SECONDS);
    let probe = |what, url: &str, client, outcome| Probe::new(what, url, client, outcome);

    vec![
        probe(
            "a signature and a foreign key",
            &signed.valid,
            &visitors.foreign,
            public,
        ),
        probe(
            "a signature and what looks like a key",
            &signed.valid,
            &visitors.odd,
            public,
        ),
        probe(
            "a tampered signature and a viewer's key",
            &signed.tampered,
            viewer,
            Rejected,
        ),
        probe(
            "an expired signature and a viewer's key",
            &signed.expired,
            viewer,
            Rejected,
        ),
    ]
}

/// Sends every request for a file.
async fn assert_responses(probes: &[Probe<'_>], file: &ProbedFile<'_>) {
    for probe in probes {
        let cache_control = match probe.outcome {
            Anonymous | OpenedByKey if !file.requires_auth => Some(cached(CACHED_SECONDS)),
            Anonymous | Rejected => None,
            OpenedFor(seconds) if file.delivery_type != "authenticated" => Some(cached(seconds)),
            OpenedFor(_) | OpenedByKey => Some(NOT_CACHED.to_owned()),
        };
        let case = format!(
            "{}: {}, {:?}",
            probe.what, file.delivery_type, file.settings
        );

        let response = probe.client.get(&probe.url).await.with_context(&case);
        let Some(cache_control) = cache_control else {
            response.expect_error(403);
            continue;
        };
        let delivered = response.expect_status(200);
        assert_eq!(delivered.header("cache-control"), cache_control, "{case}");
        assert!(delivered.body == PHOTO, "{case}");
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

                    fixture.set(&file.path, direct).await;
                    let probed = ProbedFile {
                        delivery_type,
                        settings: [space, folder, direct],
                        requires_auth: nearest || is_protected_type,
                    };
                    assert_responses(probes, &probed).await;
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
            viewer.fetch(&fixture.signed(&file.url)).await.body == PHOTO,
            "{delivery_type}"
        );
    }
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn key_opens_files_until_revoked(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let file = fixture.put_here("private").await;
    let acme = &fixture.acme;
    let key = acme.create_key("viewer").role("viewer").await;

    key.client.fetch(&file.url).await;
    acme.delete_ok(key.path()).await;
    key.client.get_err(403, &file.url).await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn either_access_flag_closes_file_folder_and_space(stack: &Stack) {
    let fixture = DeliveryFixture::new(stack).await;
    let file = fixture.put_here("upload").await;

    for path in [&fixture.space(), &fixture.folder, &file.path] {
        let path = format!("{path}/access-control");
        for (flags, protected) in [
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
                .put_ok(&path, json!({"access_control": flags}))
                .await;
            let status = if protected { 403 } else { 200 };
            fixture
                .stack
                .anonymous
                .get(&file.url)
                .await
                .expect_status(status);
            let access_control = fixture.acme.get_ok(&file.path).await["access_control"].clone();
            let both = (
                &access_control["requires_auth"],
                &access_control["public_read"],
            );
            assert_eq!(
                both,
                (&json!(protected), &json!(!protected)),
                "{path} {flags}"
            );
        }
        fixture.acme.delete(&path).await.expect_ok();
        fixture.stack.anonymous.fetch(&file.url).await;
    }
}
