//! CloudWatch alarms on a metric, or on an expression over several.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    error::TemplateError,
    model::{Alarm, AlarmMetric},
    resources::Resources,
    text::{parsed, some_parsed, typed},
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct AlarmProperties {
    alarm_description: String,
    metrics: Vec<Query>,
    #[serde(deserialize_with = "parsed")]
    evaluation_periods: u32,
    #[serde(default, deserialize_with = "some_parsed")]
    datapoints_to_alarm: Option<u32>,
    #[serde(deserialize_with = "parsed")]
    threshold: u32,
    #[serde(default)]
    alarm_actions: Vec<String>,
}

/// An expression or a metric.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Query {
    id: String,
    expression: Option<String>,
    metric_stat: Option<MetricStat>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct MetricStat {
    metric: Metric,
    #[serde(deserialize_with = "parsed")]
    period: u32,
    stat: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Metric {
    namespace: String,
    #[serde(rename = "MetricName")]
    name: String,
    #[serde(default)]
    dimensions: Vec<Dimension>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Dimension {
    name: String,
    value: String,
}

pub(super) fn read(id: &str, resources: &Resources<'_>) -> Result<Alarm, TemplateError> {
    let properties: Map<String, Value> = resources.properties(id)?;
    let alarm: AlarmProperties = typed(Value::Object(with_queries(properties)))?;

    let mut metrics = Vec::new();
    let mut expressions = Vec::new();
    let mut periods = Vec::new();
    for query in alarm.metrics {
        expressions.extend(query.expression);
        if let Some(stat) = query.metric_stat {
            periods.push(stat.period);
            metrics.push(metric(query.id, stat));
        }
    }
    let fail = |message: &str| Err(TemplateError::new("Metrics", message));
    periods.dedup();
    let [period_seconds] = periods[..] else {
        return fail("must have one `Period`");
    };
    if expressions.len() > 1 {
        return fail("must have at most one `Expression`");
    }

    Ok(Alarm {
        logical_id: id.to_owned(),
        description: alarm.alarm_description,
        metrics,
        expression: expressions.pop(),
        period_seconds,
        evaluation_periods: alarm.evaluation_periods,
        datapoints_to_alarm: alarm
            .datapoints_to_alarm
            .unwrap_or(alarm.evaluation_periods),
        threshold: alarm.threshold,
        has_actions: !alarm.alarm_actions.is_empty(),
    })
}

/// Rewrites an alarm on one metric like one on several.
fn with_queries(mut properties: Map<String, Value>) -> Map<String, Value> {
    if !properties.contains_key("Metrics") {
        let names = ["Namespace", "MetricName", "Dimensions"];
        let metric: Map<String, Value> = names
            .into_iter()
            .filter_map(|name| properties.remove_entry(name))
            .collect();

        let stat = json!({
            "Metric": metric,
            "Period": properties.remove("Period"),
            "Stat": properties.remove("Statistic"),
        });

        let queries = json!([{ "Id": "value", "MetricStat": stat }]);
        properties.insert("Metrics".to_owned(), queries);
    }
    properties
}

fn metric(id: String, stat: MetricStat) -> AlarmMetric {
    let dimensions = stat.metric.dimensions.into_iter();
    AlarmMetric {
        id,
        namespace: stat.metric.namespace,
        name: stat.metric.name,
        dimensions: dimensions
            .map(|dimension| (dimension.name, dimension.value))
            .collect(),
        statistic: stat.stat,
    }
}
