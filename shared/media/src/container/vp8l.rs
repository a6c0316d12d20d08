//! Headers of lossless WebP streams, which also code transparency: transforms and prefix codes, up
//! to the pixels themselves. Some kilobytes of a file can ask for megabytes of code tables, and a
//! file for gigabytes.
//!
//! Invariants:
//! - No pixel is stored. Of the small images inside the header, only the highest group of codes
//!   that they refer to matters, which references to earlier pixels do not change.
//! - Reads beyond the end fail, and every loop ends with the bits or with a number of pixels.

use domain::naming::ImageSize;

use crate::error::{MediaError, ProbeError};

/// Number of prefix codes of a group: green with lengths and the color cache, red, blue, alpha and
/// distances.
const GROUP_CODES: usize = 5;
/// Sizes of their alphabets without the color cache.
const ALPHABETS: [usize; GROUP_CODES] = [256 + 24, 256, 256, 256, 40];
/// First symbol that stands for a length.
const FIRST_LENGTH: u16 = 256;
/// First symbol that stands for an entry of the color cache.
const FIRST_CACHED: u16 = 280;
/// Maximum length of a code, in bits.
const MAX_CODE_BITS: usize = 15;
/// Number of codes for code lengths.
const LENGTH_CODES: usize = 19;
/// Order in which the lengths of these codes are stored.
const LENGTH_CODE_ORDER: [usize; LENGTH_CODES] = [
    17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
];
/// Code length that is repeated before the first one.
const DEFAULT_LENGTH: u8 = 8;
/// Maximum number of bits of the color cache.
const MAX_CACHE_BITS: u32 = 11;

/// Maximum number of bits that the decoder finds with one table; it follows a tree for the others.
const TABLE_BITS: usize = 10;
/// Size of an entry of the table, in bytes.
const ENTRY_BYTES: u64 = 4;
/// Size of the tree per code that is longer than the table, in bytes: two nodes.
const LONG_CODE_BYTES: u64 = 32;
/// Memory of every code, in bytes: its structure in a growing list, and the overhead of two
/// allocations.
const CODE_BYTES: u64 = 176;

struct PrefixCode {
    /// Number of codes of each length, in bits.
    counts: [u16; MAX_CODE_BITS + 1],
    /// Symbols by code.
    symbols: Vec<u16>,
}

impl PrefixCode {
    /// Returns the memory of the decoder's tables, in bytes.
    fn table_bytes(&self) -> u64 {
        let longest = self.counts.iter().rposition(|count| *count > 0);
        let table_bits = longest.unwrap_or_default().min(TABLE_BITS);
        let longer = self.counts.iter().skip(TABLE_BITS + 1);
        let longer: u64 = longer.map(|count| u64::from(*count)).sum();
        CODE_BYTES + (ENTRY_BYTES << table_bits) + longer * LONG_CODE_BYTES
    }

    fn single(symbol: u16) -> PrefixCode {
        PrefixCode {
            counts: [0; MAX_CODE_BITS + 1],
            symbols: vec![symbol],
        }
    }

    /// Creates the canonical code with these lengths. Fails if it is not complete.
    fn canonical(lengths: &[u8]) -> Result<PrefixCode, ProbeError> {
        let mut counts = [0_u16; MAX_CODE_BITS + 1];
        for length in lengths.iter().filter(|length| **length > 0) {
            counts[usize::from(*length)] += 1;
        }

        // Codes are ordered by length, and those of equal length by symbol.
        let with_length = lengths
            .iter()
            .zip(0_u16..)
            .filter(|(length, _)| **length > 0);
        let mut symbols: Vec<u16> = with_length.map(|(_, symbol)| symbol).collect();
        symbols.sort_by_key(|symbol| lengths[usize::from(*symbol)]);
        if let [symbol] = symbols[..] {
            return Ok(PrefixCode::single(symbol));
        }

        let codes = counts.iter().enumerate().skip(1);
        let used: u32 = codes
            .map(|(bits, count)| u32::from(*count) << (MAX_CODE_BITS - bits))
            .sum();
        if used != 1 << MAX_CODE_BITS {
            return Err(ProbeError::Malformed("a WebP with an incomplete code"));
        }
        Ok(PrefixCode { counts, symbols })
    }

    fn read(&self, bits: &mut Bits) -> Result<u16, ProbeError> {
        if let [symbol] = self.symbols[..] {
            return Ok(symbol);
        }

        let mut code = 0;
        let mut first = 0;
        let mut index = 0;
        for count in self.counts.iter().skip(1) {
            code = code << 1 | usize::from(bits.read(1)?);
            let count = usize::from(*count);
            if code < first + count {
                return Ok(self.symbols[index + code - first]);
            }
            index += count;
            first = (first + count) << 1;
        }
        Err(ProbeError::Malformed("a WebP with an unknown code"))
    }
}

/// Reader of bits, the lowest first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// Reads up to 16 bits.
    fn read(&mut self, count: u32) -> Result<u16, ProbeError> {
        let mut value = 0;
        for index in 0..count {
            let byte = self
                .bytes
                .get(self.at / 8)
                .ok_or(ProbeError::Malformed("a WebP with too few bits"))?;
            value |= u16::from(byte >> (self.at % 8) & 1) << index;
            self.at += 1;
        }
        Ok(value)
    }

    fn flag(&mut self) -> Result<bool, ProbeError> {
        self.read(1).map(|bit| bit == 1)
    }
}

/// Fails if the decoder's tables of all prefix codes for the pixels of a stream need more memory
/// than a limit, in bytes. The stream starts with the transforms.
pub(crate) fn require_table_limit(
    stream: &[u8],
    size: ImageSize,
    limit: u64,
) -> Result<(), MediaError> {
    let mut bits = Bits {
        bytes: stream,
        at: 0,
    };
    let size = skip_transforms(&mut bits, size)?;
    let cache_bits = read_cache_bits(&mut bits)?;

    let mut last_group = 0;
    if bits.flag()? {
        let small = shrunk(size, u32::from(bits.read(3)?) + 2);
        last_group = read_small_image(&mut bits, small)?;
    }
    let mut bytes = 0;
    for _ in 0..=last_group {
        for alphabet in alphabets(cache_bits) {
            bytes += read_code(&mut bits, alphabet)?.table_bytes();
            if bytes > limit {
                return Err(MediaError::TooManyCodes { bytes, limit });
            }
        }
    }
    Ok(())
}

/// Skips the transforms, and returns the size of the image that they are applied to.
fn skip_transforms(bits: &mut Bits, size: ImageSize) -> Result<ImageSize, ProbeError> {
    let mut size = size;
    let mut seen = [false; 4];

    while bits.flag()? {
        let kind = usize::from(bits.read(2)?);
        if std::mem::replace(&mut seen[kind], true) {
            return Err(ProbeError::Malformed("a WebP with a repeated transform"));
        }

        match kind {
            // Prediction and colors.
            0 | 1 => {
                let small = shrunk(size, u32::from(bits.read(3)?) + 2);
                read_small_image(bits, small)?;
            }
            // Green is subtracted.
            2 => {}
            _ => {
                let colors = u32::from(bits.read(8)?) + 1;
                let palette = ImageSize::new(colors, 1);
                read_small_image(bits, palette)?;
                size.width = size.width.div_ceil(pixels_per_index(colors));
            }
        }
    }

    Ok(size)
}

/// Returns how many pixels of a palette of this size share a pixel.
fn pixels_per_index(colors: u32) -> u32 {
    match colors {
        0..=2 => 8,
        3..=4 => 4,
        5..=16 => 2,
        _ => 1,
    }
}

/// Returns the size of an image with one pixel per square block.
fn shrunk(size: ImageSize, block_bits: u32) -> ImageSize {
    ImageSize::new(
        size.width.div_ceil(1 << block_bits),
        size.height.div_ceil(1 << block_bits),
    )
}

/// Reads an image with a single group of codes. Returns the highest number in red and green.
fn read_small_image(bits: &mut Bits, size: ImageSize) -> Result<u16, ProbeError> {
    let cache_bits = read_cache_bits(bits)?;
    let codes = alphabets(cache_bits).map(|alphabet| read_code(bits, alphabet));
    let [green, red, blue, alpha, distance] = codes;
    let green = green?;
    let red = red?;
    let others = [blue?, alpha?];
    let distance = distance?;

    let mut highest = 0;
    let mut left = size.pixels();
    while left > 0 {
        let symbol = green.read(bits)?;
        let length = if symbol < FIRST_LENGTH {
            highest = highest.max(red.read(bits)? << 8 | symbol);
            for code in &others {
                code.read(bits)?;
            }
            1
        } else if symbol < FIRST_CACHED {
            let length = read_length(bits, symbol - FIRST_LENGTH)?;
            let symbol = distance.read(bits)?;
            read_length(bits, symbol)?;
            length
        } else {
            1
        };
        left = left
            .checked_sub(length)
            .ok_or(ProbeError::Malformed("a WebP with too many pixels"))?;
    }
    Ok(highest)
}

/// Reads the additional bits of a length or distance, and returns it.
fn read_length(bits: &mut Bits, symbol: u16) -> Result<u64, ProbeError> {
    if symbol < 4 {
        return Ok(u64::from(symbol) + 1);
    }
    let count = u32::from(symbol - 2) >> 1;
    let start = (2 + u64::from(symbol & 1)) << count;
    // Distances have up to 18 bits.
    let low = u64::from(bits.read(count.min(16))?);
    let high = u64::from(bits.read(count.saturating_sub(16))?);
    Ok(start + (high << 16 | low) + 1)
}

/// Reads the number of bits of the color cache; 0 without one.
fn read_cache_bits(bits: &mut Bits) -> Result<u32, ProbeError> {
    if !bits.flag()? {
        return Ok(0);
    }
    match u32::from(bits.read(4)?) {
        count @ 1..=MAX_CACHE_BITS => Ok(count),
        _ => Err(ProbeError::Malformed("a WebP with a wrong color cache")),
    }
}

fn alphabets(cache_bits: u32) -> [usize; GROUP_CODES] {
    let mut alphabets = ALPHABETS;
    if cache_bits > 0 {
        alphabets[0] += 1 << cache_bits;
    }
    alphabets
}

fn read_code(bits: &mut Bits, alphabet: usize) -> Result<PrefixCode, ProbeError> {
    if bits.flag()? {
        return read_simple_code(bits, alphabet);
    }

    let mut lengths = [0; LENGTH_CODES];
    let count = 4 + usize::from(bits.read(4)?);
    for index in LENGTH_CODE_ORDER.into_iter().take(count) {
        lengths[index] = u8::try_from(bits.read(3)?).unwrap_or_default();
    }
    let code = PrefixCode::canonical(&lengths)?;
    let lengths = read_code_lengths(bits, &code, alphabet)?;
    PrefixCode::canonical(&lengths)
}

/// Reads a code with one or two symbols.
fn read_simple_code(bits: &mut Bits, alphabet: usize) -> Result<PrefixCode, ProbeError> {
    let has_two = bits.flag()?;
    let width = if bits.flag()? { 8 } else { 1 };
    let first = bits.read(width)?;
    let second = if has_two { bits.read(8)? } else { first };
    // A larger symbol for a distance would have more additional bits than any number.
    if usize::from(first.max(second)) >= alphabet {
        return Err(ProbeError::Malformed("a WebP with an unknown symbol"));
    }
    if !has_two {
        return Ok(PrefixCode::single(first));
    }

    let mut counts = [0; MAX_CODE_BITS + 1];
    counts[1] = 2;
    Ok(PrefixCode {
        counts,
        symbols: vec![first, second],
    })
}

fn read_code_lengths(
    bits: &mut Bits,
    code: &PrefixCode,
    alphabet: usize,
) -> Result<Vec<u8>, ProbeError> {
    let mut left = alphabet;
    if bits.flag()? {
        let count = 2 + 2 * u32::from(bits.read(3)?);
        left = usize::from(bits.read(count)?) + 2;
    }

    let mut lengths = Vec::with_capacity(alphabet);
    let mut previous = DEFAULT_LENGTH;
    while lengths.len() < alphabet && left > 0 {
        left -= 1;
        let symbol = code.read(bits)?;
        let length = match symbol {
            0..=15 => u8::try_from(symbol).unwrap_or_default(),
            16 => previous,
            _ => 0,
        };
        let repeats = match symbol {
            0..=15 => 1,
            16 => 3 + bits.read(2)?,
            17 => 3 + bits.read(3)?,
            _ => 11 + bits.read(7)?,
        };
        if length > 0 {
            previous = length;
        }
        lengths.extend(std::iter::repeat_n(length, repeats.into()));
    }
    if lengths.len() > alphabet {
        return Err(ProbeError::Malformed("a WebP with too many codes"));
    }
    Ok(lengths)
}
