//! The files of a form, judged and transformed as their config asks.

use domain::{Fault, Principal, UploadRules};
use intake::{Incoming, Judged, Refused};
use mime::Mime;
use web::Fields;

/// The files that may be stored, all of the expected type where there is one; what is wrong with the others is noted.
/// Where one is refused, none is transformed: that takes longest.
pub(crate) async fn accept(
    files: Vec<(String, Incoming)>,
    rules: &UploadRules,
    uploaded_by: Principal,
    expected: Option<&Mime>,
    fields: &mut Fields,
) -> Result<Vec<Judged>, Fault> {
    let count = files.len();
    let mut right = Vec::new();
    for (field, file) in files {
        let judged = noted(fields, &field, judged(file, rules, uploaded_by, expected).await)?;
        right.extend(judged.map(|judged| (field, judged)));
    }
    if right.len() < count {
        return Ok(Vec::new());
    }
    let transforming = transformed(right, rules, fields);
    let transformed = runtime::done_in_time(transforming).await;
    transformed.unwrap_or_else(|| Err(Fault::unavailable("transforming took too long")))
}

async fn judged(
    file: Incoming,
    rules: &UploadRules,
    uploaded_by: Principal,
    expected: Option<&Mime>,
) -> Result<Judged, Refused> {
    let judged = file.judge(&rules.validation, uploaded_by).await?;
    expected.map_or(Ok(()), |expected| judged.demand_type(expected))?;
    Ok(judged)
}

async fn transformed(
    files: Vec<(String, Judged)>,
    rules: &UploadRules,
    fields: &mut Fields,
) -> Result<Vec<Judged>, Fault> {
    let mut transformed = Vec::new();
    for (field, file) in files {
        transformed.extend(noted(fields, &field, file.transformed(&rules.transformations).await)?);
    }
    Ok(transformed)
}

/// What was found right; what is wrong is noted under its field.
fn noted<T>(fields: &mut Fields, field: &str, result: Result<T, Refused>) -> Result<Option<T>, Fault> {
    match result {
        Ok(right) => Ok(Some(right)),
        Err(Refused::Violation(violation)) => Ok(fields.keep(field, Err(violation))),
        Err(Refused::Fault(fault)) => Err(fault),
    }
}
