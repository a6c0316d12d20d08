//! Signatures of webhooks, as [Standard Webhooks](https://www.standardwebhooks.com) specifies them.
//!
//! The signature of a webhook is `v1,` and the base64 of the HMAC-SHA256 of
//! `{id}.{timestamp}.{body}`. The key are the bytes of the space's webhook secret, whose text is
//! `whsec_` and their base64.

use std::fmt;

use base64::{Engine, prelude::BASE64_STANDARD};

use crate::{
    env::Timestamp,
    id::SpaceId,
    signing::{MasterSecret, Secret, Signing},
};

/// Version of the signature scheme.
const VERSION: &str = "v1";

/// One generation of a space's webhook secret.
#[derive(Clone)]
pub struct WebhookSecret(Secret);

impl WebhookSecret {
    /// Prefix of the text.
    pub const PREFIX: &str = "whsec_";

    /// Derives a generation of the secret from the master secret.
    pub fn of(space: SpaceId, generation: u32, master: &MasterSecret) -> WebhookSecret {
        WebhookSecret(master.derive(&format!("webhook {space} {generation}")))
    }

    /// Returns the secret's text, for the owner of the space.
    pub fn reveal(&self) -> String {
        format!(
            "{}{}",
            WebhookSecret::PREFIX,
            BASE64_STANDARD.encode(self.0.bytes())
        )
    }

    /// Returns the signature of a webhook that is sent at a time.
    pub fn sign(&self, id: &str, sent_at: Timestamp, body: &str) -> String {
        let content = format!("{id}.{}.{body}", sent_at.seconds());
        let mac = self.0.mac(content.as_bytes());
        format!("{VERSION},{}", BASE64_STANDARD.encode(mac))
    }

    /// Returns the signatures of a webhook with all valid secrets of a space, separated by spaces:
    /// the current one, and the previous one for a day after a rotation.
    pub fn sign_with_valid(
        space: SpaceId,
        signing: &Signing,
        master: &MasterSecret,
        webhook: &SignedWebhook<'_>,
    ) -> String {
        let previous = signing.previous(webhook.sent_at);
        let generations = [
            Some(signing.generation),
            previous.map(|previous| previous.generation),
        ];
        let signatures = generations.into_iter().flatten().map(|generation| {
            let secret = WebhookSecret::of(space, generation, master);
            secret.sign(webhook.id, webhook.sent_at, webhook.body)
        });
        signatures.collect::<Vec<_>>().join(" ")
    }
}

/// The parts of a webhook that its signature covers.
#[derive(Clone, Copy, Debug)]
pub struct SignedWebhook<'a> {
    pub id: &'a str,
    pub sent_at: Timestamp,
    pub body: &'a str,
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("WebhookSecret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn webhook(sent_at: Timestamp) -> SignedWebhook<'static> {
        SignedWebhook {
            id: "01JCQZ4XK8V9W7Y6T5S4R3Q2P1",
            sent_at,
            body: "{\"test\": 2432232314}",
        }
    }

    #[test]
    fn secret_is_the_base64_of_32_bytes_and_is_not_shown() {
        let secret = WebhookSecret::of(SpaceId::MIN, 1, &MasterSecret::new("master"));
        let text = secret.reveal();
        let encoded = text.strip_prefix("whsec_").expect("the prefix");
        assert_eq!(
            BASE64_STANDARD
                .decode(encoded)
                .ok()
                .map(|bytes| bytes.len()),
            Some(32)
        );
        assert_eq!(format!("{secret:?}"), "WebhookSecret(…)");
    }

    #[test]
    fn rotated_secrets_both_sign_for_a_day() {
        let master = MasterSecret::new("master");
        let rotated_at = Timestamp::from_ms(1_700_000_000_000);
        let mut signing = Signing::default();
        signing.rotate(rotated_at);
        let sign = |sent_at: Timestamp| {
            WebhookSecret::sign_with_valid(SpaceId::MIN, &signing, &master, &webhook(sent_at))
        };
        let with = |generation, sent_at| {
            let SignedWebhook { id, body, .. } = webhook(sent_at);
            WebhookSecret::of(SpaceId::MIN, generation, &master).sign(id, sent_at, body)
        };

        let last = rotated_at.plus_ms(24 * 60 * 60 * 1_000 - 1);
        assert_eq!(sign(last), format!("{} {}", with(2, last), with(1, last)));
        let expired = last.plus_ms(1);
        assert_eq!(sign(expired), with(2, expired));
    }
}
