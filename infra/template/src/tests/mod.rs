//! Tests of whole templates.

mod cdn_objects;
mod intrinsics;
mod parameters;
mod rejected_functions;
mod rejected_resources;
mod rejections;
mod resources;
mod workers;

use std::collections::BTreeMap;

use crate::{Context, Diagnostics, Function, ResolvedTemplate, read};

/// Returns the context of a local stack.
fn context() -> Context {
    let attribute = |id: &str, name: &str| (id.to_owned(), name.to_owned());
    let attributes = BTreeMap::from([
        (attribute("Cdn", "DomainName"), "cdn.test".to_owned()),
        (
            attribute("Api", "ApiEndpoint"),
            "http://api.test".to_owned(),
        ),
    ]);

    Context {
        stack_name: "larder".to_owned(),
        region: "eu-central-1".to_owned(),
        account_id: "000000000000".to_owned(),
        queue_url_base: "http://127.0.0.1:9324".to_owned(),
        attributes,
        ..Context::default()
    }
}

/// Reads `text` in [`context`].
fn stack(text: &str) -> Result<ResolvedTemplate, Diagnostics> {
    read(text, &context())
}

/// Returns the diagnostics of `text` as they are printed.
fn diagnostics(text: &str) -> String {
    stack(text).map_or_else(|diagnostics| diagnostics.to_string(), |_| String::new())
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

/// A rule that sends to a queue, with the queue policy that allows it.
const SCHEDULE: &str = r#"
Resources:
  Jobs: { Type: AWS::SQS::Queue }
  Daily:
    Type: AWS::Events::Rule
    Properties:
      Description: Every day.
      ScheduleExpression: rate(1 day)
      State: ENABLED
      Targets:
        - { Id: jobs, Arn: !GetAtt Jobs.Arn, Input: '{"a": 1}' }
  DailyMaySend:
    Type: AWS::SQS::QueuePolicy
    Properties:
      Queues: [!Ref Jobs]
      PolicyDocument:
        Version: "2012-10-17"
        Statement:
          - Sid: Daily
            Effect: Allow
            Principal: { Service: events.amazonaws.com }
            Action: sqs:SendMessage
            Resource: !GetAtt Jobs.Arn
            Condition: { ArnEquals: { "aws:SourceArn": !GetAtt Daily.Arn } }
"#;

/// Variable that selects a test at full length.
const THOROUGH: &str = "LARDER_THOROUGH";
/// Distance between two positions at which the template is truncated by default.
const DEFAULT_STEP: usize = 16;
const DEPLOYED: &str = include_str!("../../../../template.yaml");

#[test]
fn deployed_template_is_supported() -> Result<(), Diagnostics> {
    let stack = stack(DEPLOYED)?;
    assert_eq!(stack.cdn_origin.as_deref(), Some("Delivery"));

    let binaries: Vec<&str> = stack
        .functions
        .iter()
        .map(|function| function.binary.as_str())
        .collect();
    assert_eq!(
        binaries,
        [
            "confirm-check",
            "delivery",
            "files",
            "folders",
            "not-found",
            "processing",
            "purge",
            "spaces",
            "sweep",
            "upload-configs",
            "uploads",
            "webhook-delivery"
        ]
    );

    assert!(
        stack
            .routes
            .iter()
            .any(|route| route.path == "$default" && route.function == "NotFound")
    );

    Ok(())
}

/// Variables of every function.
const COMMON_VARIABLES: [&str; 4] = [
    "DELIVERY_REPLICAS",
    "LOG_LEVEL",
    "METRICS_BY_ROUTE",
    "METRICS_NAMESPACE",
];

#[test]
fn deployed_functions_get_only_their_own_variables() -> Result<(), Diagnostics> {
    let functions = stack(DEPLOYED)?.functions;

    for function in &functions {
        for name in COMMON_VARIABLES {
            assert!(
                function.environment.contains_key(name),
                "{name} of {}",
                function.binary
            );
        }
    }

    let actual: Vec<String> = functions.iter().map(own_variables).collect();
    let expected = [
        "confirm-check: BUCKET_NAME, CONFIRM_CHECK_QUEUE_URL, MALLOC_MMAP_THRESHOLD_, PROCESSING_QUEUE_URL, TABLE_NAME, WEBHOOK_QUEUE_URL",
        "delivery: ANONYMOUS_RENDERINGS_PER_MINUTE, ANONYMOUS_VARIANTS_PER_FILE, BUCKET_NAME, CDN_KEY_PAIR_ID, \
         CDN_PRIVATE_KEY_ARN, MASTER_SECRET_ARN, PRESIGN_ROLE_ARN, REDIRECT_ABOVE_BYTES, RENDERING_MEMORY_MIB, TABLE_NAME, VARIANT_DAYS",
        "files: ADMIN_REQUESTS_PER_MINUTE, CDN_URL, MASTER_SECRET_ARN, PURGE_QUEUE_URL, TABLE_NAME, WEBHOOK_QUEUE_URL",
        "folders: ADMIN_REQUESTS_PER_MINUTE, ALLOW_LOOPBACK_URLS, BUCKET_NAME, MASTER_SECRET_ARN, TABLE_NAME",
        "not-found: ",
        "processing: BUCKET_NAME, PROCESSING_QUEUE_URL, RENDERING_MEMORY_MIB, TABLE_NAME, WEBHOOK_QUEUE_URL",
        "purge: BUCKET_NAME, PURGE_QUEUE_URL, TABLE_NAME",
        "spaces: ADMIN_REQUESTS_PER_MINUTE, ALLOW_LOOPBACK_URLS, BUCKET_NAME, CDN_DOMAIN_NAMES, LARGE_UPLOADS_URL, \
         MASTER_SECRET_ARN, PURGE_QUEUE_URL, TABLE_NAME, WEBHOOK_QUEUE_URL",
        "sweep: BUCKET_NAME, SWEEP_QUEUE_URL, TABLE_NAME",
        "upload-configs: ADMIN_REQUESTS_PER_MINUTE, ALLOW_LOOPBACK_URLS, MASTER_SECRET_ARN, TABLE_NAME",
        "uploads: BUCKET_NAME, CDN_URL, CONFIRM_CHECK_QUEUE_URL, MALLOC_MMAP_THRESHOLD_, MASTER_SECRET_ARN, PRESIGN_ROLE_ARN, \
         PROCESSING_QUEUE_URL, TABLE_NAME, UNSIGNED_REQUESTS_PER_MINUTE, UNSIGNED_UPLOADS_PER_HOUR, UPLOAD_REQUESTS_PER_MINUTE, WEBHOOK_QUEUE_URL",
        "webhook-delivery: ALLOW_LOOPBACK_URLS, MASTER_SECRET_ARN, TABLE_NAME, WEBHOOK_DEAD_LETTERS_URL, WEBHOOK_QUEUE_URL",
    ];
    assert_eq!(actual, expected);

    Ok(())
}

/// Returns `binary: VARIABLE, VARIABLE` with the variables that not every function has.
fn own_variables(function: &Function) -> String {
    let names: Vec<&str> = function
        .environment
        .keys()
        .map(String::as_str)
        .filter(|name| !COMMON_VARIABLES.contains(name))
        .collect();
    format!("{}: {}", function.binary, names.join(", "))
}

#[test]
fn cdn_url_parameter_overrides_domain_of_distribution() -> Result<(), Diagnostics> {
    let cdn_url = |context: &Context| -> Result<String, Diagnostics> {
        let stack = read(DEPLOYED, context)?;
        let uploads = stack
            .functions
            .iter()
            .find(|function| function.binary == "uploads");
        Ok(uploads
            .map(|function| function.environment["CDN_URL"].clone())
            .unwrap_or_default())
    };

    let mut context = context();
    assert_eq!(cdn_url(&context)?, "https://cdn.test");

    context
        .parameters
        .insert("CdnUrl".to_owned(), "http://127.0.0.1:3001".to_owned());
    assert_eq!(cdn_url(&context)?, "http://127.0.0.1:3001");

    Ok(())
}

#[test]
fn warm_read_units_below_those_of_a_new_table_are_rejected() {
    let is_accepted = |units: &str| {
        let mut context = context();
        let parameter = ("TableWarmReadUnits".to_owned(), units.to_owned());
        context.parameters.extend([parameter]);
        read(DEPLOYED, &context).is_ok()
    };

    for units in ["0", "12000", "19999", "20000", "99999", "100000"] {
        assert!(is_accepted(units), "{units}");
    }
    for units in ["", "1", "9999", "11999", "012000", "-1", "12000.5"] {
        assert!(!is_accepted(units), "{units}");
    }
}

#[test]
fn truncated_template_does_not_panic() {
    #[expect(
        clippy::disallowed_methods,
        reason = "how long a test takes is up to who runs it"
    )]
    let is_thorough = std::env::var_os(THOROUGH).is_some();
    let step = if is_thorough { 1 } else { DEFAULT_STEP };
    let positions = DEPLOYED.match_indices(['\n', '{', '[']);

    for (position, _) in positions.step_by(step) {
        if let Err(diagnostics) = stack(&DEPLOYED[..=position]) {
            assert!(
                diagnostics.iter().all(|diagnostic| diagnostic.line >= 1),
                "{diagnostics}"
            );
        }
    }
}
