//! Images that are rendered from originals: transformation parameters, qualities, and the ids of
//! outputs.

mod eager;
mod quality;
mod rendition;
mod transformation;

pub use eager::{EagerTransformation, MAX_EAGER_TRANSFORMATIONS};
pub use quality::Quality;
pub use rendition::{Rendition, RenditionId, RenditionLocation, RenditionOutput, Retention};
pub use transformation::{
    Crop, Focus, ImageFormat, MAX_SIDE_PIXELS, Resize, Sides, TRANSFORMATION_PARAMETERS,
    Transformation, misnamed_transformation_fields,
};
