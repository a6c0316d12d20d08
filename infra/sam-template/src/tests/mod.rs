//! Tests of whole templates: template.yaml, and a sample with a resource of each type.

use std::collections::BTreeMap;

use crate::{
    Alarm, AlarmMetric, AttributeType, BucketSpec, Context, CorsRule, Function, LifecycleRule,
    Permission, PrimaryKey, PublicKey, QueueSpec, RecursiveLoop, Redrive, ResolvedTemplate, Route,
    Schedule, SecretSpec, TableSpec, TemplateError, Trigger, read, text::typed, yaml,
};

const DEPLOYED: &str = include_str!("../../../../template.yaml");
const SAMPLE: &str = include_str!("sample.yaml");

const PUBLIC_KEY: &str = "-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2PMOVVI+E8y2/flWTkPe3re1M6aV
/xb4rTMKHm1x6AbC41dUsA8K3OZjizcvgXFz/TU8T6+wV52N/jITvEo0Wg==
-----END PUBLIC KEY-----
";
const SECRET_ARN: &str =
    "arn:aws:secretsmanager:eu-central-1:000000000000:secret:larder-cdn-1-abcdef";

/// Reads a template with these parameters, in the context of a local stack.
fn with(text: &str, parameters: &[(&str, &str)]) -> Result<ResolvedTemplate, TemplateError> {
    let context = Context {
        stack_name: "larder".to_owned(),
        region: "eu-central-1".to_owned(),
        account_id: "000000000000".to_owned(),
        queue_url_base: "http://127.0.0.1:9324".to_owned(),
        parameters: map(parameters),
    };
    read(text, &context)
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

fn permission<const N: usize>(actions: [&str; N], resource: &str) -> Permission {
    Permission {
        actions: texts(actions),
        resources: texts([resource]),
    }
}

/// Asserts that a template is rejected with this error after the first `part` is replaced.
#[track_caller]
fn assert_rejected(template: &str, part: &str, replacement: &str, expected: &str) {
    let changed = template.replacen(part, replacement, 1);
    assert_ne!(changed, template, "{part}");
    let error = with(&changed, &[]).map(|_| "accepted".to_owned());
    let shown = error.unwrap_or_else(|error| error.to_string());
    assert!(
        shown.starts_with(&format!("template.yaml: {expected}")),
        "{part} -> {replacement}: {shown}"
    );
}

#[test]
fn stores_and_queues_have_the_properties_of_the_template() -> Result<(), TemplateError> {
    let stack = with(SAMPLE, &[("Days", "60")])?;

    let table = TableSpec {
        logical_id: "Table".to_owned(),
        name: "larder-Table".to_owned(),
        key: PrimaryKey {
            partition: "pk".to_owned(),
            sort: Some("at".to_owned()),
        },
        attributes: [
            ("at".to_owned(), AttributeType::Number),
            ("pk".to_owned(), AttributeType::String),
        ]
        .into(),
        time_to_live: Some("gone_at".to_owned()),
    };
    assert_eq!(stack.tables, [table]);

    let lifecycle = |prefix: &str, expiration_days, abort_multipart_days| LifecycleRule {
        prefix: prefix.to_owned(),
        expiration_days,
        abort_multipart_days,
    };
    let bucket = BucketSpec {
        logical_id: "Bucket".to_owned(),
        name: "larder-bucket-000000000000".to_owned(),
        cors: vec![CorsRule {
            allowed_origins: texts(["*"]),
            allowed_methods: texts(["PUT"]),
            allowed_headers: texts(["x-a"]),
            exposed_headers: texts(["ETag"]),
            max_age_seconds: Some(60),
        }],
        lifecycle: vec![
            lifecycle("staging/", Some(60), None),
            lifecycle("", None, Some(1)),
        ],
    };
    assert_eq!(stack.buckets, [bucket]);

    let secret = SecretSpec {
        logical_id: "Secret".to_owned(),
        name: "larder-Secret".to_owned(),
        length: 64,
        excludes_punctuation: true,
    };
    assert_eq!(stack.secrets, [secret]);

    let queue = |id: &str, visibility_timeout_seconds, redrive| QueueSpec {
        logical_id: id.to_owned(),
        name: format!("larder-{id}"),
        visibility_timeout_seconds,
        retention_seconds: 345_600,
        redrive,
    };
    let redrive = Redrive {
        dead_letter_queue: "larder-Dead".to_owned(),
        max_receive_count: 3,
    };
    let queues = [queue("Dead", 30, None), queue("Jobs", 120, Some(redrive))];
    assert_eq!(stack.queues, queues);

    let debugged = with(SAMPLE, &[("Level", "debug"), ("Slug", "a")])?;
    assert_eq!(debugged.queues.len(), 3);
    Ok(())
}

#[test]
fn functions_have_the_properties_of_the_template() -> Result<(), TemplateError> {
    let stack = with(SAMPLE, &[])?;
    let secret = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:larder-Secret-abcdef";
    let queue = |id: &str| format!("arn:aws:sqs:eu-central-1:000000000000:larder-{id}");
    let url_role = "arn:aws:iam::000000000000:role/larder-UrlRole";
    let receive = permission(["sqs:ReceiveMessage", "sqs:DeleteMessage"], "*");
    let worker = Function {
        logical_id: "Worker".to_owned(),
        binary: "worker".to_owned(),
        timeout_seconds: 30,
        memory_mib: 256,
        environment: map(&[
            ("LEVEL", "info"),
            ("PLACE", "eu-central-1/larder-bucket-000000000000"),
            ("PRESIGN_ROLE_ARN", url_role),
            (
                "QUEUE_URL",
                "http://127.0.0.1:9324/000000000000/larder-Jobs",
            ),
            ("SECRET", secret),
            ("THIRD", "c"),
        ]),
        permissions: vec![
            permission(["sqs:SendMessage"], &queue("Dead")),
            receive.clone(),
        ],
        presign_permissions: Some(vec![receive]),
        recursive_loop: RecursiveLoop::Allow,
    };
    assert_eq!(stack.functions, [worker]);

    let route = |method: &str, path: &str| Route {
        method: method.to_owned(),
        path: path.to_owned(),
        function: "Worker".to_owned(),
    };
    let routes = [route("ANY", "$default"), route("GET", "/a/{id}")];
    assert_eq!(stack.routes, routes);

    let trigger = Trigger {
        queue: "larder-Jobs".to_owned(),
        function: "Worker".to_owned(),
        batch_size: 5,
        maximum_concurrency: Some(2),
    };
    assert_eq!(stack.triggers, [trigger]);

    let schedule = Schedule {
        rule: "Daily".to_owned(),
        period_seconds: 43_200,
        queue: "larder-Jobs".to_owned(),
        message: "{}".to_owned(),
        permissions: vec![permission(["sqs:SendMessage"], &queue("Jobs"))],
    };
    assert_eq!(stack.schedules, [schedule]);
    Ok(())
}

#[test]
fn alarms_have_a_metric_or_an_expression_over_several() -> Result<(), TemplateError> {
    let metric = |id: &str, namespace: &str, name: &str, statistic: &str| AlarmMetric {
        id: id.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        dimensions: BTreeMap::new(),
        statistic: statistic.to_owned(),
    };
    let age = Alarm {
        logical_id: "AgeAlarm".to_owned(),
        description: "Old.".to_owned(),
        metrics: vec![AlarmMetric {
            dimensions: map(&[("QueueName", "larder-Jobs")]),
            ..metric("value", "AWS/SQS", "Age", "Maximum")
        }],
        expression: None,
        period_seconds: 300,
        evaluation_periods: 2,
        datapoints_to_alarm: 2,
        threshold: 0,
        has_actions: false,
    };
    let errors = Alarm {
        logical_id: "ErrorsAlarm".to_owned(),
        description: "Failed.".to_owned(),
        metrics: vec![
            metric("jobs", "Larder/larder", "FailedJobs", "p95"),
            metric("errors", "AWS/Lambda", "Errors", "Sum"),
        ],
        expression: Some("jobs + errors".to_owned()),
        period_seconds: 60,
        datapoints_to_alarm: 1,
        threshold: 5,
        has_actions: true,
        ..age.clone()
    };

    assert_eq!(with(SAMPLE, &[])?.alarms, [age, errors]);
    Ok(())
}

#[test]
fn public_keys_add_a_cache_behavior() -> Result<(), TemplateError> {
    let with_keys = |first, second, secret| {
        let parameters = [
            ("CdnPublicKey1", first),
            ("CdnPublicKey2", second),
            ("CdnPrivateKeySecretArn", secret),
        ];
        with(DEPLOYED, &parameters)
    };
    let stack = with_keys("", "", "")?;
    assert_eq!(stack.cdn_objects, None);
    assert_eq!(stack.cdn_origin.as_deref(), Some("Delivery"));

    // What the distribution verifies does not depend on the private key, which follows in another
    // deployment.
    let key = |id: &str| PublicKey {
        id: format!("larder-{id}"),
        pem: PUBLIC_KEY.to_owned(),
    };
    for secret in ["", SECRET_ARN] {
        for (first, second, expected) in [
            (PUBLIC_KEY, "", vec![key("CdnKey1")]),
            ("", PUBLIC_KEY, vec![key("CdnKey2")]),
            (PUBLIC_KEY, PUBLIC_KEY, vec![key("CdnKey1"), key("CdnKey2")]),
        ] {
            let objects = with_keys(first, second, secret)?.cdn_objects;
            assert_eq!(objects.expect("a behavior").public_keys, expected);
        }
    }

    let stack = with_keys(PUBLIC_KEY, "", SECRET_ARN)?;
    let objects = stack.cdn_objects.expect("a behavior");
    assert_eq!(objects.path_prefix, "/_objects/");
    assert_eq!(objects.bucket, stack.buckets[0].name);
    let parameters = [
        "response-cache-control",
        "response-content-disposition",
        "response-content-type",
    ];
    assert_eq!(objects.query_parameters, parameters);
    let headers = objects.response_headers.iter();
    let header_names: Vec<_> = headers.map(|header| header.name).collect();
    let expected = [
        "x-content-type-options",
        "content-security-policy",
        "access-control-allow-origin",
        "access-control-expose-headers",
    ];
    assert_eq!(header_names, expected);
    let delivered = format!("arn:aws:s3:::{}/_objects/*", objects.bucket);
    assert_eq!(
        objects.permissions,
        [permission(["s3:GetObject"], &delivered)]
    );

    let mut functions = stack.functions.iter();
    let delivery = functions.find(|function| function.binary == "delivery");
    let delivery = delivery.expect("the origin");
    assert_eq!(delivery.environment["CDN_PRIVATE_KEY_ARN"], SECRET_ARN);
    let secrets = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:larder-cdn-*";
    let read_key = permission(["secretsmanager:GetSecretValue"], secrets);
    assert!(delivery.permissions.contains(&read_key));
    Ok(())
}

#[test]
fn templates_that_are_not_supported_are_rejected() -> Result<(), TemplateError> {
    let cases: Vec<[String; 3]> = typed(yaml::parse(include_str!("rejected.yaml"))?)?;
    for [part, replacement, expected] in &cases {
        assert_rejected(SAMPLE, part, replacement, expected);
    }
    Ok(())
}

#[test]
fn distribution_that_is_not_supported_is_rejected() {
    let function_url = "2, !Split [\"/\", !GetAtt DeliveryUrl.FunctionUrl]";
    let other = "0, [example.com]";
    assert_rejected(DEPLOYED, function_url, other, "Cdn: `https://example.com/`");
    let [target, other] = ["TargetOriginId: delivery", "TargetOriginId: other"];
    assert_rejected(DEPLOYED, target, other, "Cdn.Origins: no `other`");
    let [enabled, staging] = ["IPV6Enabled", "Staging"];
    assert_rejected(DEPLOYED, enabled, staging, "Cdn.DistributionConfig.Staging");
}

/// On AWS, the messages of the rule would be lost. Here, the queue rejects them.
#[test]
fn rule_may_send_only_with_a_policy_of_its_queue() -> Result<(), TemplateError> {
    for (part, replacement) in [
        ("events.amazonaws.com", "s3.amazonaws.com"),
        (
            "\"aws:SourceArn\": !GetAtt Daily.Arn",
            "\"aws:SourceArn\": other",
        ),
        ("Queues: [!Ref Jobs]", "Queues: [!Ref Dead]"),
        (
            "Statement:\n          - { Effect: Allow",
            "Statement:\n          - { Effect: Deny",
        ),
    ] {
        let changed = SAMPLE.replacen(part, replacement, 1);
        assert_ne!(changed, SAMPLE);
        assert_eq!(with(&changed, &[])?.schedules[0].permissions, [], "{part}");
    }
    Ok(())
}

#[test]
fn parameters_meet_their_constraints() {
    for (name, value, expected) in [
        ("Colour", "red", "there is no such parameter"),
        ("Level", "loud", "the value must be one of info, debug"),
        ("Days", "0", "the value must be at least 1"),
        ("Days", "101", "the value must be at most 100"),
        ("Days", "ten", "the value must be a whole number"),
        ("Slug", "ab1", "the value must match ^(?:|[a-z]+)$"),
    ] {
        let shown = with(SAMPLE, &[(name, value)]).map_err(|error| error.to_string());
        let expected = format!("template.yaml: Parameters.{name}: {expected}");
        assert_eq!(shown, Err(expected));
    }

    let required = "Parameters.Level: a value is required";
    assert_rejected(SAMPLE, "Default: info, ", "", required);
    let invalid = "Parameters.Slug.AllowedPattern: regex";
    assert_rejected(SAMPLE, "|[a-z]+", "|[a-z+", invalid);
}

#[test]
fn parameters_of_the_deployed_template_exclude_invalid_values() {
    let private_key = PUBLIC_KEY.replace("PUBLIC", "PRIVATE");
    for public_key in ["AAAA", &private_key, "-----BEGIN PUBLIC KEY-----"] {
        let result = with(DEPLOYED, &[("CdnPublicKey1", public_key)]);
        let shown = result.err().map(|error| error.to_string());
        let constraint = "CdnPublicKey1: the value must be a P-256 public key in PEM";
        assert!(shown.is_some_and(|shown| shown.ends_with(constraint)));
    }
}
