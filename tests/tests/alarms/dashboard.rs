//! The dashboard of the template.

use std::collections::{BTreeMap, BTreeSet};

use local_stack::TEMPLATE;
use serde_json::Value;
use tests::text;

use crate::routes::declarations::deployed_template;

/// Metrics that exist, as the developer guides of the services name them.
const METRICS: [(&str, &[&str]); 5] = [
    ("AWS/ApiGateway", &["4xx", "5xx", "Count", "Latency"]),
    (
        "AWS/DynamoDB",
        &["ReadThrottleEvents", "WriteThrottleEvents"],
    ),
    (
        "AWS/Lambda",
        &[
            "ClaimedAccountConcurrency",
            "Duration",
            "Url4xxCount",
            "Url5xxCount",
            "UrlRequestCount",
        ],
    ),
    (
        "AWS/SQS",
        &[
            "ApproximateAgeOfOldestMessage",
            "ApproximateNumberOfMessagesVisible",
        ],
    ),
    ("Larder/${AWS::StackName}", &["FailedJobs"]),
];

/// Returns the widgets of the dashboard, whose text has variables for names.
fn widgets() -> Vec<Value> {
    let (_, body) = TEMPLATE
        .split_once("DashboardBody: !Sub |\n")
        .expect("a dashboard");
    let body: String = body
        .lines()
        .take_while(|line| line.starts_with("        "))
        .collect();
    let body: Value = serde_json::from_str(&body).expect("JSON");
    body["widgets"].as_array().expect("widgets").clone()
}

/// Returns the texts of a metric: namespace, name, and names and values of dimensions. `.` repeats
/// a text of the metric before, `...` its first ones ("Metrics array format" in the Amazon
/// CloudWatch API Reference).
fn expanded(metric: &Value, before: &[String]) -> Vec<String> {
    let items = metric.as_array().expect("a metric");
    let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    if let Some(rest) = items.strip_prefix(&["..."]) {
        let repeated = before[..before.len() - rest.len()].iter().cloned();
        return repeated
            .chain(rest.iter().map(|&item| item.to_owned()))
            .collect();
    }
    let item = |(index, item): (usize, &&str)| match *item {
        "." => before[index].clone(),
        item => item.to_owned(),
    };
    items.iter().enumerate().map(item).collect()
}

#[test]
fn dashboard_shows_all_alarms_and_metrics_that_exist() {
    let template = deployed_template();
    let known: BTreeMap<&str, &[&str]> = METRICS.into();
    let mut alarms = BTreeSet::new();

    for widget in widgets() {
        let properties = &widget["properties"];
        for alarm in properties["alarms"].as_array().into_iter().flatten() {
            alarms.insert(text(alarm));
        }
        let mut metric = Vec::new();
        for shown in properties["metrics"].as_array().into_iter().flatten() {
            metric = expanded(shown, &metric);
            let [namespace, name, ..] = metric.as_slice() else {
                panic!("no metric: {shown}");
            };
            assert!(
                known[namespace.as_str()].contains(&name.as_str()),
                "{shown}"
            );
        }
    }

    let all = template.alarms.iter();
    let all = all.map(|alarm| format!("${{{}.Arn}}", alarm.logical_id));
    assert_eq!(alarms, all.collect());
}
