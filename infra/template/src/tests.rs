//! Whole templates, and what they come to.

use super::{Context, Problems, read};

/// A deployment as the local stack describes it.
pub(crate) fn context() -> Context {
    let attributes = [("Cdn", "DomainName", "cdn.test"), ("Api", "ApiEndpoint", "http://api.test")];
    Context {
        stack_name: "larder".to_owned(),
        region: "eu-central-1".to_owned(),
        account_id: "000000000000".to_owned(),
        queue_url_base: "http://127.0.0.1:9324".to_owned(),
        attributes: attributes
            .map(|(id, attribute, value)| ((id.to_owned(), attribute.to_owned()), value.to_owned()))
            .into(),
        ..Context::default()
    }
}

#[test]
fn the_deployed_template_is_understood() -> Result<(), Problems> {
    let stack = read(include_str!("../../../template.yaml"), &context())?;
    assert_eq!(stack.cdn_origin.as_deref(), Some("Delivery"));
    let binaries: Vec<&str> = stack.functions.iter().map(|function| function.binary.as_str()).collect();
    assert_eq!(binaries, ["delivery", "files", "not-found", "spaces", "uploads"]);
    assert_eq!(stack.routes.len(), 8);
    Ok(())
}
