//! Tests of the parameters of transformations.

use proptest::{option, prelude::*, sample::select};

use super::*;
use crate::signing::decoded_parameters;

fn try_parse(query: &str) -> Result<Option<Transformation>, FieldErrors> {
    let parameters = decoded_parameters(query).expect("UTF-8");
    Transformation::parse(&parameters)
}

/// Parses a valid query.
fn parse(query: &str) -> Option<Transformation> {
    try_parse(query).expect("valid parameters")
}

/// Parses a parameter whose value may be any text.
fn parse_parameter(name: &str, value: &str) -> Result<Option<Transformation>, FieldErrors> {
    Transformation::parse(&[
        QueryParameter::new("v", ""),
        QueryParameter::new(name, value),
    ])
}

#[test]
fn equal_requests_have_one_canonical_form() {
    for (canonical, queries) in [
        (
            "w=400",
            &[
                "w=400",
                "w=0400&v=1",
                "r=fit&w=400",
                "f=auto&g=north&q=auto&w=400",
            ][..],
        ),
        ("w=400", &["w=400&r=fill", "w=400&r=thumb&g=west"]),
        ("h=300&r=scale", &["h=300&r=scale", "r=scale&g=auto&h=300"]),
        ("w=400&h=300", &["h=300&w=400", "w=400&h=300&r=fit&g=south"]),
        (
            "w=400&h=300&r=fill",
            &[
                "g=center&r=fill&h=300&w=400",
                "w=400&h=300&r=thumb&g=center",
            ],
        ),
        (
            "w=400&h=300&r=fill&g=auto",
            &["w=400&h=300&r=thumb", "w=400&h=300&r=fill&g=auto"],
        ),
        ("w=400&r=crop&g=northwest", &["r=crop&g=northwest&w=400"]),
        ("f=jpeg", &["f=jpg", "f=jpeg"]),
        (
            "f=webp&q=80",
            &["q=80&f=webp", "q=080&f=webp&r=fill&g=east"],
        ),
        ("", &["f=auto", "q=auto", "g=auto", "r=scale"]),
    ] {
        for query in queries {
            let transformation = parse(query).expect(query);
            assert_eq!(transformation.to_string(), canonical, "{query}");
        }
    }
}

#[test]
fn url_without_parameters_requests_no_transformation() {
    assert_eq!(parse("v=2&download=1"), None);
}

fn any_query() -> impl Strategy<Value = String> {
    let pixels = || option::of((1_u32..=8_192).prop_map(|pixels| pixels.to_string()));
    let name = |names: &'static [&str]| option::of(select(names).prop_map(str::to_owned));
    let crop = name(&["scale", "fit", "fill", "crop", "thumb"]);
    let gravity = name(&["auto", "center", "north", "southeast", "west"]);
    let format = name(&["auto", "jpeg", "png", "webp", "avif", "gif"]);
    let quality = option::of(prop_oneof![
        Just("auto".to_owned()),
        (1_u8..=100).prop_map(|quality| quality.to_string()),
    ]);

    (pixels(), pixels(), crop, gravity, format, quality)
        .prop_map(|(width, height, crop, gravity, format, quality)| {
            let values = [width, height, crop, gravity, format, quality];
            let named = TRANSFORMATION_PARAMETERS.into_iter().zip(values);
            named
                .filter_map(|(name, value)| Some(format!("{name}={}", value?)))
                .collect::<Vec<_>>()
        })
        .prop_shuffle()
        .prop_map(|parameters| parameters.join("&"))
}

proptest! {
    #[test]
    fn canonical_form_parses_to_equal_transformation(query in any_query()) {
        if let Some(transformation) = parse(&query) {
            let canonical = transformation.to_string();
            let reparsed = parse(&canonical).unwrap_or_default();
            prop_assert_eq!(reparsed, transformation);
            prop_assert_eq!(reparsed.to_string(), canonical);
        }
    }
}

#[test]
fn valid_values_pass_and_other_parameters_are_ignored() {
    for (name, values) in [
        ("w", &["1", "0100", "8192"][..]),
        ("h", &["8192"]),
        ("r", &["scale", "fit", "fill", "crop", "thumb"]),
        ("g", &["auto", "center", "northwest"]),
        ("f", &["auto", "jpeg", "jpg", "webp", "gif"]),
        ("q", &["auto", "1", "100"]),
        ("download", &["", "x"]),
        ("utm_source", &["x"]),
        ("ww", &["x"]),
    ] {
        for value in values {
            assert!(parse_parameter(name, value).is_ok(), "{name}={value}");
        }
    }
}

#[test]
fn invalid_value_is_reported_on_its_parameter() {
    for (name, wrong, why) in [
        (
            "w",
            &[
                "", "-", "--1", "+1", " 1", "1 ", "1.5", "1e3", "0x10", "١", "auto",
            ][..],
            FieldError::NotAnInteger,
        ),
        (
            "h",
            &["0", "000", "-1", "-99999999999999999999"],
            FieldError::TooSmall(1),
        ),
        (
            "w",
            &["8193", "99999999999999999999"],
            FieldError::TooLarge(8_192),
        ),
        (
            "r",
            &["", "Fit", "pad", "auto"],
            FieldError::NotOneOf(CROPS),
        ),
        (
            "g",
            &["", "middle", "NORTH"],
            FieldError::NotOneOf(GRAVITIES),
        ),
        (
            "f",
            &["", "JPG", "svg", "original"],
            FieldError::NotOneOf(FORMATS),
        ),
        (
            "q",
            &["", "-", "+80", "80%", "best"],
            FieldError::NotOneOf(QUALITIES),
        ),
        ("q", &["0", "-1"], FieldError::TooSmall(1)),
        (
            "q",
            &["101", "99999999999999999999"],
            FieldError::TooLarge(100),
        ),
    ] {
        for value in wrong {
            let expected = FieldErrors::from((name, why.clone()));
            assert_eq!(
                parse_parameter(name, value),
                Err(expected),
                "{name}={value}"
            );
        }
    }
}

#[test]
fn all_invalid_values_are_reported_together() {
    let mut expected = FieldErrors::default();
    for (name, why) in [
        ("w", FieldError::TooSmall(1)),
        ("w", FieldError::Duplicate),
        ("h", FieldError::Duplicate),
        ("r", FieldError::NotOneOf(CROPS)),
    ] {
        expected.add(name, &why);
    }

    assert_eq!(try_parse("w=0&h=1&w=2&r=x&h=1&q=1&v=x"), Err(expected));
}

#[test]
fn errors_list_all_allowed_values() {
    for (name, values) in [("r", CROPS), ("g", GRAVITIES), ("f", FORMATS)] {
        for value in values.replace(" or ", ", ").split(", ") {
            assert!(parse_parameter(name, value).is_ok(), "{name}={value}");
        }
    }
    for (values, count) in [(CROPS, 5), (GRAVITIES, 10), (FORMATS, 7)] {
        assert_eq!(
            values
                .split([',', ' '])
                .filter(|word| !["", "or"].contains(word))
                .count(),
            count
        );
    }
}

#[test]
fn misnamed_parameter_is_rejected_with_the_right_name() {
    for (name, expected) in [
        ("width", "The width field is not supported; use w."),
        ("Height", "The Height field is not supported; use h."),
        ("W", "The W field is not supported; use w."),
        ("format", "The format field is not supported; use f."),
        (
            "dpr",
            "The dpr field is not supported; multiply w and h by the pixel ratio.",
        ),
    ] {
        let errors = parse_parameter(name, "1").expect_err(name);
        assert!(errors.has(name));
        assert!(format!("{errors:?}").contains(expected), "{errors:?}");
    }
}
