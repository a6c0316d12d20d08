//! What the scans of a JPEG contain.

use super::jpeg::Segment;

/// Number of coefficients of a block.
const COEFFICIENTS: u8 = 64;

/// The coefficients that the scans of a JPEG contain in full precision, for each component.
#[derive(Debug, Default)]
pub(crate) struct ScanCoverage {
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
    pub(crate) fn add_frame(&mut self, frame: &Segment<'_>) {
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
    pub(crate) fn add_scan(&mut self, scan: &Segment<'_>) {
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
    pub(crate) fn is_complete(&self) -> bool {
        let mut components = self.components.iter();
        components.all(|component| component.coefficients == u64::MAX)
    }
}
