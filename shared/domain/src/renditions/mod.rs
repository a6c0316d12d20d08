//! Images that are rendered from originals: transformation parameters, watermarks, thumbnails, and the ids of outputs.

mod rendition;
mod thumbnails;
mod transformation;
mod watermark;

pub use rendition::{Rendition, RenditionId, RenditionLocation, RenditionOutput, Retention};
pub use thumbnails::Thumbnail;
pub use transformation::{
    Crop, Focus, ImageFormat, MAX_SIDE_PIXELS, Resize, Sides, TRANSFORMATION_PARAMETERS,
    Transformation, misnamed_transformation_fields,
};
pub use watermark::{
    AppliedWatermark, FolderSecurity, Gravity, Opacity, Security, TransformationPolicy, Watermark,
};
