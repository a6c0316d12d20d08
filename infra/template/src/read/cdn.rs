//! The CloudFront distribution and its origin.

use crate::catalog::Kind;
use crate::node::Node;
use crate::properties::Properties;
use crate::resource::Resource;
use crate::scope::Scope;

/// Without an effect locally, where the gateway emulates the CDN.
const CONFIG_WITHOUT_EFFECT: &[&str] = &[
    "Aliases",
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
];

/// Returns the logical id of the function whose URL is the origin of the default behavior. Reports
/// an error for any other origin.
pub(super) fn origin(properties: &mut Properties<'_, '_>, scope: &Scope<'_>) -> Option<String> {
    let report = scope.report;
    let mut config = Properties::of(
        properties.required("DistributionConfig")?,
        "DistributionConfig",
        report,
    );
    config.without_effect(CONFIG_WITHOUT_EFFECT);
    let target = config.required("DefaultCacheBehavior").and_then(|node| {
        let mut behavior = Properties::of(node, "DefaultCacheBehavior", report);
        behavior.without_effect(BEHAVIOR_WITHOUT_EFFECT);
        let target = behavior.required("TargetOriginId");
        behavior.finish();
        target
    });
    config.required("Origins");
    let mut domains = Vec::new();
    for node in config.items("Origins") {
        let mut origin = Properties::of(node, "an origin", report);
        origin.without_effect(ORIGIN_WITHOUT_EFFECT);
        domains.extend(
            origin
                .required_text("Id")
                .zip(origin.required("DomainName")),
        );
        origin.finish();
    }
    config.finish();

    let target = target?;
    let Some((_, domain)) = domains.iter().find(|(id, _)| target.text() == Some(id)) else {
        report.add(target.line, "`TargetOriginId` must be the id of an origin");
        return None;
    };

    function_at(domain, scope)
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
