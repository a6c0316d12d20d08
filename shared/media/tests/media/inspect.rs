//! Properties of audio, video and PDF files.

use std::io::{self, Cursor, Read, Seek, SeekFrom};

use media::inspect::{
    Inspection, MAX_PDF_BYTES, MAX_SPARSE_CHUNKS, MediaProperties, MissingBytes,
    SPARSE_CHUNK_BYTES, SparseReader, inspect, inspect_sparse,
};

use crate::media_files as files;

fn inspected(file: &[u8]) -> MediaProperties {
    inspect(Cursor::new(file)).unwrap()
}

fn video(width: u32, height: u32, seconds: f64) -> MediaProperties {
    MediaProperties {
        width: Some(width),
        height: Some(height),
        ..audio(seconds)
    }
}

fn audio(seconds: f64) -> MediaProperties {
    MediaProperties {
        duration_seconds: Some(seconds),
        ..MediaProperties::default()
    }
}

fn pages(pages: u32) -> MediaProperties {
    MediaProperties {
        pages: Some(pages),
        ..MediaProperties::default()
    }
}

/// A tree of pages that was changed, with the change in a compressed stream.
fn changed_pdf() -> Vec<u8> {
    let changed = b"2 0 << /Count 8 /Kids [3 0 R] /Type/Pages >> << /Type /Page >>";
    [
        files::pdf("/Type /Pages /Kids [3 0 R] /Count 4"),
        files::compressed_pdf(changed)[9..].to_vec(),
    ]
    .concat()
}

fn linearized_pdf(length_difference: usize) -> Vec<u8> {
    let rest = files::pdf("/Type /Pages /Count 3");
    let head = |length: usize| {
        format!("%PDF-1.4\n1 0 obj\n<< /Linearized 1 /L {length:06} /N 12 /O 3 >>\nendobj\n")
    };
    let length = head(0).len() + rest.len();
    [head(length + length_difference).into_bytes(), rest].concat()
}

fn samples() -> Vec<(&'static str, Vec<u8>, MediaProperties)> {
    let two_tags = [files::id3(3), files::id3(100), files::mp3(10, Some(1_000))].concat();
    let tagged_flac = [files::id3(0), files::flac(24_000)].concat();

    vec![
        ("MP4", files::mp4(12_500, false), video(1_920, 1_080, 12.5)),
        (
            "turned MP4",
            files::mp4(40, true),
            video(1_080, 1_920, 0.04),
        ),
        ("AIFF", files::aiff(2, *b"AIFF"), audio(2.0)),
        ("AIFF-C", files::aiff(3, *b"AIFC"), audio(3.0)),
        ("WebM", files::webm(1_234.0), video(640, 360, 1.234)),
        ("WAV", files::wav(24_001), audio(1.5)),
        ("AVI", files::avi(), video(640, 480, 3.0)),
        ("FLAC", files::flac(120_000), audio(2.5)),
        ("FLAC with ID3", tagged_flac, audio(0.5)),
        ("Opus", files::opus(), audio(3.0)),
        ("Vorbis", files::vorbis(), audio(2.0)),
        (
            "MP3",
            [files::id3(50), files::mp3(1_000, None)].concat(),
            audio(26.063),
        ),
        ("MP3 with a count", two_tags, audio(26.122)),
        ("AAC", files::aac(2_000), audio(46.44)),
        ("PDF", files::pdf("/Type /Pages /Count 4"), pages(4)),
        ("changed PDF", changed_pdf(), pages(8)),
        ("linearized PDF", linearized_pdf(0), pages(12)),
        ("changed linearized PDF", linearized_pdf(1), pages(3)),
    ]
}

/// The duration of a movie that goes on in fragments is that of all, or absent.
#[test]
fn duration_of_fragments_is_the_whole_or_absent() {
    let fragment = || files::boxed(*b"moof", &[0; 20]);
    let data = || files::boxed(*b"mdat", &[0; 12]);
    let fragments = || [fragment(), data(), fragment(), data()].concat();
    // A fragment and its data have 48 bytes.
    let index = || files::segment_index(48);
    let open = files::fragments_extension(None);
    let known = files::fragments_extension(Some(4_096));

    for (name, milliseconds, extension, boxes, expected) in [
        (
            "total in the movie",
            0,
            &known,
            vec![fragments()],
            Some(4.096),
        ),
        (
            "total beside a part",
            442,
            &known,
            vec![fragments()],
            Some(4.096),
        ),
        ("index", 0, &open, vec![index(), fragments()], Some(4.0)),
        (
            "two indexes",
            0,
            &open,
            vec![index(), fragments(), index(), fragments()],
            Some(8.0),
        ),
        (
            "index of the same",
            4_010,
            &open,
            vec![index(), fragments()],
            Some(4.0),
        ),
        (
            "index beside a part",
            442,
            &open,
            vec![index(), fragments()],
            None,
        ),
        (
            "fragments beside a part",
            442,
            &open,
            vec![data(), fragments()],
            None,
        ),
        (
            "fragments behind the index",
            0,
            &open,
            vec![index(), fragments(), fragments()],
            None,
        ),
        ("no fragments", 442, &open, vec![data()], Some(0.442)),
    ] {
        let found = inspect(Cursor::new(files::mp4_with(
            milliseconds,
            extension,
            &boxes,
        )))
        .unwrap();

        assert_eq!(found.duration_seconds, expected, "{name}");
        assert_eq!(found.width, Some(1_920), "{name}");
    }
}

#[test]
fn properties_are_read_of_all_formats() {
    for (name, file, expected) in samples() {
        assert_eq!(inspected(&file), expected, "{name}");
    }
}

#[test]
fn other_files_have_no_properties() {
    for file in [
        &b""[..],
        b"\0",
        b"text",
        b"%PDF-1.7",
        b"\xFF\xFBtext",
        &[0; 99],
    ] {
        assert_eq!(inspected(file), MediaProperties::default());
    }
}

#[test]
fn damaged_files_are_not_errors() {
    for (_, file, _) in samples() {
        let step = (file.len() / 300).max(1);
        for at in (0..file.len()).step_by(step) {
            inspected(&file[..at]);
            for byte in [0, 0x7F, 0xFF] {
                let mut damaged = file.clone();
                damaged[at] = byte;
                let properties = inspected(&damaged);
                let duration = properties.duration_seconds.unwrap_or_default();
                assert!((0.0..=media::inspect::MAX_DURATION_SECONDS).contains(&duration));
            }
        }
    }
}

#[test]
fn implausible_values_are_omitted() {
    for milliseconds in [f64::NAN, f64::INFINITY, -1.0, 1e300] {
        assert_eq!(inspected(&files::webm(milliseconds)).duration_seconds, None);
    }
    let endless = files::pdf("/Type /Pages /Count 4294967295");
    assert_eq!(inspected(&endless).pages, None);
}

/// Sizes that exceed the file, and that would overflow.
#[test]
fn lying_sizes_of_boxes_end_the_inspection() {
    for size in [[0xFF; 8], [0x7F; 8], [0; 8], [0, 0, 0, 0, 0, 0, 0, 15]] {
        let large = [&[0, 0, 0, 1][..], b"mdat", &size, &[0; 64]].concat();
        let file = [files::boxed(*b"ftyp", b"isom"), large].concat();
        assert_eq!(inspected(&file), MediaProperties::default());
    }

    let many = files::boxed(*b"free", b"").repeat(100_000);
    assert_eq!(inspected(&many), MediaProperties::default());
    let nested = b"<< ".repeat(100_000);
    assert_eq!(
        inspected(&[&b"%PDF-1.4\n"[..], &nested].concat()),
        MediaProperties::default()
    );
}

/// A stream of objects that decompresses to much more than its length.
#[test]
fn decompression_is_bounded() {
    let bomb = files::compressed_pdf(&vec![b' '; 100 << 20]);
    assert_eq!(inspected(&bomb.repeat(20)), MediaProperties::default());
}

/// Inspects a file chunk by chunk, and counts the chunks.
fn inspect_in_chunks(file: &[u8], chunk: usize) -> (MediaProperties, usize) {
    let mut reader = SparseReader::new(file.len() as u64);
    for count in 0..=MAX_SPARSE_CHUNKS {
        match inspect_sparse(&mut reader) {
            Inspection::Done(properties) => return (properties, count),
            Inspection::Needs(offset) => {
                let start = usize::try_from(offset).unwrap();
                let end = file.len().min(start + chunk);
                reader.add(offset, file[start..end].to_vec());
            }
        }
    }
    panic!("the inspection does not end");
}

#[test]
fn sparse_files_have_the_same_properties() {
    for (name, file, expected) in samples() {
        let (properties, chunks) = inspect_in_chunks(&file, SPARSE_CHUNK_BYTES);
        assert_eq!((properties, chunks), (expected, 1), "{name}");
        let (properties, chunks) = inspect_in_chunks(&file, 2_000);
        assert!(chunks <= MAX_SPARSE_CHUNKS);
        if file.len() < 100_000 {
            assert_eq!(properties, expected, "{name}");
        }
    }
}

/// The movie follows 5 GB of data, which are not read.
#[test]
fn large_files_need_few_chunks() {
    let movie = files::movie(14_400_000, false, &[]);
    let data_bytes: u64 = 5 << 30;
    let mut head = files::boxed(*b"ftyp", b"isom\0\0\0\0isom");
    let data_start = head.len() as u64;
    head.extend([0, 0, 0, 1]);
    head.extend(b"mdat");
    head.extend(data_bytes.to_be_bytes());
    let movie_start = data_start + data_bytes;
    let mut reader = SparseReader::new(movie_start + movie.len() as u64);

    assert_eq!(inspect_sparse(&mut reader), Inspection::Needs(0));
    reader.add(0, head);
    assert_eq!(inspect_sparse(&mut reader), Inspection::Needs(movie_start));
    reader.add(movie_start, movie);

    assert_eq!(
        inspect_sparse(&mut reader),
        Inspection::Done(video(1_920, 1_080, 14_400.0))
    );
}

#[test]
fn inspection_ends_at_the_maximum_number_of_chunks() {
    let length = 40_u64 << 20;
    let mut reader = SparseReader::new(length);
    let mut chunks = 0;

    while let Inspection::Needs(offset) = inspect_sparse(&mut reader) {
        // Each box leads to one far away.
        let mut chunk = (1_u32 << 18).to_be_bytes().to_vec();
        chunk.extend(b"free");
        reader.add(offset, chunk);
        chunks += 1;
        assert!(chunks <= MAX_SPARSE_CHUNKS);
    }

    assert_eq!(chunks, MAX_SPARSE_CHUNKS);
    assert_eq!(
        inspect_sparse(&mut reader),
        Inspection::Done(MediaProperties::default())
    );
}

#[test]
fn large_pdfs_are_not_read() {
    let mut reader = SparseReader::new(MAX_PDF_BYTES + 1);
    let mut head = files::pdf("/Type /Pages /Count 4");
    head.resize(2_000, b' ');
    reader.add(0, head);

    let inspection = inspect_sparse(&mut reader);

    assert_eq!(inspection, Inspection::Done(MediaProperties::default()));
}

#[test]
fn missing_bytes_are_named() {
    let mut reader = SparseReader::new(100);
    reader.add(10, vec![5; 10]);
    reader.seek(SeekFrom::Start(15)).unwrap();
    let mut buffer = [0; 20];

    assert_eq!(reader.read(&mut buffer).unwrap(), 5);
    let error = reader.read(&mut buffer).unwrap_err();

    let cause = error.get_ref().and_then(|cause| cause.downcast_ref());
    assert_eq!(cause, Some(&MissingBytes { offset: 20 }));
    reader.seek(SeekFrom::End(0)).unwrap();
    assert_eq!(reader.read(&mut buffer).unwrap(), 0);
    assert!(reader.seek(SeekFrom::End(-101)).is_err());
}

/// A reader that fails.
struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

impl Seek for Broken {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Ok(100)
    }
}

#[test]
fn errors_of_the_reader_are_returned() {
    let error = inspect(Broken).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}
