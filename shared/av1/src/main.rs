//! A program that is nothing but a decoder.

fn main() {
    av1::init();
}
