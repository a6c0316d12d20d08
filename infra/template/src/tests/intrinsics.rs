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

#[test]
fn function_resolves_as_on_aws() {
    let cases = [
        ("plain", "plain"),
        ("12", "12"),
        ("!Ref Word", "apple"),
        ("{ Ref: Word }", "apple"),
        ("!Ref AWS::Region", "eu-central-1"),
        ("!Ref AWS::AccountId", "000000000000"),
        ("!Ref AWS::StackName", "larder"),
        ("!Ref AWS::Partition", "aws"),
        ("!Ref AWS::URLSuffix", "amazonaws.com"),
        (
            "!Ref AWS::StackId",
            "arn:aws:cloudformation:eu-central-1:000000000000:stack/larder",
        ),
        ("!Ref Items", "larder-Items"),
        ("!Ref Objects", "larder-objects-000000000000"),
        ("!Ref Named", "apple-eu-central-1"),
        (
            "!Ref Jobs",
            "http://127.0.0.1:9324/000000000000/larder-Jobs",
        ),
        (
            "!GetAtt Jobs.Arn",
            "arn:aws:sqs:eu-central-1:000000000000:larder-Jobs",
        ),
        ("!GetAtt [Jobs, QueueName]", "larder-Jobs"),
        (
            "{ Fn::GetAtt: Items.Arn }",
            "arn:aws:dynamodb:eu-central-1:000000000000:table/larder-Items",
        ),
        (
            "{ Fn::GetAtt: [Objects, Arn] }",
            "arn:aws:s3:::larder-objects-000000000000",
        ),
        (
            "!GetAtt Reader.Arn",
            "arn:aws:lambda:eu-central-1:000000000000:function:larder-Reader",
        ),
        (
            "!GetAtt ReaderRole.Arn",
            "arn:aws:iam::000000000000:role/larder-ReaderRole",
        ),
        (
            "!GetAtt ReaderUrl.FunctionUrl",
            "https://larder-ReaderUrl.lambda-url.eu-central-1.on.aws/",
        ),
        (
            "!Sub '${Word}/${Jobs.QueueName}/${AWS::Region}'",
            "apple/larder-Jobs/eu-central-1",
        ),
        ("!Sub 'a ${!Literal} b'", "a ${Literal} b"),
        (
            "!Sub ['${One}-${Word}', { One: !Ref Jobs }]",
            "http://127.0.0.1:9324/000000000000/larder-Jobs-apple",
        ),
        ("{ Fn::Sub: '${Word}' }", "apple"),
        ("!Join ['-', [a, !Ref Word, b]]", "a-apple-b"),
        ("!Join ['', [a, !Ref AWS::NoValue, b]]", "ab"),
        ("{ Fn::Join: ['-', !Split [':', 'a:b']] }", "a-b"),
        ("!Select [1, [a, b, c]]", "b"),
        (
            "!Select [2, !Split ['/', !GetAtt ReaderUrl.FunctionUrl]]",
            "larder-ReaderUrl.lambda-url.eu-central-1.on.aws",
        ),
        ("{ Fn::Select: ['0', { Fn::Split: [',', 'x,y'] }] }", "x"),
        ("!If [IsApple, yes, no]", "yes"),
        ("!If [IsPear, yes, no]", "no"),
        ("!If [IsPear, !Ref LeftOut, none]", "none"),
        ("{ Fn::If: [Both, yes, no] }", "yes"),
        ("!If [Either, yes, no]", "yes"),
    ];

    for (expression, expected) in cases {
        assert_eq!(value(expression).as_deref(), Some(expected), "{expression}");
    }
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
fn invalid_function_is_reported_with_its_line() {
    let line = template("")
        .lines()
        .take_while(|line| !line.contains("VALUE:"))
        .count()
        + 1;
    let cases = [
        (
            "!Ref Nothing",
            "`Nothing` is neither a parameter nor a resource",
        ),
        ("!Ref [Word]", "!Ref takes a name"),
        (
            "!Ref LeftOut",
            "`LeftOut` does not exist, because its condition is false",
        ),
        (
            "!GetAtt Nothing.Arn",
            "`Nothing` is neither a parameter nor a resource",
        ),
        (
            "!GetAtt Jobs.Colour",
            "`Colour` of AWS::SQS::Queue is not supported",
        ),
        (
            "!GetAtt Jobs",
            "!GetAtt takes a logical id and an attribute",
        ),
        (
            "!Sub '${Nothing}'",
            "`Nothing` is neither a parameter nor a resource",
        ),
        ("!Sub '${Word'", "`${` is not closed"),
        (
            "!Sub [a, b, c]",
            "!Sub takes a text, or a text and a mapping",
        ),
        (
            "!Join ['-', text]",
            "!Join takes a delimiter and a list of texts",
        ),
        ("!Join ['-']", "!Join takes a delimiter and a list of texts"),
        (
            "!Select [3, [a, b]]",
            "!Select takes an index and a list that has it",
        ),
        (
            "!Select [-1, [a, b]]",
            "!Select takes an index and a list that has it",
        ),
        ("!Split ['', text]", "!Split takes a delimiter and a text"),
        ("!If [IsPlum, a, b]", "there is no condition `IsPlum`"),
        ("!If [IsApple, a]", "!If takes a condition and two values"),
        (
            "!If [IsApple, a, !Ref Nothing]",
            "`Nothing` is neither a parameter nor a resource",
        ),
        (
            "!Equals [a, b]",
            "this function is allowed in Conditions only",
        ),
        (
            "!ImportValue other",
            "the function `!ImportValue` is not supported",
        ),
        ("!Base64 text", "the function `!Base64` is not supported"),
        ("!!str text", "is not supported"),
        (
            "{ Fn::FindInMap: [a, b, c] }",
            "the function `Fn::FindInMap` is not supported",
        ),
        (
            "{ Ref: Word, Fn::Sub: Word }",
            "`Ref` must be the only key of its mapping",
        ),
        ("[a]", "`VALUE` must be text"),
        ("", "a value is missing"),
        ("*word", "not YAML: "),
    ];

    for (expression, message) in cases {
        let shown = diagnostics(&template(expression));
        assert!(
            shown.starts_with(&format!("template.yaml:{line}: ")),
            "{expression}: {shown}"
        );
        assert!(shown.contains(message), "{expression}: {shown}");
        assert_eq!(shown.lines().count(), 1, "{expression}: {shown}");
    }
}

#[test]
fn length_of_text_is_limited() {
    let long = format!("!Sub '{}'", "${Word}".repeat(20_000));
    assert!(diagnostics(&template(&long)).contains("a text longer than 65536 bytes"));
}
