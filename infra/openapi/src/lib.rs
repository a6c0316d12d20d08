//! What follows from the declarations of the endpoints: the OpenAPI document, the routes that
//! `not-found` knows, the events of the functions in `template.yaml`, and the API reference in
//! `docs/api.md`.
//!
//! `scripts/openapi` writes these files, and a test compares them.

mod document;
mod generated;
mod links;
mod reference;

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};
use web::{Endpoint, openapi::Describer};

pub use document::document;
pub use generated::{GeneratedFile, generate};

/// Where OpenAPI keeps schemas.
const SCHEMAS: &str = "/components/schemas";

/// One endpoint of the API, as its handler declares it.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Binary of the function that answers it.
    pub function: &'static str,
    /// Its declaration.
    pub endpoint: Endpoint,
    /// Its operation object of OpenAPI.
    pub description: Value,
}

/// The endpoints of the API, and the schemas that their descriptions refer to.
pub struct Api {
    /// The endpoints, by function.
    pub operations: Vec<Operation>,
    /// Schemas by name: `#/components/schemas/…`.
    pub schemas: Map<String, Value>,
}

/// Returns every endpoint of the API.
pub fn api() -> Api {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = SCHEMAS.into();
    settings.meta_schema = None;
    let mut schemas = settings.into_generator();

    let mut operations = Vec::new();
    macro_rules! add {
        ($($function:literal: $package:ident,)+) => {$(
            let describer = Describer::new(&mut schemas, $function, $package::TIER);
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

    let schemas = schemas.take_definitions(true);
    links::add_links(&mut operations, &schemas);
    Api {
        operations,
        schemas,
    }
}
