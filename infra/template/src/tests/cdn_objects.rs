//! Tests of the cache behavior for objects.

use super::{DEPLOYED, context, texts};
use crate::{Diagnostics, Permission, PublicKey, ResolvedTemplate, read};

const PUBLIC_KEY: &str = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n";
const SECRET_ARN: &str = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:key-abcdef";

/// Reads a template with these values of the parameters of the key pair.
fn with_key_pair(
    text: &str,
    public_key: &str,
    secret: &str,
) -> Result<ResolvedTemplate, Diagnostics> {
    let mut context = context();
    context.parameters.extend([
        ("CdnPublicKey".to_owned(), public_key.to_owned()),
        ("CdnPrivateKeySecretArn".to_owned(), secret.to_owned()),
    ]);
    read(text, &context)
}

#[test]
fn key_pair_adds_behavior_with_its_public_key() -> Result<(), Diagnostics> {
    let stack = with_key_pair(DEPLOYED, PUBLIC_KEY, SECRET_ARN)?;
    let objects = stack.cdn_objects.expect("a behavior");

    assert_eq!(objects.path_prefix, "/_objects/");
    assert_eq!(objects.bucket, stack.buckets[0].name);
    let key = PublicKey {
        id: "larder-CdnKeyPair".to_owned(),
        pem: PUBLIC_KEY.to_owned(),
    };
    assert_eq!(objects.public_keys, [key]);
    let parameters = [
        "response-cache-control",
        "response-content-disposition",
        "response-content-type",
    ];
    assert_eq!(objects.query_parameters, texts(parameters));
    let header_names: Vec<_> = objects
        .response_headers
        .iter()
        .map(|header| header.name)
        .collect();
    assert_eq!(
        header_names,
        [
            "x-content-type-options",
            "content-security-policy",
            "access-control-allow-origin",
            "access-control-expose-headers",
        ]
    );
    let permission = Permission {
        actions: texts(["s3:GetObject"]),
        resources: vec![format!("arn:aws:s3:::{}/_objects/*", objects.bucket)],
    };
    assert_eq!(objects.permissions, [permission]);

    let delivery = stack.functions.iter().find(|function| function.has_url);
    let delivery = delivery.expect("the origin");
    assert_eq!(delivery.environment["CDN_KEY_PAIR_ID"], "larder-CdnKeyPair");
    assert_eq!(delivery.environment["CDN_PRIVATE_KEY_ARN"], SECRET_ARN);
    assert!(delivery.permissions.contains(&Permission {
        actions: texts(["secretsmanager:GetSecretValue"]),
        resources: texts([SECRET_ARN]),
    }));
    Ok(())
}

#[test]
fn half_a_key_pair_adds_nothing() -> Result<(), Diagnostics> {
    for (public_key, secret) in [("", ""), (PUBLIC_KEY, ""), ("", SECRET_ARN)] {
        let stack = with_key_pair(DEPLOYED, public_key, secret)?;
        assert_eq!(stack.cdn_objects, None);
        for function in &stack.functions {
            let has_key = function.environment.get("CDN_KEY_PAIR_ID");
            assert!(has_key.is_none_or(String::is_empty), "{}", function.binary);
        }
    }
    Ok(())
}

#[test]
fn parameter_that_is_no_public_key_is_rejected() {
    for public_key in [
        "AAAA",
        &PUBLIC_KEY.replace("PUBLIC", "PRIVATE"),
        "-----BEGIN PUBLIC KEY-----",
    ] {
        assert!(
            with_key_pair(DEPLOYED, public_key, SECRET_ARN).is_err(),
            "{public_key}"
        );
    }
}

#[test]
fn behavior_that_is_not_supported_is_rejected() {
    for (old, new, expected) in [
        (
            "PathPattern: /_objects/*",
            "PathPattern: /_objects/?",
            "`PathPattern`",
        ),
        (
            "TargetOriginId: objects",
            "TargetOriginId: delivery",
            "of a bucket",
        ),
        (
            "TargetOriginId: objects",
            "TargetOriginId: other",
            "`TargetOriginId`",
        ),
        (
            "TrustedKeyGroups: [!Ref CdnKeyGroup]",
            "TrustedKeyGroups: [other]",
            "`TrustedKeyGroups` must name",
        ),
        (
            "TrustedKeyGroups: [!Ref CdnKeyGroup]",
            "SmoothStreaming: true",
            "`TrustedKeyGroups`",
        ),
    ] {
        let template = DEPLOYED.replacen(old, new, 1);
        assert_ne!(template, DEPLOYED);
        let diagnostics = with_key_pair(&template, PUBLIC_KEY, SECRET_ARN).err();
        let message = diagnostics
            .map(|diagnostics| diagnostics.to_string())
            .unwrap_or_default();
        assert!(message.contains(expected), "{new}: {message}");
    }
}
