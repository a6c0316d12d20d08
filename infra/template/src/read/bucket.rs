//! S3 buckets.

use std::ops::RangeInclusive;

use crate::diagnostic::Report;
use crate::model::{BucketSpec, CorsRule, LifecycleRule};
use crate::node::Node;
use crate::properties::Properties;
use crate::resource::Resource;
use crate::scope::Scope;

const MAX_AGE_SECONDS: RangeInclusive<u32> = 0..=u32::MAX;

const DAYS: RangeInclusive<u32> = 1..=36_500;

pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> BucketSpec {
    let report = scope.report;
    let cors = properties
        .take("CorsConfiguration")
        .map(|node| rules(node, "CorsRules", report))
        .unwrap_or_default();
    let lifecycle = properties
        .take("LifecycleConfiguration")
        .map(|node| rules(node, "Rules", report))
        .unwrap_or_default();

    BucketSpec {
        logical_id: id.to_owned(),
        name: resource.physical_name.clone(),
        cors: cors.iter().map(|rule| cors_rule(rule, report)).collect(),
        lifecycle: lifecycle
            .iter()
            .filter_map(|rule| lifecycle_rule(rule, report))
            .collect(),
    }
}

/// Reads a configuration whose only property is a list of rules.
fn rules<'tree>(configuration: &'tree Node, key: &'static str, report: &Report) -> &'tree [Node] {
    let mut properties = Properties::of(configuration, "a bucket's configuration", report);
    properties.required(key);
    let rules = properties.items(key);
    properties.finish();
    rules
}

fn cors_rule(node: &Node, report: &Report) -> CorsRule {
    let mut properties = Properties::of(node, "a CORS rule", report);
    properties.without_effect(&["Id"]);
    properties.required("AllowedOrigins");
    properties.required("AllowedMethods");
    let rule = CorsRule {
        allowed_origins: properties.texts("AllowedOrigins"),
        allowed_methods: properties.texts("AllowedMethods"),
        allowed_headers: properties.texts("AllowedHeaders"),
        exposed_headers: properties.texts("ExposedHeaders"),
        max_age_seconds: properties.number("MaxAge", &MAX_AGE_SECONDS),
    };
    properties.finish();
    rule
}

/// Returns `None` if the rule is disabled.
fn lifecycle_rule(node: &Node, report: &Report) -> Option<LifecycleRule> {
    let mut properties = Properties::of(node, "a lifecycle rule", report);
    properties.without_effect(&["Id"]);

    let enabled = match properties.required_text("Status") {
        Some("Enabled") => true,
        Some("Disabled") | None => false,
        Some(_) => {
            report.add(node.line, "`Status` must be Enabled or Disabled");
            false
        }
    };

    let rule = LifecycleRule {
        prefix: properties.text("Prefix").unwrap_or_default().to_owned(),
        expiration_days: properties.number("ExpirationInDays", &DAYS),
        abort_multipart_days: properties
            .take("AbortIncompleteMultipartUpload")
            .and_then(|node| {
                let mut abort = Properties::of(node, "AbortIncompleteMultipartUpload", report);
                abort.required("DaysAfterInitiation");
                let days = abort.number("DaysAfterInitiation", &DAYS);
                abort.finish();
                days
            }),
    };
    properties.finish();
    if rule.expiration_days.is_none() && rule.abort_multipart_days.is_none() {
        report.add(node.line, "a lifecycle rule must have an expiration");
    }

    enabled.then_some(rule)
}
