//! Tests of rejected roles, routes and event source mappings, one case per error.

use super::rejections::assert_change_rejected;
use super::resources::EDGE;
use super::workers::WORKER;

#[test]
fn invalid_policies() {
    for (part, replacement, message) in [
        (
            "Allow, Action: sqs:Send",
            "Deny, Action: sqs:Send",
            "`Effect` is supported as `Allow` only",
        ),
        ("sqs:Send", "Send", "an action is `service:Name`"),
        ("!GetAtt Dead.Arn }", "b }", "a resource is an ARN, or `*`"),
        (
            "!GetAtt Dead.Arn }",
            "'*', Condition: {} }",
            "`Condition` of a policy statement is not supported",
        ),
    ] {
        assert_change_rejected(WORKER, part, replacement, message);
    }
}

#[test]
fn invalid_roles() {
    for (part, replacement, message) in [
        (
            "[!Ref Receive]",
            "[arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
            "this must refer to a managed policy of this template",
        ),
        (
            "{ Service: lambda.amazonaws.com }",
            "{ Service: ec2.amazonaws.com }",
            "`Service` is supported as `lambda.amazonaws.com` only",
        ),
        (
            "Action: sts:AssumeRole",
            "Action: '*'",
            "`Action` is supported as `sts:AssumeRole` only",
        ),
        (
            "{ AWS: !GetAtt WorkerRole.Arn }",
            "{ AWS: !GetAtt UrlRole.Arn }",
            "this role must trust `arn:aws:iam::000000000000:role/larder-WorkerRole`",
        ),
        (
            "{ AWS: !GetAtt WorkerRole.Arn }",
            "{ AWS: '*' }",
            "this must be the Arn of a role of this template",
        ),
        (
            "Role: !GetAtt WorkerRole.Arn",
            "Role: !GetAtt UrlRole.Arn",
            "this role must trust `lambda.amazonaws.com`",
        ),
        (
            "Roles: [!Ref WorkerRole]",
            "Roles: [another]",
            "this must refer to a role of this template",
        ),
        (
            "PolicyName: own",
            "Colour: red",
            "`PolicyName` of an inline policy is missing",
        ),
    ] {
        assert_change_rejected(WORKER, part, replacement, message);
    }
}

#[test]
fn invalid_routes() {
    for (part, replacement, message) in [
        ("get:", "fetch:", "the method `fetch` is not supported"),
        (
            "/a/{id}:",
            "/{proxy+}:",
            "the path `/{proxy+}` is not supported: use literal segments and {names}",
        ),
        (
            "integrations/Edge' } }",
            "integrations/Other' } }",
            "`$ref` must name an integration of this API",
        ),
        (
            "isDefaultRoute: true, ",
            "",
            "`isDefaultRoute` of an operation is missing",
        ),
        (
            "payloadFormatVersion: '2.0'",
            "payloadFormatVersion: '1.0'",
            "`payloadFormatVersion` is supported as `2.0` only",
        ),
        (
            "${Edge.Arn}",
            "other",
            "`uri` must invoke a function of this template",
        ),
        (
            "SourceArn: ",
            "SourceAccount: ",
            "no permission allows the API to invoke `Edge`",
        ),
    ] {
        assert_change_rejected(EDGE, part, replacement, message);
    }

    let route = "          /a/{name}:\n            get: { x-amazon-apigateway-integration: { $ref: '#/components/x-amazon-apigateway-integrations/Edge' } }\n";
    let twice = format!("{route}          $default:");
    let message = "the route `GET /a/{name}` is defined twice";
    assert_change_rejected(EDGE, "          $default:", &twice, message);
}

#[test]
fn invalid_triggers() {
    for (part, replacement, message) in [
        (
            "BatchSize: 5",
            "BatchSize: 11",
            "`BatchSize` must be a whole number from 1 to 10",
        ),
        (
            "Seconds: 0",
            "Seconds: 1",
            "`MaximumBatchingWindowInSeconds` is supported as `0` only",
        ),
        (
            "BatchSize: 5",
            "FilterCriteria: {}",
            "`FilterCriteria` of AWS::Lambda::EventSourceMapping is not supported",
        ),
        (
            "EventSourceArn: !GetAtt Jobs.Arn",
            "EventSourceArn: !Ref Jobs",
            "this must be the Arn of a queue of this template",
        ),
        (
            "FunctionName: !Ref Worker",
            "FunctionName: other",
            "this must refer to a function of this template",
        ),
    ] {
        assert_change_rejected(WORKER, part, replacement, message);
    }
}
