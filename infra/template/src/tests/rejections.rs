//! Tests of rejected templates, one case per error.

use super::{diagnostics, stack};

/// Metadata of a function.
pub(super) const FUNCTION: &str =
    "Metadata: { BuildMethod: rust-cargolambda, BuildProperties: { Binary: b } }";

/// Asserts that `template` has exactly one diagnostic.
#[track_caller]
pub(super) fn assert_rejected(template: &str, line: usize, message: &str) {
    assert_eq!(
        diagnostics(template),
        format!("template.yaml:{line}: {message}"),
        "of\n{template}"
    );
}

/// Asserts that `template` is rejected after the first `part` is replaced.
#[track_caller]
pub(super) fn assert_change_rejected(template: &str, part: &str, replacement: &str, message: &str) {
    let changed = template.replacen(part, replacement, 1);
    assert_ne!(changed, template);
    let shown = diagnostics(&changed);
    assert!(shown.contains(message), "{replacement}: {shown}");
}

/// Asserts that a template with one condition has a diagnostic on the line of the condition.
#[track_caller]
fn assert_condition_rejected(condition: &str, message: &str) {
    let template = format!(
        "Resources: {{ Jobs: {{ Type: AWS::SQS::Queue }} }}\nConditions:\n  Chosen: {condition}\n"
    );
    let shown = diagnostics(&template);
    assert!(
        shown.starts_with("template.yaml:3: ") && shown.contains(message),
        "{condition}: {shown}"
    );
}

#[test]
fn yaml_that_cloudformation_does_not_accept() {
    assert_rejected("", 1, "the template is empty");
    assert_rejected(
        "Resources: {}\nResources: {}\n",
        2,
        "the key `Resources` is a duplicate of the one on line 1",
    );
    assert_rejected(
        "Resources: {}\n---\nResources: {}\n",
        3,
        "a template is one YAML document",
    );
    assert_rejected(
        "Resources: &a {}\nOutputs: *a\n",
        2,
        "CloudFormation does not support YAML aliases",
    );
    assert_rejected("Resources:\n  [a]: b\n", 2, "a key must be text");
    assert!(diagnostics("Resources: {\n").starts_with("template.yaml:2: not YAML: "));
}

#[test]
fn template_over_limits() {
    assert_rejected(
        &" ".repeat(1_048_577),
        1,
        "the template is longer than 1048576 bytes",
    );
    assert_rejected(
        &format!("Resources: {}{}", "[".repeat(60), "]".repeat(60)),
        1,
        "nested more than 40 levels deep",
    );
    assert_rejected(
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
    assert_rejected(
        &format!("Resources: {{}}\nParameters:\n{parameters}"),
        3,
        "more than 200 parameters",
    );

    let resources = many(501, "{ Type: AWS::SQS::Queue }");
    assert_rejected(
        &format!("Resources:\n{resources}"),
        2,
        "more than 500 resources",
    );
}

#[test]
fn unsupported_sections() {
    assert_rejected(
        "Description: nothing else\n",
        1,
        "`Resources` of a template is missing",
    );
    assert_rejected(
        "Resources: {}\nMappings: {}\n",
        2,
        "`Mappings` of a template is not supported",
    );
    assert_rejected(
        "Resources: {}\nTransform: AWS::Include\n",
        2,
        "`Transform` is supported as `AWS::Serverless-2016-10-31` only",
    );
    assert_rejected(
        "Resources: {}\nGlobals:\n  Api: {}\n",
        3,
        "`Api` of Globals is not supported",
    );
    assert_rejected(
        "Resources: {}\nOutputs:\n  A: { Value: !Ref B }\n",
        3,
        "`B` is neither a parameter nor a resource",
    );
    assert_rejected(
        "Resources: {}\nOutputs:\n  A: { Value: a, Colour: red }\n",
        3,
        "`Colour` of an output is not supported",
    );
}

#[test]
fn malformed_sections() {
    assert_rejected("- a list\n", 1, "a template must be a mapping");
    assert_rejected(
        "Resources: {}\nOutputs: a\n",
        2,
        "Outputs must be a mapping",
    );
    assert_rejected("Resources: a\n", 1, "Resources must be a mapping");
    assert_rejected(
        "Resources: {}\nParameters: a\n",
        2,
        "Parameters must be a mapping",
    );
    assert_rejected(
        "Resources: {}\nConditions: a\n",
        2,
        "Conditions must be a mapping",
    );
}

#[test]
fn invalid_conditions() {
    assert_condition_rejected(
        "!Ref AWS::Region",
        "a condition must be a function that returns true or false",
    );
    assert_condition_rejected("!Equals [a]", "!Equals takes two values");
    assert_condition_rejected(
        "!Equals [!Ref Jobs, a]",
        "`Jobs` is not a parameter; only parameters can be referenced here",
    );
    assert_condition_rejected(
        "!Not [!Equals [a, a], !Equals [a, a]]",
        "!Not takes one condition",
    );
    assert_condition_rejected("!And text", "a list of conditions is expected");
    assert_condition_rejected("!Condition Other", "there is no such condition");
    assert_condition_rejected(
        "!Condition Chosen",
        "conditions form a cycle or are nested too deeply",
    );
}

#[test]
fn conflicts_between_resources() {
    let apis = "Resources:\n  A: { Type: AWS::Serverless::HttpApi }\n  B: { Type: AWS::Serverless::HttpApi }\n";
    assert_rejected(
        apis,
        3,
        "more than one AWS::Serverless::HttpApi is not supported",
    );

    let names = "Resources:\n  A: { Type: AWS::SQS::Queue, Properties: { QueueName: q } }\n  B: { Type: AWS::SQS::Queue, \
                 Properties: { QueueName: q } }\n";
    assert_rejected(names, 3, "the name `q` is used twice");

    let clash = "Parameters:\n  A: { Type: String, Default: a }\nResources:\n  A: { Type: AWS::SQS::Queue }\n";
    assert_rejected(clash, 4, "`A` is also the name of a parameter");

    let cdn = "Resources:\n  Cdn: { Type: AWS::CloudFront::Distribution, Properties: { DistributionConfig: { Origins: [{ Id: \
               o, DomainName: example.com }], DefaultCacheBehavior: { TargetOriginId: o } } } }\n";
    assert_rejected(
        cdn,
        2,
        "the CDN's origin must be the function URL of a function of this template",
    );

    let address = "Resources: { A: { Type: AWS::Serverless::HttpApi } }\nOutputs:\n  O: { Value: !GetAtt A.ApiEndpoint }\n";
    assert_rejected(
        address,
        3,
        "`A.ApiEndpoint` is known only after a deployment, and no value was given",
    );
}

#[test]
fn resource_with_false_condition_is_checked() {
    let absent = "Conditions: { Never: !Equals [a, b] }\nResources:\n  A: { Type: AWS::SQS::Queue, Condition: Never, \
                    Properties: { Colour: red } }\n";
    assert_rejected(absent, 3, "`Colour` of AWS::SQS::Queue is not supported");

    let valid = absent.replace("Colour: red", "DelaySeconds: 1");
    assert_eq!(stack(&valid).map(|stack| stack.queues.len()), Ok(0));
}

#[test]
fn all_errors_are_reported_ordered_by_line() {
    let template = "Resources:\n  A: { Type: AWS::SQS::Queue, Properties: { Colour: red } }\n  B:\n    Type: AWS::S3::Bucket\n    \
                    Properties:\n      BucketName: !Ref Missing\n      Shape: round\n";
    let shown = diagnostics(template);
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
