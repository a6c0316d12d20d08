//! Our half of `scripts/compare-decoders`: renders files at their own size as PNG.
//!
//! `decode OUTPUT FILE …` writes `OUTPUT/0.png` for the first file, and so on. It prints a line per
//! file: `rendered`, or why the file was rejected.

#![expect(
    clippy::unwrap_used,
    reason = "a tool for developers fails by panicking"
)]
#![expect(clippy::print_stdout, reason = "the results are read by the script")]

use std::{fs, path::Path};

use media::{
    format::Format,
    render::{RenderOptions, render},
};

fn main() {
    av1::init();
    let mut arguments = std::env::args().skip(1);
    let output = arguments.next().unwrap();
    for (number, path) in arguments.enumerate() {
        let file = fs::read(path).unwrap();
        match render(&file, &RenderOptions::new(Format::Png)) {
            Ok(image) => {
                let png = Path::new(&output).join(format!("{number}.png"));
                fs::write(png, image.bytes).unwrap();
                println!("rendered");
            }
            Err(error) => println!("{error}"),
        }
    }
}
