//! Tests of rejected resources, one case per error.

use super::rejections::{FUNCTION, assert_rejected};
use super::{SCHEDULE, diagnostics};

#[test]
fn invalid_resources() {
    let cases = [
        (
            "A: { Type: AWS::EC2::Instance }",
            "the resource type `AWS::EC2::Instance` is not supported",
        ),
        ("A: { Properties: {} }", "`Type` of a resource is missing"),
        (
            "A: { Type: AWS::SQS::Queue, CreationPolicy: a }",
            "`CreationPolicy` of a resource is not supported",
        ),
        (
            "A: { Type: AWS::SQS::Queue, DependsOn: B }",
            "`DependsOn` must name resources of this template",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Condition: B }",
            "there is no condition `B`",
        ),
        (
            "A-B: { Type: AWS::SQS::Queue }",
            "the logical id `A-B` must be letters and digits",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Properties: a }",
            "AWS::SQS::Queue must be a mapping",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Properties: { Colour: red } }",
            "`Colour` of AWS::SQS::Queue is not supported",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Properties: { QueueName: [a] } }",
            "a name must be text",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true } }",
            "`FifoQueue` of AWS::SQS::Queue is not supported",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Properties: { DelaySeconds: 901 } }",
            "`DelaySeconds` must be a whole number from 0 to 900",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Properties: { RedrivePolicy: { deadLetterTargetArn: 'arn:b', maxReceiveCount: 1 } } }",
            "this must be the ARN of a queue of this template",
        ),
        (
            "A: { Type: AWS::S3::Bucket, Properties: { Tags: [!Ref B] } }",
            "`B` is neither a parameter nor a resource",
        ),
        (
            "A: { Type: AWS::S3::Bucket, Properties: { LifecycleConfiguration: { Rules: [{ Status: Enabled }] } } }",
            "a lifecycle rule must have an expiration",
        ),
        (
            "A: { Type: AWS::S3::Bucket, Properties: { CorsConfiguration: { CorsRules: [{ AllowedMethods: [GET] }] } } }",
            "`AllowedOrigins` of a CORS rule is missing",
        ),
        (
            "A: { Type: AWS::SecretsManager::Secret, Properties: { Description: a } }",
            "`GenerateSecretString` of AWS::SecretsManager::Secret is missing",
        ),
        (
            "A: { Type: AWS::SecretsManager::Secret, Properties: { GenerateSecretString: { IncludeSpace: true } } }",
            "`IncludeSpace` of GenerateSecretString is not supported",
        ),
        (
            "A: { Type: AWS::SecretsManager::Secret, Properties: { GenerateSecretString: { PasswordLength: 3 } } }",
            "`PasswordLength` must be a whole number from 4 to 4096",
        ),
        (
            "A: { Type: AWS::Serverless::HttpApi, Properties: { StageName: v1 } }",
            "`StageName` is supported as `$default` only",
        ),
        (
            "A: { Type: AWS::Serverless::HttpApi, Properties: { CorsConfiguration: true } }",
            "`CorsConfiguration` of AWS::Serverless::HttpApi is not supported",
        ),
        (
            "A: { Type: AWS::KMS::Key, Properties: { Colour: red } }",
            "`Colour` of AWS::KMS::Key is not supported",
        ),
    ];

    for (resource, message) in cases {
        assert_rejected(&format!("Resources:\n  {resource}\n"), 2, message);
    }
}

#[test]
fn invalid_tables() {
    let table = |properties: &str| {
        format!(
            "Resources:\n  A: {{ Type: AWS::DynamoDB::Table, Properties: {{ {properties} }} }}\n"
        )
    };
    let definitions = "AttributeDefinitions: [{ AttributeName: k, AttributeType: S }]";
    let schema = "KeySchema: [{ AttributeName: k, KeyType: HASH }]";
    let cases = [
        (definitions.to_owned(), "`KeySchema` of AWS::DynamoDB::Table is missing"),
        (
            "AttributeDefinitions: [{ AttributeName: k, AttributeType: S }, { AttributeName: l, AttributeType: S }], "
                .to_owned()
                + schema,
            "no key uses the attribute `l`",
        ),
        (
            format!("{definitions}, {schema}, StreamSpecification: {{}}"),
            "`StreamSpecification` of AWS::DynamoDB::Table is not supported",
        ),
        (
            format!("{definitions}, KeySchema: [{{ AttributeName: k, KeyType: RANGE }}]"),
            "a key has one HASH part, and after it at most one RANGE part",
        ),
        (
            format!(
                "{definitions}, KeySchema: [{{ AttributeName: k, KeyType: HASH }}, {{ AttributeName: x, KeyType: RANGE }}]"
            ),
            "the attribute `x` is not defined",
        ),
    ];

    for (properties, message) in cases {
        assert_rejected(&table(&properties), 2, message);
    }
}

#[test]
fn invalid_functions() {
    let cases = [
        (
            "Colour: red",
            "`Colour` of AWS::Serverless::Function is not supported",
        ),
        (
            "Timeout: 901",
            "`Timeout` must be a whole number from 1 to 900",
        ),
        (
            "Environment: { Variables: text }",
            "`Variables` must be a mapping",
        ),
        (
            "Policies: [AmazonS3FullAccess]",
            "an inline policy must be a mapping",
        ),
        (
            "Policies: { S3ReadPolicy: {}, Statement: [] }",
            "`S3ReadPolicy` of an inline policy is not supported",
        ),
        (
            "Policies: { AWSSecretsManagerGetSecretValuePolicy: {} }",
            "`SecretArn` of AWSSecretsManagerGetSecretValuePolicy is missing",
        ),
        (
            "Policies: { Statement: { Effect: Deny, Action: 's3:*', Resource: '*' } }",
            "`Effect` is supported as `Allow` only",
        ),
        (
            "Policies: { Statement: { Effect: Allow, Action: all, Resource: '*' } }",
            "an action is `service:Name`",
        ),
        (
            "Policies: { Statement: { Effect: Allow, Action: 's3:*', Resource: b } }",
            "a resource is an ARN, or `*`",
        ),
        (
            "Policies: { Statement: { Effect: Allow, Action: 's3:*', Resource: '*', Condition: {} } }",
            "`Condition` of a policy statement is not supported",
        ),
        (
            "FunctionUrlConfig: { AuthType: NONE }",
            "`AuthType` is supported as `AWS_IAM` only",
        ),
        (
            "Events: { E: { Type: Schedule, Properties: {} } }",
            "the event `Schedule` is not supported",
        ),
        (
            "Events: { E: { Type: HttpApi, Properties: {} } }",
            "`ApiId` of an HttpApi event is missing",
        ),
        (
            "Events: { E: { Type: HttpApi, Properties: { ApiId: other } } }",
            "`ApiId` must refer to the template's HTTP API",
        ),
        (
            "Events: { E: { Type: HttpApi, Properties: { ApiId: !Ref Api, Path: / } } }",
            "a route has both Method and Path, or neither",
        ),
        (
            "Events: { E: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: FETCH, Path: / } } }",
            "the method `FETCH` is not supported",
        ),
        (
            "Events: { E: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: ANY, Path: '/{proxy+}' } } }",
            "the path `/{proxy+}` is not supported: use literal segments and {names}",
        ),
        (
            "Events: { E: { Type: SQS, Properties: { Queue: !GetAtt Jobs.Arn, BatchSize: 11 } } }",
            "`BatchSize` must be a whole number from 1 to 10",
        ),
        (
            "Events: { E: { Type: SQS, Properties: { Queue: !GetAtt Jobs.Arn, MaximumBatchingWindowInSeconds: 1 } } }",
            "`MaximumBatchingWindowInSeconds` is supported as `0` only",
        ),
        (
            "Events: { E: { Type: SQS, Properties: { Queue: !GetAtt Jobs.Arn, FilterCriteria: {} } } }",
            "`FilterCriteria` of an SQS event is not supported",
        ),
        (
            "Events: { E: { Type: SQS, Properties: { Queue: !Ref Jobs } } }",
            "this must be the ARN of a queue of this template",
        ),
    ];

    for (properties, message) in cases {
        let function = format!(
            "F: {{ Type: AWS::Serverless::Function, {FUNCTION}, Properties: {{ {properties} }} }}"
        );
        let rest = "Api: { Type: AWS::Serverless::HttpApi }\n  Jobs: { Type: AWS::SQS::Queue }";
        assert_rejected(&format!("Resources:\n  {function}\n  {rest}\n"), 2, message);
    }

    let without_binary = "Resources:\n  F: { Type: AWS::Serverless::Function }\n";
    assert_rejected(
        without_binary,
        2,
        "a function requires `Metadata` with its binary",
    );
}

#[test]
fn invalid_schedules() {
    let rate =
        "`ScheduleExpression` is supported as a rate: rate(1 day), rate(12 hours), rate(5 minutes)";
    let not_allowed = "no queue policy allows this rule to send to `larder-Jobs`";
    let cases = [
        ("rate(1 day)", "rate(1 days)", 8, rate),
        ("rate(1 day)", "rate(0 days)", 8, rate),
        ("rate(1 day)", "rate(5 day)", 8, rate),
        ("rate(1 day)", "cron(0 1 * * ? *)", 8, rate),
        ("rate(1 day)", "rate(100000 days)", 8, rate),
        (
            "State: ENABLED",
            "State: DISABLED",
            9,
            "`State` is supported as `ENABLED` only",
        ),
        (
            "State: ENABLED",
            "EventPattern: {}",
            9,
            "`EventPattern` of AWS::Events::Rule is not supported",
        ),
        ("Input: '{", "Input: '", 11, "`Input` must be JSON"),
        (
            ", Input: '{\"a\": 1}'",
            "",
            11,
            "`Input` of a target is missing",
        ),
        ("Id: jobs, ", "", 11, "`Id` of a target is missing"),
        (
            "Arn: !GetAtt Jobs.Arn, I",
            "Arn: other, I",
            11,
            "this must be the ARN of a queue of this template",
        ),
        (
            "Queues: [!Ref Jobs]",
            "Queues: [other]",
            15,
            "this must refer to a queue of this template",
        ),
        (
            "Effect: Allow",
            "Effect: Deny",
            20,
            "`Effect` is supported as `Allow` only",
        ),
        (
            "{ Service: events.amazonaws.com }",
            "'*'",
            21,
            "Principal must be a mapping",
        ),
        (
            "sqs:SendMessage",
            "sqs:*",
            22,
            "`Action` is supported as `sqs:SendMessage` only",
        ),
        ("!GetAtt Daily.Arn", "arn:aws:events:other", 4, not_allowed),
    ];

    for (part, replacement, line, message) in cases {
        let shown = diagnostics(&SCHEDULE.replacen(part, replacement, 1));
        assert!(
            shown.contains(&format!("template.yaml:{line}: {message}")),
            "{replacement}: {shown}"
        );
    }

    let without_policy = SCHEDULE.split("  DailyMaySend").next().expect("a template");
    assert_rejected(without_policy, 4, not_allowed);

    let without_targets = SCHEDULE
        .replace(
            "        - { Id: jobs, Arn: !GetAtt Jobs.Arn, Input: '{\"a\": 1}' }\n",
            "",
        )
        .replace("Targets:", "Targets: []");

    assert_rejected(&without_targets, 4, "a rule needs targets");
}
