//! Panics of libraries in the log of the program.

use super::program::DataDir;

/// Side of the tiles, in pixels.
const TILE: u32 = 16;
/// Side of the image, in pixels: more than one tile.
const SIDE: u32 = 20;
/// Number of tiles of the three planes.
const TILES: u32 = 3 * 4;

/// Returns a TIFF with separate planes, whose tiles exceed the image: `tiff` 0.11 panics.
fn panicking_tiff() -> Vec<u8> {
    let tile_bytes = TILE * TILE;
    let bits_at = 8 + TILES * tile_bytes;
    let offsets_at = bits_at + 8;
    let lengths_at = offsets_at + 4 * TILES;
    let directory_at = lengths_at + 4 * TILES;

    let mut tiff = b"II*\0".to_vec();
    tiff.extend(directory_at.to_le_bytes());
    tiff.resize(bits_at as usize, 0);
    tiff.extend([8, 0, 8, 0, 8, 0, 0, 0]);
    tiff.extend((0..TILES).flat_map(|tile| (8 + tile * tile_bytes).to_le_bytes()));
    tiff.extend((0..TILES).flat_map(|_| tile_bytes.to_le_bytes()));

    // Tag, type (3: 16 bits, 4: 32 bits), number of values, and the value or its position.
    let entries: [(u16, u16, u32, u32); 11] = [
        (256, 3, 1, SIDE),
        (257, 3, 1, SIDE),
        (258, 3, 3, bits_at),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (277, 3, 1, 3),
        (284, 3, 1, 2),
        (322, 3, 1, TILE),
        (323, 3, 1, TILE),
        (324, 4, TILES, offsets_at),
        (325, 4, TILES, lengths_at),
    ];
    tiff.extend([11, 0]);
    for (tag, kind, count, value) in entries {
        tiff.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        tiff.extend([count.to_le_bytes(), value.to_le_bytes()].concat());
    }
    tiff.extend([0; 4]);
    tiff
}

#[tokio::test]
async fn panic_of_a_codec_is_logged_with_the_id_of_its_request() {
    let data = DataDir::new();
    let program = data.start(&[]);
    let acme = program.space().await;
    let upload = acme.upload(panicking_tiff()).named("a.tiff", "image/tiff");
    let file = upload.await;

    let response = acme.get(&file.url_with("w=8")).await;

    let request_id = response.header("x-request-id").to_owned();
    response.expect_error(422);
    let log = program.end();
    let is_panic = |line: &&str| line.contains("panicked") && line.contains(&request_id);
    assert_eq!(log.lines().filter(is_panic).count(), 1, "{log}");
    let has_request = |line: &str| line.contains("request_id=") || line.contains("message_id=");
    let mut panics = log.lines().filter(|line| line.contains("panicked"));
    assert!(panics.all(has_request), "{log}");
}
