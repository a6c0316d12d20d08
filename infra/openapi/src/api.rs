//! Collects the endpoints of all functions.

use http_api::describe::{Describer, ValueForms};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

use crate::{
    descriptions::add_descriptions,
    links::add_links,
    operation::{Operation, SCHEMAS},
    types::{select_forms, simplify},
};

/// The endpoints of the API, and the schemas that they refer to.
pub struct Api {
    /// The endpoints, by function.
    pub operations: Vec<Operation>,
    /// Schemas by name: `#/components/schemas/…`.
    pub schemas: Map<String, Value>,
}

/// Returns every endpoint of the API, with these forms of values in requests.
pub fn api(forms: ValueForms) -> Api {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = SCHEMAS.into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();

    let mut operations = Vec::new();
    macro_rules! add {
        ($($function:literal: $package:ident,)+) => {$(
            let describer = Describer::new(&mut generator, forms, $package::TIER);
            let described = $package::endpoints(describer).finish();
            operations.extend(described.into_iter().map(|described| Operation {
                function: $function,
                endpoint: described.endpoint,
                description: described.description,
            }));
        )+};
    }
    add! {
        "spaces": spaces,
        "upload-configs": upload_configs,
        "uploads": uploads,
        "files": files,
        "folders": folders,
    }
    add_type::<domain::webhooks::WebhookPayload>(&mut generator);

    let mut schemas = generator.take_definitions(true);
    select_forms(&mut operations, &mut schemas, forms);
    simplify(&mut operations, &mut schemas);
    add_descriptions(&mut operations, &schemas);
    add_links(&mut operations, &schemas);
    Api {
        operations,
        schemas,
    }
}

/// Adds a type that no endpoint refers to.
fn add_type<T: JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<T>();
}
