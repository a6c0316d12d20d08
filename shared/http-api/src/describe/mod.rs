//! Declares endpoints, routes requests to them, and describes them in OpenAPI 3.1
//! (<https://spec.openapis.org/oas/v3.1.1.html>).
//!
//! The description comes from the types of the handlers: extractors describe what they read and
//! reject, responses describe their status and schema. Only the program that writes the document,
//! and tests, call the descriptions, so the binaries of functions do not contain them.

mod endpoint;
mod extractors;
mod fallback;
mod responses;
mod schema_field;
mod schema_reader;

use std::collections::BTreeMap;

use domain::requests::IdempotencyKey;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::{
    caller::{Action, RateLimitTier},
    fields::FromFields,
};
pub use endpoint::{API_PREFIX, Endpoint, Register, RouterBuilder};
pub use fallback::not_found_router;
pub use schema_field::ValueForms;
pub use schema_reader::SchemaReader;

/// Media type of JSON bodies.
const JSON: &str = "application/json";
/// Extension with the tier of the rate limit.
const RATE_LIMIT_TIER: &str = "x-rate-limit-tier";
/// Media type of forms.
const FORM: &str = "multipart/form-data";

/// Builds an operation object: the description of one endpoint.
pub struct OperationBuilder<'a> {
    /// Schemas of the document.
    pub(crate) schemas: &'a mut SchemaGenerator,
    forms: ValueForms,
    parameters: Vec<Value>,
    body: Option<Value>,
    responses: BTreeMap<u16, Value>,
    security: Vec<Value>,
    extensions: Map<String, Value>,
}

impl<'a> OperationBuilder<'a> {
    fn new(schemas: &'a mut SchemaGenerator, forms: ValueForms) -> OperationBuilder<'a> {
        OperationBuilder {
            schemas,
            forms,
            parameters: Vec::new(),
            body: None,
            responses: BTreeMap::new(),
            security: Vec::new(),
            extensions: Map::new(),
        }
    }

    /// Adds a security scheme. One scheme of an endpoint is enough to authenticate.
    pub fn authenticated_by(&mut self, scheme: &str) {
        let requirement = json!({ scheme: [] });
        if !self.security.contains(&requirement) {
            self.security.push(requirement);
        }
    }

    /// Allows requests without authentication.
    pub fn without_authentication(&mut self) {
        self.security.push(json!({}));
    }

    /// Adds the role that a caller needs in the space.
    pub fn requires_role<A: Action>(&mut self) {
        self.extensions
            .insert("x-required-role".to_owned(), json!(A::MIN_ROLE));
        self.error(403);
    }

    /// Sets the tier of the rate limit, if it differs from the tier of the function.
    pub fn rate_limit_tier(&mut self, name: &str) {
        self.extension(RATE_LIMIT_TIER, json!(name));
    }

    /// Adds an extension, whose name begins with `x-`.
    pub fn extension(&mut self, name: &str, value: Value) {
        self.extensions.insert(name.to_owned(), value);
    }

    /// Adds a path parameter, as in `/spaces/{id}`.
    pub fn path_parameter<T: JsonSchema>(&mut self, name: &str) {
        let schema = self.schemas.subschema_for::<T>();
        self.parameters
            .push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
        // 400 if it is not UTF-8, 404 if it names no resource.
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
        let mut reader = SchemaReader::of_texts(self.schemas, self.forms);
        read(&mut reader);
        self.parameters.extend(reader.into_parameters());
        self.error(422);
    }

    /// Adds the header `Idempotency-Key`.
    pub fn idempotency_key(&mut self) {
        let description = "Identifies the request. A request with the same key within 24 hours returns the same \
                           response and has no further effect.";
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
        let mut reader = SchemaReader::of_json(self.schemas, self.forms);
        read(&mut reader);
        let schema = reader.into_schema();
        self.body(JSON, &schema);
    }

    /// Adds a form with the text fields and files that `read` reads.
    pub fn form_body(&mut self, read: impl FnOnce(&mut SchemaReader<'_>)) {
        let mut reader = SchemaReader::of_texts(self.schemas, self.forms);
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

    /// Adds an error from the shared components.
    pub fn error(&mut self, status: u16) {
        let reference = json!({"$ref": format!("#/components/responses/Error{status}")});
        self.responses.entry(status).or_insert(reference);
    }

    /// Adds an error with its own description.
    pub(crate) fn described_error(&mut self, status: u16, description: &str) {
        let content = json!({JSON: {"schema": {"$ref": "#/components/schemas/ErrorBody"}}});
        self.responses.insert(
            status,
            json!({"description": description, "content": content}),
        );
    }

    fn into_value(mut self, endpoint: &Endpoint) -> Value {
        for name in path_parameters(endpoint.path) {
            let is_described = self
                .parameters
                .iter()
                .any(|parameter| parameter["in"] == "path" && parameter["name"] == name);
            if !is_described {
                self.path_parameter::<String>(name);
            }
        }
        for (status, description) in endpoint.errors {
            self.described_error(*status, description);
        }

        let responses: Map<String, Value> = self
            .responses
            .into_iter()
            .map(|(status, response)| (status.to_string(), response))
            .collect();
        let mut operation = json!({
            "operationId": endpoint.id,
            "summary": endpoint.summary,
            "description": endpoint.description,
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

/// Returns the names of the parameters in a path, as in `/spaces/{id}`.
fn path_parameters(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.split('/')
        .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
}

/// An extractor that describes what it reads, and the errors with which it rejects requests.
pub trait DescribeInput {
    /// Adds the description to an operation.
    fn describe(operation: &mut OperationBuilder<'_>);
}

/// A response that describes its status and schema.
pub trait DescribeOutput {
    /// Adds the description to an operation.
    fn describe(operation: &mut OperationBuilder<'_>);
}

/// A handler whose arguments and result have descriptions.
pub trait Documented<Arguments> {
    /// Adds the description to an operation.
    fn describe(operation: &mut OperationBuilder<'_>);
}

macro_rules! documented {
    ($($argument:ident),*) => {
        impl<F, R, $($argument,)*> Documented<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> R,
            R: Future<Output: DescribeOutput>,
            $($argument: DescribeInput,)*
        {
            fn describe(operation: &mut OperationBuilder<'_>) {
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

/// An endpoint, and its operation object.
pub struct DescribedEndpoint {
    pub endpoint: Endpoint,
    pub description: Value,
}

/// Describes the endpoints of a function.
pub struct Describer<'a> {
    schemas: &'a mut SchemaGenerator,
    forms: ValueForms,
    tier: RateLimitTier,
    operations: Vec<DescribedEndpoint>,
}

impl<'a> Describer<'a> {
    /// Returns a describer for a function with the rate limit of `tier`.
    pub fn new(
        schemas: &'a mut SchemaGenerator,
        forms: ValueForms,
        tier: RateLimitTier,
    ) -> Describer<'a> {
        Describer {
            schemas,
            forms,
            tier,
            operations: Vec::new(),
        }
    }

    /// Returns the endpoints with their descriptions.
    pub fn finish(self) -> Vec<DescribedEndpoint> {
        self.operations
    }
}

impl<S> Register<S> for Describer<'_> {
    fn on<H, Extractors, Arguments>(mut self, endpoint: Endpoint, _handler: H) -> Self
    where
        H: axum::handler::Handler<Extractors, S> + Documented<Arguments>,
        Extractors: 'static,
    {
        let mut operation = OperationBuilder::new(self.schemas, self.forms);
        H::describe(&mut operation);
        operation
            .extensions
            .entry(RATE_LIMIT_TIER)
            .or_insert(json!(self.tier.name()));
        let description = operation.into_value(&endpoint);
        self.operations.push(DescribedEndpoint {
            endpoint,
            description,
        });
        self
    }
}
