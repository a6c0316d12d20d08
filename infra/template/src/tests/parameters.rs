//! Tests of parameters: declarations and values.

use super::context;
use crate::{Parameter, ParameterKind, Template, read};

const TEMPLATE: &str = r#"
Parameters:
  Level:
    Type: String
    Description: How much.
    Default: info
    AllowedValues: [info, debug]
  Size: { Type: Number, Default: 10, MinValue: 0, MaxValue: 100 }
  Slug: { Type: String, Default: ab, MinLength: 2, MaxLength: 4, AllowedPattern: "[a-z]+|A", NoEcho: true }
Resources:
  Jobs: { Type: AWS::SQS::Queue, Properties: { DelaySeconds: !Ref Size } }
"#;

/// Asserts that [`TEMPLATE`] with an override has exactly one diagnostic, `line: message`.
#[track_caller]
fn assert_override_rejected(name: &str, value: &str, diagnostic: &str) {
    let mut context = context();
    context.parameters.insert(name.to_owned(), value.to_owned());

    let shown = read(TEMPLATE, &context)
        .expect_err("the value is not allowed")
        .to_string();
    assert_eq!(shown, format!("template.yaml:{diagnostic}"));
}

/// Asserts that a template with one parameter has a diagnostic on the line of its declaration.
#[track_caller]
fn assert_declaration_rejected(declaration: &str, message: &str) {
    let template = format!("Parameters:\n  Word: {declaration}\nResources: {{}}\n");

    let shown = read(&template, &context())
        .expect_err(declaration)
        .to_string();
    assert!(
        shown.starts_with("template.yaml:2: "),
        "{declaration}: {shown}"
    );
    assert!(shown.contains(message), "{declaration}: {shown}");
}

#[test]
fn parameters_are_listed_in_order_of_declaration() {
    let listed = Template::parse(TEMPLATE)
        .and_then(|template| template.parameters())
        .expect("valid declarations");
    let names: Vec<&str> = listed
        .iter()
        .map(|parameter| parameter.name.as_str())
        .collect();

    assert_eq!(names, ["Level", "Size", "Slug"]);

    let level = Parameter {
        name: "Level".to_owned(),
        kind: ParameterKind::String,
        default: Some("info".to_owned()),
        description: Some("How much.".to_owned()),
    };

    assert_eq!(listed[0], level);
    assert_eq!(listed[1].kind, ParameterKind::Number);
}

#[test]
fn override_replaces_default() {
    let mut context = context();
    context
        .parameters
        .insert("Size".to_owned(), "60".to_owned());

    let stack = read(TEMPLATE, &context).expect("60 is allowed");
    assert_eq!(stack.queues[0].delay_seconds, 60);
}

#[test]
fn override_of_unknown_parameter_is_rejected() {
    assert_override_rejected(
        "Colour",
        "red",
        "3: there is no parameter `Colour` to override",
    );
}

#[test]
fn override_that_violates_constraint_is_rejected() {
    assert_override_rejected(
        "Level",
        "loud",
        "3: the parameter `Level` must be one of info, debug",
    );
    assert_override_rejected("Size", "-1", "8: the parameter `Size` must be at least 0");
    assert_override_rejected("Size", "101", "8: the parameter `Size` must be at most 100");
    assert_override_rejected(
        "Size",
        "ten",
        "8: the parameter `Size` must be a whole number",
    );
    assert_override_rejected(
        "Slug",
        "a",
        "9: the parameter `Slug` must be at least 2 characters long",
    );
    assert_override_rejected(
        "Slug",
        "abcde",
        "9: the parameter `Slug` must be at most 4 characters long",
    );
    assert_override_rejected("Slug", "ab1", "9: the parameter `Slug` must match [a-z]+|A");
}

#[test]
fn length_of_override_is_limited() {
    let mut context = context();
    context
        .parameters
        .insert("Slug".to_owned(), "a".repeat(4097));

    assert!(
        read(TEMPLATE, &context)
            .is_err_and(|diagnostics| diagnostics.to_string().contains("at most 4096 bytes"))
    );
}

#[test]
fn unsupported_declaration_is_rejected() {
    assert_declaration_rejected("{ Default: a }", "`Type` of a parameter is missing");
    assert_declaration_rejected(
        "{ Type: CommaDelimitedList, Default: a }",
        "the parameter type `CommaDelimitedList` is not supported",
    );
    assert_declaration_rejected(
        "{ Type: String, Default: a, Colour: red }",
        "`Colour` of a parameter is not supported",
    );
    assert_declaration_rejected(
        "{ Type: String, Default: a, MinValue: 1 }",
        "`MinValue` of a parameter is not supported",
    );
    assert_declaration_rejected(
        "{ Type: String, Default: a, AllowedPattern: '(' }",
        "`AllowedPattern` is not a supported regular expression",
    );
    assert_declaration_rejected(
        "{ Type: Number, Default: 1, MinValue: low }",
        "a bound must be a whole number",
    );
    assert_declaration_rejected(
        "{ Type: String, Default: b, AllowedValues: [a] }",
        "the parameter `Word` must be one of a",
    );
    assert_declaration_rejected(
        "{ Type: String }",
        "the parameter `Word` has no default and was not given",
    );
    assert_declaration_rejected("text", "a parameter must be a mapping");
}
