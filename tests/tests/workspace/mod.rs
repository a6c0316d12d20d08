//! The workspace: the layers of the crates, the rooms in them, decisions by kinds of errors, the
//! features of each build, and scripts.

mod error_kinds;
mod features;
mod layers;
mod rooms;
mod scripts;

use std::collections::BTreeMap;

use cargo_metadata::{Metadata, MetadataCommand, Node, PackageId};

/// Platforms of deployment and development. Packages for other platforms do not count.
const PLATFORMS: [&str; 2] = ["aarch64-unknown-linux-gnu", "x86_64-unknown-linux-gnu"];

fn metadata(platform: &str) -> Metadata {
    let options = ["--locked", "--filter-platform", platform].map(str::to_owned);
    MetadataCommand::new()
        .other_options(options)
        .exec()
        .expect("a workspace")
}

/// Returns the dependencies of each package, by id.
fn graph(metadata: &Metadata) -> BTreeMap<&PackageId, &Node> {
    let resolve = metadata.resolve.as_ref().expect("a resolved graph");
    resolve.nodes.iter().map(|node| (&node.id, node)).collect()
}
