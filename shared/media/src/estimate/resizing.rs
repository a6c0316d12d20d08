//! Memory of resizing. The resizer filters vertically first, so its intermediate image is as wide as
//! the source and as high as the output.

use crate::{Channels, Dimensions};

use super::{DecodedPlane, area_bytes};

/// Size of a coefficient with its copies in both precisions, in bytes.
const COEFFICIENT_BYTES: u64 = 8 + 2;
/// Memory per pixel of an output side, in bytes: the bounds of its coefficients and two pointers.
const BOUND_BYTES: u64 = 96;

/// Radius of a filter, in pixels of the smaller image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Support {
    /// Bilinear.
    One = 1,
    /// Lanczos with three lobes.
    Three = 3,
}

/// The part of an image that is resized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResizedPart {
    /// Size of the whole image after resizing.
    pub(crate) resized: Dimensions,
    /// Size of the part after resizing.
    pub(crate) output: Dimensions,
    pub(crate) support: Support,
}

/// Returns the memory of resizing a part of a layer, in bytes, without the layer and the output.
pub(crate) fn resizing_bytes(plane: &DecodedPlane, part: &ResizedPart) -> u64 {
    let channels = plane.channels.count() as u64;
    let premultiplied_bytes = if plane.channels == Channels::Rgba {
        plane.bytes
    } else {
        0
    };
    let support = part.support as u64;
    let across = Axis {
        length: plane.size.width,
        resized: part.resized.width,
        output: part.output.width,
        support,
    };
    let down = Axis {
        length: plane.size.height,
        resized: part.resized.height,
        output: part.output.height,
        support,
    };
    let intermediate = Dimensions {
        width: across.source_length(),
        height: part.output.height,
    };

    [
        area_bytes(intermediate, channels),
        across.coefficient_bytes(),
        down.coefficient_bytes(),
    ]
    .into_iter()
    .fold(premultiplied_bytes, u64::saturating_add)
}

/// One direction of resizing. All lengths are in pixels and at least 1.
struct Axis {
    /// Length of the whole layer.
    length: u32,
    /// Length of the whole layer after resizing.
    resized: u32,
    /// Length of the part after resizing.
    output: u32,
    support: u64,
}

impl Axis {
    /// Returns the number of pixels of the layer on each side of an output pixel that contribute.
    fn radius(&self) -> u64 {
        let scale = u64::from(self.length).div_ceil(self.resized.max(1).into());
        scale.max(1).saturating_mul(self.support)
    }

    /// Returns the number of pixels of the layer that contribute to the part.
    fn source_length(&self) -> u32 {
        let part = u64::from(self.length) * u64::from(self.output) / u64::from(self.resized.max(1));
        let with_edges = part.saturating_add(2 * self.radius() + 2);
        u32::try_from(with_edges).map_or(self.length, |length| length.min(self.length))
    }

    fn coefficient_bytes(&self) -> u64 {
        let window = 2 * self.radius() + 1;
        let bytes = window
            .saturating_mul(COEFFICIENT_BYTES)
            .saturating_add(BOUND_BYTES);
        bytes.saturating_mul(self.output.into())
    }
}
