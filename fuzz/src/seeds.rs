//! Seeds: small valid inputs of every target.

#[expect(dead_code, reason = "the tests of `media` use more of it")]
#[path = "../../shared/media/tests/media/exif_files.rs"]
mod exif_files;
#[expect(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "the tests of `media` use more of it"
)]
#[path = "../../shared/media/tests/media/files.rs"]
mod files;
#[path = "../../shared/media/tests/media/heads.rs"]
mod heads;
#[expect(
    dead_code,
    unused_imports,
    reason = "the tests of `media` use more of it"
)]
#[path = "../../shared/media/tests/media/heic_files.rs"]
mod heic_files;
mod jpegs;
#[path = "../../shared/media/tests/media/media_files.rs"]
mod media_files;
mod uncommon;

use media::{format::Format, pixels::Channels};

pub(crate) use files::picture;

/// Options in front of each file: fit with a watermark, automatic crop, scale, upload.
const OPTIONS: [[u8; 8]; 4] = [
    [1, 12, 0, 4, 0, 80, 0x01, 1],
    [2, 5, 7, 9, 2, 0, 0x0E, 0x20],
    [0, 40, 30, 0, 3, 50, 0x10, 0x12],
    [3, 9, 9, 8, 1, 1, 0x31, 0x80],
];

fn with_options(images: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let options = OPTIONS.iter().cycle();
    let inputs = images.iter().zip(options);
    inputs
        .map(|(file, options)| [&options[..], file].concat())
        .collect()
}

/// Returns inputs with JPEGs.
pub fn jpeg() -> Vec<Vec<u8>> {
    with_options(jpegs::files())
}

/// Returns inputs with PNGs.
pub fn png() -> Vec<Vec<u8>> {
    with_options([pngs(), damaged(Format::Png)].concat())
}

/// Returns inputs with GIFs.
pub fn gif() -> Vec<Vec<u8>> {
    with_options([gifs(), damaged(Format::Gif)].concat())
}

/// Returns inputs with WebPs.
pub fn webp() -> Vec<Vec<u8>> {
    with_options([webps(), damaged(Format::WebP)].concat())
}

/// Returns inputs with HEICs and AVIFs.
pub fn heif() -> Vec<Vec<u8>> {
    with_options([heic_files::valid(), heic_files::valid_avifs()].concat())
}

/// Returns inputs with BMPs, TIFFs and ICOs.
pub fn bitmap() -> Vec<Vec<u8>> {
    with_options([uncommon::files(), damaged(Format::Ico)].concat())
}

/// Returns the damaged files of a format that are shown.
fn damaged(format: Format) -> Vec<Vec<u8>> {
    let mut files = files::damaged();
    files.retain(|file| Format::detect(file) == Some(format));
    files
}

/// Returns files of all formats, also of formats that are not decoded.
pub fn headers() -> Vec<Vec<u8>> {
    let heif = |brand| heads::heif(brand, 40, 30, 1, Some(1));
    let others = vec![
        heif(*b"heic"),
        heif(*b"avif"),
        files::file(Format::Avif, 8, 6, Channels::Rgba),
        heads::bmp(7, -5),
        heads::tiff(7, 5, 6),
        heads::ico(),
        heads::heif_with_aperture([64, 1], [48, 1]),
    ];

    [
        files::damaged(),
        jpegs::files(),
        pngs(),
        gifs(),
        webps(),
        uncommon::files(),
        heic_files::valid(),
        others,
    ]
    .concat()
}

/// Returns audio, video and PDF files.
pub fn media() -> Vec<Vec<u8>> {
    vec![
        media_files::mp4(12_500, true),
        media_files::mp4_with(
            442,
            &media_files::fragments_extension(Some(4_096)),
            &[media_files::boxed(*b"moof", &[])],
        ),
        media_files::mp4_with(
            0,
            &media_files::fragments_extension(None),
            &[media_files::segment_index(0)],
        ),
        media_files::aiff(2, *b"AIFC"),
        media_files::webm(1_234.0),
        media_files::wav(101),
        media_files::avi(),
        media_files::flac(120_000),
        media_files::opus(),
        media_files::vorbis(),
        media_files::mp3(3, Some(1_000)),
        media_files::aac(3),
        [media_files::id3(3), media_files::mp3(2, None)].concat(),
        media_files::pdf("/Type /Pages /Count 4"),
        media_files::compressed_pdf(b"1 0 << /Type /Pages /Count 4 >>"),
    ]
}

/// Returns inputs with files of all formats.
pub fn all_images() -> Vec<Vec<u8>> {
    with_options(headers())
}

fn pngs() -> Vec<Vec<u8>> {
    let exif = files::exif(6);
    let all = [Channels::Gray, Channels::Rgb, Channels::Rgba];
    let mut seeds: Vec<Vec<u8>> = all
        .map(|channels| files::with_exif(Format::Png, channels, &exif))
        .to_vec();

    seeds.push(files::animated_png(2));
    for (color, depth) in [
        (png::ColorType::Indexed, png::BitDepth::Two),
        (png::ColorType::Grayscale, png::BitDepth::One),
        (png::ColorType::GrayscaleAlpha, png::BitDepth::Sixteen),
        (png::ColorType::Rgb, png::BitDepth::Sixteen),
    ] {
        seeds.push(png_of(color, depth));
    }

    seeds
}

fn png_of(color: png::ColorType, depth: png::BitDepth) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 7, 5);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == png::ColorType::Indexed {
        encoder.set_palette(vec![0, 0, 0, 255, 0, 0, 0, 255, 0, 9, 9, 9]);
        encoder.set_trns(vec![255, 128, 0]);
    }
    let mut writer = encoder.write_header().expect("a header");
    let bits = 7 * color.samples() * depth as usize;
    let samples: Vec<u8> = (0..=u8::MAX).take(bits.div_ceil(8) * 5).collect();
    writer.write_image_data(&samples).expect("pixels");
    writer.finish().expect("an end");
    file
}

fn gifs() -> Vec<Vec<u8>> {
    vec![
        files::gif(1),
        files::gif(3),
        files::file(Format::Gif, 24, 16, Channels::Rgba),
        files::file(Format::Gif, 3, 2, Channels::Gray),
    ]
}

fn webps() -> Vec<Vec<u8>> {
    let exif = files::exif(8);
    let lossless = |channels| {
        let picture = files::picture(17, 9, channels);
        files::turned(picture, 8, &files::lossless())
    };
    vec![
        files::file(Format::WebP, 24, 16, Channels::Rgb),
        files::with_exif(Format::WebP, Channels::Rgba, &exif),
        lossless(Channels::Rgb),
        lossless(Channels::Rgba),
        files::animated_webp(&exif),
    ]
}

/// Returns queries with parameters of transformations.
pub fn queries() -> Vec<Vec<u8>> {
    let queries = [
        "w=400&h=300&r=fill&g=auto&f=webp&q=80",
        "w=0400&r=fit&f=auto&q=auto",
        "h=8192&r=crop&g=northwest&download=a%20b&v=2",
        "w=1&h=1&r=thumb&g=center&f=avif&q=100",
        "w=0&h=9999999999999999999999&r=pad&g=&f=jpg&q=0&w=%31",
        "r=scale&g=southeast&f=jpeg",
        "w=400&width=300&quality=80",
    ];
    queries.map(|query| query.as_bytes().to_vec()).to_vec()
}

/// Returns texts for each parser: the first byte selects the parser.
pub fn texts() -> Vec<Vec<u8>> {
    let texts = [
        "C:\\dir/photo.JPG\u{202E}.php;.e\u{301}xe",
        "/photos/ Va\u{301}cation /ΟΔΟΣ",
        "Bücher.Example",
        "https://user@xn--bcher-kva.example:8443/a?b#c",
        "http://127.0.0.1:9000/hook",
        "https://[::ffff:10.0.0.1]/",
        "*.example.com",
        "]01JCQZ4XK8V9W7Y6T5S4R3Q2P1",
        "bytes=, 5-20 ,",
        "2026-01-02T04:04:05.6789+01:00",
        "expires=100&kid=1&w=100&download=a+%C3%A9%2Fb&signature=00ff",
        "space_id=01JCQZ4XK8V9W7Y6T5S4R3Q2P1&upload_config_id=01JCQZ4XK8V9W7Y6T5S4R3Q2P1&expires=1&kid=1&filename=a.jpg&content_type=image/png&folder_id=root&signature=00",
        "sk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd000000",
    ];

    let parsers = 0..crate::PARSERS;
    parsers
        .flat_map(|parser| texts.map(|text| [&[parser], text.as_bytes()].concat()))
        .collect()
}
