//! Properties of audio, video and PDF files from their headers.
//!
//! Invariants:
//! - Nothing is decoded. The number of reads and of read bytes is bounded for each file, and no
//!   allocation depends on a size in the file that was not checked against these bounds.
//! - What cannot be read is absent; a damaged file is not an error.

mod aiff;
mod flac;
mod input;
mod isobmff;
mod matroska;
mod mpeg;
mod ogg;
mod pdf;
mod pdf_tokens;
mod riff;
mod sparse;

pub use pdf::MAX_PDF_BYTES;
pub use sparse::{
    Inspection, MAX_SPARSE_CHUNKS, MissingBytes, SPARSE_CHUNK_BYTES, SparseReader, inspect_sparse,
};

use std::{
    io::{self, Read, Seek},
    time::Duration,
};

use formats::{FileFormat, Recognized};

use self::input::{Input, InspectError, Inspected};

/// Maximum duration, in seconds: ten years.
pub const MAX_DURATION_SECONDS: f64 = 10.0 * 365.25 * 86_400.0;
/// Number of bytes that show most formats.
const FIRST_BYTES: usize = 16;
/// Maximum width and height of a video, in pixels.
const MAX_VIDEO_SIDE: u32 = 65_535;

/// Properties of a file. What does not apply, or cannot be read, is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MediaProperties {
    /// Width of a video as displayed, in pixels.
    pub width: Option<u32>,
    /// Height of a video as displayed, in pixels.
    pub height: Option<u32>,
    /// Duration in seconds, in whole milliseconds, from 0 to [`MAX_DURATION_SECONDS`]. That of AAC
    /// without a container and of MP3 without a frame count is an estimate from the bit rate.
    pub duration_seconds: Option<f64>,
    /// Number of pages of a PDF.
    pub pages: Option<u32>,
}

impl MediaProperties {
    /// Sets the size if it is plausible.
    fn set_size(&mut self, width: u32, height: u32) {
        let sides = 1..=MAX_VIDEO_SIDE;
        if sides.contains(&width) && sides.contains(&height) {
            self.width = Some(width);
            self.height = Some(height);
        }
    }

    /// Sets the duration, rounded to milliseconds, if it is plausible.
    fn set_duration(&mut self, seconds: f64) {
        if (0.0..=MAX_DURATION_SECONDS).contains(&seconds) {
            let milliseconds = (seconds * 1_000.0).round();
            self.duration_seconds = Some(milliseconds / 1_000.0);
        }
    }

    /// Sets the duration to a number of units if it is plausible.
    fn set_units(&mut self, units: u64, units_per_second: u64) {
        if let Some(seconds) = seconds(units, units_per_second) {
            self.set_duration(seconds);
        }
    }
}

/// Converts units to seconds; `None` without units per second.
fn seconds(units: u64, units_per_second: u64) -> Option<f64> {
    let whole = units.checked_div(units_per_second)?;
    let rest = u128::from(units % units_per_second);
    let nanoseconds = rest * 1_000_000_000 / u128::from(units_per_second);
    let duration = Duration::new(whole, u32::try_from(nanoseconds).ok()?);
    Some(duration.as_secs_f64())
}

/// Reads the properties of MP4, MOV, M4A, `WebM`, Matroska, AVI, MP3, AAC, FLAC, Ogg, WAV, AIFF and
/// PDF files, which are detected by their bytes. Files of other formats have none.
///
/// Reads few and small parts of a file, apart from a PDF of up to [`MAX_PDF_BYTES`], which is read
/// as a whole. Fails if the reader fails.
pub fn inspect(mut reader: impl Read + Seek) -> io::Result<MediaProperties> {
    let mut properties = MediaProperties::default();
    let result = Input::new(&mut reader).and_then(|mut input| read(&mut input, &mut properties));
    match result {
        Ok(()) | Err(InspectError::Invalid) => Ok(properties),
        Err(InspectError::Io(error)) => Err(error),
    }
}

/// Returns the format that a number of first bytes shows.
fn recognized(input: &mut Input, length: usize) -> Inspected<Option<&'static FileFormat>> {
    let head = input.read_up_to(0, length)?;
    Ok(match formats::recognize(&head) {
        Recognized::Format(format) => Some(format),
        Recognized::Text | Recognized::Unknown => None,
    })
}

fn read(input: &mut Input, properties: &mut MediaProperties) -> Inspected {
    let mut format = recognized(input, FIRST_BYTES)?;
    if format.is_none() {
        format = recognized(input, formats::HEAD_BYTES)?;
    }
    match format.map_or("", FileFormat::extension) {
        "webm" | "mkv" => matroska::read(input, properties),
        "aiff" => aiff::read(input, properties),
        "avi" | "wav" => riff::read(input, properties),
        "ogg" | "ogv" | "ogx" | "opus" => ogg::read(input, properties),
        "pdf" => pdf::read(input, properties),
        "mp3" | "aac" | "flac" => mpeg::read(input, properties),
        "mp4" | "mov" | "m4a" | "m4v" | "3gp" | "3g2" => isobmff::read(input, properties),
        _ => Ok(()),
    }
}
