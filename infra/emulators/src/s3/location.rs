//! The location of an object.

/// The bucket and key of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectLocation {
    pub(super) bucket: String,
    pub(super) key: String,
}
