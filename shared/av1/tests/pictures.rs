//! Pictures decoded by the program `av1-decoder`.

use std::time::Duration;

use aom::{Frame, Options};
use av1::{Av1Error, Chroma, ChromaPosition, Decoder};

const TIME: Duration = Duration::from_mins(1);
const MAX_PIXELS: u64 = 1 << 16;

/// The first three codes are primaries, transfer and matrix. The sums of the planes are those of
/// dav1d 1.0.0.
struct Fixture {
    name: &'static str,
    obus: &'static [u8],
    size: (u32, u32),
    bit_depth: u8,
    chroma: Chroma,
    color: (u8, u8, u8, bool),
    sums: [u64; 3],
}

macro_rules! fixture {
    ($name:literal, $size:expr, $depth:literal, $chroma:ident, $color:expr, $sums:expr) => {
        Fixture {
            name: $name,
            obus: include_bytes!(concat!("fixtures/", $name, ".obu")),
            size: $size,
            bit_depth: $depth,
            chroma: Chroma::$chroma,
            color: $color,
            sums: $sums,
        }
    };
}

const ODD: (u32, u32) = (65, 47);
const EVEN: (u32, u32) = (64, 48);
const LIMITED: (u8, u8, u8, bool) = (1, 13, 6, false);
const FULL: (u8, u8, u8, bool) = (1, 13, 6, true);
const P3: (u8, u8, u8, bool) = (12, 13, 6, false);
const PQ: (u8, u8, u8, bool) = (9, 16, 9, false);

#[rustfmt::skip]
const FIXTURES: [Fixture; 10] = [
    fixture!("half_8", ODD, 8, Half, P3, [418_867, 99_584, 92_054]),
    fixture!("half_wide_8", ODD, 8, HalfWide, FULL, [418_850, 195_221, 178_860]),
    fixture!("full_8", EVEN, 8, Full, LIMITED, [420_219, 388_256, 354_016]),
    fixture!("gray_8", EVEN, 8, None, LIMITED, [420_219, 0, 0]),
    fixture!("half_8_grain", ODD, 8, Half, LIMITED, [419_124, 99_666, 92_035]),
    fixture!("half_10", ODD, 10, Half, PQ, [1_682_397, 400_906, 369_804]),
    fixture!("full_10", EVEN, 10, Full, FULL, [1_689_919, 1_563_200, 1_421_248]),
    fixture!("gray_10", EVEN, 10, None, LIMITED, [1_689_919, 0, 0]),
    fixture!("full_10_grain", EVEN, 10, Full, LIMITED, [1_691_712, 1_563_985, 1_422_167]),
    fixture!("half_wide_12", ODD, 12, HalfWide, LIMITED, [6_733_322, 3_143_103, 2_877_566]),
];

fn start() -> Decoder {
    av1::use_program(env!("CARGO_BIN_EXE_av1-decoder").into());
    Decoder::start(MAX_PIXELS, TIME).expect("a decoder")
}

#[test]
fn all_formats_are_decoded_by_one_process() {
    let mut decoder = start();
    for fixture in FIXTURES {
        let (width, height) = fixture.size;
        let picture = decoder.decode(fixture.obus, width, height).unwrap();

        let name = fixture.name;
        assert_eq!((picture.width, picture.height), fixture.size, "{name}");
        assert_eq!(picture.bit_depth, fixture.bit_depth, "{name}");
        assert_eq!(picture.chroma, fixture.chroma, "{name}");
        let color = (
            picture.primaries,
            picture.transfer,
            picture.matrix,
            picture.is_full_range,
        );
        assert_eq!(color, fixture.color, "{name}");
        let position = match name {
            "half_8" | "half_8_grain" => ChromaPosition::Left,
            _ => ChromaPosition::Unknown,
        };
        assert_eq!(picture.chroma_position, position, "{name}");
        let sizes = picture.plane_sizes().map(|size| size.width * size.height);
        assert_eq!(picture.planes.each_ref().map(Vec::len), sizes, "{name}");
        let sums = picture
            .planes
            .map(|plane| plane.into_iter().map(u64::from).sum::<u64>());
        assert_eq!(sums, fixture.sums, "{name}");
    }
}

#[test]
fn memory_does_not_grow_with_the_number_of_pictures() {
    const PICTURES: usize = 2_000;
    let fixture = &FIXTURES[3];
    let (width, height) = fixture.size;
    let mut decoder = start();
    for number in 0..PICTURES {
        let result = decoder.decode(fixture.obus, width, height);
        assert!(result.is_ok(), "{number}: {result:?}");
    }
}

#[test]
fn encoded_pictures_are_decoded() {
    let mut decoder = start();
    for (width, height) in [(1, 1), (2, 3), (17, 16), (200, 131)] {
        for chroma in [aom::Chroma::None, aom::Chroma::Half, aom::Chroma::Full] {
            let mut frame = Frame::new(width, height, chroma);
            for (plane, rows) in frame.planes().into_iter().enumerate() {
                for (y, row) in rows.enumerate() {
                    for (x, sample) in row.iter_mut().enumerate() {
                        *sample = u8::try_from(40 + 30 * plane + x / 4 + y / 4).unwrap();
                    }
                }
            }
            let options = Options {
                speed: 9,
                quantizer: 10,
            };
            let obus = frame.encode(options).unwrap();

            let picture = decoder.decode(&obus, width, height).unwrap();

            let sizes = picture.plane_sizes();
            for (plane, size) in sizes.into_iter().enumerate() {
                for (index, sample) in picture.planes[plane].iter().enumerate() {
                    let (x, y) = (index % size.width, index / size.width);
                    let expected = 40 + 30 * plane + x / 4 + y / 4;
                    let difference = expected.abs_diff((*sample).into());
                    assert!(
                        difference <= 6,
                        "{width}x{height} {chroma:?} {plane}: {x}, {y}: {expected} {sample}"
                    );
                }
            }
        }
    }
}

#[test]
fn invalid_pictures_are_errors_of_one_call() {
    let valid = FIXTURES[0].obus;
    let (width, height) = ODD;
    let mut decoder = start();

    let truncated = &valid[..20];
    let header = &valid[..12];
    for (obus, width, height) in [
        (&[][..], width, height),
        (&[0x12, 0], width, height),
        (header, width, height),
        (truncated, width, height),
        (b"no bitstream", width, height),
        // A frame with more pixels is not decoded.
        (valid, width - 1, height),
        (valid, 0, 0),
    ] {
        let error = decoder.decode(obus, width, height).unwrap_err();
        assert!(matches!(error, Av1Error::Malformed), "{error:?}");
    }

    for (width, height) in [(width + 1, height), (height, width), (width, height + 1)] {
        let error = decoder.decode(valid, width, height).unwrap_err();
        assert!(matches!(error, Av1Error::OtherSize), "{error:?}");
    }
    let error = decoder.decode(valid, 1 << 16, 2).unwrap_err();
    assert!(
        matches!(
            error,
            Av1Error::TooLarge {
                pixels: 0x2_0000,
                limit: MAX_PIXELS
            }
        ),
        "{error:?}"
    );

    decoder.decode(valid, width, height).unwrap();
}

#[test]
fn decoder_that_aborts_is_an_error_and_the_next_one_works() {
    let fixture = &FIXTURES[0];
    let (width, height) = fixture.size;
    let mut aborted = 0;

    for position in 12..fixture.obus.len() {
        let mut obus = fixture.obus.to_vec();
        obus[position] ^= 0x55;
        let mut decoder = start();

        match decoder.decode(&obus, width, height) {
            Err(Av1Error::Ended(_)) => {
                aborted += 1;
                let again = decoder.decode(fixture.obus, width, height);
                assert!(matches!(again, Err(Av1Error::Ended(_))), "{again:?}");
            }
            _ => decoder
                .decode(fixture.obus, width, height)
                .map(drop)
                .unwrap(),
        }
    }

    assert!(aborted > 0);
}
