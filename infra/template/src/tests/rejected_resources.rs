//! Tests of rejected resources, one case per error.

use super::SCHEDULE;
use super::rejections::{FUNCTION, assert_change_rejected, assert_rejected};

/// Asserts that a template with one resource has one diagnostic, on the line of the resource.
#[track_caller]
fn assert_resource_rejected(resource: &str, message: &str) {
    assert_rejected(&format!("Resources:\n  {resource}\n"), 2, message);
}

/// Asserts that a template with one table has one diagnostic, on the line of the table.
#[track_caller]
fn assert_table_rejected(properties: &str, message: &str) {
    let table = format!("A: {{ Type: AWS::DynamoDB::Table, Properties: {{ {properties} }} }}");
    assert_resource_rejected(&table, message);
}

/// Asserts that a template with a function and a queue has one diagnostic, on the line of the
/// function. `properties` are those of the function.
#[track_caller]
fn assert_function_rejected(properties: &str, message: &str) {
    let function = format!(
        "F: {{ Type: AWS::Serverless::Function, {FUNCTION}, Properties: {{ {properties} }} }}"
    );
    let queue = "Jobs: { Type: AWS::SQS::Queue }";
    assert_rejected(
        &format!("Resources:\n  {function}\n  {queue}\n"),
        2,
        message,
    );
}

/// Asserts that [`SCHEDULE`] is rejected with a diagnostic after the first `part` is replaced.
#[track_caller]
fn assert_schedule_rejected(part: &str, replacement: &str, diagnostic: &str) {
    let diagnostic = format!("template.yaml:{diagnostic}");
    assert_change_rejected(SCHEDULE, part, replacement, &diagnostic);
}

#[test]
fn invalid_resources() {
    assert_resource_rejected(
        "A: { Type: AWS::EC2::Instance }",
        "the resource type `AWS::EC2::Instance` is not supported",
    );
    assert_resource_rejected("A: { Properties: {} }", "`Type` of a resource is missing");
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, CreationPolicy: a }",
        "`CreationPolicy` of a resource is not supported",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, DependsOn: B }",
        "`DependsOn` must name resources of this template",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, Condition: B }",
        "there is no condition `B`",
    );
    assert_resource_rejected(
        "A-B: { Type: AWS::SQS::Queue }",
        "the logical id `A-B` must be letters and digits",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, Properties: a }",
        "AWS::SQS::Queue must be a mapping",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, Properties: { Colour: red } }",
        "`Colour` of AWS::SQS::Queue is not supported",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, Properties: { QueueName: [a] } }",
        "a name must be text",
    );
    assert_resource_rejected(
        "A: { Type: AWS::Logs::LogGroup, Properties: { Colour: red } }",
        "`Colour` of AWS::Logs::LogGroup is not supported",
    );
}

#[test]
fn invalid_queues() {
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true } }",
        "`FifoQueue` of AWS::SQS::Queue is not supported",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, Properties: { DelaySeconds: 901 } }",
        "`DelaySeconds` must be a whole number from 0 to 900",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SQS::Queue, Properties: { RedrivePolicy: { deadLetterTargetArn: 'arn:b', maxReceiveCount: 1 } } }",
        "this must be the Arn of a queue of this template",
    );
}

#[test]
fn invalid_buckets() {
    assert_resource_rejected(
        "A: { Type: AWS::S3::Bucket, Properties: { Tags: [!Ref B] } }",
        "`B` is neither a parameter nor a resource",
    );
    assert_resource_rejected(
        "A: { Type: AWS::S3::Bucket, Properties: { LifecycleConfiguration: { Rules: [{ Status: Enabled }] } } }",
        "a lifecycle rule must have an expiration",
    );
    assert_resource_rejected(
        "A: { Type: AWS::S3::Bucket, Properties: { CorsConfiguration: { CorsRules: [{ AllowedMethods: [GET] }] } } }",
        "`AllowedOrigins` of a CORS rule is missing",
    );
}

#[test]
fn invalid_secrets() {
    assert_resource_rejected(
        "A: { Type: AWS::SecretsManager::Secret, Properties: { Description: a } }",
        "`GenerateSecretString` of AWS::SecretsManager::Secret is missing",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SecretsManager::Secret, Properties: { GenerateSecretString: { IncludeSpace: true } } }",
        "`IncludeSpace` of GenerateSecretString is not supported",
    );
    assert_resource_rejected(
        "A: { Type: AWS::SecretsManager::Secret, Properties: { GenerateSecretString: { PasswordLength: 3 } } }",
        "`PasswordLength` must be a whole number from 4 to 4096",
    );
}

#[test]
fn invalid_http_apis() {
    assert_resource_rejected(
        "A: { Type: AWS::Serverless::HttpApi, Properties: { StageName: v1 } }",
        "`StageName` is supported as `$default` only",
    );
    assert_resource_rejected(
        "A: { Type: AWS::Serverless::HttpApi, Properties: { CorsConfiguration: true } }",
        "`CorsConfiguration` of AWS::Serverless::HttpApi is not supported",
    );
}

#[test]
fn invalid_tables() {
    let definitions = "AttributeDefinitions: [{ AttributeName: k, AttributeType: S }]";
    let schema = "KeySchema: [{ AttributeName: k, KeyType: HASH }]";

    assert_table_rejected(
        definitions,
        "`KeySchema` of AWS::DynamoDB::Table is missing",
    );
    assert_table_rejected(
        &format!(
            "AttributeDefinitions: [{{ AttributeName: k, AttributeType: S }}, {{ AttributeName: l, AttributeType: S }}], {schema}"
        ),
        "no key uses the attribute `l`",
    );
    assert_table_rejected(
        &format!("{definitions}, {schema}, StreamSpecification: {{}}"),
        "`StreamSpecification` of AWS::DynamoDB::Table is not supported",
    );
    assert_table_rejected(
        &format!("{definitions}, KeySchema: [{{ AttributeName: k, KeyType: RANGE }}]"),
        "a key has one HASH part, and after it at most one RANGE part",
    );
    assert_table_rejected(
        &format!(
            "{definitions}, KeySchema: [{{ AttributeName: k, KeyType: HASH }}, {{ AttributeName: x, KeyType: RANGE }}]"
        ),
        "the attribute `x` is not defined",
    );
}

#[test]
fn invalid_functions() {
    assert_function_rejected(
        "Colour: red",
        "`Colour` of AWS::Serverless::Function is not supported",
    );
    assert_function_rejected(
        "Timeout: 901",
        "`Timeout` must be a whole number from 1 to 900",
    );
    assert_function_rejected(
        "Environment: { Variables: text }",
        "`Variables` must be a mapping",
    );
    assert_function_rejected(
        "FunctionUrlConfig: { AuthType: NONE }",
        "`AuthType` is supported as `AWS_IAM` only",
    );
    assert_function_rejected(
        "Role: !GetAtt Jobs.Arn",
        "this must be the Arn of a role of this template",
    );

    let without_binary = "Resources:\n  F: { Type: AWS::Serverless::Function }\n";
    assert_rejected(
        without_binary,
        2,
        "a function requires `Metadata` with its binary",
    );
}

#[test]
fn invalid_rates() {
    let message = "8: `ScheduleExpression` is supported as a rate: \
                   rate(1 day), rate(12 hours), rate(5 minutes)";

    for expression in [
        "rate(1 days)",
        "rate(0 days)",
        "rate(5 day)",
        "cron(0 1 * * ? *)",
        "rate(100000 days)",
    ] {
        assert_schedule_rejected("rate(1 day)", expression, message);
    }
}

#[test]
fn invalid_rules() {
    assert_schedule_rejected(
        "State: ENABLED",
        "State: DISABLED",
        "9: `State` is supported as `ENABLED` only",
    );
    assert_schedule_rejected(
        "State: ENABLED",
        "EventPattern: {}",
        "9: `EventPattern` of AWS::Events::Rule is not supported",
    );
}

#[test]
fn invalid_targets() {
    assert_schedule_rejected("Input: '{", "Input: '", "11: `Input` must be JSON");
    assert_schedule_rejected(
        ", Input: '{\"a\": 1}'",
        "",
        "11: `Input` of a target is missing",
    );
    assert_schedule_rejected("Id: jobs, ", "", "11: `Id` of a target is missing");
    assert_schedule_rejected(
        "Arn: !GetAtt Jobs.Arn, I",
        "Arn: other, I",
        "11: this must be the Arn of a queue of this template",
    );

    let without_targets = SCHEDULE
        .replace(
            "        - { Id: jobs, Arn: !GetAtt Jobs.Arn, Input: '{\"a\": 1}' }\n",
            "",
        )
        .replace("Targets:", "Targets: []");
    assert_rejected(&without_targets, 4, "a rule needs targets");
}

#[test]
fn invalid_queue_policies() {
    assert_schedule_rejected(
        "Queues: [!Ref Jobs]",
        "Queues: [other]",
        "15: this must refer to a queue of this template",
    );
    assert_schedule_rejected(
        "Effect: Allow",
        "Effect: Deny",
        "20: `Effect` is supported as `Allow` only",
    );
    assert_schedule_rejected(
        "{ Service: events.amazonaws.com }",
        "'*'",
        "21: Principal must be a mapping",
    );
    assert_schedule_rejected(
        "sqs:SendMessage",
        "sqs:*",
        "22: `Action` is supported as `sqs:SendMessage` only",
    );
}

#[test]
fn rule_without_permission_to_send() {
    let message = "no queue policy allows this rule to send to `larder-Jobs`";

    let without_policy = SCHEDULE.split("  DailyMaySend").next().expect("a template");
    assert_rejected(without_policy, 4, message);

    assert_schedule_rejected(
        "!GetAtt Daily.Arn",
        "arn:aws:events:other",
        &format!("4: {message}"),
    );
}
