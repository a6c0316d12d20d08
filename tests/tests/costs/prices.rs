//! `docs/prices.json`: prices of AWS, and assumptions about what only AWS can measure.

use std::{fs, path::Path};

use serde_json::{Map, Value};

pub(crate) struct Prices(Value);

impl Prices {
    pub(crate) fn read(path: &Path) -> Prices {
        let text = fs::read_to_string(path).expect("a readable file");
        Prices(serde_json::from_str(&text).expect("JSON"))
    }

    /// Returns what the prices are of.
    pub(crate) fn title(&self) -> &str {
        self.0["of"].as_str().expect("a text")
    }

    /// Returns dollars per million of a unit.
    pub(crate) fn per_million(&self, unit: &str) -> f64 {
        number(&self.0["per_million"][unit], unit)
    }

    /// Returns dollars per month.
    pub(crate) fn per_month(&self, resource: &str) -> f64 {
        number(&self.0["per_month"][resource], resource)
    }

    /// Returns the assumed milliseconds of each function by kind of request: of `waiting` for other
    /// services, and of `cpu` time on one vCPU.
    pub(crate) fn milliseconds(&self, kind: &str) -> &Map<String, Value> {
        self.0["milliseconds"][kind]
            .as_object()
            .unwrap_or_else(|| panic!("no milliseconds of {kind}"))
    }

    pub(crate) fn assumed(&self, name: &str) -> f64 {
        number(&self.0["assumed"][name], name)
    }
}

/// Returns a number with this name.
pub(super) fn number(value: &Value, name: &str) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {name}"))
}
