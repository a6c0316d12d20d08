//! Reads resolved resources into the model.

mod alarm;
mod api;
mod cdn;
mod function;
mod policy;
mod schedule;

use serde::Deserialize;

use crate::{
    error::TemplateError,
    model::{
        AttributeType, BucketSpec, CorsRule, LifecycleRule, PrimaryKey, QueueSpec,
        ResolvedTemplate, SecretSpec, TableSpec, Trigger,
    },
    resources::Resources,
    scope::{BUCKET, FUNCTION},
    text::parsed,
};

const QUEUE: &str = "AWS::SQS::Queue";

pub(crate) fn resolved_template(
    resources: &Resources<'_>,
) -> Result<ResolvedTemplate, TemplateError> {
    for id in resources.scope.types().keys() {
        resources.scope.resource_type(id)?;
    }

    let cdn = cdn::read(resources)?;
    Ok(ResolvedTemplate {
        tables: resources.each("AWS::DynamoDB::Table", table)?,
        buckets: resources.each(BUCKET, bucket)?,
        queues: resources.each(QUEUE, queue)?,
        secrets: resources.each("AWS::SecretsManager::Secret", secret)?,
        functions: resources.each(FUNCTION, function::read)?,
        routes: api::read(resources)?,
        triggers: resources.each("AWS::Lambda::EventSourceMapping", trigger)?,
        schedules: resources.each(schedule::RULE, schedule::read)?.concat(),
        alarms: resources.each("AWS::CloudWatch::Alarm", alarm::read)?,
        cdn_origin: cdn.origin,
        cdn_objects: cdn.objects,
        cdn_aliases: cdn.aliases,
    })
}

fn table(id: &str, resources: &Resources<'_>) -> Result<TableSpec, TemplateError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct Table {
        attribute_definitions: Vec<AttributeDefinition>,
        key_schema: Vec<KeyPart>,
        time_to_live_specification: Option<TimeToLive>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct AttributeDefinition {
        attribute_name: String,
        attribute_type: AttributeType,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct KeyPart {
        attribute_name: String,
        key_type: String,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct TimeToLive {
        attribute_name: String,
    }

    let table: Table = resources.properties(id)?;
    let key_part = |key_type: &str| {
        let mut parts = table.key_schema.iter();
        let part = parts.find(|part| part.key_type == key_type);
        part.map(|part| part.attribute_name.clone())
    };
    let no_partition = || TemplateError::new("KeySchema", "there is no HASH");

    Ok(TableSpec {
        logical_id: id.to_owned(),
        name: resources.scope.name(id),
        key: PrimaryKey {
            partition: key_part("HASH").ok_or_else(no_partition)?,
            sort: key_part("RANGE"),
        },
        attributes: table
            .attribute_definitions
            .into_iter()
            .map(|defined| (defined.attribute_name, defined.attribute_type))
            .collect(),
        time_to_live: table
            .time_to_live_specification
            .map(|time_to_live| time_to_live.attribute_name),
    })
}

fn bucket(id: &str, resources: &Resources<'_>) -> Result<BucketSpec, TemplateError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct Bucket {
        cors_configuration: CorsConfiguration,
        lifecycle_configuration: LifecycleConfiguration,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct CorsConfiguration {
        cors_rules: Vec<CorsRule>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct LifecycleConfiguration {
        rules: Vec<LifecycleRule>,
    }

    let bucket: Bucket = resources.properties(id)?;
    Ok(BucketSpec {
        logical_id: id.to_owned(),
        name: resources.scope.name(id),
        cors: bucket.cors_configuration.cors_rules,
        lifecycle: bucket.lifecycle_configuration.rules,
    })
}

fn queue(id: &str, resources: &Resources<'_>) -> Result<QueueSpec, TemplateError> {
    let queue: QueueSpec = resources.properties(id)?;
    let mut redrive = queue.redrive;
    if let Some(redrive) = &mut redrive {
        let dead_letters = resources.find(QUEUE, Some("Arn"), &redrive.dead_letter_queue)?;
        redrive.dead_letter_queue = resources.scope.name(dead_letters);
    }
    Ok(QueueSpec {
        logical_id: id.to_owned(),
        name: resources.scope.name(id),
        redrive,
        ..queue
    })
}

fn secret(id: &str, resources: &Resources<'_>) -> Result<SecretSpec, TemplateError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct Secret {
        generate_secret_string: Generated,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct Generated {
        #[serde(deserialize_with = "parsed")]
        password_length: u32,
        #[serde(deserialize_with = "parsed")]
        exclude_punctuation: bool,
    }

    let secret: Secret = resources.properties(id)?;
    Ok(SecretSpec {
        logical_id: id.to_owned(),
        name: resources.scope.name(id),
        length: secret.generate_secret_string.password_length,
        excludes_punctuation: secret.generate_secret_string.exclude_punctuation,
    })
}

fn trigger(id: &str, resources: &Resources<'_>) -> Result<Trigger, TemplateError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct EventSourceMapping {
        function_name: String,
        event_source_arn: String,
        #[serde(deserialize_with = "parsed")]
        batch_size: u32,
        scaling_config: Option<ScalingConfig>,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "PascalCase")]
    struct ScalingConfig {
        #[serde(deserialize_with = "parsed")]
        maximum_concurrency: u32,
    }

    let mapping: EventSourceMapping = resources.properties(id)?;
    let function = resources.find(FUNCTION, None, &mapping.function_name)?;
    let queue = resources.find(QUEUE, Some("Arn"), &mapping.event_source_arn)?;
    Ok(Trigger {
        queue: resources.scope.name(queue),
        function: function.to_owned(),
        batch_size: mapping.batch_size,
        maximum_concurrency: mapping
            .scaling_config
            .map(|scaling| scaling.maximum_concurrency),
    })
}
