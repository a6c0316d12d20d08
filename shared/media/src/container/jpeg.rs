//! Segments of JPEG files.

use std::ops::Range;

use memchr::memchr;

use crate::{
    bytes::{be16, part},
    error::ProbeError,
};

pub(crate) const START: u8 = 0xD8;
pub(crate) const END: u8 = 0xD9;
pub(crate) const SCAN: u8 = 0xDA;
pub(crate) const JFIF: u8 = 0xE0;
pub(crate) const EXIF: u8 = 0xE1;
pub(crate) const PROFILE: u8 = 0xE2;
pub(crate) const ADOBE: u8 = 0xEE;
pub(crate) const APPLICATION: std::ops::RangeInclusive<u8> = 0xE0..=0xEF;
pub(crate) const COMMENT: u8 = 0xFE;

/// Prefix of an EXIF segment; a TIFF structure follows.
pub(crate) const EXIF_NAME: &[u8] = b"Exif\0\0";
/// Prefix of a color profile segment; its number and the number of segments follow.
pub(crate) const PROFILE_NAME: &[u8] = b"ICC_PROFILE\0";
/// Prefix of an Adobe segment, which specifies the color transform.
pub(crate) const ADOBE_NAME: &[u8] = b"Adobe";

/// Segment of a JPEG.
pub(crate) struct Segment<'a> {
    pub(crate) marker: u8,
    /// Bytes after marker and length; empty for standalone markers.
    pub(crate) payload: &'a [u8],
    /// Range in the file, including the marker. Bytes between segments are the entropy-coded data
    /// of a scan.
    pub(crate) range: Range<usize>,
}

impl Segment<'_> {
    /// Whether it is a frame header, which contains the dimensions.
    pub(crate) fn is_frame(&self) -> bool {
        matches!(self.marker, 0xC0..=0xCF) && !matches!(self.marker, 0xC4 | 0xC8 | 0xCC)
    }

    /// Whether it is the header of a progressive frame.
    pub(crate) fn is_progressive_frame(&self) -> bool {
        matches!(self.marker, 0xC2 | 0xC6 | 0xCA | 0xCE)
    }

    /// Whether it has this marker and payload prefix. Application markers are shared by several
    /// uses.
    pub(crate) fn starts_with(&self, marker: u8, prefix: &[u8]) -> bool {
        self.marker == marker && self.payload.starts_with(prefix)
    }
}

/// Iterator over the segments of a JPEG, up to its end marker.
pub(crate) struct Segments<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether the data of a scan begins at `at`.
    is_in_scan: bool,
    has_ended: bool,
}

impl<'a> Segments<'a> {
    /// Starts after the start marker.
    pub(crate) fn of(bytes: &'a [u8]) -> Segments<'a> {
        Segments {
            bytes,
            at: 2,
            is_in_scan: false,
            has_ended: false,
        }
    }

    /// Returns the next segment, which must not follow the end marker. At the end of a file that
    /// ends in a scan, returns an end marker without bytes. Only a decoder finds out whether that
    /// scan is complete.
    pub(crate) fn next_or_end(&mut self) -> Result<Segment<'a>, ProbeError> {
        match self.marker_at() {
            Ok(start) => self.read(start),
            Err(_) if self.is_in_scan => Ok(Segment {
                marker: END,
                payload: &[],
                range: self.bytes.len()..self.bytes.len(),
            }),
            Err(error) => Err(error),
        }
    }

    /// Reads the segment whose marker is at an offset.
    fn read(&mut self, start: usize) -> Result<Segment<'a>, ProbeError> {
        let marker = self.bytes[start + 1];
        self.is_in_scan = marker == SCAN;
        self.has_ended = marker == END;

        if marker == END || marker == START || marker == 0x01 {
            self.at = start + 2;
            return Ok(Segment {
                marker,
                payload: &[],
                range: start..self.at,
            });
        }

        let length = usize::from(be16(self.bytes, start + 2)?);
        let payload = length
            .checked_sub(2)
            .ok_or(ProbeError::Malformed("a JPEG segment without its length"))?;
        let payload = part(self.bytes, start + 4, payload)?;
        self.at = start + 2 + length;

        Ok(Segment {
            marker,
            payload,
            range: start..self.at,
        })
    }

    /// Returns the offset of the next marker. Skips the data of a scan, in which 0xFF is followed
    /// by 0 or is a restart marker.
    fn marker_at(&self) -> Result<usize, ProbeError> {
        let mut at = self.at;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let found = memchr(0xFF, rest).map(|found| at + found);
            let missing = ProbeError::NeedsMore {
                bytes: self.bytes.len() as u64 + 2,
            };
            let start = found.ok_or(missing.clone())?;

            match self.bytes.get(start + 1) {
                None => return Err(missing),
                Some(0x00 | 0xD0..=0xD7) => at = start + 2,
                Some(0xFF) => at = start + 1,
                Some(_) => return Ok(start),
            }
        }
    }
}

impl<'a> Iterator for Segments<'a> {
    type Item = Result<Segment<'a>, ProbeError>;

    fn next(&mut self) -> Option<Result<Segment<'a>, ProbeError>> {
        if self.has_ended {
            return None;
        }
        Some(self.marker_at().and_then(|start| self.read(start)))
    }
}

/// Encodes a segment of EXIF data of at most 64 KiB.
pub(crate) fn exif_segment(exif: &[u8]) -> Vec<u8> {
    let length = u16::try_from(2 + EXIF_NAME.len() + exif.len()).expect("short EXIF data");
    [&[0xFF, EXIF][..], &length.to_be_bytes(), EXIF_NAME, exif].concat()
}

/// Iterates over the segments before the pixels, up to the damaged part of a file.
pub(crate) fn header(bytes: &[u8]) -> impl Iterator<Item = Segment<'_>> {
    let segments = Segments::of(bytes).map_while(Result::ok);
    segments.take_while(|segment| segment.marker != SCAN)
}

/// Returns the color profile, joined from segments that are numbered from 1.
pub(crate) fn profile(bytes: &[u8]) -> Option<Vec<u8>> {
    let profiles = header(bytes).filter(|segment| segment.starts_with(PROFILE, PROFILE_NAME));
    let parts = profiles.filter_map(|segment| match &segment.payload[PROFILE_NAME.len()..] {
        [number, count, data @ ..] => Some((*number, *count, data)),
        _ => None,
    });
    let mut parts: Vec<(u8, u8, &[u8])> = parts.collect();
    parts.sort_by_key(|(number, ..)| *number);

    let count = parts.len();
    let whole = parts.iter().zip(1..).all(|((number, of, _), expected)| {
        usize::from(*number) == expected && usize::from(*of) == count
    });

    let data = parts.iter().flat_map(|(_, _, data)| *data);
    (whole && count > 0).then(|| data.copied().collect())
}
