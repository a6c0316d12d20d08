//! The fields of JSON bodies, each in turn with every value that it must not have.

use serde_json::{Map, Value, json};

use super::{demand_refused, place, row};

/// What a field takes.
#[derive(Clone, Copy)]
enum Kind {
    /// One line of up to 255 characters.
    Line,
    /// Up to 1,000 characters.
    Text,
    /// One of a few words, an id, an address or a moment: texts of a form.
    Formed,
    Boolean,
    /// What a file is called, up to 255 characters: whatever they are, it is cleaned.
    Name,
    /// What a file is called, of any length: what is too long is cut.
    Cleaned,
    /// A list of texts.
    Texts,
    /// A whole number within these bounds.
    Count(i64, i64),
    /// Above 0, up to 1.
    Share,
    /// An object with these fields, and no others where the last is true.
    Object(&'static [Field], bool),
}
use Kind::{Boolean, Cleaned, Count, Formed, Line, Name, Object, Share, Text, Texts};

#[derive(Clone, Copy)]
struct Field {
    name: &'static str,
    kind: Kind,
    required: bool,
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: true }
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, required: false }
}

const KEY: &[Field] = &[required("name", Line), optional("role", Formed), optional("expires_at", Formed)];
const ACCESS: &[Field] = &[optional("requires_auth", Boolean), optional("public_read", Boolean)];
const WATERMARK: &[Field] =
    &[optional("enabled", Boolean), optional("url", Formed), optional("position", Formed), optional("opacity", Share)];

const CONFIG: &[Field] = &[
    optional("storage", Object(&[optional("generate_filename", Boolean), optional("unique_filename", Boolean)], true)),
    optional("validation", Object(&[], true)),
    optional("transformations", Object(&[optional("upload_format", Formed), optional("progressive", Boolean)], true)),
    optional("metadata", Object(&[optional("auto_tagging", Boolean)], true)),
    optional("notifications", Object(&[optional("webhook_url", Formed)], true)),
];

const SECURITY: &[Field] = &[required("security", Object(&[optional("watermark", Object(WATERMARK, true))], true))];
const ACCESS_CONTROL: &[Field] = &[optional("access_control", Object(ACCESS, false))];
const FILE: &[Field] = &[
    optional("original_name", Cleaned),
    optional("folder_id", Formed),
    optional("ref", Line),
    optional("tags", Texts),
    optional("type", Formed),
];

/// The fields of each route with a JSON body.
const BODIES: [(&str, &str, &[Field]); 20] = [
    ("POST", "/spaces", &[required("name", Line), optional("description", Text), optional("folder_mode", Formed)]),
    (
        "PUT",
        "/spaces/{id}",
        &[
            required("name", Line),
            optional("description", Text),
            optional("webhook_url", Formed),
            optional("custom_domain", Formed),
            optional("enabled", Boolean),
            optional("active_upload_config_id", Formed),
        ],
    ),
    ("PUT", "/spaces/{id}/access-control", ACCESS_CONTROL),
    ("PUT", "/spaces/{id}/security", SECURITY),
    ("POST", "/folders", &[required("name", Line), required("space_id", Formed), optional("parent_id", Formed)]),
    ("PUT", "/folders/{id}", &[optional("name", Line), optional("parent_id", Formed)]),
    ("PUT", "/folders/{id}/access-control", ACCESS_CONTROL),
    ("PUT", "/folders/{id}/security", SECURITY),
    ("PUT", "/files", FILE),
    ("PUT", "/files/{id}", FILE),
    ("POST", "/files/urls", &[required("file_ids", Texts)]),
    (
        "POST",
        "/files/{id}/signed-url",
        &[
            optional("download", Boolean),
            optional("expiration_minutes", Count(1, 1_440)),
            optional("r", Formed),
            optional("f", Formed),
        ],
    ),
    ("PUT", "/files/{id}/access-control", ACCESS_CONTROL),
    ("POST", "/spaces/{id}/api-keys", KEY),
    ("PUT", "/account", &[required("default_space_id", Formed)]),
    ("POST", "/account/api-keys", KEY),
    (
        "POST",
        "/upload-configs",
        &[
            required("name", Line),
            required("space_id", Formed),
            optional("description", Text),
            optional("is_signed", Boolean),
            optional("allow_unsigned", Boolean),
            optional("delivery_type", Formed),
            optional("config", Object(CONFIG, true)),
        ],
    ),
    (
        "POST",
        "/upload-configs/update",
        &[
            optional("name", Line),
            optional("description", Text),
            optional("is_signed", Boolean),
            optional("delivery_type", Formed),
            optional("config", Object(CONFIG, true)),
        ],
    ),
    (
        "POST",
        "/upload/generate-signed-url",
        &[
            required("upload_config_id", Formed),
            optional("expiration_minutes", Count(1, 1_440)),
            optional("filename", Name),
            optional("content_type", Formed),
            optional("folder_id", Formed),
        ],
    ),
    (
        "POST",
        "/upload/presign",
        &[
            required("space", Formed),
            required("filename", Name),
            required("content_type", Formed),
            required("size", Count(1, 5 << 30)),
            optional("upload_config", Formed),
            optional("ref", Line),
        ],
    ),
];

/// Values that no text may be.
fn no_texts() -> Vec<Value> {
    vec![json!(5), json!(-1.5), json!(1e308), json!(true), json!([]), json!(["x"]), json!({}), json!({"x": "y"})]
}

/// Texts that are in no form that a field could ask for.
fn formless() -> Vec<Value> {
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
        "01JCQZ4XK8V9W7Y6T5S4R3Q2P1",
    ];
    texts.into_iter().map(Value::from).chain([json!("x".repeat(10_000)), json!("🚀".repeat(10_000))]).collect()
}

/// Values that a field refuses.
fn wrong(field: &Field) -> Vec<Value> {
    let mut wrong = match field.kind {
        Line | Name => [no_texts(), vec![json!("x".repeat(256)), json!("🚀".repeat(256))]].concat(),
        Text => {
            [no_texts(), vec![json!("x".repeat(1_001)), json!("a\u{0}b"), json!("\u{7F}x"), json!("a\u{85}b")]].concat()
        }
        Cleaned => no_texts(),
        Texts => vec![
            json!(5),
            json!(true),
            json!("x"),
            json!({}),
            json!([5]),
            json!([null]),
            json!([["x"]]),
            json!(vec![""; 101]),
        ],
        Formed => [no_texts(), formless()].concat(),
        Count(least, most) => [
            no_texts().into_iter().filter(|value| !value.is_u64()).collect(),
            formless(),
            vec![json!(least - 1), json!(most + 1), json!(i64::MIN), json!(u64::MAX), json!("5"), json!(1.5)],
        ]
        .concat(),
        Boolean => [no_texts(), formless(), vec![json!(null), json!(""), json!(0)]]
            .concat()
            .into_iter()
            .filter(|value| !value.is_boolean())
            .collect(),
        Share => vec![
            json!("0.5"),
            json!(true),
            json!([]),
            json!({}),
            json!(0),
            json!(-0.0),
            json!(-1),
            json!(1.000_001),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(1e308),
            json!(5e-324_f64 * 0.0),
        ],
        Object(..) => vec![json!(5), json!(true), json!("x"), json!("{}"), json!([]), json!([{}])],
    };
    if matches!(field.kind, Line) {
        wrong.extend(["a\u{0}b", "a\nb", "a\tb", "a\u{7F}b", "a\u{85}b", "\u{1B}[31mred"].map(Value::from));
    }
    if field.required {
        wrong.push(json!(null));
        wrong.extend(["", " ", "\t\n", "\u{A0}\u{2003}\u{3000}"].map(Value::from));
    }
    wrong
}

/// The bodies with one field, wherever it stands, that is wrong.
fn wrong_bodies(valid: &Map<String, Value>, fields: &[Field]) -> Vec<Map<String, Value>> {
    let mut bodies = Vec::new();
    for field in fields {
        let with = |value: Value| {
            let mut body = valid.clone();
            body.insert(field.name.to_owned(), value);
            body
        };
        bodies.extend(wrong(field).into_iter().map(with));
        if field.required {
            let mut without = valid.clone();
            without.remove(field.name);
            bodies.push(without);
        }
        if let Object(inner, closed) = field.kind {
            bodies.extend(wrong_bodies(&Map::new(), inner).into_iter().map(|inner| with(Value::Object(inner))));
            if closed {
                bodies.push(with(json!({"unknown": 1})));
            }
        }
    }
    bodies
}

#[test]
fn every_route_with_a_json_body_is_here() {
    let mut bodies: Vec<_> = BODIES.iter().map(|(method, path, _)| (*method, *path)).collect();
    // What strangers announce is read as what callers with a key do.
    let takes_json = |method: &str, path: &str| {
        let is_strangers = path.starts_with("/upload/signed") || path.starts_with("/upload/unsigned");
        let has_no_body = ["/upload", "/upload/confirm/{fileId}", "/spaces/{id}/signing-secret/rotate"].contains(&path);
        matches!(method, "POST" | "PUT") && !is_strangers && !has_no_body
    };
    let routes = web::routes::ALL.iter().map(|route| (route.method, route.path.trim_start_matches("/api/v1")));
    let mut routes: Vec<_> = routes.filter(|(method, path)| takes_json(method, path)).collect();
    bodies.sort_unstable();
    routes.sort_unstable();
    assert_eq!(bodies, routes);
}

#[tokio::test]
async fn a_field_with_a_value_that_it_must_not_have_is_refused() {
    let (stack, place) = place().await;
    let account = stack.account();
    for (method, path, fields) in BODIES {
        let row = row(method, path);
        let address = place.address(row);
        let Some(Value::Object(valid)) = place.body(row) else { panic!("{path} takes a body") };
        let before = stack.dump().await;
        for body in wrong_bodies(&valid, fields) {
            let answer = account.send(account.request(method, &address).json(&body)).await;
            demand_refused(answer, &Value::Object(body).to_string());
        }
        stack.dump().await.demand_unchanged(&before, &format!("{method} {path}"));
    }
    stack.stop().await;
}

#[tokio::test]
async fn of_a_field_that_is_given_twice_the_last_counts() {
    let (stack, place) = place().await;
    let account = stack.account();
    for (method, path, fields) in BODIES {
        let row = row(method, path);
        let before = stack.dump().await;
        let valid = place.body(row).expect("a body").to_string();
        let twice = format!("{}, \"{}\": 5}}", valid.strip_suffix('}').expect("an object"), fields[0].name);
        let request = account.request(method, &place.address(row)).header("content-type", "application/json");
        demand_refused(account.send(request.body(twice.clone())).await, &twice);
        stack.dump().await.demand_unchanged(&before, &format!("{method} {path}"));
    }
    stack.stop().await;
}

#[tokio::test]
async fn texts_come_back_as_they_were_sent() {
    let (stack, place) = place().await;
    let path = format!("/spaces/{}/api-keys", place.tenant.id);
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
        let made = place.tenant.client.post(&path, json!({"name": text})).await.created();
        assert_eq!(made["name"], json!(text));
        let listed = place.tenant.client.get(&format!("{path}?limit=1")).await.demand(200).json();
        assert_eq!(listed["data"][0]["name"], json!(text));
        let named = json!({"name": format!("space {text}"), "description": text});
        let space = stack.account().post("/spaces", named).await.created();
        assert_eq!(space["description"], json!(text));
    }
    let longest = "🚀".repeat(255);
    let space = stack.account().post("/spaces", json!({"name": longest})).await.created();
    assert_eq!(space["name"], json!(longest));
    stack.stop().await;
}
