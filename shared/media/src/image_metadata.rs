//! Properties and EXIF fields of images, for records of files.
//!
//! Invariants:
//! - No pixel is decoded, and no input is an error: what cannot be read is absent.
//! - Frames are counted by their data, not read from a header.

use std::collections::{BTreeMap, HashSet};

use crate::{
    animation::count_webp_frames,
    container::{gif, png, tiff},
    exif::{self, ExifValue},
    format::Format,
    orient::Orientation,
    probe::{Frames, ImageInfo, probe, probe_whole},
};

/// Maximum number of pages of a TIFF that are counted.
pub const MAX_COUNTED_PAGES: usize = 10_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetadataOptions {
    /// Whether the position where a photo was taken is returned.
    pub keep_gps: bool,
    /// Whether the bytes are only the beginning of a file. Its frames or pages are not counted
    /// then.
    pub is_prefix: bool,
}

/// Properties of an image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageMetadata {
    pub format: Option<Format>,
    /// Width as displayed, in pixels.
    pub width: Option<u32>,
    /// Height as displayed, in pixels.
    pub height: Option<u32>,
    /// EXIF orientation of the stored pixels; normal if unspecified.
    pub orientation: Orientation,
    /// Whether pixels can be transparent.
    pub has_alpha: Option<bool>,
    /// Number of frames of an animation, or of pages of a TIFF, up to the damaged part of a file.
    /// At least 1; `None` for sequences of AVIF and HEIC, and for what the beginning of a file does
    /// not show.
    pub pages: Option<u32>,
    /// EXIF fields by their standard names: at most
    /// [`MAX_EXIF_FIELDS`](crate::exif::MAX_EXIF_FIELDS). `GPSLatitude` and `GPSLongitude` are in
    /// degrees, negative to the south and west. Serial numbers and names of owners are never
    /// returned.
    pub exif: BTreeMap<&'static str, ExifValue>,
}

/// Reads the properties and EXIF fields of an image. Omits damaged and missing fields.
pub fn image_metadata(bytes: &[u8], options: &MetadataOptions) -> ImageMetadata {
    let Some(format) = Format::detect(bytes) else {
        return ImageMetadata::default();
    };
    let block = exif::block(bytes, format);
    let exif = block.map(|block| exif::fields(&block, options.keep_gps));
    let partial = ImageMetadata {
        format: Some(format),
        exif: exif.unwrap_or_default(),
        ..ImageMetadata::default()
    };

    let probed = if options.is_prefix {
        probe(bytes).ok()
    } else {
        probe_whole(bytes).ok()
    };
    let Some(info) = probed else {
        return partial;
    };
    let displayed = info.displayed();
    ImageMetadata {
        width: Some(displayed.width),
        height: Some(displayed.height),
        orientation: info.orientation,
        has_alpha: Some(info.has_alpha),
        pages: pages(bytes, &info, options.is_prefix),
        ..partial
    }
}

/// Counts frames or pages. Of the beginning of a file, only a still image has a certain number.
fn pages(bytes: &[u8], info: &ImageInfo, is_prefix: bool) -> Option<u32> {
    let is_counted = info.frames != Frames::Still || info.format == Format::Tiff;
    if is_prefix && is_counted {
        return None;
    }

    let count = match info.format {
        Format::Gif => gif::count_frames(bytes).unwrap_or_default(),
        Format::Png if info.frames == Frames::Animated => png_frames(bytes),
        Format::WebP if info.frames == Frames::Animated => {
            count_webp_frames(bytes).unwrap_or_default()
        }
        Format::Tiff => tiff_pages(bytes),
        _ if info.frames == Frames::Still => 1,
        _ => return None,
    };
    Some(count.max(1))
}

fn png_frames(bytes: &[u8]) -> u32 {
    let chunks = png::Chunks::of(bytes).map_while(Result::ok);
    let chunks = chunks.take_while(|chunk| png::full(bytes, chunk).is_ok());
    let frames = chunks.filter(|chunk| chunk.kind == *b"fcTL");
    u32::try_from(frames.count()).unwrap_or(u32::MAX)
}

/// Counts the directories of a TIFF up to one that was visited before.
fn tiff_pages(bytes: &[u8]) -> u32 {
    let Ok(mut directory) = tiff::Directory::first(bytes) else {
        return 0;
    };
    let mut visited = HashSet::new();
    while visited.len() < MAX_COUNTED_PAGES && visited.insert(directory.offset()) {
        let next = directory.next_offset();
        match next.and_then(|offset| directory.at(offset)) {
            // The first directory never starts at 0.
            Ok(next) if next.offset() != 0 => directory = next,
            _ => break,
        }
    }
    u32::try_from(visited.len()).unwrap_or(u32::MAX)
}
