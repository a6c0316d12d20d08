//! Our half of `scripts/bench/run media`: generates images, measures renderings, and scores images.
//!
//! - `bench generate DIRECTORY`
//! - `bench render COUNT THREADS FORMAT RESIZE FILE OUTPUT [WATERMARK]`, where `RESIZE` is like
//!   `fit:400x400`
//! - `bench score REFERENCE.png IMAGE.png`

#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]
#![expect(clippy::print_stdout, reason = "the results are read by the script")]

#[expect(dead_code, unused_imports, reason = "tests use the rest")]
#[path = "../../tests/media/heic_files.rs"]
mod heic_files;
mod images;
mod measure;
#[expect(dead_code, reason = "tests use the rest")]
#[path = "../../tests/media/media_files.rs"]
mod media_files;

use std::fs;

use media::{
    decode::decode,
    pixels::{Channels, Pixels},
    probe::probe,
};
use ssimulacra2::{ColorPrimaries, Rgb, TransferCharacteristic, compute_frame_ssimulacra2};

fn main() {
    av1::init();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["generate", directory] => images::generate(directory),
        ["render", ref rest @ ..] => println!("{}", measure::render(rest)),
        ["score", reference, image] => println!("{}", score(reference, image)),
        _ => panic!("see the documentation of the example"),
    }
}

/// Returns the SSIMULACRA2 score of an image: 100 if it equals the reference.
fn score(reference: &str, image: &str) -> f64 {
    compute_frame_ssimulacra2(colors(reference), colors(image)).unwrap()
}

/// Returns the colors of a PNG on white.
fn colors(path: &str) -> Rgb {
    let file = fs::read(path).unwrap();
    let pixels: Pixels = decode(&file, &probe(&file).unwrap()).unwrap();
    let data = pixels.samples.chunks_exact(pixels.channels.count());
    let data = data.map(|sample| match (pixels.channels, sample) {
        (Channels::Gray, [gray]) => [f32::from(*gray) / 255.0; 3],
        (Channels::Rgba, [color @ .., alpha]) => {
            let alpha = f32::from(*alpha) / 255.0;
            [0, 1, 2].map(|channel| f32::from(color[channel]) / 255.0 * alpha + 1.0 - alpha)
        }
        (_, color) => [0, 1, 2].map(|channel| f32::from(color[channel]) / 255.0),
    });

    Rgb::new(
        data.collect(),
        pixels.width as usize,
        pixels.height as usize,
        TransferCharacteristic::SRGB,
        ColorPrimaries::BT709,
    )
    .unwrap()
}
