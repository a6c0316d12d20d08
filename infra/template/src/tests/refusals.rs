//! What is not understood stops the start, on its line: one case for each class.

use super::{problems, stack, stacks::SCHEDULE};

/// A resource of each kind that is read, as flow mappings on one line.
const FUNCTION: &str =
    "Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: b } }";

/// Demands that `template` has exactly the problem `message`, on `line`.
fn refused(template: &str, line: usize, message: &str) {
    assert_eq!(
        problems(template),
        format!("template.yaml:{line}: {message}"),
        "of\n{template}"
    );
}

#[test]
fn yaml_that_cloudformation_does_not_read() {
    refused("", 1, "the template is empty");
    refused(
        "Resources: {}\nResources: {}\n",
        2,
        "the key `Resources` stands here twice, first on line 1",
    );
    refused(
        "Resources: {}\n---\nResources: {}\n",
        3,
        "a template is one YAML document",
    );
    refused(
        "Resources: &a {}\nOutputs: *a\n",
        2,
        "CloudFormation reads no YAML aliases",
    );
    refused("Resources:\n  [a]: b\n", 2, "a key must be text");
    assert!(problems("Resources: {\n").starts_with("template.yaml:2: not YAML: "));
}

#[test]
fn templates_without_bound() {
    refused(
        &" ".repeat(1_048_577),
        1,
        "the template is longer than 1048576 bytes",
    );
    refused(
        &format!("Resources: {}{}", "[".repeat(60), "]".repeat(60)),
        1,
        "nested more than 40 deep",
    );
    refused(
        &format!("Resources: [{}a]", "a,".repeat(100_000)),
        1,
        "more than 100000 values",
    );
    let many = |count: usize, declaration: &str| {
        let lines: Vec<String> = (0..count)
            .map(|number| format!("  N{number}: {declaration}\n"))
            .collect();
        lines.concat()
    };
    let parameters = many(201, "{ Type: String, Default: a }");
    refused(
        &format!("Resources: {{}}\nParameters:\n{parameters}"),
        3,
        "more than 200 parameters",
    );
    let resources = many(501, "{ Type: AWS::SQS::Queue }");
    refused(
        &format!("Resources:\n{resources}"),
        2,
        "more than 500 resources",
    );
}

#[test]
fn sections() {
    let cases = [
        (
            "Description: nothing else\n",
            1,
            "`Resources` of a template is missing",
        ),
        ("- a list\n", 1, "a template must be a mapping"),
        (
            "Resources: {}\nMappings: {}\n",
            2,
            "`Mappings` of a template is not understood",
        ),
        (
            "Resources: {}\nTransform: AWS::Include\n",
            2,
            "`Transform` is understood as `AWS::Serverless-2016-10-31` only",
        ),
        (
            "Resources: {}\nGlobals:\n  Api: {}\n",
            3,
            "`Api` of Globals is not understood",
        ),
        (
            "Resources: {}\nOutputs:\n  A: { Value: !Ref B }\n",
            3,
            "`B` is neither a parameter nor a resource",
        ),
        (
            "Resources: {}\nOutputs:\n  A: { Value: a, Colour: red }\n",
            3,
            "`Colour` of an output is not understood",
        ),
        (
            "Resources: {}\nOutputs: a\n",
            2,
            "Outputs must be a mapping",
        ),
        ("Resources: a\n", 1, "Resources must be a mapping"),
        (
            "Resources: {}\nParameters: a\n",
            2,
            "Parameters must be a mapping",
        ),
        (
            "Resources: {}\nConditions: a\n",
            2,
            "Conditions must be a mapping",
        ),
    ];
    for (template, line, message) in cases {
        refused(template, line, message);
    }
}

#[test]
fn conditions() {
    let circle = "conditions refer to one another in a circle, or are nested too deep";
    let cases = [
        (
            "!Ref AWS::Region",
            "a condition must be a function that gives true or false",
        ),
        ("!Equals [a]", "!Equals takes two values"),
        (
            "!Equals [!Ref Jobs, a]",
            "`Jobs` is no parameter, and nothing else may be referred to here",
        ),
        (
            "!Not [!Equals [a, a], !Equals [a, a]]",
            "!Not takes one condition",
        ),
        ("!And text", "a list of conditions is expected"),
        ("!Condition Other", "there is no such condition"),
        ("!Condition Chosen", circle),
    ];
    for (condition, message) in cases {
        let template = format!(
            "Resources: {{ Jobs: {{ Type: AWS::SQS::Queue }} }}\nConditions:\n  Chosen: {condition}\n"
        );
        let shown = problems(&template);
        assert!(
            shown.starts_with("template.yaml:3: ") && shown.contains(message),
            "{condition}: {shown}"
        );
    }
}

#[test]
fn resources() {
    let cases = [
        (
            "A: { Type: AWS::EC2::Instance }",
            "the resource type `AWS::EC2::Instance` is not understood",
        ),
        ("A: { Properties: {} }", "`Type` of a resource is missing"),
        (
            "A: { Type: AWS::SQS::Queue, CreationPolicy: a }",
            "`CreationPolicy` of a resource is not understood",
        ),
        (
            "A: { Type: AWS::SQS::Queue, DependsOn: B }",
            "DependsOn must name resources",
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
            "`Colour` of AWS::SQS::Queue is not understood",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Properties: { QueueName: [a] } }",
            "a name must be text",
        ),
        (
            "A: { Type: AWS::SQS::Queue, Properties: { FifoQueue: true } }",
            "`FifoQueue` of AWS::SQS::Queue is not understood",
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
            "a lifecycle rule must expire something",
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
            "`IncludeSpace` of GenerateSecretString is not understood",
        ),
        (
            "A: { Type: AWS::SecretsManager::Secret, Properties: { GenerateSecretString: { PasswordLength: 3 } } }",
            "`PasswordLength` must be a whole number from 4 to 4096",
        ),
        (
            "A: { Type: AWS::Serverless::HttpApi, Properties: { StageName: v1 } }",
            "`StageName` is understood as `$default` only",
        ),
        (
            "A: { Type: AWS::Serverless::HttpApi, Properties: { CorsConfiguration: true } }",
            "`CorsConfiguration` of AWS::Serverless::HttpApi is not understood",
        ),
        (
            "A: { Type: AWS::KMS::Key, Properties: { Colour: red } }",
            "`Colour` of AWS::KMS::Key is not understood",
        ),
    ];
    for (resource, message) in cases {
        refused(&format!("Resources:\n  {resource}\n"), 2, message);
    }
}

#[test]
fn tables() {
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
            "`StreamSpecification` of AWS::DynamoDB::Table is not understood",
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
        refused(&table(&properties), 2, message);
    }
}

#[test]
fn functions() {
    let cases = [
        (
            "Colour: red",
            "`Colour` of AWS::Serverless::Function is not understood",
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
            "`S3ReadPolicy` of an inline policy is not understood",
        ),
        (
            "Policies: { AWSSecretsManagerGetSecretValuePolicy: {} }",
            "`SecretArn` of AWSSecretsManagerGetSecretValuePolicy is missing",
        ),
        (
            "Policies: { Statement: { Effect: Deny, Action: 's3:*', Resource: '*' } }",
            "`Effect` is understood as `Allow` only",
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
            "`Condition` of a policy statement is not understood",
        ),
        (
            "FunctionUrlConfig: { AuthType: NONE }",
            "`AuthType` is understood as `AWS_IAM` only",
        ),
        (
            "Events: { E: { Type: Schedule, Properties: {} } }",
            "the event `Schedule` is not understood",
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
            "the method `FETCH` is not understood",
        ),
        (
            "Events: { E: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: ANY, Path: '/{proxy+}' } } }",
            "the path `/{proxy+}` is not understood: explicit segments and {names}",
        ),
        (
            "Events: { E: { Type: SQS, Properties: { Queue: !GetAtt Jobs.Arn, BatchSize: 11 } } }",
            "`BatchSize` must be a whole number from 1 to 10",
        ),
        (
            "Events: { E: { Type: SQS, Properties: { Queue: !GetAtt Jobs.Arn, MaximumBatchingWindowInSeconds: 1 } } }",
            "`MaximumBatchingWindowInSeconds` is understood as `0` only",
        ),
        (
            "Events: { E: { Type: SQS, Properties: { Queue: !GetAtt Jobs.Arn, FilterCriteria: {} } } }",
            "`FilterCriteria` of an SQS event is not understood",
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
        refused(&format!("Resources:\n  {function}\n  {rest}\n"), 2, message);
    }
    let without_binary = "Resources:\n  F: { Type: AWS::Serverless::Function }\n";
    refused(
        without_binary,
        2,
        "a function needs Metadata that names its binary",
    );
}

#[test]
fn schedules() {
    let rate = "`ScheduleExpression` is understood as a rate: rate(1 day), rate(12 hours), rate(5 minutes)";
    let unheard = "no queue policy lets this rule send to `larder-Jobs`";
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
            "`State` is understood as `ENABLED` only",
        ),
        (
            "State: ENABLED",
            "EventPattern: {}",
            9,
            "`EventPattern` of AWS::Events::Rule is not understood",
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
            "`Effect` is understood as `Allow` only",
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
            "`Action` is understood as `sqs:SendMessage` only",
        ),
        ("!GetAtt Daily.Arn", "arn:aws:events:other", 4, unheard),
    ];
    for (part, other, line, message) in cases {
        let shown = problems(&SCHEDULE.replacen(part, other, 1));
        assert!(
            shown.contains(&format!("template.yaml:{line}: {message}")),
            "{other}: {shown}"
        );
    }
    let silent = SCHEDULE.split("  DailyMaySend").next().expect("a template");
    refused(silent, 4, unheard);
    let untargeted = SCHEDULE
        .replace(
            "        - { Id: jobs, Arn: !GetAtt Jobs.Arn, Input: '{\"a\": 1}' }\n",
            "",
        )
        .replace("Targets:", "Targets: []");
    refused(&untargeted, 4, "a rule needs targets");
}

#[test]
fn what_no_resource_sees_alone() {
    let event = |path: &str| {
        format!(
            "{{ Type: HttpApi, Properties: {{ ApiId: !Ref Api, Method: GET, Path: '{path}' }} }}"
        )
    };
    let (one, other) = (event("/a/{id}"), event("/a/{name}"));
    let twice = format!(
        "Resources:\n  Api: {{ Type: AWS::Serverless::HttpApi }}\n  F: {{ Type: AWS::Serverless::Function, {FUNCTION}, \
         Properties: {{ Events: {{ A: {one}, B: {other} }} }} }}\n"
    );
    refused(
        &twice,
        3,
        "the route `GET /a/{name}` stands in the template twice",
    );
    let apis = "Resources:\n  A: { Type: AWS::Serverless::HttpApi }\n  B: { Type: AWS::Serverless::HttpApi }\n";
    refused(
        apis,
        3,
        "more than one AWS::Serverless::HttpApi is not understood",
    );
    let names = "Resources:\n  A: { Type: AWS::SQS::Queue, Properties: { QueueName: q } }\n  B: { Type: AWS::SQS::Queue, \
                 Properties: { QueueName: q } }\n";
    refused(names, 3, "the name `q` is taken twice");
    let clash = "Parameters:\n  A: { Type: String, Default: a }\nResources:\n  A: { Type: AWS::SQS::Queue }\n";
    refused(clash, 4, "`A` is a parameter, too");
    let cdn = "Resources:\n  Cdn: { Type: AWS::CloudFront::Distribution, Properties: { DistributionConfig: { Origins: [{ Id: \
               o, DomainName: example.com }], DefaultCacheBehavior: { TargetOriginId: o } } } }\n";
    refused(
        cdn,
        2,
        "the CDN's origin must be the function URL of a function of this template",
    );
    let address = "Resources: { A: { Type: AWS::Serverless::HttpApi } }\nOutputs:\n  O: { Value: !GetAtt A.ApiEndpoint }\n";
    refused(
        address,
        3,
        "`A.ApiEndpoint` is known to a deployment alone, and was not given",
    );
}

#[test]
fn what_a_condition_leaves_out_must_be_understood_too() {
    let left_out = "Conditions: { Never: !Equals [a, b] }\nResources:\n  A: { Type: AWS::SQS::Queue, Condition: Never, \
                    Properties: { Colour: red } }\n";
    refused(left_out, 3, "`Colour` of AWS::SQS::Queue is not understood");
    let understood = left_out.replace("Colour: red", "DelaySeconds: 1");
    assert_eq!(stack(&understood).map(|stack| stack.queues.len()), Ok(0));
}

#[test]
fn all_problems_are_told_together_by_line() {
    let template = "Resources:\n  A: { Type: AWS::SQS::Queue, Properties: { Colour: red } }\n  B:\n    Type: AWS::S3::Bucket\n    \
                    Properties:\n      BucketName: !Ref Nobody\n      Shape: round\n";
    let shown = problems(template);
    let lines: Vec<&str> = shown
        .lines()
        .map(|line| line.split(": ").next().unwrap_or_default())
        .collect();
    assert_eq!(
        lines,
        ["template.yaml:2", "template.yaml:6", "template.yaml:7"],
        "{shown}"
    );
}
