//! Whole templates, and what they come to.

mod intrinsics;
mod parameters;
mod refusals;
mod stacks;

use crate::{Context, Problems, Stack, read};

/// A deployment as the local stack describes it.
fn context() -> Context {
    let attributes = [
        ("Cdn", "DomainName", "cdn.test"),
        ("Api", "ApiEndpoint", "http://api.test"),
    ];
    Context {
        stack_name: "larder".to_owned(),
        region: "eu-central-1".to_owned(),
        account_id: "000000000000".to_owned(),
        queue_url_base: "http://127.0.0.1:9324".to_owned(),
        attributes: attributes
            .map(|(id, attribute, value)| ((id.to_owned(), attribute.to_owned()), value.to_owned()))
            .into(),
        ..Context::default()
    }
}

/// Reads `text` in [`context`].
fn stack(text: &str) -> Result<Stack, Problems> {
    read(text, &context())
}

/// The problems of `text`, as they are shown.
fn problems(text: &str) -> String {
    stack(text).map_or_else(|problems| problems.to_string(), |_| String::new())
}

const DEPLOYED: &str = include_str!("../../../../template.yaml");

#[test]
fn the_deployed_template_is_understood() -> Result<(), Problems> {
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
            "purge",
            "spaces",
            "sweep",
            "upload-configs",
            "uploads"
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

/// Each function has the variables it needs, and none of another's.
#[test]
fn the_deployed_functions_see_their_own_variables() -> Result<(), Problems> {
    let variables: Vec<Vec<String>> = stack(DEPLOYED)?
        .functions
        .into_iter()
        .map(|function| function.environment.into_keys().collect())
        .collect();
    let expected: [&[&str]; 10] = [
        &[
            "BUCKET_NAME",
            "CONFIRM_CHECK_QUEUE_URL",
            "LOG_LEVEL",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "TABLE_NAME",
        ],
        &[
            "BUCKET_NAME",
            "LOG_LEVEL",
            "MASTER_SECRET_ARN",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "REDIRECT_ABOVE_BYTES",
            "TABLE_NAME",
        ],
        &[
            "ADMIN_REQUESTS_PER_MINUTE",
            "CDN_URL",
            "LOG_LEVEL",
            "MASTER_SECRET_ARN",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "PURGE_QUEUE_URL",
            "TABLE_NAME",
        ],
        &[
            "ADMIN_REQUESTS_PER_MINUTE",
            "LOG_LEVEL",
            "MASTER_SECRET_ARN",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "TABLE_NAME",
        ],
        &["LOG_LEVEL", "METRICS_BY_ROUTE", "METRICS_NAMESPACE"],
        &[
            "BUCKET_NAME",
            "LOG_LEVEL",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "PURGE_QUEUE_URL",
            "TABLE_NAME",
        ],
        &[
            "ADMIN_REQUESTS_PER_MINUTE",
            "LOG_LEVEL",
            "MASTER_SECRET_ARN",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "PURGE_QUEUE_URL",
            "TABLE_NAME",
        ],
        &[
            "BUCKET_NAME",
            "LOG_LEVEL",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "SWEEP_QUEUE_URL",
            "TABLE_NAME",
        ],
        &[
            "ADMIN_REQUESTS_PER_MINUTE",
            "LOG_LEVEL",
            "MASTER_SECRET_ARN",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "TABLE_NAME",
        ],
        &[
            "BUCKET_NAME",
            "CDN_URL",
            "CONFIRM_CHECK_QUEUE_URL",
            "LOG_LEVEL",
            "MASTER_SECRET_ARN",
            "METRICS_BY_ROUTE",
            "METRICS_NAMESPACE",
            "TABLE_NAME",
            "UNSIGNED_REQUESTS_PER_MINUTE",
            "UNSIGNED_UPLOADS_PER_HOUR",
            "UPLOAD_REQUESTS_PER_MINUTE",
        ],
    ];
    assert_eq!(variables, expected);
    Ok(())
}

#[test]
fn the_deployed_cdn_may_have_an_address_of_its_own() -> Result<(), Problems> {
    let cdn_url = |context: &Context| -> Result<String, Problems> {
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

/// A file that was cut off anywhere is judged, and never brings the reader down.
#[test]
fn a_template_cut_off_anywhere_is_judged() {
    for (position, _) in DEPLOYED.match_indices(['\n', '{', '[']) {
        if let Err(problems) = stack(&DEPLOYED[..=position]) {
            assert!(
                problems.iter().all(|problem| problem.line >= 1),
                "{problems}"
            );
        }
    }
}
