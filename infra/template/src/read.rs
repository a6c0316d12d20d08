//! Resolved properties to the model, one file for each kind of resource.

mod alarm;
mod bucket;
mod cdn;
mod events;
mod function;
mod policies;
mod queue;
mod queue_policy;
mod schedule;
mod secret;
mod table;

use crate::catalog::Kind;
use crate::fields::Fields;
use crate::model::Stack;
use crate::node::Node;
use crate::resolve::resolve;
use crate::resources::Resource;
use crate::scope::Scope;

use queue_policy::Grant;

/// Reads everything that the scope's resources describe. What conditions leave out must be
/// understood, too.
pub(crate) fn stack(scope: &Scope<'_>) -> Stack {
    resources(&scope.hypothetical());
    let (stack, grants) = resources(scope);
    at_most_one(scope, Kind::HttpApi);
    at_most_one(scope, Kind::Distribution);
    scope.report_shared_names();
    events::check(&stack, scope);
    schedule::check(&stack, &grants, scope);
    stack
}

fn resources(scope: &Scope<'_>) -> (Stack, Vec<Grant>) {
    let (mut stack, mut grants) = (Stack::default(), Vec::new());
    each(scope, Kind::Table, |id, resource, fields| {
        stack
            .tables
            .extend(table::read(id, resource, fields, scope));
    });
    each(scope, Kind::Bucket, |id, resource, fields| {
        stack
            .buckets
            .push(bucket::read(id, resource, fields, scope));
    });
    each(scope, Kind::Queue, |id, resource, fields| {
        stack.queues.push(queue::read(id, resource, fields, scope));
    });
    each(scope, Kind::Secret, |id, resource, fields| {
        stack
            .secrets
            .extend(secret::read(id, resource, fields, scope));
    });
    each(scope, Kind::HttpApi, |_, _, fields| {
        fields.fixed("StageName", events::STAGE);
    });
    each(scope, Kind::Function, |id, resource, fields| {
        let (function, events) = function::read(id, resource, fields, scope);
        stack.functions.push(function);
        stack.routes.extend(events.routes);
        stack.triggers.extend(events.triggers);
    });
    each(scope, Kind::Distribution, |_, _, fields| {
        stack.cdn_origin = cdn::origin(fields, scope);
    });
    each(scope, Kind::Rule, |id, resource, fields| {
        stack
            .schedules
            .extend(schedule::read(id, resource, fields, scope));
    });
    each(scope, Kind::QueuePolicy, |_, _, fields| {
        grants.extend(queue_policy::read(fields, scope));
    });
    each(scope, Kind::Alarm, |id, _, fields| {
        stack.alarms.extend(alarm::read(id, fields, scope));
    });
    each(scope, Kind::Inert, |_, _, _| {});
    (stack, grants)
}

/// Hands every resource of a kind to `read`, and makes sure that no property of it is left over.
fn each<'run>(
    scope: &Scope<'run>,
    kind: Kind,
    mut read: impl FnMut(&str, &'run Resource<'run>, &mut Fields<'_, '_>),
) {
    for (id, resource) in scope.to_read(kind) {
        let resource_type = resource.definition;
        let Some(properties) = resolve(scope, &resource.properties) else {
            continue;
        };
        let mut fields = Fields::of(&properties, resource_type.name, scope.report);
        fields.without_effect(resource_type.without_effect);
        read(id, resource, &mut fields);
        fields.finish();
    }
}

/// The local stack has one gateway and one CDN.
fn at_most_one(scope: &Scope<'_>, kind: Kind) {
    for (_, resource) in scope.of_kind(kind).skip(1) {
        scope.report.add(
            resource.line,
            format!(
                "more than one {} is not understood",
                resource.definition.name
            ),
        );
    }
}

/// The physical name of the queue that has this ARN; anything else is a problem.
fn queue_of_arn(arn: &Node, scope: &Scope<'_>) -> Option<String> {
    let has_arn = |(id, resource): &(&str, &Resource<'_>)| {
        scope.attribute(id, "Arn", resource.line).as_deref() == arn.text()
    };
    let queue = scope.of_kind(Kind::Queue).find(has_arn);
    if queue.is_none() {
        scope
            .report
            .add(arn.line, "this must be the ARN of a queue of this template");
    }
    queue.map(|(_, resource)| resource.physical_name.clone())
}
