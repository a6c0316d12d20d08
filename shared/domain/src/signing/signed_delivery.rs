//! Signed delivery URLs, which deliver a file without an API key until they expire.
//!
//! `GET /{storage_path}?expires&kid[&w&h&r&g&f&q][&download]&signature`, signed over the
//! [`canonical_form`] of the path `/{storage_path}`. The signature covers all parameters of the
//! URL, including unknown ones.
//!
//! Invariant: a URL with a wrong signature is rejected as such, even if it has expired.

use crate::{
    env::Timestamp,
    id::SpaceId,
    signing::{
        MasterSecret, QueryParameter, SIGNATURE_PARAMETER, SignatureError, Signing, SigningSecret,
        canonical_form,
        query_parameter::required_parameter,
        signature::{EXPIRES, KID, PresentedSignature},
    },
};

/// Signature of a delivery URL, not verified yet. Has no `Debug`, since a signature grants access.
#[derive(Clone)]
pub struct SignedDelivery {
    expires_seconds: i64,
    signature: PresentedSignature,
}

impl SignedDelivery {
    /// Reads the signature from a path and its decoded query parameters. Returns `None` for an
    /// unsigned URL.
    pub fn parse(
        path: &str,
        parameters: &[QueryParameter<'_>],
    ) -> Option<Result<SignedDelivery, SignatureError>> {
        let is_signed = parameters
            .iter()
            .any(|parameter| parameter.name == SIGNATURE_PARAMETER);
        is_signed.then(|| SignedDelivery::parse_signed(path, parameters))
    }

    fn parse_signed(
        path: &str,
        parameters: &[QueryParameter<'_>],
    ) -> Result<SignedDelivery, SignatureError> {
        let expires = required_parameter(parameters, EXPIRES)?;

        Ok(SignedDelivery {
            expires_seconds: expires.parse().map_err(|_| SignatureError::Incomplete)?,
            signature: PresentedSignature::parse(path, parameters)?,
        })
    }

    /// Verifies the signature and returns the seconds until the URL expires, at least 1.
    pub fn verify(
        &self,
        space: SpaceId,
        signing: Signing,
        master: &MasterSecret,
        now: Timestamp,
    ) -> Result<i64, SignatureError> {
        self.signature.verify(space, signing, master, now)?;

        let remaining_seconds = self.expires_seconds.saturating_sub(now.seconds());
        if remaining_seconds > 0 {
            Ok(remaining_seconds)
        } else {
            Err(SignatureError::Expired)
        }
    }
}

/// Returns the signed query of a delivery URL, with `signature` as its last parameter.
pub fn signed_query(
    path: &str,
    parameters: &[QueryParameter<'_>],
    expires_seconds: i64,
    secret: &SigningSecret,
) -> String {
    let mut all = parameters.to_vec();
    all.push(QueryParameter::new(EXPIRES, expires_seconds.to_string()));
    all.push(QueryParameter::new(KID, secret.kid()));

    secret.signed_query(&canonical_form(path, &all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::decoded_parameters;

    const PATH: &str = "/acme01/a.jpg";
    const EXPIRES_SECONDS: i64 = 100;

    fn secret(space: SpaceId, generation: u32) -> SigningSecret {
        SigningSecret::of(space, generation, &MasterSecret::new("master"))
    }

    fn query(parameters: &[QueryParameter<'_>]) -> String {
        signed_query(PATH, parameters, EXPIRES_SECONDS, &secret(SpaceId::MIN, 1))
    }

    fn decoded(query: &str) -> Vec<QueryParameter<'_>> {
        decoded_parameters(query).expect("UTF-8")
    }

    /// The path and the space that a URL is verified for.
    struct Verifier {
        path: &'static str,
        space: SpaceId,
        signing: Signing,
    }

    impl Default for Verifier {
        fn default() -> Verifier {
            Verifier {
                path: PATH,
                space: SpaceId::MIN,
                signing: Signing::default(),
            }
        }
    }

    impl Verifier {
        /// Verifies a URL at a second since 1970. Returns `None` for an unsigned URL.
        fn verify(
            &self,
            parameters: &[QueryParameter<'_>],
            seconds: i64,
        ) -> Option<Result<i64, SignatureError>> {
            let master = MasterSecret::new("master");
            let now = Timestamp::from_ms(seconds * 1_000);

            let parsed = SignedDelivery::parse(self.path, parameters)?;
            Some(parsed.and_then(|signed| signed.verify(self.space, self.signing, &master, now)))
        }
    }

    fn verify(
        parameters: &[QueryParameter<'_>],
        seconds: i64,
    ) -> Option<Result<i64, SignatureError>> {
        Verifier::default().verify(parameters, seconds)
    }

    #[test]
    fn signed_query_is_canonical_with_signature_last() {
        let signed = query(&[
            QueryParameter::new("w", "100"),
            QueryParameter::new("download", "a b"),
        ]);
        let (query, signature) = signed.rsplit_once("&signature=").expect("it is signed");
        assert_eq!(query, "download=a%20b&expires=100&kid=1&w=100");
        assert_eq!(
            signature,
            secret(SpaceId::MIN, 1).sign(&format!("{PATH}?{query}"))
        );
    }

    #[test]
    fn url_is_valid_until_it_expires() {
        let query = query(&[]);
        let signed = decoded(&query);
        for (seconds, expected) in [
            (0, Ok(100)),
            (99, Ok(1)),
            (100, Err(SignatureError::Expired)),
            (101, Err(SignatureError::Expired)),
        ] {
            assert_eq!(verify(&signed, seconds), Some(expected), "{seconds}");
        }

        let late = SignedDelivery::parse(PATH, &signed)
            .and_then(Result::ok)
            .expect("it is complete");
        let just_before = Timestamp::from_ms(99_999);
        let remaining = late.verify(
            SpaceId::MIN,
            Signing::default(),
            &MasterSecret::new("master"),
            just_before,
        );

        assert_eq!(remaining, Ok(1));
    }

    #[test]
    fn changed_missing_or_added_parameters_are_rejected() {
        let query = query(&[
            QueryParameter::new("w", "100"),
            QueryParameter::new("download", ""),
        ]);
        let signed = decoded(&query);
        assert_eq!(verify(&signed, 0), Some(Ok(100)));

        for index in 0..signed.len() {
            let mut changed = signed.clone();
            changed[index].value.to_mut().push('0');
            let mut renamed = signed.clone();
            renamed[index].name.to_mut().push('0');
            let mut missing = signed.clone();
            missing.remove(index);
            let repeated = [&signed[..], &signed[index..=index]].concat();
            for tampered in [changed, renamed, missing, repeated] {
                assert!(
                    !matches!(verify(&tampered, 0), Some(Ok(_))),
                    "{:?}",
                    signed[index]
                );
            }
        }

        let more = [&signed[..], &[QueryParameter::new("v", "1")]].concat();
        assert_eq!(verify(&more, 0), Some(Err(SignatureError::Invalid)));
        for path in [
            "/acme01/b.jpg",
            "/acme01/a.jpg/",
            "acme01/a.jpg",
            "/Acme01/a.jpg",
        ] {
            let elsewhere = Verifier {
                path,
                ..Verifier::default()
            };
            let result = elsewhere.verify(&signed, 0);
            assert_eq!(result, Some(Err(SignatureError::Invalid)), "{path}");
        }

        let other_space = Verifier {
            space: SpaceId::MAX,
            ..Verifier::default()
        };
        let result = other_space.verify(&signed, 0);
        assert_eq!(result, Some(Err(SignatureError::Invalid)));
    }

    #[test]
    fn incomplete_url_is_an_error_and_unsigned_url_is_none() {
        let signed = query(&[]);
        let signature = signed.rsplit_once('=').expect("it is signed").1;

        for unsigned in ["", "w=100", "expires=100&kid=1", "Signature=00"] {
            assert_eq!(verify(&decoded(unsigned), 0), None, "{unsigned}");
        }

        for incomplete in [
            "signature=".to_owned(),
            format!("signature={signature}"),
            format!("expires=100&signature={signature}"),
            format!("kid=1&signature={signature}"),
            format!("expires=soon&kid=1&signature={signature}"),
            format!("expires=&kid=1&signature={signature}"),
            format!("expires=99999999999999999999&kid=1&signature={signature}"),
            format!("{signed}&expires=100"),
            format!("{signed}&kid=1"),
            format!("{signed}&signature={signature}"),
        ] {
            assert_eq!(
                verify(&decoded(&incomplete), 0),
                Some(Err(SignatureError::Incomplete)),
                "{incomplete}"
            );
        }

        assert_eq!(
            verify(&decoded("expires=100&kid=1&signature="), 0),
            Some(Err(SignatureError::Invalid))
        );
    }

    #[test]
    fn parameter_order_and_encoding_do_not_matter() {
        let signed = query(&[
            QueryParameter::new("download", "a+é/b"),
            QueryParameter::new("w", "100"),
        ]);
        let (_, signature) = signed.rsplit_once('=').expect("it is signed");

        for equivalent in [
            signed.clone(),
            format!("signature={signature}&w=100&kid=1&expires=100&download=a%2B%C3%A9%2Fb"),
            format!(
                "w=%31%30%30&download=a+%c3%a9/b&kid=1&&expires=100&signature={}",
                signature.to_uppercase()
            ),
        ] {
            assert_eq!(
                verify(&decoded(&equivalent), 0),
                Some(Ok(100)),
                "{equivalent}"
            );
        }

        let spaced =
            format!("w=100&download=a%20%C3%A9%2Fb&kid=1&expires=100&signature={signature}");
        assert_eq!(
            verify(&decoded(&spaced), 0),
            Some(Err(SignatureError::Invalid)),
            "a plus is a plus"
        );
    }

    #[test]
    fn previous_secret_is_valid_for_a_day_and_older_ones_are_not() {
        const DAY_SECONDS: i64 = 24 * 60 * 60;

        let mut signing = Signing::default();
        let sign = |signing: Signing| {
            let secret = secret(SpaceId::MIN, signing.generation);
            signed_query(PATH, &[], 2 * DAY_SECONDS, &secret)
        };
        let verify = |query: &str, signing: Signing, seconds: i64| {
            let verifier = Verifier {
                signing,
                ..Verifier::default()
            };
            verifier.verify(&decoded(query), seconds)
        };

        let first = sign(signing);
        signing.rotate(Timestamp::from_ms(0));
        let second = sign(signing);
        for (signed, seconds, expected) in [
            (&first, DAY_SECONDS - 1, Ok(DAY_SECONDS + 1)),
            (&first, DAY_SECONDS, Err(SignatureError::Invalid)),
            (&second, DAY_SECONDS, Ok(DAY_SECONDS)),
        ] {
            let result = verify(signed, signing, seconds);
            assert_eq!(result, Some(expected), "{seconds}");
        }

        signing.rotate(Timestamp::from_ms(1_000));
        assert_eq!(
            verify(&first, signing, 1),
            Some(Err(SignatureError::Invalid))
        );
        assert!(matches!(verify(&second, signing, 1), Some(Ok(_))));
    }
}
