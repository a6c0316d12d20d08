//! Evaluates alarms of the template over samples of metrics, as CloudWatch does.
//!
//! A metric without a sample in a period is missing there. So is an expression over it, unless
//! `FILL` replaces it. The missing value of an alarm is not breaching.

use std::collections::BTreeMap;

use sam_template::{Alarm, AlarmMetric};

/// A value of a metric.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) dimensions: BTreeMap<String, String>,
    pub(super) at_ms: i64,
    pub(super) value: f64,
}

impl Sample {
    /// Returns a sample of a metric with at most one dimension.
    pub(super) fn new(
        at_ms: i64,
        [namespace, name]: [&str; 2],
        dimension: Option<[&str; 2]>,
        value: f64,
    ) -> Sample {
        let dimension = dimension.map(|[name, value]| (name.to_owned(), value.to_owned()));
        Sample {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            dimensions: dimension.into_iter().collect(),
            at_ms,
            value,
        }
    }

    fn is_of(&self, metric: &AlarmMetric) -> bool {
        (&self.namespace, &self.name, &self.dimensions)
            == (&metric.namespace, &metric.name, &metric.dimensions)
    }
}

/// Returns whether the alarm was raised at the end of any period.
pub(super) fn is_raised(alarm: &Alarm, samples: &[Sample]) -> bool {
    let period_ms = i64::from(alarm.period_seconds) * 1_000;
    let mut periods: BTreeMap<i64, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        let period = periods.entry(sample.at_ms / period_ms).or_default();
        period.push(sample);
    }
    let breaching: Vec<i64> = periods
        .iter()
        .filter(|(_, samples)| value(alarm, samples) > Some(f64::from(alarm.threshold)))
        .map(|(period, _)| *period)
        .collect();

    breaching.iter().any(|last| {
        let first = last - i64::from(alarm.evaluation_periods) + 1;
        let within = breaching
            .iter()
            .filter(|period| (first..=*last).contains(*period));
        within.count() >= alarm.datapoints_to_alarm as usize
    })
}

/// Returns the value of an alarm in a period.
fn value(alarm: &Alarm, samples: &[&Sample]) -> Option<f64> {
    let metrics: BTreeMap<&str, Option<f64>> = alarm
        .metrics
        .iter()
        .map(|metric| (metric.id.as_str(), statistic(metric, samples)))
        .collect();
    let expression = alarm.expression.as_deref().unwrap_or("value");
    let mut parser = Parser {
        rest: expression,
        metrics: &metrics,
    };
    let value = parser.comparison().number();
    assert!(parser.rest.is_empty(), "{expression}: {}", parser.rest);
    value
}

/// Returns the statistic of a metric in a period.
fn statistic(metric: &AlarmMetric, samples: &[&Sample]) -> Option<f64> {
    let of_metric = samples.iter().filter(|sample| sample.is_of(metric));
    let values: Vec<f64> = of_metric.map(|sample| sample.value).collect();
    let maximum = values.iter().copied().reduce(f64::max)?;

    Some(match metric.statistic.as_str() {
        "Sum" => values.iter().sum(),
        "Maximum" => maximum,
        other => panic!("the statistic {other} is not supported"),
    })
}

/// A value of an expression in a period.
enum Value {
    Number(Option<f64>),
    Series(Vec<Option<f64>>),
}

impl Value {
    fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => *number,
            Value::Series(_) => panic!("an array of metrics is no number"),
        }
    }

    fn combined(&self, other: &Value, combine: impl Fn(f64, f64) -> f64) -> Value {
        let numbers = self.number().zip(other.number());
        Value::Number(numbers.map(|(one, other)| combine(one, other)))
    }
}

/// Parses and evaluates an expression ("Using math expressions with CloudWatch metrics" in the
/// Amazon CloudWatch user guide): the operators and functions that the template uses.
struct Parser<'a> {
    rest: &'a str,
    metrics: &'a BTreeMap<&'a str, Option<f64>>,
}

impl Parser<'_> {
    fn take(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest).trim_start();
        rest.is_some()
    }

    fn comparison(&mut self) -> Value {
        let left = self.sum();
        if !self.take(">=") {
            return left;
        }
        left.combined(&self.sum(), |left, right| {
            f64::from(u8::from(left >= right))
        })
    }

    fn sum(&mut self) -> Value {
        let mut value = self.product();
        while self.take("+") {
            value = value.combined(&self.product(), |left, right| left + right);
        }
        value
    }

    fn product(&mut self) -> Value {
        let mut value = self.term();
        loop {
            if self.take("*") {
                value = value.combined(&self.term(), |left, right| left * right);
            } else if self.take("/") {
                value = value.combined(&self.term(), |left, right| left / right);
            } else {
                return value;
            }
        }
    }

    /// A number, a metric, or a function, whose name is empty for parentheses.
    fn term(&mut self) -> Value {
        let is_end = |character: char| !character.is_ascii_alphanumeric();
        let (word, rest) = self
            .rest
            .split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();

        if let Ok(number) = word.parse() {
            return Value::Number(Some(number));
        }
        if !self.take("(") {
            let metric = self.metrics.get(word);
            return Value::Number(*metric.unwrap_or_else(|| panic!("no metric {word:?}")));
        }
        let mut arguments = Vec::new();
        while !self.take(")") {
            assert!(!self.rest.is_empty(), "a parenthesis is not closed");
            arguments.push(self.comparison());
            self.take(",");
        }
        self.function(word, &arguments)
    }

    fn function(&self, name: &str, arguments: &[Value]) -> Value {
        match (name, arguments) {
            ("METRICS", []) => Value::Series(self.metrics.values().copied().collect()),
            ("FILL", [Value::Series(values), Value::Number(filled)]) => {
                Value::Series(values.iter().map(|value| value.or(*filled)).collect())
            }
            ("FILL", [Value::Number(value), Value::Number(filled)]) => {
                Value::Number(value.or(*filled))
            }
            ("", [Value::Number(value)]) => Value::Number(*value),
            ("SUM", [Value::Series(values)]) => Value::Number(Some(values.iter().flatten().sum())),
            ("MAX", [Value::Series(values)]) => {
                Value::Number(values.iter().flatten().copied().reduce(f64::max))
            }
            (
                "IF",
                [
                    Value::Number(condition),
                    Value::Number(then),
                    Value::Number(otherwise),
                ],
            ) => Value::Number(
                condition.and_then(|holds| if holds == 0.0 { *otherwise } else { *then }),
            ),
            _ => panic!("{name} with {} arguments is not supported", arguments.len()),
        }
    }
}
