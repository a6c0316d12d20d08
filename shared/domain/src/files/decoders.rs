//! Formats of images that are decoded.

/// The formats that a deployment decodes: all that can be, or all but HEIC.
#[derive(Clone, Copy, Debug)]
pub struct Decoders {
    pub heic: bool,
}
