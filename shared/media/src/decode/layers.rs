//! Decoding of JPEGs without conversion to RGB, for images that are downscaled: luma and chroma are
//! resized separately, each from its own resolution.

use domain::naming::ImageSize;
use mozjpeg::{ColorSpace, CompInfoExt, Decompress, decompress::DecompressStarted};

use crate::{
    color::fitting_profile,
    container::jpeg::profile,
    error::MediaError,
    pixels::{Channels, Pixels},
    probe::ImageInfo,
};

use super::{
    Shrink,
    jpeg::{CompleteReader, open, read_rows},
};

/// Maximum number of rows per block of a component that the binding of libjpeg can read.
const MAX_ROWS_PER_BLOCK: u8 = 2;

/// A JPEG as luma, blue difference and red difference: one layer with all, or a layer for each.
pub(crate) struct DecodedLayers {
    pub(crate) layers: Vec<DecodedLayer>,
    /// Color profile of the file.
    pub(crate) profile: Option<Vec<u8>>,
}

/// Pixels, and their number per pixel of the full image in both directions. The last row and column
/// may exceed the image.
pub(crate) struct DecodedLayer {
    pub(crate) pixels: Pixels,
    pub(crate) horizontal: f64,
    pub(crate) vertical: f64,
}

/// Decodes a JPEG in a shrunk size. Returns `None` if its colors are not luma and chroma.
pub(super) fn read(
    bytes: &[u8],
    probed: &ImageInfo,
    shrink: Shrink,
) -> Result<Option<DecodedLayers>, MediaError> {
    let mut image = open(bytes, probed)?.image;
    if image.color_space() != ColorSpace::JCS_YCbCr {
        return Ok(None);
    }

    let layers = if shrink == Shrink::None && is_readable(&image) {
        read_components(image, probed)?
    } else {
        image.scale(shrink.eighths());
        let pixels = Pixels::zeroed(shrink.size(probed.stored()), Channels::Rgb);
        let started = image
            .to_colorspace(ColorSpace::JCS_YCbCr)
            .map_err(MediaError::malformed)?;
        vec![DecodedLayer {
            pixels: read_rows(started, pixels)?,
            horizontal: 1.0 / f64::from(shrink.divisor()),
            vertical: 1.0 / f64::from(shrink.divisor()),
        }]
    };
    Ok(Some(DecodedLayers {
        layers,
        profile: fitting_profile(profile(bytes), Channels::Rgb),
    }))
}

/// Whether the components can be read separately.
fn is_readable(image: &Decompress<CompleteReader>) -> bool {
    let components = image.components();
    components.len() == 3
        && components
            .iter()
            .all(|component| component.sampling().1 <= MAX_ROWS_PER_BLOCK)
}

fn read_components(
    image: Decompress<CompleteReader>,
    probed: &ImageInfo,
) -> Result<Vec<DecodedLayer>, MediaError> {
    let sizes = component_sizes(&image, probed);
    let mut started: DecompressStarted<CompleteReader> =
        image.raw().map_err(MediaError::malformed)?;

    let mut luma = Vec::with_capacity(sizes[0].bytes());
    let mut blue = Vec::with_capacity(sizes[1].bytes());
    let mut red = Vec::with_capacity(sizes[2].bytes());
    started.read_raw_data(&mut [&mut luma, &mut blue, &mut red]);
    started.finish().map_err(MediaError::malformed)?;

    let planes = [luma, blue, red].into_iter().zip(sizes);
    Ok(planes.map(|(samples, size)| size.layer(samples)).collect())
}

/// Size of a component.
struct ComponentSize {
    width: usize,
    height: usize,
    /// Length of a row with padding, in bytes.
    stride: usize,
    /// Number of rows with padding.
    rows: usize,
    horizontal: f64,
    vertical: f64,
}

fn component_sizes(image: &Decompress<CompleteReader>, probed: &ImageInfo) -> Vec<ComponentSize> {
    let components = image.components();
    let samplings = || components.iter().map(CompInfoExt::sampling);
    let most_across = samplings().map(|(across, _)| across).max().unwrap_or(1);
    let most_down = samplings().map(|(_, down)| down).max().unwrap_or(1);

    let sizes = components.iter().map(|component| {
        let (across, down) = component.sampling();
        let width = probed.width as usize * usize::from(across);
        let height = probed.height as usize * usize::from(down);
        ComponentSize {
            width: width.div_ceil(most_across.into()),
            height: height.div_ceil(most_down.into()),
            stride: component.row_stride(),
            rows: component.col_stride() + usize::from(down) * 8,
            horizontal: f64::from(across) / f64::from(most_across),
            vertical: f64::from(down) / f64::from(most_down),
        }
    });
    sizes.collect()
}

impl ComponentSize {
    /// Returns the size with padding, in bytes.
    fn bytes(&self) -> usize {
        self.stride * self.rows
    }

    /// Removes the padding of samples, whose values are undefined.
    fn layer(&self, mut samples: Vec<u8>) -> DecodedLayer {
        if self.stride != self.width {
            for row in 0..self.height {
                let start = row * self.stride;
                samples.copy_within(start..start + self.width, row * self.width);
            }
        }
        samples.truncate(self.width * self.height);

        DecodedLayer {
            pixels: Pixels::new(
                ImageSize::new(
                    u32::try_from(self.width).unwrap_or(u32::MAX),
                    u32::try_from(self.height).unwrap_or(u32::MAX),
                ),
                Channels::Gray,
                samples,
            ),
            horizontal: self.horizontal,
            vertical: self.vertical,
        }
    }
}
