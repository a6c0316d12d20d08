//! What the scans of a JPEG contain.

use crate::error::MediaError;

use super::jpeg::{ADOBE, ADOBE_NAME, END, PROFILE, PROFILE_NAME, SCAN, Segment, Segments};

/// Maximum number of scans of an image; encoders write about ten.
const MAX_SCANS: usize = 200;
/// Number of coefficients of a block.
const COEFFICIENTS: u8 = 64;
/// Side of a block of samples.
const BLOCK_SIDE: u64 = 8;

/// Properties of a complete JPEG from the headers of all its scans.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JpegScans {
    pub(crate) count: u64,
    /// Number of samples of all components, with padding.
    pub(crate) samples: u64,
    /// Whether the decoder keeps the coefficients of the whole image, since a pixel depends on
    /// several scans.
    pub(crate) is_buffered: bool,
    /// Size of the color profile, in bytes.
    pub(crate) profile_bytes: u64,
    /// Whether the file has an Adobe segment.
    pub(crate) is_adobe: bool,
    /// Whether it has an end marker.
    pub(crate) has_end: bool,
}

impl JpegScans {
    /// Checks that the file is within the scan limit, and that it has its end marker or all other
    /// segments: some writers omit the marker. libjpeg then detects whether the data of the last
    /// scan is complete.
    pub(crate) fn read(bytes: &[u8]) -> Result<JpegScans, MediaError> {
        let mut segments = Segments::of(bytes);
        let mut coverage = ScanCoverage::default();
        let mut scans = JpegScans::default();
        loop {
            let segment = segments.next_or_end()?;
            scans.is_adobe |= segment.starts_with(ADOBE, ADOBE_NAME);
            if segment.is_frame() {
                coverage.add_frame(&segment);
                scans.samples = scans.samples.max(samples(segment.payload));
                scans.is_buffered |= segment.is_progressive_frame();
            } else if segment.starts_with(PROFILE, PROFILE_NAME) {
                scans.profile_bytes += segment.payload.len() as u64;
            } else if segment.marker == SCAN {
                let count = segment.payload.first().copied().unwrap_or_default();
                scans.is_buffered |= usize::from(count) < coverage.components.len();
                coverage.add_scan(&segment);
                scans.count += 1;
            }

            if scans.count > MAX_SCANS as u64 {
                return Err(MediaError::TooManyScans(MAX_SCANS));
            }
            if segment.marker == END {
                scans.has_end = !segment.range.is_empty();
                if !scans.has_end && !coverage.is_complete() {
                    return Err(MediaError::Truncated);
                }
                return Ok(scans);
            }
        }
    }
}

/// Returns the number of samples of a frame, with padding to whole blocks of all components.
fn samples(frame: &[u8]) -> u64 {
    let [_, high, low, wide, narrow, count, components @ ..] = frame else {
        return 0;
    };
    let samplings = components
        .as_chunks::<3>()
        .0
        .iter()
        .take(usize::from(*count));
    let samplings = samplings.map(|[_, sampling, _]| [sampling >> 4, sampling & 15].map(u64::from));
    let most = |direction: usize| samplings.clone().map(|sampling| sampling[direction]).max();
    let units = |side: [u8; 2], direction| {
        let unit = BLOCK_SIDE * most(direction).unwrap_or(1).max(1);
        u64::from(u16::from_be_bytes(side)).div_ceil(unit)
    };

    let units = units([*wide, *narrow], 0) * units([*high, *low], 1);
    let unit_samples: u64 = samplings
        .clone()
        .map(|[across, down]| across * down * BLOCK_SIDE * BLOCK_SIDE)
        .sum();
    units * unit_samples
}

/// The coefficients that the scans of a JPEG contain in full precision, for each component.
#[derive(Debug, Default)]
struct ScanCoverage {
    components: Vec<ComponentCoverage>,
}

#[derive(Debug)]
struct ComponentCoverage {
    id: u8,
    /// One bit per coefficient.
    coefficients: u64,
}

impl ScanCoverage {
    /// Adds the components of a frame header.
    fn add_frame(&mut self, frame: &Segment<'_>) {
        // Precision, height and width, then the number of components with three bytes each.
        let components = frame.payload.get(6..).unwrap_or_default();
        let components = components.as_chunks::<3>().0.iter();
        self.components
            .extend(components.map(|[id, _, _]| ComponentCoverage {
                id: *id,
                coefficients: 0,
            }));
    }

    /// Adds the coefficients of a scan header.
    fn add_scan(&mut self, scan: &Segment<'_>) {
        let Some(([_count, components @ ..], [first, last, precision])) =
            scan.payload.split_last_chunk::<3>()
        else {
            return;
        };
        // The lower half is the number of bits that later scans add.
        if precision & 15 != 0 {
            return;
        }

        let coefficients = (*first..=*last)
            .filter(|coefficient| *coefficient < COEFFICIENTS)
            .fold(0, |all, coefficient| all | 1 << coefficient);
        let components = components.as_chunks::<2>().0;
        for component in &mut self.components {
            if components.iter().any(|[id, _]| *id == component.id) {
                component.coefficients |= coefficients;
            }
        }
    }

    /// Whether the scans contain all coefficients of all components.
    fn is_complete(&self) -> bool {
        let mut components = self.components.iter();
        components.all(|component| component.coefficients == u64::MAX)
    }
}
