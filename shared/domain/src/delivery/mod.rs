//! Delivery: signed delivery URLs, transformation parameters and watermarks.

mod rendition;
mod signed_delivery;
mod transformation;
mod watermark;

pub use rendition::{Rendition, RenditionId, RenditionLocation, RenditionOutput, Retention};
pub use signed_delivery::{SignedDelivery, signed_query};
pub use transformation::{
    Crop, Focus, ImageFormat, MAX_SIDE_PIXELS, Resize, Sides, TRANSFORMATION_PARAMETERS,
    Transformation, misnamed_transformation_fields,
};
pub use watermark::{
    AppliedWatermark, FolderSecurity, Gravity, Opacity, Security, TransformationPolicy, Watermark,
};
