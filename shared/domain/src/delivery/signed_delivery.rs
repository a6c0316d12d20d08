//! Signed addresses to deliver from: whoever holds one sees the file, as the address says, until it
//! expires.
//!
//! `GET /{storage_path}?expires&kid[&w&h&r&g&f&q][&download]&signature`, signed as
//! [`canonical_form`] says over the path `/{storage_path}`. Every other parameter that an address
//! has is covered too.

use crate::{
    MasterSecret, SIGNATURE_PARAMETER, SignatureError, Signing, SigningSecret, SpaceId, Timestamp,
    canonical_form,
    signing::signature::{EXPIRES, KID, needed},
    verify_signature,
};

/// What an address has to prove that it may be delivered, not yet proven. It is never printed:
/// whoever has its signature may use it.
#[derive(Clone)]
pub struct SignedDelivery {
    expires_seconds: i64,
    kid: String,
    canonical: String,
    signature: String,
}

impl SignedDelivery {
    /// What a path and the decoded parameters of its query present; `None` where they present
    /// nothing.
    pub fn parse(
        path: &str,
        parameters: &[(String, String)],
    ) -> Option<Result<SignedDelivery, SignatureError>> {
        let presents = parameters
            .iter()
            .any(|(name, _)| name == SIGNATURE_PARAMETER);
        presents.then(|| SignedDelivery::of(path, parameters))
    }

    fn of(path: &str, parameters: &[(String, String)]) -> Result<SignedDelivery, SignatureError> {
        let pairs = parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        Ok(SignedDelivery {
            expires_seconds: needed(parameters, EXPIRES)?
                .parse()
                .map_err(|_| SignatureError::Incomplete)?,
            kid: needed(parameters, KID)?.to_owned(),
            canonical: canonical_form(path, pairs),
            signature: needed(parameters, SIGNATURE_PARAMETER)?.to_owned(),
        })
    }

    /// How many seconds the address goes on being good for, at least one, where it is proven by a
    /// secret of this space.
    pub fn verify(
        &self,
        space: SpaceId,
        signing: Signing,
        master: &MasterSecret,
        now: Timestamp,
    ) -> Result<i64, SignatureError> {
        let presented = (
            self.kid.as_str(),
            self.canonical.as_str(),
            self.signature.as_str(),
        );
        if !verify_signature(space, signing, presented, master, now) {
            return Err(SignatureError::Invalid);
        }
        let left = self.expires_seconds.saturating_sub(now.seconds());
        if left > 0 {
            Ok(left)
        } else {
            Err(SignatureError::Expired)
        }
    }
}

/// The query that lets a path be delivered with these parameters until then, signed by a space's
/// present secret; `signature` stands last.
pub fn signed_query(
    path: &str,
    parameters: &[(&str, &str)],
    expires_seconds: i64,
    signing: Signing,
    secret: &SigningSecret,
) -> String {
    let (expires, kid) = (expires_seconds.to_string(), signing.generation.to_string());
    let added = [(EXPIRES, expires.as_str()), (KID, kid.as_str())];
    let canonical = canonical_form(path, parameters.iter().copied().chain(added));
    let query = canonical.split_once('?').map_or("", |(_, query)| query);
    format!("{query}&{SIGNATURE_PARAMETER}={}", secret.sign(&canonical))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decoded_parameters;

    const PATH: &str = "/acme01/a.jpg";
    const EXPIRES_SECONDS: i64 = 100;

    fn secret(space: SpaceId, generation: u32) -> SigningSecret {
        SigningSecret::of(space, generation, &MasterSecret::new("master"))
    }

    fn query(parameters: &[(&str, &str)]) -> String {
        signed_query(
            PATH,
            parameters,
            EXPIRES_SECONDS,
            Signing::default(),
            &secret(SpaceId::MIN, 1),
        )
    }

    fn decoded(query: &str) -> Vec<(String, String)> {
        decoded_parameters(query).expect("UTF-8")
    }

    /// What comes of an address at a path, in a space, at a second.
    fn outcome(
        path: &str,
        parameters: &[(String, String)],
        (space, signing): (SpaceId, Signing),
        seconds: i64,
    ) -> Option<Result<i64, SignatureError>> {
        let (master, now) = (
            MasterSecret::new("master"),
            Timestamp::from_ms(seconds * 1_000),
        );
        let presented = SignedDelivery::parse(path, parameters)?;
        Some(presented.and_then(|proof| proof.verify(space, signing, &master, now)))
    }

    fn here(parameters: &[(String, String)], seconds: i64) -> Option<Result<i64, SignatureError>> {
        outcome(
            PATH,
            parameters,
            (SpaceId::MIN, Signing::default()),
            seconds,
        )
    }

    #[test]
    fn a_query_is_in_its_canonical_form_with_the_signature_last() {
        let signed = query(&[("w", "100"), ("download", "a b")]);
        let (query, signature) = signed.rsplit_once("&signature=").expect("it is signed");
        assert_eq!(query, "download=a%20b&expires=100&kid=1&w=100");
        assert_eq!(
            signature,
            secret(SpaceId::MIN, 1).sign(&format!("{PATH}?{query}"))
        );
    }

    #[test]
    fn an_address_is_good_until_it_expires() {
        let signed = decoded(&query(&[]));
        for (seconds, expected) in [
            (0, Ok(100)),
            (99, Ok(1)),
            (100, Err(SignatureError::Expired)),
            (101, Err(SignatureError::Expired)),
        ] {
            assert_eq!(here(&signed, seconds), Some(expected), "{seconds}");
        }
        let late = SignedDelivery::parse(PATH, &signed)
            .and_then(Result::ok)
            .expect("it is complete");
        let just_before = Timestamp::from_ms(99_999);
        let proven = late.verify(
            SpaceId::MIN,
            Signing::default(),
            &MasterSecret::new("master"),
            just_before,
        );
        assert_eq!(proven, Ok(1));
    }

    #[test]
    fn changed_signed_url_is_rejected() {
        let signed = decoded(&query(&[("w", "100"), ("download", "")]));
        assert_eq!(here(&signed, 0), Some(Ok(100)));
        for index in 0..signed.len() {
            let (mut changed, mut renamed, mut missing) =
                (signed.clone(), signed.clone(), signed.clone());
            changed[index].1.push('0');
            renamed[index].0.push('0');
            missing.remove(index);
            let twice = [&signed[..], &signed[index..=index]].concat();
            for tampered in [changed, renamed, missing, twice] {
                assert!(
                    !matches!(here(&tampered, 0), Some(Ok(_))),
                    "{:?}",
                    signed[index]
                );
            }
        }
        let more = [&signed[..], &[("v".to_owned(), "1".to_owned())]].concat();
        assert_eq!(here(&more, 0), Some(Err(SignatureError::Invalid)));
        for path in [
            "/acme01/b.jpg",
            "/acme01/a.jpg/",
            "acme01/a.jpg",
            "/Acme01/a.jpg",
        ] {
            let elsewhere = outcome(path, &signed, (SpaceId::MIN, Signing::default()), 0);
            assert_eq!(elsewhere, Some(Err(SignatureError::Invalid)), "{path}");
        }
        let other = outcome(PATH, &signed, (SpaceId::MAX, Signing::default()), 0);
        assert_eq!(other, Some(Err(SignatureError::Invalid)));
    }

    #[test]
    fn what_is_incomplete_is_told_from_what_presents_nothing() {
        let signed = query(&[]);
        let signature = signed.rsplit_once('=').expect("it is signed").1;
        for nothing in ["", "w=100", "expires=100&kid=1", "Signature=00"] {
            assert_eq!(here(&decoded(nothing), 0), None, "{nothing}");
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
                here(&decoded(&incomplete), 0),
                Some(Err(SignatureError::Incomplete)),
                "{incomplete}"
            );
        }
        assert_eq!(
            here(&decoded("expires=100&kid=1&signature="), 0),
            Some(Err(SignatureError::Invalid))
        );
    }

    #[test]
    fn order_and_encoding_make_no_difference() {
        let signed = query(&[("download", "a+é/b"), ("w", "100")]);
        let (_, signature) = signed.rsplit_once('=').expect("it is signed");
        for spelled in [
            signed.clone(),
            format!("signature={signature}&w=100&kid=1&expires=100&download=a%2B%C3%A9%2Fb"),
            format!(
                "w=%31%30%30&download=a+%c3%a9/b&kid=1&&expires=100&signature={}",
                signature.to_uppercase()
            ),
        ] {
            assert_eq!(here(&decoded(&spelled), 0), Some(Ok(100)), "{spelled}");
        }
        let spaced =
            format!("w=100&download=a%20%C3%A9%2Fb&kid=1&expires=100&signature={signature}");
        assert_eq!(
            here(&decoded(&spaced), 0),
            Some(Err(SignatureError::Invalid)),
            "a plus is a plus"
        );
    }

    #[test]
    fn the_secret_before_the_present_one_is_good_for_a_day_and_none_before_it() {
        const DAY_SECONDS: i64 = 24 * 60 * 60;
        let mut signing = Signing::default();
        let sign = |signing: Signing| {
            let secret = secret(SpaceId::MIN, signing.generation);
            decoded(&signed_query(PATH, &[], 2 * DAY_SECONDS, signing, &secret))
        };
        let first = sign(signing);
        signing.rotate(Timestamp::from_ms(0));
        let second = sign(signing);
        for (signed, seconds, expected) in [
            (&first, DAY_SECONDS - 1, Ok(DAY_SECONDS + 1)),
            (&first, DAY_SECONDS, Err(SignatureError::Invalid)),
            (&second, DAY_SECONDS, Ok(DAY_SECONDS)),
        ] {
            assert_eq!(
                outcome(PATH, signed, (SpaceId::MIN, signing), seconds),
                Some(expected),
                "{seconds}"
            );
        }
        signing.rotate(Timestamp::from_ms(1_000));
        assert_eq!(
            outcome(PATH, &first, (SpaceId::MIN, signing), 1),
            Some(Err(SignatureError::Invalid))
        );
        assert!(matches!(
            outcome(PATH, &second, (SpaceId::MIN, signing), 1),
            Some(Ok(_))
        ));
    }
}
