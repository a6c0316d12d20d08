//! Properties of audio, video and PDF files. The input is a file.
#![no_main]

use std::io::Cursor;

use libfuzzer_sys::fuzz_target;
use media::inspect::{
    Inspection, MAX_DURATION_SECONDS, MAX_SPARSE_CHUNKS, SparseReader, inspect, inspect_sparse,
};

/// Length of a chunk, so that a small file has several.
const CHUNK_BYTES: usize = 512;

fuzz_target!(init: fuzz::init(fuzz::seeds::media), |file: &[u8]| {
    let properties = inspect(Cursor::new(file)).expect("a slice can be read");
    if let Some(seconds) = properties.duration_seconds {
        assert!((0.0..=MAX_DURATION_SECONDS).contains(&seconds));
    }
    if file.len() > MAX_SPARSE_CHUNKS * CHUNK_BYTES {
        return;
    }

    // Chunks that are not enough lead to no properties.
    let mut reader = SparseReader::new(file.len() as u64);
    for _ in 0..=MAX_SPARSE_CHUNKS {
        match inspect_sparse(&mut reader) {
            Inspection::Done(sparse) => {
                assert!(sparse == properties || reader.is_full());
                return;
            }
            Inspection::Needs(offset) => {
                let start = usize::try_from(offset).expect("an offset in the file");
                assert!(start < file.len());
                let end = file.len().min(start + CHUNK_BYTES);
                reader.add(offset, file[start..end].to_vec());
            }
        }
    }
    panic!("the inspection does not end");
});
