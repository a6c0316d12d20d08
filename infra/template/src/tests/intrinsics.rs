//! Tests of intrinsic functions, by the value of an environment variable.

use super::{context, diagnostics};
use crate::read;

/// Returns a template with one resource of each kind, and a variable with an expression as value.
fn template(value: &str) -> String {
    format!(
        "
Parameters:
  Word: {{ Type: String, Default: apple }}
Conditions:
  IsApple: !Equals [!Ref Word, apple]
  IsPear: {{ Fn::Equals: [{{ Ref: Word }}, pear] }}
  Both: !And [!Condition IsApple, !Not [Condition: IsPear]]
  Either: !Or [!Condition IsPear, !Equals [!Sub '${{Word}}s', apples]]
Resources:
  Items: {{ Type: AWS::DynamoDB::Table, Properties: {{
    AttributeDefinitions: [{{ AttributeName: k, AttributeType: S }}],
    KeySchema: [{{ AttributeName: k, KeyType: HASH }}] }} }}
  Objects: {{ Type: AWS::S3::Bucket }}
  Named: {{ Type: AWS::S3::Bucket, Properties: {{ BucketName: !Sub '${{Word}}-${{AWS::Region}}' }} }}
  Jobs: {{ Type: AWS::SQS::Queue }}
  Cdn: {{ Type: AWS::CloudFront::OriginAccessControl, Properties: {{ OriginAccessControlConfig: {{}} }} }}
  LeftOut: {{ Type: AWS::SQS::Queue, Condition: IsPear }}
  Reader:
    Type: AWS::Serverless::Function
    Metadata: {{ BuildMethod: rust-cargolambda, BuildProperties: {{ Binary: reader }} }}

    Properties:
      FunctionUrlConfig: {{ AuthType: AWS_IAM }}
      Environment:
        Variables:
          OTHER: here
          VALUE: {value}
"
    )
}

/// Returns the resolved value of the variable; `None` if it is absent.
fn value(expression: &str) -> Option<String> {
    let stack = read(&template(expression), &context())
        .unwrap_or_else(|diagnostics| panic!("{expression}: {diagnostics}"));
    stack.functions[0].environment.get("VALUE").cloned()
}

/// Asserts that an expression resolves to `expected`.
#[track_caller]
fn assert_value(expression: &str, expected: &str) {
    assert_eq!(value(expression).as_deref(), Some(expected), "{expression}");
}

/// Asserts that an expression has exactly one diagnostic, with its line and `message`.
#[track_caller]
fn assert_invalid(expression: &str, message: &str) {
    let invalid = template(expression);
    let line = line_of_value(&invalid);

    let shown = diagnostics(&invalid);
    assert!(
        shown.starts_with(&format!("template.yaml:{line}: ")),
        "{expression}: {shown}"
    );
    assert!(shown.contains(message), "{expression}: {shown}");
    assert_eq!(shown.lines().count(), 1, "{expression}: {shown}");
}

/// Returns the line of the variable, counted from 1.
fn line_of_value(template: &str) -> usize {
    let lines_before = template
        .lines()
        .take_while(|line| !line.contains("VALUE:"))
        .count();
    lines_before + 1
}

#[test]
fn literals_and_references_resolve_as_on_aws() {
    assert_value("plain", "plain");
    assert_value("12", "12");

    assert_value("!Ref Word", "apple");
    assert_value("{ Ref: Word }", "apple");

    assert_value("!Ref AWS::Region", "eu-central-1");
    assert_value("!Ref AWS::AccountId", "000000000000");
    assert_value("!Ref AWS::StackName", "larder");
    assert_value("!Ref AWS::Partition", "aws");
    assert_value("!Ref AWS::URLSuffix", "amazonaws.com");
    assert_value(
        "!Ref AWS::StackId",
        "arn:aws:cloudformation:eu-central-1:000000000000:stack/larder/00000000-0000-0000-0000-000000000000",
    );

    assert_value("!Ref Items", "larder-Items");
    assert_value("!Ref Objects", "larder-objects-000000000000");
    assert_value("!Ref Named", "apple-eu-central-1");
    assert_value(
        "!Ref Jobs",
        "http://127.0.0.1:9324/000000000000/larder-Jobs",
    );
}

#[test]
fn attributes_resolve_as_on_aws() {
    assert_value(
        "!GetAtt Jobs.Arn",
        "arn:aws:sqs:eu-central-1:000000000000:larder-Jobs",
    );
    assert_value("!GetAtt [Jobs, QueueName]", "larder-Jobs");

    assert_value(
        "{ Fn::GetAtt: Items.Arn }",
        "arn:aws:dynamodb:eu-central-1:000000000000:table/larder-Items",
    );
    assert_value(
        "{ Fn::GetAtt: [Objects, Arn] }",
        "arn:aws:s3:::larder-objects-000000000000",
    );

    assert_value(
        "!GetAtt Reader.Arn",
        "arn:aws:lambda:eu-central-1:000000000000:function:larder-Reader",
    );
    assert_value(
        "!GetAtt ReaderUrl.FunctionUrl",
        "https://larder-ReaderUrl.lambda-url.eu-central-1.on.aws/",
    );
}

#[test]
fn substitutions_resolve_as_on_aws() {
    assert_value(
        "!Sub '${Word}/${Jobs.QueueName}/${AWS::Region}'",
        "apple/larder-Jobs/eu-central-1",
    );
    assert_value("!Sub 'a ${!Literal} b'", "a ${Literal} b");
    assert_value(
        "!Sub ['${One}-${Word}', { One: !Ref Jobs }]",
        "http://127.0.0.1:9324/000000000000/larder-Jobs-apple",
    );
    assert_value("{ Fn::Sub: '${Word}' }", "apple");
}

#[test]
fn lists_resolve_as_on_aws() {
    assert_value("!Join ['-', [a, !Ref Word, b]]", "a-apple-b");
    assert_value("!Join ['', [a, !Ref AWS::NoValue, b]]", "ab");
    assert_value("{ Fn::Join: ['-', !Split [':', 'a:b']] }", "a-b");
    assert_value("!Select [1, [a, b, c]]", "b");
    assert_value(
        "!Select [2, !Split ['/', !GetAtt ReaderUrl.FunctionUrl]]",
        "larder-ReaderUrl.lambda-url.eu-central-1.on.aws",
    );
    assert_value("{ Fn::Select: ['0', { Fn::Split: [',', 'x,y'] }] }", "x");
}

#[test]
fn conditions_select_values_as_on_aws() {
    assert_value("!If [IsApple, yes, no]", "yes");
    assert_value("!If [IsPear, yes, no]", "no");
    assert_value("!If [IsPear, !Ref LeftOut, none]", "none");
    assert_value("{ Fn::If: [Both, yes, no] }", "yes");
    assert_value("!If [Either, yes, no]", "yes");
}

#[test]
fn no_value_removes_property() {
    assert_eq!(value("!Ref AWS::NoValue"), None);
    assert_eq!(value("!If [IsPear, yes, !Ref AWS::NoValue]"), None);
}

#[test]
fn attribute_of_context_overrides_derived_one() {
    let mut context = context();
    context.attributes.insert(
        ("ReaderUrl".to_owned(), "FunctionUrl".to_owned()),
        "http://local/".to_owned(),
    );
    let stack =
        read(&template("!GetAtt ReaderUrl.FunctionUrl"), &context).expect("a valid template");
    assert_eq!(stack.functions[0].environment["VALUE"], "http://local/");
}

#[test]
fn invalid_reference_is_reported() {
    assert_invalid(
        "!Ref Nothing",
        "`Nothing` is neither a parameter nor a resource",
    );
    assert_invalid("!Ref [Word]", "!Ref takes a name");
    assert_invalid(
        "!Ref LeftOut",
        "`LeftOut` does not exist, because its condition is false",
    );

    assert_invalid(
        "!GetAtt Nothing.Arn",
        "`Nothing` is neither a parameter nor a resource",
    );
    assert_invalid(
        "!GetAtt Jobs.Colour",
        "`Colour` of AWS::SQS::Queue is not supported",
    );
    assert_invalid(
        "!GetAtt Jobs",
        "!GetAtt takes a logical id and an attribute",
    );
}

#[test]
fn invalid_substitution_is_reported() {
    assert_invalid(
        "!Sub '${Nothing}'",
        "`Nothing` is neither a parameter nor a resource",
    );
    assert_invalid("!Sub '${Word'", "`${` is not closed");
    assert_invalid(
        "!Sub [a, b, c]",
        "!Sub takes a text, or a text and a mapping",
    );
}

#[test]
fn invalid_list_function_is_reported() {
    assert_invalid(
        "!Join ['-', text]",
        "!Join takes a delimiter and a list of texts",
    );
    assert_invalid("!Join ['-']", "!Join takes a delimiter and a list of texts");
    assert_invalid(
        "!Select [3, [a, b]]",
        "!Select takes an index and a list that has it",
    );
    assert_invalid(
        "!Select [-1, [a, b]]",
        "!Select takes an index and a list that has it",
    );
    assert_invalid("!Split ['', text]", "!Split takes a delimiter and a text");
}

#[test]
fn invalid_condition_is_reported() {
    assert_invalid("!If [IsPlum, a, b]", "there is no condition `IsPlum`");
    assert_invalid("!If [IsApple, a]", "!If takes a condition and two values");
    assert_invalid(
        "!If [IsApple, a, !Ref Nothing]",
        "`Nothing` is neither a parameter nor a resource",
    );
    assert_invalid(
        "!Equals [a, b]",
        "this function is allowed in Conditions only",
    );
}

#[test]
fn unsupported_function_is_reported() {
    assert_invalid(
        "!ImportValue other",
        "the function `!ImportValue` is not supported",
    );
    assert_invalid("!Base64 text", "the function `!Base64` is not supported");
    assert_invalid("!!str text", "is not supported");
    assert_invalid(
        "{ Fn::FindInMap: [a, b, c] }",
        "the function `Fn::FindInMap` is not supported",
    );
    assert_invalid(
        "{ Ref: Word, Fn::Sub: Word }",
        "`Ref` must be the only key of its mapping",
    );
}

#[test]
fn value_other_than_text_is_reported() {
    assert_invalid("[a]", "`VALUE` must be text");
    assert_invalid("", "a value is missing");
    assert_invalid("*word", "not YAML: ");
}

#[test]
fn length_of_text_is_limited() {
    let long = format!("!Sub '{}'", "${Word}".repeat(20_000));
    assert!(diagnostics(&template(&long)).contains("a text longer than 65536 bytes"));
}
