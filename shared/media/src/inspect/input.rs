//! Bounded reads at offsets of a file.

use std::io::{self, Read, Seek, SeekFrom};

use crate::error::ProbeError;

/// Maximum number of reads of a file.
const MAX_READS: u32 = 20_000;
/// Maximum number of bytes that are read of a file, also repeatedly.
const MAX_READ_BYTES: usize = 32 << 20;
/// Maximum number of elements on one level that are visited.
pub(super) const MAX_ELEMENTS: usize = 1_024;

/// Error of an inspection.
#[derive(Debug)]
pub(super) enum InspectError {
    Io(io::Error),
    /// The file is truncated, contradicts its format, or exceeds a bound.
    Invalid,
}

/// Result of a part of an inspection, which ends with the first error.
pub(super) type Inspected<T = ()> = Result<T, InspectError>;

impl From<io::Error> for InspectError {
    fn from(error: io::Error) -> InspectError {
        InspectError::Io(error)
    }
}

/// The bytes that were read are too short, or damaged.
impl From<ProbeError> for InspectError {
    fn from(_: ProbeError) -> InspectError {
        InspectError::Invalid
    }
}

pub(super) trait SeekingRead: Read + Seek {}

impl<R: Read + Seek> SeekingRead for R {}

/// A file whose reads are counted.
pub(super) struct Input<'a> {
    reader: &'a mut dyn SeekingRead,
    length: u64,
    reads_left: u32,
    bytes_left: usize,
}

impl Input<'_> {
    pub(super) fn new(reader: &mut dyn SeekingRead) -> Inspected<Input<'_>> {
        let length = reader.seek(SeekFrom::End(0))?;
        Ok(Input {
            reader,
            length,
            reads_left: MAX_READS,
            bytes_left: MAX_READ_BYTES,
        })
    }

    /// Returns the length of the file, in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Reads up to a number of bytes at an offset; fewer only at the end of the file.
    pub(super) fn read_up_to(&mut self, at: u64, length: usize) -> Inspected<Vec<u8>> {
        let available = self.length.saturating_sub(at);
        let length = usize::try_from(available).map_or(length, |available| available.min(length));
        let reads_left = self.reads_left.checked_sub(1);
        self.reads_left = reads_left.ok_or(InspectError::Invalid)?;
        let bytes_left = self.bytes_left.checked_sub(length);
        self.bytes_left = bytes_left.ok_or(InspectError::Invalid)?;

        let mut bytes = vec![0; length];
        if length > 0 {
            self.reader.seek(SeekFrom::Start(at))?;
            self.reader.read_exact(&mut bytes)?;
        }
        Ok(bytes)
    }

    /// Reads bytes at an offset. Fails if the file ends before.
    pub(super) fn array<const LENGTH: usize>(&mut self, at: u64) -> Inspected<[u8; LENGTH]> {
        let bytes = self.read_up_to(at, LENGTH)?;
        bytes.try_into().map_err(|_| InspectError::Invalid)
    }

    /// Reads up to a number of bytes of the content of an element.
    pub(super) fn content<Kind>(
        &mut self,
        element: &Element<Kind>,
        most: usize,
    ) -> Inspected<Vec<u8>> {
        let length = usize::try_from(element.end - element.start).unwrap_or(usize::MAX);
        self.read_up_to(element.start, length.min(most))
    }
}

/// Part of a file that has a kind and a length, such as a box or a chunk.
pub(super) struct Element<Kind> {
    pub(super) kind: Kind,
    /// Where the content begins.
    pub(super) start: u64,
    /// Where the content ends, at or after its beginning.
    pub(super) end: u64,
}

impl<Kind> Element<Kind> {
    /// Returns the elements inside, of which each has a header of at least `header_bytes`. `header`
    /// reads the one at an offset, which must end before a limit.
    pub(super) fn children(
        &self,
        input: &mut Input,
        header_bytes: u64,
        header: fn(&mut Input, u64, u64) -> Inspected<Element<Kind>>,
    ) -> Inspected<Vec<Element<Kind>>> {
        let mut children = Vec::new();
        let mut at = self.start;
        while at.saturating_add(header_bytes) <= self.end && children.len() < MAX_ELEMENTS {
            let child = header(input, at, self.end)?;
            at = child.end;
            children.push(child);
        }
        Ok(children)
    }
}

/// Returns a big-endian number.
pub(super) fn number(bytes: &[u8]) -> u64 {
    let bytes = bytes.iter();
    bytes.fold(0, |number, byte| number << 8 | u64::from(*byte))
}
