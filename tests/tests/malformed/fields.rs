//! Invalid values of each field of JSON bodies.

use std::sync::LazyLock;

use http_api::describe::ValueForms;
use regex::Regex;
use serde_json::{Map, Value, json};
use tests::{Stack, StackOptions, UNKNOWN_ID, share_of, stack_test, text};

use super::{assert_rejected, send};
use crate::routes::fixture::{ROUTES, Route, RouteFixture};

/// Fields of an object, from its schema.
struct Object {
    properties: Map<String, Value>,
    required: Vec<String>,
    is_protected: bool,
}

impl Object {
    fn of(schema: &Value) -> Object {
        let properties = schema["properties"].as_object();
        let required = schema["required"].as_array().into_iter().flatten();
        Object {
            properties: properties.cloned().unwrap_or_default(),
            required: required.map(text).collect(),
            is_protected: schema["additionalProperties"] == false,
        }
    }
}

static SCHEMAS: LazyLock<Map<String, Value>> =
    LazyLock::new(|| openapi::api(ValueForms::Accepted).schemas);
/// The schema of what counts as null.
const BLANK: &str = "#/components/schemas/Blank";

/// Returns the alternative schemas of a value, without those of null.
fn alternatives(schema: &Value) -> Vec<Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().expect("a name");
        return if reference == BLANK {
            Vec::new()
        } else {
            alternatives(&SCHEMAS[name])
        };
    }

    match schema["anyOf"].as_array() {
        Some(schemas) => schemas.iter().flat_map(alternatives).collect(),
        None if schema["type"] == "null" => Vec::new(),
        None => vec![schema.clone()],
    }
}

/// Returns whether a schema has only this type, except for null.
fn is_type(schema: &Value, name: &str) -> bool {
    match &schema["type"] {
        Value::String(kind) => kind == name,
        Value::Array(kinds) => kinds.iter().all(|kind| kind == name || kind == "null"),
        _ => name == "string" && (schema.get("enum").is_some() || schema.get("oneOf").is_some()),
    }
}

/// Returns the JSON routes that are called with a body, and the schemas of their bodies.
fn bodies() -> Vec<(&'static Route, Object)> {
    // The body of a confirmation is for callers without a key.
    let is_called = |route: &&'static Route| {
        route.path != "/upload/confirm/{fileId}" && route.method != "DELETE"
    };
    ROUTES
        .iter()
        .filter(is_called)
        .filter_map(|route| Some((route, Object::of(route.body.as_ref()?))))
        .collect()
}

fn values(list: &Value) -> Vec<Value> {
    list.as_array().expect("a list").clone()
}

/// Values that are not strings.
fn non_strings() -> Vec<Value> {
    values(&json!([5, -1.5, 1e308, true, [], ["x"], {}, {"x": "y"}]))
}

/// Strings that match no format.
fn unformatted() -> Vec<Value> {
    let texts = [
        "nope",
        "\u{0}",
        "a\u{0}b",
        "\u{202E}gpj",
        "🚀",
        "e\u{301}",
        "\u{200B}",
        "null",
        "true",
        "-1",
        "../..",
        "javascript:alert(1)",
        "https://127.0.0.1/",
        "2099-02-30T00:00:00Z",
        "01JCQZ4XK8V9W7Y6T5S4R3Q2P",
        UNKNOWN_ID,
    ];

    texts
        .into_iter()
        .map(Value::from)
        .chain([json!("x".repeat(10_000)), json!("🚀".repeat(10_000))])
        .collect()
}

/// Returns values that no alternative of a field's schema allows.
fn invalid_values(schema: &Value, is_required: bool) -> Vec<Value> {
    let allowed = alternatives(schema);
    let allows = |name: &str| allowed.iter().any(|schema| is_type(schema, name));
    let mut invalid = match allowed.as_slice() {
        [text] if allows("string") => [non_strings(), invalid_strings(text)].concat(),
        [number] if allows("integer") => invalid_integers(number),
        [_] if allows("number") => {
            let others = json!(["0.5", true, [], {}, u64::MAX, i64::MIN]);
            let numbers = json!([0.0, -0.0, -1.0, 1.000_001, 1e308, 5e-324_f64 * 0.0]);
            [values(&others), values(&numbers)].concat()
        }
        [_] if allows("boolean") => {
            let mut others = [non_strings(), unformatted()].concat();
            others.retain(|value| !value.is_boolean());
            others.extend(values(&json!([null, "", 0])));
            others
        }
        [array] if allows("array") => {
            let items = vec![""; bound(array, "maxItems").expect("a bound") + 1];
            values(&json!([5, true, "x", {}, [5], [null], [["x"]], items]))
        }
        [_] if allows("object") => values(&json!([5, true, "x", "{}", [], [{}]])),
        // Several types, or any type.
        _ => vec![json!(true), json!({})],
    };
    if is_required {
        invalid.push(json!(null));
        invalid.extend(["", " ", "\t\n", "\u{A0}\u{2003}\u{3000}"].map(Value::from));
    }

    invalid
}

fn invalid_integers(schema: &Value) -> Vec<Value> {
    let min = schema["minimum"].as_i64().expect("a minimum");
    let max = schema["maximum"].as_i64().expect("a maximum");
    let mut invalid = [non_strings(), unformatted()].concat();
    invalid.retain(|value| !value.is_u64());
    invalid.extend(values(&json!([
        min - 1,
        max + 1,
        i64::MIN,
        u64::MAX,
        "5",
        1.5
    ])));
    invalid
}

fn bound(schema: &Value, keyword: &str) -> Option<usize> {
    let bound = schema[keyword].as_u64()?;
    Some(usize::try_from(bound).expect("a small bound"))
}

/// Returns strings that are too long for a schema or do not match its format.
fn invalid_strings(schema: &Value) -> Vec<Value> {
    let mut wrong = Vec::new();
    if let Some(max) = bound(schema, "maxLength") {
        wrong.extend([json!("x".repeat(max + 1)), json!("🚀".repeat(max + 1))]);
    }

    if ["enum", "oneOf", "format"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some())
    {
        wrong.extend(unformatted());
    }

    if let Some(pattern) = schema["pattern"].as_str() {
        let pattern = Regex::new(pattern).expect("a pattern");
        let inner = [
            "a\u{0}b",
            "a\nb",
            "a\tb",
            "a\u{7F}b",
            "a\u{85}b",
            "\u{1B}[31mred",
        ]
        .map(Value::from);
        let texts = unformatted().into_iter().chain(inner);
        wrong.extend(texts.filter(|text| !pattern.is_match(text.as_str().expect("a string"))));
    }

    wrong
}

/// Returns bodies with one invalid field, at any depth.
fn invalid_bodies(valid: &Map<String, Value>, object: &Object) -> Vec<Map<String, Value>> {
    let mut bodies = Vec::new();
    for (name, schema) in &object.properties {
        let with = |value: Value| {
            let mut body = valid.clone();
            body.insert(name.clone(), value);
            body
        };
        let is_required = object.required.contains(name);

        bodies.extend(invalid_values(schema, is_required).into_iter().map(with));

        if is_required {
            let mut without = valid.clone();
            without.remove(name);
            bodies.push(without);
        }

        if is_type(schema, "object") {
            let inner = Object::of(schema);
            let invalid = invalid_bodies(&Map::new(), &inner).into_iter();
            bodies.extend(invalid.map(|inner| with(Value::Object(inner))));
            if inner.is_protected {
                bodies.push(with(json!({"unknown": 1})));
            }
        }
    }

    bodies
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn invalid_field_values_return_422(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    for route in ROUTES.iter() {
        let has_schema = route.body.is_some() || fixture.body(route).is_none();
        assert!(has_schema, "{} {}", route.method, route.path);
    }

    let account = stack.account();
    let invalid = bodies().into_iter().flat_map(|(route, object)| {
        let Some(Value::Object(valid)) = fixture.body(route) else {
            panic!("{} takes a body", route.path)
        };
        let invalid = invalid_bodies(&valid, &object);
        invalid.into_iter().map(move |body| (route, body))
    });
    let before = stack.dump().await;

    for (route, body) in share_of(invalid, 3) {
        let request = account.request(route.method, &fixture.path(route));
        let response = account.send(request.json(&body)).await;
        assert_rejected(response, &Value::Object(body).to_string());
    }

    stack.assert_unchanged(&before, "invalid fields").await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn last_of_duplicate_fields_wins(stack: &Stack) {
    let fixture = RouteFixture::new(stack, "Acme").await;
    let account = stack.account();
    let before = stack.dump().await;

    for (route, object) in bodies() {
        let valid = fixture.body(route).expect("a body").to_string();
        let fields = valid.strip_suffix('}').expect("an object");
        let name = object.properties.keys().next().expect("a field");
        let twice = format!("{fields}, \"{name}\": [[]]}}");
        let json = ("content-type", "application/json");
        let response = send(&account, &fixture, route, json, twice.clone()).await;
        assert_rejected(response, &twice);
    }

    stack.assert_unchanged(&before, "duplicate fields").await;
}

#[stack_test(options = StackOptions::without_rate_limits())]
async fn texts_are_returned_unchanged(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let path = acme.keys_path();

    for text in [
        "é",
        "\u{202E}txt.exe",
        "👩‍👩‍👧‍👦",
        "\u{FEFF}bom",
        "\u{FFFD}",
        "\u{10FFFF}",
        "a\u{200B}b",
        "İstanbul ß ﬁ",
        "\"\\/<script>",
        "%00%ff",
        "' OR 1=1 --",
        "#pk",
        "SPACE#x",
    ] {
        assert_eq!(acme.create_key(text).await.record["name"], text);
        let listed = acme.get_ok(&format!("{path}?limit=1")).await;
        assert_eq!(listed[0]["name"], text);

        let named = json!({"name": format!("space {text}"), "description": text});
        let space = stack.account().create("/spaces", named).await;
        assert_eq!(space["description"], text);
    }

    let longest = json!({"name": "🚀".repeat(255)});
    let space = stack.account().create("/spaces", longest.clone()).await;
    assert_eq!(space["name"], longest["name"]);
}
