//! Finds queues by ARN and by URL.

use crate::catalog::Kind;
use crate::node::Node;
use crate::resource::Resource;
use crate::scope::Scope;

/// Returns the physical name of the queue with this ARN. Reports an error if there is none.
pub(super) fn queue_of_arn(arn: &Node, scope: &Scope<'_>) -> Option<String> {
    let has_arn = |id: &str, resource: &Resource<'_>| {
        scope.attribute(id, "Arn", resource.line).as_deref() == arn.text()
    };
    let queue = find_queue(scope, has_arn);
    if queue.is_none() {
        scope
            .report
            .add(arn.line, "this must be the ARN of a queue of this template");
    }
    queue
}

/// Returns the physical name of the queue with this URL. Reports an error if there is none.
pub(super) fn queue_of_url(url: &Node, scope: &Scope<'_>) -> Option<String> {
    let has_url = |id: &str, resource: &Resource<'_>| {
        scope.reference(id, resource.line).as_deref() == url.text()
    };
    let queue = find_queue(scope, has_url);
    if queue.is_none() {
        scope
            .report
            .add(url.line, "this must refer to a queue of this template");
    }
    queue
}

fn find_queue(
    scope: &Scope<'_>,
    is_wanted: impl Fn(&str, &Resource<'_>) -> bool,
) -> Option<String> {
    scope
        .of_kind(Kind::Queue)
        .find(|(id, resource)| is_wanted(id, resource))
        .map(|(_, resource)| resource.physical_name.clone())
}
