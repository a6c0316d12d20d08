//! Query parameters of transformed images. The input is a query.
#![no_main]

use std::slice;

use domain::{
    errors::FieldErrors,
    renditions::{
        ImageFormat, MAX_SIDE_PIXELS, Rendition, TRANSFORMATION_PARAMETERS, Transformation,
    },
    signing::{QueryParameter, decoded_parameters},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: fuzz::init(fuzz::seeds::queries), |query: &str| {
    let Ok(parameters) = decoded_parameters(query) else {
        return;
    };

    let parsed = Transformation::parse(&parameters);
    check_other_parameters(&parameters, &parsed);
    match parsed {
        Ok(Some(transformation)) => {
            check_canonical_form(transformation);
            check_order(&parameters, transformation);
            check_limits(transformation);
        }
        Ok(None) => assert!(!parameters.iter().any(is_relevant)),
        Err(errors) => assert!(!errors.is_empty()),
    }
});

fn is_relevant(parameter: &QueryParameter) -> bool {
    TRANSFORMATION_PARAMETERS.contains(&&*parameter.name)
}

/// Parsing the canonical parameters returns an equal transformation.
fn check_canonical_form(transformation: Transformation) {
    let canonical = transformation.to_string();
    let parameters = decoded_parameters(&canonical).expect("ASCII");
    let parsed = Transformation::parse(&parameters).expect("canonical parameters are valid");
    assert_eq!(parsed.unwrap_or_default(), transformation);
    assert_eq!(parsed.unwrap_or_default().to_string(), canonical);

    let id = |transformation| {
        let rendition = Rendition {
            transformation,
            ..Rendition::of(Transformation::default(), ImageFormat::WebP)
        };
        rendition.id()
    };
    assert_eq!(
        id(Some(parsed.unwrap_or_default())),
        id(Some(transformation))
    );
    assert_ne!(id(None), id(Some(transformation)));
}

/// The order of parameters has no meaning.
fn check_order(parameters: &[QueryParameter], transformation: Transformation) {
    let mut reversed = parameters.to_vec();
    reversed.reverse();
    assert_eq!(Transformation::parse(&reversed), Ok(Some(transformation)));

    // Each is allowed once.
    let repeated = [parameters, parameters].concat();
    assert!(Transformation::parse(&repeated).is_err());
}

/// Other parameters are ignored, except misnamed ones, which are rejected.
fn check_other_parameters(
    parameters: &[QueryParameter],
    parsed: &Result<Option<Transformation>, FieldErrors>,
) {
    let (relevant, others): (Vec<_>, Vec<_>) = parameters.iter().cloned().partition(is_relevant);
    let is_misnamed = |it: &QueryParameter| Transformation::parse(slice::from_ref(it)).is_err();
    if others.iter().any(is_misnamed) {
        assert!(parsed.is_err());
    } else {
        assert_eq!(Transformation::parse(&relevant), *parsed);
    }
}

fn check_limits(transformation: Transformation) {
    let canonical = transformation.to_string();
    let parameters = decoded_parameters(&canonical).expect("ASCII");
    for parameter in parameters
        .iter()
        .filter(|it| matches!(&*it.name, "w" | "h"))
    {
        let side: i64 = parameter.value.parse().expect("a number");
        assert!((1..=MAX_SIDE_PIXELS).contains(&side), "{canonical}");
    }
}
