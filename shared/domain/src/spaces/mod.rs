//! Spaces: records, and what delivery reads of them.

mod delivery_space;
mod space;

pub use delivery_space::{DeliverySpace, InheritedSettings};
pub use space::{Handle, NewSpace, Space};
