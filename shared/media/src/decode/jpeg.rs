//! JPEG, by libjpeg-turbo as mozjpeg has it.

use std::{
    ffi::c_int,
    io::{self, BufRead, Read},
    panic::resume_unwind,
    ptr,
};

use mozjpeg::{
    Decompress,
    decompress::{DecompressStarted, Format},
};
use mozjpeg_sys::{jpeg_common_struct, jpeg_error_mgr, msg_parm_union};

use crate::{
    MediaError, Probed, colour,
    container::jpeg::{ADOBE, ADOBE_NAME, END, SCAN, Segments, profile},
    pixels::{Channels, Pixels},
};

use super::agreed;

/// Most scans of an image; encoders write about ten.
const SCANS: usize = 200;

/// Decodes a JPEG.
pub(super) fn read(bytes: &[u8], probed: &Probed) -> Result<Pixels, MediaError> {
    let is_adobe = survey(bytes)?;
    let builder = Decompress::with_err(strict());
    let image = builder
        .from_reader(Complete(bytes))
        .map_err(MediaError::malformed)?;
    agreed(probed, image.width(), image.height())?;
    let mut pixels = match image.image().map_err(MediaError::malformed)? {
        Format::RGB(started) => colours(started, Pixels::blank(probed, Channels::Rgb))?,
        Format::Gray(started) => colours(started, Pixels::blank(probed, Channels::Grey))?,
        Format::CMYK(started) => return inks(started, bytes, probed, is_adobe),
    };
    pixels.profile = profile(bytes);
    Ok(pixels)
}

/// Walks the whole file: it must have its end, and no more scans than there may be. Whether Adobe's
/// segment is there.
fn survey(bytes: &[u8]) -> Result<bool, MediaError> {
    let mut segments = Segments::of(bytes);
    let (mut scans, mut is_adobe) = (0, false);
    loop {
        let segment = segments.next()?;
        is_adobe |= segment.is_named(ADOBE, ADOBE_NAME);
        scans += usize::from(segment.marker == SCAN);
        if scans > SCANS {
            return Err(MediaError::TooManyScans(SCANS));
        }
        if segment.marker == END {
            return Ok(is_adobe);
        }
    }
}

fn colours(
    mut started: DecompressStarted<Complete>,
    mut pixels: Pixels,
) -> Result<Pixels, MediaError> {
    started
        .read_scanlines_into(&mut pixels.samples)
        .map_err(MediaError::malformed)?;
    started.finish().map_err(MediaError::malformed)?;
    Ok(pixels)
}

/// Four inks become three colours row by row, by their profile where they have one.
fn inks(
    mut started: DecompressStarted<Complete>,
    bytes: &[u8],
    probed: &Probed,
    is_inverted: bool,
) -> Result<Pixels, MediaError> {
    let mixer = colour::Inks::of(profile(bytes).as_deref());
    let mut pixels = Pixels::blank(probed, Channels::Rgb);
    let mut inked = vec![0; probed.width as usize * 4];
    let row = pixels.row();
    for row in pixels.samples.chunks_exact_mut(row) {
        started
            .read_scanlines_into(&mut inked)
            .map_err(MediaError::malformed)?;
        // Adobe writes how much light is left, others how much ink there is.
        if is_inverted {
            for ink in &mut inked {
                *ink = !*ink;
            }
        }
        mixer.mix(&inked, row);
    }
    started.finish().map_err(MediaError::malformed)?;
    Ok(pixels)
}

/// Errors and warnings alike unwind: what libjpeg only warns of are pixels that are missing or
/// damaged, which it would make up. That is also how a frame is found out that names more rows than
/// there are.
fn strict() -> jpeg_error_mgr {
    extern "C-unwind" fn unwind(_: &mut jpeg_common_struct) {
        // Not a panic: nothing of ours is wrong, and nothing is written about it.
        resume_unwind(Box::new("libjpeg finds it damaged"));
    }
    extern "C-unwind" fn weigh(image: &mut jpeg_common_struct, level: c_int) {
        if level < 0 {
            unwind(image);
        }
    }
    extern "C-unwind" fn pass(_: &mut jpeg_common_struct) {}
    extern "C-unwind" fn format(_: &mut jpeg_common_struct, _: &[u8; 80]) {}
    jpeg_error_mgr {
        error_exit: Some(unwind),
        emit_message: Some(weigh),
        output_message: Some(pass),
        format_message: Some(format),
        reset_error_mgr: Some(pass),
        msg_code: 0,
        msg_parm: msg_parm_union::default(),
        trace_level: 0,
        num_warnings: 0,
        jpeg_message_table: ptr::null(),
        last_jpeg_message: 0,
        addon_message_table: ptr::null(),
        first_addon_message: 0,
        last_addon_message: 0,
    }
}

/// A file that fails at its end: libjpeg makes up one for files that only stop, and fills in grey.
struct Complete<'a>(&'a [u8]);

impl Read for Complete<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl BufRead for Complete<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.0.is_empty() {
            Err(io::Error::other("the image ends early"))
        } else {
            Ok(self.0)
        }
    }

    fn consume(&mut self, amount: usize) {
        self.0.consume(amount);
    }
}
