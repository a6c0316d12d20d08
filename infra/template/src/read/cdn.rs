//! The CloudFront distribution and its origins.

use super::cdn_objects;
use crate::catalog::Kind;
use crate::model::ObjectBehavior;
use crate::node::Node;
use crate::properties::Properties;
use crate::resource::Resource;
use crate::scope::Scope;

/// Without an effect locally, where the gateway emulates the CDN.
const CONFIG_WITHOUT_EFFECT: &[&str] = &[
    "Comment",
    "CustomErrorResponses",
    "Enabled",
    "HttpVersion",
    "IPV6Enabled",
    "Logging",
    "PriceClass",
    "Restrictions",
    "ViewerCertificate",
    "WebACLId",
];

const BEHAVIOR_WITHOUT_EFFECT: &[&str] = &[
    "AllowedMethods",
    "CachePolicyId",
    "CachedMethods",
    "Compress",
    "FunctionAssociations",
    "OriginRequestPolicyId",
    "ResponseHeadersPolicyId",
    "ViewerProtocolPolicy",
];

const ORIGIN_WITHOUT_EFFECT: &[&str] = &[
    "ConnectionAttempts",
    "ConnectionTimeout",
    "CustomOriginConfig",
    "OriginAccessControlId",
    "S3OriginConfig",
];

/// The distribution.
pub(super) struct Cdn {
    /// Logical id of the function whose URL is the origin of the default behavior.
    pub(super) origin: Option<String>,
    /// The behavior with an S3 origin, if there is one.
    pub(super) objects: Option<ObjectBehavior>,
    /// Alternate domain names.
    pub(super) aliases: Vec<String>,
}

/// An origin of the distribution.
pub(super) struct Origin<'tree> {
    id: &'tree str,
    pub(super) domain: &'tree Node,
}

/// Reads the distribution. Reports an error for a default behavior whose origin is no function URL.
pub(super) fn read(properties: &mut Properties<'_, '_>, scope: &Scope<'_>) -> Cdn {
    let report = scope.report;
    let Some(config) = properties.required("DistributionConfig") else {
        return Cdn {
            origin: None,
            objects: None,
            aliases: Vec::new(),
        };
    };
    let mut config = Properties::of(config, "DistributionConfig", report);
    config.without_effect(CONFIG_WITHOUT_EFFECT);

    let target = config.required("DefaultCacheBehavior").and_then(|node| {
        let mut behavior = Properties::of(node, "DefaultCacheBehavior", report);
        behavior.without_effect(BEHAVIOR_WITHOUT_EFFECT);
        let target = behavior.required("TargetOriginId");
        behavior.finish();
        target
    });
    config.required("Origins");
    let origins = origins(config.items("Origins"), scope);
    let behaviors = config.items("CacheBehaviors");
    let aliases = config.texts("Aliases");
    config.finish();

    for behavior in behaviors.iter().skip(1) {
        report.add(
            behavior.line,
            "more than one cache behavior is not supported",
        );
    }

    Cdn {
        origin: target
            .and_then(|target| find(&origins, target, scope))
            .and_then(|origin| function_at(origin.domain, scope)),
        objects: behaviors
            .first()
            .and_then(|behavior| cdn_objects::read(behavior, &origins, scope)),
        aliases,
    }
}

fn origins<'tree>(nodes: &'tree [Node], scope: &Scope<'_>) -> Vec<Origin<'tree>> {
    let mut origins = Vec::new();
    for node in nodes {
        let mut origin = Properties::of(node, "an origin", scope.report);
        origin.without_effect(ORIGIN_WITHOUT_EFFECT);
        let id = origin.required_text("Id");
        let domain = origin.required("DomainName");
        origin.finish();

        if let (Some(id), Some(domain)) = (id, domain) {
            origins.push(Origin { id, domain });
        }
    }
    origins
}

/// Returns the origin that a behavior selects. Reports an error if there is none.
pub(super) fn find<'origins, 'tree>(
    origins: &'origins [Origin<'tree>],
    target: &Node,
    scope: &Scope<'_>,
) -> Option<&'origins Origin<'tree>> {
    let origin = origins
        .iter()
        .find(|origin| target.text() == Some(origin.id));
    if origin.is_none() {
        scope
            .report
            .add(target.line, "`TargetOriginId` must be the id of an origin");
    }
    origin
}

fn function_at(domain: &Node, scope: &Scope<'_>) -> Option<String> {
    let has_domain = |(id, resource): &(&str, &Resource<'_>)| {
        resource.properties.get("FunctionUrlConfig").is_some()
            && scope
                .attribute(&format!("{id}Url"), "FunctionUrl", resource.line)
                .as_deref()
                .and_then(host)
                == domain.text()
    };

    let function = scope.of_kind(Kind::Function).find(has_domain);

    if function.is_none() {
        scope.report.add(
            domain.line,
            "the CDN's origin must be the function URL of a function of this template",
        );
    }

    function.map(|(id, _)| id.to_owned())
}

fn host(url: &str) -> Option<&str> {
    url.split('/').nth(2)
}
