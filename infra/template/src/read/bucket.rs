//! S3 buckets.

use std::ops::RangeInclusive;

use crate::fields::Fields;
use crate::model::{Bucket, CorsRule, LifecycleRule};
use crate::node::Node;
use crate::problem::Report;
use crate::resources::Resource;
use crate::scope::Scope;

const MAX_AGE_SECONDS: RangeInclusive<u32> = 0..=u32::MAX;

const DAYS: RangeInclusive<u32> = 1..=36_500;

pub(super) fn read(
    id: &str,
    resource: &Resource<'_>,
    fields: &mut Fields<'_, '_>,
    scope: &Scope<'_>,
) -> Bucket {
    let report = scope.report;
    let cors = fields
        .take("CorsConfiguration")
        .map(|node| rules(node, "CorsRules", report))
        .unwrap_or_default();
    let lifecycle = fields
        .take("LifecycleConfiguration")
        .map(|node| rules(node, "Rules", report))
        .unwrap_or_default();
    Bucket {
        logical_id: id.to_owned(),
        name: resource.physical_name.clone(),
        cors: cors.iter().map(|rule| cors_rule(rule, report)).collect(),
        lifecycle: lifecycle
            .iter()
            .filter_map(|rule| lifecycle_rule(rule, report))
            .collect(),
    }
}

/// The list that is all a configuration consists of.
fn rules<'tree>(configuration: &'tree Node, key: &'static str, report: &Report) -> &'tree [Node] {
    let mut fields = Fields::of(configuration, "a bucket's configuration", report);
    fields.required(key);
    let rules = fields.items(key);
    fields.finish();
    rules
}

fn cors_rule(node: &Node, report: &Report) -> CorsRule {
    let mut fields = Fields::of(node, "a CORS rule", report);
    fields.without_effect(&["Id"]);
    fields.required("AllowedOrigins");
    fields.required("AllowedMethods");
    let rule = CorsRule {
        allowed_origins: fields.texts("AllowedOrigins"),
        allowed_methods: fields.texts("AllowedMethods"),
        allowed_headers: fields.texts("AllowedHeaders"),
        exposed_headers: fields.texts("ExposedHeaders"),
        max_age_seconds: fields.number("MaxAge", &MAX_AGE_SECONDS),
    };
    fields.finish();
    rule
}

/// None where the rule is disabled.
fn lifecycle_rule(node: &Node, report: &Report) -> Option<LifecycleRule> {
    let mut fields = Fields::of(node, "a lifecycle rule", report);
    fields.without_effect(&["Id"]);
    let enabled = match fields.required_text("Status") {
        Some("Enabled") => true,
        Some("Disabled") | None => false,
        Some(_) => {
            report.add(node.line, "`Status` must be Enabled or Disabled");
            false
        }
    };
    let rule = LifecycleRule {
        prefix: fields.text("Prefix").unwrap_or_default().to_owned(),
        expiration_days: fields.number("ExpirationInDays", &DAYS),
        abort_multipart_days: fields
            .take("AbortIncompleteMultipartUpload")
            .and_then(|node| {
                let mut fields = Fields::of(node, "AbortIncompleteMultipartUpload", report);
                fields.required("DaysAfterInitiation");
                let days = fields.number("DaysAfterInitiation", &DAYS);
                fields.finish();
                days
            }),
    };
    fields.finish();
    if rule.expiration_days.is_none() && rule.abort_multipart_days.is_none() {
        report.add(node.line, "a lifecycle rule must expire something");
    }
    enabled.then_some(rule)
}
