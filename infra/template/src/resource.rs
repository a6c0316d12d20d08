//! A resource whose properties are not resolved yet.

use crate::catalog::ResourceDefinition;
use crate::node::Node;

/// An entry of the `Resources` section.
pub(crate) struct Resource<'tree> {
    /// Line of the logical id.
    pub(crate) line: usize,
    pub(crate) definition: &'static ResourceDefinition,
    pub(crate) physical_name: String,
    /// Unresolved, merged with `Globals`, without the property that sets the name.
    pub(crate) properties: Node,
    pub(crate) metadata: Option<&'tree Node>,
    /// Whether the resource has no condition, or its condition is true.
    pub(crate) present: bool,
}
