//! Files to upload.

/// A photo: a real JPEG.
pub const PHOTO: &[u8] = include_bytes!("../samples/photo.jpg");

/// Bytes that look like nothing, the same for the same seed.
pub fn noise(seed: u64, size: usize) -> Vec<u8> {
    use rand::{RngCore, SeedableRng};
    let mut bytes = vec![0; size];
    rand::rngs::SmallRng::seed_from_u64(seed).fill_bytes(&mut bytes);
    // A NUL at the start is the beginning of no known format and of no text.
    bytes[..4.min(size)].fill(0);
    bytes
}

/// A photo followed by noise, as large as one likes; JPEG readers stop at the end of the picture.
pub fn large_photo(size: usize) -> Vec<u8> {
    let mut bytes = PHOTO.to_vec();
    bytes.extend(noise(7, size.saturating_sub(PHOTO.len())));
    bytes
}
