//! CloudWatch alarms on a metric, or on an expression over several.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::model::{Alarm, AlarmMetric};
use crate::node::Node;
use crate::properties::{Properties, text_of};
use crate::scope::Scope;

/// Longer periods than an hour limit the number of evaluation periods.
const PERIOD_SECONDS: RangeInclusive<u32> = 60..=3_600;
const EVALUATION_PERIODS: RangeInclusive<u32> = 1..=24;
const THRESHOLD: RangeInclusive<u32> = 0..=1_000_000;
/// Maximum number of metrics of an expression ("Create a CloudWatch alarm based on a metric math
/// expression" in the Amazon CloudWatch user guide).
const MAX_METRICS: usize = 10;

/// What an alarm compares with its threshold.
#[derive(Default)]
struct Queries {
    metrics: Vec<AlarmMetric>,
    expressions: Vec<String>,
    periods: Vec<u32>,
}

pub(super) fn read(
    id: &str,
    properties: &mut Properties<'_, '_>,
    scope: &Scope<'_>,
) -> Option<Alarm> {
    properties.required("ComparisonOperator");
    properties.fixed("ComparisonOperator", "GreaterThanThreshold");
    properties.required("TreatMissingData");
    properties.fixed("TreatMissingData", "notBreaching");
    let description = properties.required_text("AlarmDescription");
    let threshold = properties
        .required("Threshold")
        .and_then(|_| properties.number("Threshold", &THRESHOLD));
    let evaluation_periods = properties
        .required("EvaluationPeriods")
        .and_then(|_| properties.number("EvaluationPeriods", &EVALUATION_PERIODS))?;
    let has_actions = !properties.items("AlarmActions").is_empty();
    let datapoints_to_alarm = properties.number("DatapointsToAlarm", &(1..=evaluation_periods));

    let mut queries = Queries::default();
    match properties.take("Metrics") {
        Some(metrics) => {
            for query in properties.items("Metrics") {
                query_of(query, &mut queries, scope);
            }
            check(metrics, &queries, scope);
        }
        None => metric("value", "Statistic", properties, &mut queries, scope),
    }

    Some(Alarm {
        logical_id: id.to_owned(),
        description: description?.to_owned(),
        metrics: queries.metrics,
        expression: queries.expressions.pop(),
        period_seconds: *queries.periods.first()?,
        evaluation_periods,
        datapoints_to_alarm: datapoints_to_alarm.unwrap_or(evaluation_periods),
        threshold: threshold?,
        has_actions,
    })
}

/// Reports metrics that the model cannot represent.
fn check(node: &Node, queries: &Queries, scope: &Scope<'_>) {
    let report = |message: String| scope.report.add(node.line, message);
    if queries.expressions.len() != 1 {
        report("`Metrics` is supported with one `Expression` only".to_owned());
    }
    if queries.metrics.len() > MAX_METRICS {
        report(format!("an alarm has at most {MAX_METRICS} metrics"));
    }
    if queries.periods.windows(2).any(|pair| pair[0] != pair[1]) {
        report("the metrics of an alarm must have one `Period`".to_owned());
    }
}

/// Reads an item of `Metrics`: the expression, which the alarm evaluates, or a metric.
fn query_of(node: &Node, queries: &mut Queries, scope: &Scope<'_>) {
    let mut properties = Properties::of(node, "an item of Metrics", scope.report);
    let id = properties.required_text("Id").unwrap_or_default();
    if let Some(expression) = properties.text("Expression") {
        properties.fixed("ReturnData", "true");
        queries.expressions.push(expression.to_owned());
    } else {
        properties.required("ReturnData");
        properties.fixed("ReturnData", "false");
        if let Some(stat) = properties.required("MetricStat") {
            let mut stat = Properties::of(stat, "MetricStat", scope.report);
            metric(id, "Stat", &mut stat, queries, scope);
            stat.finish();
        }
    }
    properties.finish();
}

/// Reads a metric, its period and its statistic. Those of `Metrics` have the name in `Metric`.
fn metric(
    id: &str,
    statistic: &'static str,
    properties: &mut Properties<'_, '_>,
    queries: &mut Queries,
    scope: &Scope<'_>,
) {
    let period = properties
        .required("Period")
        .and_then(|_| properties.number("Period", &PERIOD_SECONDS));
    queries.periods.extend(period);
    let statistic = properties.required_text(statistic).map(str::to_owned);
    let named = match properties.take("Metric") {
        Some(node) => {
            let mut metric = Properties::of(node, "Metric", scope.report);
            let named = name_of(&mut metric, scope);
            metric.finish();
            named
        }
        None => name_of(properties, scope),
    };

    if let (Some(statistic), Some(named)) = (statistic, named) {
        queries.metrics.push(AlarmMetric {
            id: id.to_owned(),
            statistic,
            ..named
        });
    }
}

/// Reads the namespace, the name and the dimensions of a metric.
fn name_of(properties: &mut Properties<'_, '_>, scope: &Scope<'_>) -> Option<AlarmMetric> {
    let namespace = properties.required_text("Namespace");
    let name = properties.required_text("MetricName");
    let mut dimensions = BTreeMap::new();
    for node in properties.items("Dimensions") {
        let mut dimension = Properties::of(node, "a dimension", scope.report);
        let name = dimension.required_text("Name");
        let value = dimension
            .required("Value")
            .and_then(|node| text_of(node, "Value", scope.report));
        dimensions.extend(name.map(str::to_owned).zip(value.map(str::to_owned)));
        dimension.finish();
    }

    Some(AlarmMetric {
        id: String::new(),
        namespace: namespace?.to_owned(),
        name: name?.to_owned(),
        dimensions,
        statistic: String::new(),
    })
}
