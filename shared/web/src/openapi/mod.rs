//! Description of endpoints in OpenAPI 3.1, taken from the types of their handlers.
//!
//! Extractors describe what they read and refuse, responses describe themselves; see
//! <https://spec.openapis.org/oas/v3.1.1.html>. Only the program that writes the document, and
//! tests, call this: a function's binary does not contain it.

mod extractors;
mod responses;
mod schema_reader;

use std::collections::BTreeMap;

use domain::IdempotencyKey;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::{Action, Endpoint, FromFields, RateLimitTier, Register};
pub use schema_reader::SchemaReader;

/// Media type of JSON bodies.
const JSON: &str = "application/json";
/// Our extension that names the tier of the rate limit.
const RATE_LIMIT_TIER: &str = "x-rate-limit-tier";
/// Media type of forms.
const FORM: &str = "multipart/form-data";

/// Description of one endpoint: an operation object.
pub struct Operation<'a> {
    /// Schemas of the document.
    pub(crate) schemas: &'a mut SchemaGenerator,
    parameters: Vec<Value>,
    body: Option<Value>,
    responses: BTreeMap<u16, Value>,
    security: Vec<Value>,
    extensions: Map<String, Value>,
}

impl<'a> Operation<'a> {
    fn new(schemas: &'a mut SchemaGenerator) -> Operation<'a> {
        Operation {
            schemas,
            parameters: Vec::new(),
            body: None,
            responses: BTreeMap::new(),
            security: Vec::new(),
            extensions: Map::new(),
        }
    }

    /// Adds a way to authenticate; any one of them suffices.
    pub fn authenticated_by(&mut self, scheme: &str) {
        let requirement = json!({ scheme: [] });
        if !self.security.contains(&requirement) {
            self.security.push(requirement);
        }
    }

    /// Adds that the endpoint may be called without any of the ways to authenticate.
    pub fn without_authentication(&mut self) {
        self.security.push(json!({}));
    }

    /// Adds the role that a caller needs in the space.
    pub fn requires_role<A: Action>(&mut self) {
        self.extensions
            .insert("x-required-role".to_owned(), json!(A::MIN_ROLE));
        self.error(403);
    }

    /// Adds the tier whose rate limit requests count against, if it is not that of the function.
    pub fn rate_limit_tier(&mut self, name: &str) {
        self.extension(RATE_LIMIT_TIER, json!(name));
    }

    /// Adds what is not part of OpenAPI, under a name that begins with `x-`.
    pub fn extension(&mut self, name: &str, value: Value) {
        self.extensions.insert(name.to_owned(), value);
    }

    /// Adds a parameter of the path, as in `/spaces/{id}`.
    pub fn path_parameter<T: JsonSchema>(&mut self, name: &str) {
        let schema = self.schemas.subschema_for::<T>();
        self.parameters
            .push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
        // What is not UTF-8, and what names nothing.
        self.error(400);
        self.error(404);
    }

    /// Adds a request header.
    pub fn header<T: JsonSchema>(&mut self, name: &str, description: &str) {
        let schema = self.schemas.subschema_for::<T>();
        self.parameters.push(
            json!({"name": name, "in": "header", "description": description, "schema": schema}),
        );
    }

    /// Adds the query parameters that `read` reads.
    pub fn query(&mut self, read: impl FnOnce(&mut SchemaReader<'_>)) {
        let mut reader = SchemaReader::of_texts(self.schemas);
        read(&mut reader);
        self.parameters.extend(reader.into_parameters());
        self.error(422);
    }

    /// Adds that a request may be sent again under an `Idempotency-Key`.
    pub fn idempotency_key(&mut self) {
        let description = "Names the request: sent again within 24 hours, it is answered as before and not done again.";
        self.header::<IdempotencyKey>("Idempotency-Key", description);
        self.error(409);
    }

    /// Adds a JSON body with the fields of `T`.
    pub fn json_body<T: FromFields>(&mut self) {
        self.json_fields(|fields| {
            T::read(fields);
        });
    }

    /// Adds a JSON body with the fields that `read` reads.
    pub fn json_fields(&mut self, read: impl FnOnce(&mut SchemaReader<'_>)) {
        let mut reader = SchemaReader::of_json(self.schemas);
        read(&mut reader);
        let schema = reader.into_schema();
        self.body(JSON, &schema);
    }

    /// Adds a form with the texts and files that `read` reads.
    pub fn form_body(&mut self, read: impl FnOnce(&mut SchemaReader<'_>)) {
        let mut reader = SchemaReader::of_texts(self.schemas);
        read(&mut reader);
        let schema = reader.into_schema();
        self.body(FORM, &schema);
    }

    fn body(&mut self, media_type: &str, schema: &Value) {
        let is_required = ["required", "anyOf"]
            .iter()
            .any(|keyword| schema.get(keyword).is_some());
        self.body =
            Some(json!({"required": is_required, "content": {media_type: {"schema": schema}}}));
        for status in [400, 408, 413, 415, 422] {
            self.error(status);
        }
    }

    /// Adds a successful response with a JSON body.
    pub fn json_response(&mut self, status: u16, description: &str, schema: &Value) {
        let content = json!({JSON: {"schema": schema}});
        self.responses.insert(
            status,
            json!({"description": description, "content": content}),
        );
    }

    /// Adds a successful response without a body.
    pub fn empty_response(&mut self, status: u16, description: &str) {
        self.responses
            .insert(status, json!({"description": description}));
    }

    /// Adds an error that any endpoint may answer with.
    pub fn error(&mut self, status: u16) {
        let reference = json!({"$ref": format!("#/components/responses/Error{status}")});
        self.responses.entry(status).or_insert(reference);
    }

    fn into_value(mut self, endpoint: &Endpoint, group: &str) -> Value {
        let parameters = |path: &str| {
            path.split('/')
                .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}').map(str::to_owned))
                .collect::<Vec<_>>()
        };
        for name in parameters(endpoint.path) {
            if !self
                .parameters
                .iter()
                .any(|parameter| parameter["in"] == "path" && parameter["name"] == name.as_str())
            {
                self.path_parameter::<String>(&name);
            }
        }
        for (status, description) in endpoint.errors {
            let content = json!({JSON: {"schema": {"$ref": "#/components/schemas/Error"}}});
            self.responses.insert(
                *status,
                json!({"description": description, "content": content}),
            );
        }

        let responses: Map<String, Value> = self
            .responses
            .into_iter()
            .map(|(status, response)| (status.to_string(), response))
            .collect();
        let mut operation = json!({
            "operationId": endpoint.id,
            "summary": endpoint.summary,
            "tags": [group],
            "security": self.security,
            "parameters": self.parameters,
            "responses": responses,
        });
        if let Value::Object(fields) = &mut operation {
            if let Some(body) = self.body {
                fields.insert("requestBody".to_owned(), body);
            }
            fields.extend(self.extensions);
        }
        operation
    }
}

/// An extractor that tells what of a request it reads, and with which errors it refuses one.
pub trait DescribeInput {
    /// Adds this to an operation.
    fn describe(operation: &mut Operation<'_>);
}

/// A response that tells its status and its schema.
pub trait DescribeOutput {
    /// Adds this to an operation.
    fn describe(operation: &mut Operation<'_>);
}

/// A handler whose arguments and result are described.
pub trait Documented<Arguments> {
    /// Describes an endpoint with this handler.
    fn describe(operation: &mut Operation<'_>);
}

macro_rules! documented {
    ($($argument:ident),*) => {
        impl<F, R, $($argument,)*> Documented<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> R,
            R: Future<Output: DescribeOutput>,
            $($argument: DescribeInput,)*
        {
            fn describe(operation: &mut Operation<'_>) {
                $($argument::describe(operation);)*
                R::Output::describe(operation);
            }
        }
    };
}

documented!(A);
documented!(A, B);
documented!(A, B, C);
documented!(A, B, C, D);
documented!(A, B, C, D, E);

/// Describes the endpoints of a function.
pub struct Describer<'a> {
    schemas: &'a mut SchemaGenerator,
    group: &'static str,
    tier: RateLimitTier,
    described: Vec<(Endpoint, Value)>,
}

impl<'a> Describer<'a> {
    /// Returns a describer of the function `group`, whose requests count against the rate limit of
    /// `tier`.
    pub fn new(
        schemas: &'a mut SchemaGenerator,
        group: &'static str,
        tier: RateLimitTier,
    ) -> Describer<'a> {
        Describer {
            schemas,
            group,
            tier,
            described: Vec::new(),
        }
    }

    /// Returns the endpoints and their operation objects.
    pub fn finish(self) -> Vec<(Endpoint, Value)> {
        self.described
    }
}

impl<S> Register<S> for Describer<'_> {
    fn on<H, Extractors, Arguments>(mut self, endpoint: Endpoint, _handler: H) -> Self
    where
        H: axum::handler::Handler<Extractors, S> + Documented<Arguments>,
        Extractors: 'static,
    {
        let mut operation = Operation::new(self.schemas);
        H::describe(&mut operation);
        operation
            .extensions
            .entry(RATE_LIMIT_TIER)
            .or_insert(json!(self.tier.name()));
        let described = operation.into_value(&endpoint, self.group);
        self.described.push((endpoint, described));
        self
    }
}
