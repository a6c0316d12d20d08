//! Audio, video and PDF files without contents.

use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};

/// A box of MP4.
pub(crate) fn boxed(kind: [u8; 4], content: &[u8]) -> Vec<u8> {
    let size = u32::try_from(content.len() + 8).unwrap().to_be_bytes();
    [&size[..], &kind, content].concat()
}

fn file_type() -> Vec<u8> {
    boxed(*b"ftyp", b"isom\0\0\0\0isom")
}

/// A movie of this duration in milliseconds with a video track.
pub(crate) fn movie(milliseconds: u32, is_turned: bool, extra: &[u8]) -> Vec<u8> {
    let header = [
        &[0; 12][..],
        &1_000_u32.to_be_bytes(),
        &milliseconds.to_be_bytes(),
        &[0; 80],
    ]
    .concat();

    let one = 0x1_0000_u32.to_be_bytes();
    let none = [0; 4];
    let matrix = if is_turned {
        [none, one, none, one, none, none, none, none, one]
    } else {
        [one, none, none, none, one, none, none, none, one]
    };
    let track_header = [
        &[0; 40][..],
        &matrix.concat(),
        &(1_920_u32 << 16).to_be_bytes(),
        &(1_080_u32 << 16).to_be_bytes(),
    ]
    .concat();

    let handler = |kind: &[u8; 4]| {
        let content = [&[0; 8][..], kind, &[0; 12]].concat();
        boxed(*b"mdia", &boxed(*b"hdlr", &content))
    };
    let track = |kind| {
        let content = [boxed(*b"tkhd", &track_header), handler(kind)].concat();
        boxed(*b"trak", &content)
    };

    let content = [
        boxed(*b"mvhd", &header),
        track(b"soun"),
        track(b"vide"),
        extra.to_vec(),
    ];
    boxed(*b"moov", &content.concat())
}

/// An MP4 whose movie follows its data.
pub(crate) fn mp4(milliseconds: u32, is_turned: bool) -> Vec<u8> {
    let data = boxed(*b"mdat", &[7; 5_000]);
    [file_type(), data, movie(milliseconds, is_turned, &[])].concat()
}

/// A box that permits fragments, with the duration of all of them in milliseconds, if it is known.
pub(crate) fn fragments_extension(milliseconds: Option<u32>) -> Vec<u8> {
    let duration =
        milliseconds.map(|units| boxed(*b"mehd", &[[0; 4], units.to_be_bytes()].concat()));
    boxed(*b"mvex", &duration.unwrap_or_default())
}

/// An index of two fragments of 2 seconds, each with this length in bytes.
pub(crate) fn segment_index(length: u32) -> Vec<u8> {
    let reference = [&length.to_be_bytes()[..], &2_000_u32.to_be_bytes(), &[0; 4]].concat();
    let index = [
        &[0; 8][..],
        &1_000_u32.to_be_bytes(),
        &[0; 10],
        &[0, 2],
        &reference,
        &reference,
    ];
    boxed(*b"sidx", &index.concat())
}

/// An MP4 whose movie box is followed by other boxes.
pub(crate) fn mp4_with(milliseconds: u32, extension: &[u8], boxes: &[Vec<u8>]) -> Vec<u8> {
    let movie = movie(milliseconds, false, extension);
    [file_type(), movie, boxes.concat()].concat()
}

/// An AIFF of this many seconds.
pub(crate) fn aiff(seconds: u32, kind: [u8; 4]) -> Vec<u8> {
    let chunk = |kind: &[u8; 4], content: &[u8]| {
        let length = u32::try_from(content.len()).unwrap().to_be_bytes();
        [&kind[..], &length, content].concat()
    };

    // 8,000 samples per second as an 80-bit number.
    let rate = [0x40, 0x0B, 0xFA, 0, 0, 0, 0, 0, 0, 0];
    let common = [
        &[0, 1][..],
        &(seconds * 8_000).to_be_bytes(),
        &[0, 16],
        &rate,
    ]
    .concat();

    let content = [
        &kind[..],
        &chunk(b"FVER", &[0; 4]),
        &chunk(b"COMM", &common),
        &chunk(b"SSND", &[0; 6_000].repeat(4)),
    ];
    chunk(b"FORM", &content.concat())
}

/// An EBML element with a length of eight bytes.
pub(crate) fn element(id: u32, content: &[u8]) -> Vec<u8> {
    let id = id.to_be_bytes();
    let start = id.iter().position(|byte| *byte != 0).unwrap();
    let mut size = (content.len() as u64).to_be_bytes();
    size[0] = 1;
    [&id[start..], &size, content].concat()
}

/// A `WebM` of this duration in milliseconds.
pub(crate) fn webm(milliseconds: f64) -> Vec<u8> {
    let information = [
        element(0x002A_D7B1, &1_000_000_u32.to_be_bytes()),
        element(0x4489, &milliseconds.to_be_bytes()),
    ];
    let video = [element(0xB0, &[2, 128]), element(0xBA, &[1, 104])];
    let track = element(0xAE, &element(0xE0, &video.concat()));

    let content = [
        element(0xEC, &[0; 50]),
        element(0x1549_A966, &information.concat()),
        element(0x1654_AE6B, &track),
        element(0x1F43_B675, &[0; 500]),
    ];

    let mut segment = element(0x1853_8067, &content.concat());
    // Live recordings have an unknown length.
    segment[4..12].copy_from_slice(&[1, 255, 255, 255, 255, 255, 255, 255]);
    [element(0x1A45_DFA3, &[]), segment].concat()
}

/// A RIFF file of chunks.
pub(crate) fn riff(kind: [u8; 4], chunks: &[([u8; 4], &[u8])]) -> Vec<u8> {
    let mut body = kind.to_vec();
    for (kind, data) in chunks {
        body.extend_from_slice(kind);
        body.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        body.extend_from_slice(data);
        body.extend(vec![0; data.len() % 2]);
    }
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    [b"RIFF", &length[..], &body].concat()
}

/// A WAV of 16,000 bytes per second.
pub(crate) fn wav(bytes: usize) -> Vec<u8> {
    let format = [
        &[1, 0, 1, 0][..],
        &8_000_u32.to_le_bytes(),
        &16_000_u32.to_le_bytes(),
        &[2, 0, 16, 0],
    ]
    .concat();
    let data = vec![0; bytes];
    let chunks = [
        (*b"JUNK", &[1; 5][..]),
        (*b"fmt ", &format),
        (*b"data", &data),
    ];
    riff(*b"WAVE", &chunks)
}

/// An AVI of 75 frames at 25 per second.
pub(crate) fn avi() -> Vec<u8> {
    let mut header = 40_000_u32.to_le_bytes().to_vec();
    header.resize(56, 0);
    header[16] = 75;
    header[32..34].copy_from_slice(&640_u16.to_le_bytes());
    header[36..38].copy_from_slice(&480_u16.to_le_bytes());
    let list = riff(*b"hdrl", &[(*b"avih", &header)]);
    riff(*b"AVI ", &[(*b"LIST", &list[8..])])
}

/// Stream information of FLAC with 48,000 samples per second.
fn stream_information(samples: u64) -> Vec<u8> {
    let packed = 48_000_u64 << 44 | 1 << 41 | 15 << 36 | samples;
    [&[0; 10][..], &packed.to_be_bytes(), &[0; 16]].concat()
}

/// A FLAC of this number of samples.
pub(crate) fn flac(samples: u64) -> Vec<u8> {
    [&b"fLaC\x80\0\0\x22"[..], &stream_information(samples)].concat()
}

/// A page of Ogg.
pub(crate) fn page(flags: u8, position: u64, serial: u32, packet: &[u8]) -> Vec<u8> {
    let length = u8::try_from(packet.len()).unwrap();
    [
        &b"OggS\0"[..],
        &[flags],
        &position.to_le_bytes(),
        &serial.to_le_bytes(),
        &[0; 8],
        &[1, length],
        packet,
    ]
    .concat()
}

/// An Opus of 3 seconds after its skipped samples, with a second stream.
pub(crate) fn opus() -> Vec<u8> {
    let head = b"OpusHead\x01\x02\x38\x01\x80\xBB\0\0\0\0\0";
    [
        page(2, 0, 7, head),
        page(2, 0, 8, b"another"),
        page(0, 0, 7, b"OpusTags"),
        page(0, 48_000, 7, &[1; 200]),
        page(4, 48_000 * 3 + 312, 7, &[1; 100]),
        page(4, 99, 8, &[1; 100]),
    ]
    .concat()
}

/// A Vorbis of 2 seconds.
pub(crate) fn vorbis() -> Vec<u8> {
    let head = [
        &b"\x01vorbis\0\0\0\0\x02"[..],
        &44_100_u32.to_le_bytes(),
        &[0; 14],
    ]
    .concat();
    [page(2, 0, 7, &head), page(4, 88_200, 7, &[1; 100])].concat()
}

pub(crate) fn id3(size: u8) -> Vec<u8> {
    let mut tag = b"ID3\x04\0\0\0\0\x01".to_vec();
    tag.push(size);
    tag.resize(10 + 128 + usize::from(size), 0xFF);
    tag
}

/// MP3 frames of 128 kbit/s and 44,100 Hz.
pub(crate) fn mp3(frames: usize, counted: Option<u32>) -> Vec<u8> {
    let mut frame = vec![0xFF, 0xFB, 0x90, 0x00];
    frame.resize(417, 0);
    let mut file = frame.repeat(frames);
    if let Some(counted) = counted {
        file[36..40].copy_from_slice(b"Xing");
        file[43] = 1;
        file[44..48].copy_from_slice(&counted.to_be_bytes());
    }
    file
}

/// AAC frames of 100 bytes and 44,100 Hz.
pub(crate) fn aac(frames: usize) -> Vec<u8> {
    let mut frame = vec![0xFF, 0xF1, 0x50, 0x80, 0x0C, 0x9F, 0xFC];
    frame.resize(100, 0);
    frame.repeat(frames)
}

/// A PDF with this root of its page tree.
pub(crate) fn pdf(pages: &str) -> Vec<u8> {
    format!(
        "%PDF-1.4\n%\u{E9} <<\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /Title (a \\) << \
         /Type /Pages /Count 9 >>) >>\nendobj\n2 0 obj\n<< {pages} >>\nendobj\n3 0 obj\n\
         << /Type /Pages /Parent 2 0 R /Count 1 >>\nendobj\n4 0 obj\n<< /Length 40 >>\nstream\n\
         << /Type /Pages /Count 77 >>\nendstream\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"
    )
    .into_bytes()
}

/// A PDF with its objects in a compressed stream.
pub(crate) fn compressed_pdf(objects: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(objects).unwrap();
    let data = encoder.finish().unwrap();
    let head = b"%PDF-1.5\n1 0 obj << /Type /ObjStm /N 2 /Filter /FlateDecode >>\nstream\r\n";
    [&head[..], &data, b"\nendstream\nendobj\n%%EOF"].concat()
}
