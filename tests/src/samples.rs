//! Files to upload.

pub const PHOTO: &[u8] = include_bytes!("../samples/photo.jpg");

/// Size of the random block that noise repeats, in bytes. It is prime, so that the parts of an
/// object differ.
const NOISE_BLOCK_BYTES: usize = 65_521;

/// Returns random bytes of no known format, the same for the same seed.
pub fn noise(seed: u64, size: usize) -> Vec<u8> {
    use rand::{Rng, SeedableRng};
    let mut block = vec![0; NOISE_BLOCK_BYTES.min(size)];
    rand::rngs::SmallRng::seed_from_u64(seed).fill_bytes(&mut block);

    let mut bytes = block.repeat(size.div_ceil(NOISE_BLOCK_BYTES));
    bytes.truncate(size);
    // A NUL at the start is the beginning of no known format and of no text.
    bytes[..4.min(size)].fill(0);
    bytes
}

/// Returns a photo of any size: JPEG decoders ignore the bytes after the image.
pub fn large_photo(size: usize) -> Vec<u8> {
    let mut bytes = PHOTO.to_vec();
    bytes.extend(noise(7, size.saturating_sub(PHOTO.len())));
    bytes
}
