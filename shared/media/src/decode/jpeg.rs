//! JPEG decoding with mozjpeg's libjpeg-turbo.

use std::{
    ffi::c_int,
    io::{self, BufRead, Read},
    mem,
    panic::resume_unwind,
    ptr,
};

use mozjpeg::{
    Decompress,
    decompress::{DecompressStarted, Format},
};
use mozjpeg_sys::{
    J_MESSAGE_CODE, JWRN_ADOBE_XFORM, JWRN_BOGUS_ICC, JWRN_BOGUS_PROGRESSION, JWRN_EXTRANEOUS_DATA,
    JWRN_JFIF_MAJOR, JWRN_NOT_SEQUENTIAL, jpeg_common_struct, jpeg_error_mgr, msg_parm_union,
};

use crate::{
    color,
    container::{
        jpeg::{END, profile},
        jpeg_scans::JpegScans,
    },
    error::MediaError,
    pixels::{Channels, Pixels},
    probe::ImageInfo,
};

use super::{Shrink, require_size};

const END_BYTES: &[u8] = &[0xFF, END];

pub(super) fn read(bytes: &[u8], probed: &ImageInfo, shrink: Shrink) -> Result<Pixels, MediaError> {
    let OpenJpeg {
        mut image,
        is_adobe,
    } = open(bytes, probed)?;
    image.scale(shrink.eighths());
    let size = shrink.size(probed.stored());

    let mut pixels = match image.image().map_err(MediaError::malformed)? {
        Format::RGB(started) => read_rows(started, Pixels::zeroed(size, Channels::Rgb))?,
        Format::Gray(started) => read_rows(started, Pixels::zeroed(size, Channels::Gray))?,
        Format::CMYK(started) => {
            let converter = color::CmykConverter::new(profile(bytes).as_deref());
            let inks = if is_adobe {
                Inks::Inverted
            } else {
                Inks::Plain
            };
            return read_cmyk(
                started,
                Pixels::zeroed(size, Channels::Rgb),
                &converter,
                inks,
            );
        }
    };
    pixels.profile = profile(bytes);
    Ok(pixels)
}

/// A JPEG whose header is read.
pub(super) struct OpenJpeg<'a> {
    pub(super) image: Decompress<CompleteReader<'a>>,
    /// Whether the file has an Adobe segment.
    is_adobe: bool,
}

/// Checks a file and reads its header.
pub(super) fn open<'a>(bytes: &'a [u8], probed: &ImageInfo) -> Result<OpenJpeg<'a>, MediaError> {
    let scans = JpegScans::read(bytes)?;
    let reader = CompleteReader {
        bytes,
        end: if scans.has_end { &[] } else { END_BYTES },
    };
    let builder = Decompress::with_err(strict_error_manager());
    let image = builder.from_reader(reader).map_err(MediaError::malformed)?;
    require_size(probed.stored(), image.width(), image.height())?;
    Ok(OpenJpeg {
        image,
        is_adobe: scans.is_adobe,
    })
}

pub(super) fn read_rows(
    mut started: DecompressStarted<CompleteReader>,
    mut pixels: Pixels,
) -> Result<Pixels, MediaError> {
    require_size(pixels.size(), started.width(), started.height())?;
    started
        .read_scanlines_into(&mut pixels.samples)
        .map_err(MediaError::malformed)?;
    started.finish().map_err(MediaError::malformed)?;
    Ok(pixels)
}

/// How ink values are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inks {
    /// 255 is full ink.
    Plain,
    /// 0 is full ink, as Adobe stores it.
    Inverted,
}

/// Reads CMYK rows and converts them to RGB.
fn read_cmyk(
    mut started: DecompressStarted<CompleteReader>,
    mut pixels: Pixels,
    converter: &color::CmykConverter,
    inks: Inks,
) -> Result<Pixels, MediaError> {
    require_size(pixels.size(), started.width(), started.height())?;
    let mut cmyk = vec![0; pixels.width as usize * 4];
    let row = pixels.row_bytes();

    for row in pixels.samples.chunks_exact_mut(row) {
        started
            .read_scanlines_into(&mut cmyk)
            .map_err(MediaError::malformed)?;
        if inks == Inks::Inverted {
            for ink in &mut cmyk {
                *ink = !*ink;
            }
        }
        converter.convert_row(&cmyk, row);
    }

    started.finish().map_err(MediaError::malformed)?;

    Ok(pixels)
}

/// Warnings about unusual versions, parameters and orders of scans, and about superfluous bytes
/// before a marker. Cameras and editors write such files, and browsers show them.
///
/// Superfluous bytes are accepted in scans too, where they are padding, or follow damaged codes of
/// a scan or restart interval that end early. libjpeg cannot tell these cases apart, has decoded
/// all pixels before the bytes, and continues (a "corrupt-data warning" in libjpeg.txt), as djpeg
/// and browsers do. Most damaged codes cause no warning at all. A scan or restart interval that
/// lacks data is damaged (`JWRN_HIT_MARKER`).
const HARMLESS_WARNINGS: [J_MESSAGE_CODE; 6] = [
    JWRN_ADOBE_XFORM,
    JWRN_BOGUS_ICC,
    JWRN_BOGUS_PROGRESSION,
    JWRN_EXTRANEOUS_DATA,
    JWRN_JFIF_MAJOR,
    JWRN_NOT_SEQUENTIAL,
];

/// Whether the last message of an image is a harmless warning.
#[expect(
    unsafe_code,
    reason = "libjpeg states the code of a message behind a pointer only"
)]
fn is_harmless(image: &jpeg_common_struct) -> bool {
    // SAFETY: libjpeg calls its error manager with an image whose `err` points to that manager,
    // which lives as long as the image ("Error handling" in libjpeg.txt).
    let code = unsafe { (*image.err).msg_code };
    HARMLESS_WARNINGS.contains(&code)
}

/// Returns an error manager that unwinds on errors and on all but harmless warnings. libjpeg warns
/// about missing or damaged pixels, which it would invent, for example for a frame header with too
/// many rows.
fn strict_error_manager() -> jpeg_error_mgr {
    extern "C-unwind" fn unwind(_: &mut jpeg_common_struct) {
        // Not a panic, so the panic hook does not log it.
        resume_unwind(Box::new("libjpeg reports damaged data"));
    }
    extern "C-unwind" fn on_message(image: &mut jpeg_common_struct, level: c_int) {
        if level < 0 && !is_harmless(image) {
            unwind(image);
        }
    }
    extern "C-unwind" fn ignore(_: &mut jpeg_common_struct) {}
    extern "C-unwind" fn format(_: &mut jpeg_common_struct, _: &[u8; 80]) {}

    jpeg_error_mgr {
        error_exit: Some(unwind),
        emit_message: Some(on_message),
        output_message: Some(ignore),
        format_message: Some(format),
        reset_error_mgr: Some(ignore),
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

/// Reader that fails at the end of the file, where libjpeg would insert end markers and fill in
/// gray pixels.
pub(super) struct CompleteReader<'a> {
    bytes: &'a [u8],
    /// Bytes that follow those of the file.
    end: &'static [u8],
}

impl Read for CompleteReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for CompleteReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.bytes.is_empty() {
            self.bytes = mem::take(&mut self.end);
        }
        if self.bytes.is_empty() {
            Err(io::Error::other("the image is truncated"))
        } else {
            Ok(self.bytes)
        }
    }

    fn consume(&mut self, amount: usize) {
        self.bytes.consume(amount);
    }
}
