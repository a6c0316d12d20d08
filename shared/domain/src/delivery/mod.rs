//! Delivery: signed delivery URLs, transformation parameters and watermarks.

mod signed_delivery;
mod transformation;
mod watermark;

pub use signed_delivery::{SignedDelivery, signed_query};
pub use transformation::{TRANSFORMATION_PARAMETERS, validate_transformation};
pub use watermark::{Gravity, Opacity, Security, Watermark};
