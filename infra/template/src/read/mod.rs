//! Reads resolved resources into the model, one file per kind of resource.

mod alarm;
mod api;
mod bucket;
mod cdn;
mod cdn_objects;
mod function;
mod policies;
mod queue;
mod queue_policy;
mod role;
mod schedule;
mod secret;
mod table;
mod trigger;

use crate::catalog::Kind;
use crate::model::ResolvedTemplate;
use crate::properties::Properties;
use crate::resolve::resolve;
use crate::resource::Resource;
use crate::scope::Scope;

use queue_policy::Grant;

/// The resources of a template, and what later checks need.
#[derive(Default)]
struct Resources {
    resolved: ResolvedTemplate,
    grants: Vec<Grant>,
}

/// Reads the resources of a scope. Resources with a false condition are checked as well.
pub(crate) fn resolved_template(scope: &Scope<'_>) -> ResolvedTemplate {
    resources(&scope.hypothetical());
    let Resources { resolved, grants } = resources(scope);

    at_most_one(scope, Kind::HttpApi);
    at_most_one(scope, Kind::Distribution);
    scope.report_shared_names();
    trigger::check(&resolved, scope);
    schedule::check(&resolved, &grants, scope);
    resolved
}

fn resources(scope: &Scope<'_>) -> Resources {
    let Resources {
        mut resolved,
        mut grants,
    } = Resources::default();

    each(scope, Kind::Table, |id, resource, properties| {
        resolved
            .tables
            .extend(table::read(id, resource, properties, scope));
    });
    each(scope, Kind::Bucket, |id, resource, properties| {
        resolved
            .buckets
            .push(bucket::read(id, resource, properties, scope));
    });
    each(scope, Kind::Queue, |id, resource, properties| {
        resolved
            .queues
            .push(queue::read(id, resource, properties, scope));
    });
    each(scope, Kind::Secret, |id, resource, properties| {
        resolved
            .secrets
            .extend(secret::read(id, resource, properties, scope));
    });
    each(scope, Kind::ManagedPolicy, |_, _, properties| {
        role::managed_policy(properties, scope);
    });
    each(scope, Kind::Role, |_, _, properties| {
        role::read(properties, scope);
    });
    each(scope, Kind::Function, |id, resource, properties| {
        resolved
            .functions
            .push(function::read(id, resource, properties, scope));
    });
    each(scope, Kind::HttpApi, |id, _, properties| {
        resolved.routes.extend(api::read(id, properties, scope));
    });
    each(scope, Kind::Trigger, |_, _, properties| {
        resolved.triggers.extend(trigger::read(properties, scope));
    });
    each(scope, Kind::Distribution, |_, _, properties| {
        let cdn = cdn::read(properties, scope);
        resolved.cdn_origin = cdn.origin;
        resolved.cdn_objects = cdn.objects;
        resolved.cdn_aliases = cdn.aliases;
    });
    each(scope, Kind::Rule, |id, resource, properties| {
        resolved
            .schedules
            .extend(schedule::read(id, resource, properties, scope));
    });
    each(scope, Kind::QueuePolicy, |_, _, properties| {
        grants.extend(queue_policy::read(properties, scope));
    });
    each(scope, Kind::Alarm, |id, _, properties| {
        resolved.alarms.extend(alarm::read(id, properties, scope));
    });
    each(scope, Kind::Inert, |_, _, _| {});

    Resources { resolved, grants }
}

/// Calls `read` for every resource of a kind, and reports the properties that it does not read.
fn each<'run>(
    scope: &Scope<'run>,
    kind: Kind,
    mut read: impl FnMut(&str, &'run Resource<'run>, &mut Properties<'_, '_>),
) {
    for (id, resource) in scope.to_read(kind) {
        let resource_type = resource.definition;
        let Some(node) = resolve(scope, &resource.properties) else {
            continue;
        };
        let mut properties = Properties::of(&node, resource_type.name, scope.report);
        properties.without_effect(resource_type.without_effect);
        read(id, resource, &mut properties);
        properties.finish();
    }
}

/// Reports all but the first resource of a kind: the local stack has one gateway and one CDN.
fn at_most_one(scope: &Scope<'_>, kind: Kind) {
    for (_, resource) in scope.of_kind(kind).skip(1) {
        scope.report.add(
            resource.line,
            format!(
                "more than one {} is not supported",
                resource.definition.name
            ),
        );
    }
}
