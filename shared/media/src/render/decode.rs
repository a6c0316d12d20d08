//! Step 1: decode the pixels, JPEGs as small as the output allows.

use domain::naming::ImageSize;

use crate::{
    color::{to_srgb, with_colors},
    decode::{DecodedLayer, decode_layers, decode_shrunk},
    error::MediaError,
    pixels::Channels,
    probe::ImageInfo,
};

use super::{
    frame::{ColorModel, Frame, Layer},
    plan::Decoding,
    region::Region,
};

/// Decodes an image in the planned size.
pub(super) fn read(
    bytes: &[u8],
    probed: &ImageInfo,
    decoding: Decoding,
) -> Result<Frame, MediaError> {
    if decoding.is_downscaled
        && let Some(decoded) = decode_layers(bytes, probed, decoding.shrink)?
    {
        let layers = decoded.layers.into_iter();
        return Ok(Frame {
            layers: layers
                .map(|layer| layer_of(layer, probed.stored()))
                .collect(),
            model: ColorModel::Ycc,
            profile: decoded.profile,
        });
    }

    one_layer(bytes, probed, decoding)
}

/// Decodes an image with all channels in one layer. If it is to be marked, gray pixels get colors,
/// because the watermark has some.
fn one_layer(bytes: &[u8], probed: &ImageInfo, decoding: Decoding) -> Result<Frame, MediaError> {
    let shrink = decoding.shrink;
    let mut pixels = decode_shrunk(bytes, probed, shrink)?;
    if decoding.is_marked && pixels.channels == Channels::Gray {
        // A profile of gray cannot be applied afterwards.
        to_srgb(&mut pixels);
        pixels.profile = None;
        pixels = with_colors(pixels);
    }
    let profile = pixels.profile.take();

    // Decoders of other formats than JPEG do not shrink.
    let is_full = pixels.width == probed.width && pixels.height == probed.height;
    let divisor = if is_full { 1 } else { shrink.divisor() };
    let layer = DecodedLayer {
        pixels,
        horizontal: 1.0 / f64::from(divisor),
        vertical: 1.0 / f64::from(divisor),
    };
    Ok(Frame {
        layers: vec![layer_of(layer, probed.stored())],
        model: ColorModel::Rgb,
        profile,
    })
}

fn layer_of(decoded: DecodedLayer, full: ImageSize) -> Layer {
    Layer {
        region: Region {
            left: 0.0,
            top: 0.0,
            width: f64::from(full.width) * decoded.horizontal,
            height: f64::from(full.height) * decoded.vertical,
        },
        pixels: decoded.pixels,
    }
}
