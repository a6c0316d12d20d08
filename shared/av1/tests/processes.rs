//! Programs that are no decoders, and the limits of the one that is.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::Read,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use aom::{Frame, Options};
use av1::{Av1Error, Decoder, max_bytes};
use rustix::{
    fs::{CWD, FileType, Mode, OFlags, mknodat},
    io::Errno,
    process::{WaitOptions, wait},
};

const OBUS: &[u8] = include_bytes!("fixtures/half_8.obu");
const DECODER: &str = env!("CARGO_BIN_EXE_av1-decoder");
const MAX_PIXELS: u64 = 1 << 16;
const TIME: Duration = Duration::from_mins(1);
const SHORT: Duration = Duration::from_millis(50);
/// Writes what a decoder sends when it is ready.
const READY: &str = "printf '\\337'";

/// Lets this script be the decoder.
fn use_script(directory: &Path, script: &str) {
    let path = directory.join("program");
    fs::write(&path, format!("#!/bin/sh\n{script}")).expect("a script");
    fs::set_permissions(&path, Permissions::from_mode(0o700)).expect("a script");
    av1::use_program(path);
}

/// Starts a decoder that is this script.
fn start_error(directory: &Path, script: &str, time: Duration) -> Av1Error {
    use_script(directory, script);
    Decoder::start(MAX_PIXELS, time).expect_err("no decoder")
}

/// Decodes a picture of 65 by 47 pixels with this script, once it is ready.
fn decode(directory: &Path, script: &str, obus: &[u8], time: Duration) -> Av1Error {
    use_script(directory, &format!("{READY}\n{script}"));
    let mut decoder = Decoder::start(MAX_PIXELS, time).expect("a process");
    decoder.decode(obus, 65, 47).expect_err("no picture")
}

/// Returns an answer of a status, a size, a depth, three more bytes, the color and the range, and
/// samples.
fn answer(status: u8, width: u32, depth: u8, chroma: u8, samples: &[u8]) -> Vec<u8> {
    let mut bytes = vec![status];
    bytes.extend(width.to_ne_bytes());
    bytes.extend(47_u32.to_ne_bytes());
    bytes.extend([depth, chroma, 0, 1, 1, 1, 1]);
    bytes.extend(samples);
    bytes
}

/// One function, since the program is one of the process.
#[test]
fn all_programs_end_in_errors_and_are_reaped() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let directory = directory.path();

    programs_that_do_not_start(directory);
    programs_that_end(directory);
    programs_without_answer(directory);
    programs_with_invalid_answers(directory);
    environment_is_that_of_a_decoder(directory);
    assert_eq!(wait(WaitOptions::NOHANG).unwrap_err(), Errno::CHILD);

    limits_of_decoder();
    limits_that_are_inherited(directory);
    descriptors_that_are_inherited(directory);
    memory_above_the_limit();
    processor_time_above_the_limit(directory);
    end_of_the_starting_thread();
    assert_eq!(wait(WaitOptions::NOHANG).unwrap_err(), Errno::CHILD);
}

fn programs_that_do_not_start(directory: &Path) {
    let error = Decoder::start(1, TIME).expect_err("an error");
    assert!(matches!(error, Av1Error::NoProgram), "{error:?}");
    av1::use_program(directory.join("missing"));
    let error = Decoder::start(1, TIME).expect_err("an error");
    assert!(matches!(error, Av1Error::Start(_)), "{error:?}");

    for script in ["exit 3", "kill -9 $$", "kill -ABRT $$", "exec /usr/bin/yes"] {
        let error = start_error(directory, script, TIME);
        assert!(matches!(error, Av1Error::Start(_)), "{script}: {error:?}");
    }
    let error = start_error(directory, "exec /bin/sleep 1000", SHORT);
    assert!(matches!(error, Av1Error::TimedOut), "{error:?}");
}

fn programs_that_end(directory: &Path) {
    let large = vec![0; 1 << 20];
    for signal in ["ABRT", "SEGV", "BUS", "ILL", "FPE", "TRAP", "SYS"] {
        let script = format!("kill -{signal} $$");
        let error = decode(directory, &script, OBUS, TIME);
        assert!(matches!(error, Av1Error::Ended(_)), "{script}: {error:?}");
    }

    for (script, obus) in [
        ("exit 0", OBUS),
        ("exit 3", OBUS),
        ("exit 3", &large),
        ("kill -9 $$", OBUS),
        ("kill -9 $$", &large),
        ("kill -TERM $$", OBUS),
        ("kill -INT $$", OBUS),
        ("exec /bin/sleep 1000 >&-", OBUS),
    ] {
        let error = decode(directory, script, obus, TIME);
        assert!(matches!(error, Av1Error::Killed(_)), "{script}: {error:?}");
    }

    let error = decode(directory, "kill -XCPU $$", OBUS, TIME);
    assert!(matches!(error, Av1Error::TooSlow), "{error:?}");
}

fn programs_without_answer(directory: &Path) {
    let large = vec![0; 1 << 20];
    for (script, obus) in [
        ("exec /bin/sleep 1000", OBUS),
        ("exec /bin/sleep 1000", &large),
        ("exec /usr/bin/yes", &large),
    ] {
        let error = decode(directory, script, obus, SHORT);
        assert!(matches!(error, Av1Error::TimedOut), "{script}: {error:?}");
    }
}

fn programs_with_invalid_answers(directory: &Path) {
    for script in ["exec /usr/bin/yes", "exec /bin/cat"] {
        let error = decode(directory, script, OBUS, TIME);
        assert!(
            matches!(error, Av1Error::InvalidAnswer),
            "{script}: {error:?}"
        );
    }

    let path = directory.join("answer");
    let script = format!("exec /bin/cat {} -", path.display());
    for bytes in [
        answer(0, 65, 8, 0, &[]),
        answer(0xd0, 64, 8, 0, &[]),
        answer(0xd0, u32::MAX, 8, 0, &[]),
        answer(0xd0, 65, 9, 0, &[]),
        answer(0xd0, 65, 8, 4, &[]),
        // Samples of more than ten bits.
        answer(0xd0, 65, 10, 0, &[0xff; 2 * 65 * 47]),
    ] {
        fs::write(&path, &bytes).expect("a file");
        let error = decode(directory, &script, OBUS, TIME);
        assert!(
            matches!(error, Av1Error::InvalidAnswer),
            "{bytes:?}: {error:?}"
        );
    }
}

fn environment_is_that_of_a_decoder(directory: &Path) {
    let path = directory.join("environment");
    let script = format!(
        "/bin/cat /proc/$$/environ /proc/$$/cmdline > {}",
        path.display()
    );
    decode(directory, &script, OBUS, TIME);
    let environment = fs::read_to_string(path).expect("a file");
    let expected = "GLIBC_TUNABLES=glibc.malloc.tcache_count=0\0/bin/sh\0";
    assert!(environment.starts_with(expected), "{environment:?}");
}

/// Starts the decoder, by this script unless it is empty, and decodes a picture.
fn start(directory: &Path, script: &str) -> Decoder {
    if script.is_empty() {
        av1::use_program(DECODER.into());
    } else {
        use_script(directory, &format!("{script}\nexec {DECODER} \"$@\""));
    }
    let mut decoder = Decoder::start(MAX_PIXELS, TIME).expect("a decoder");
    decoder.decode(OBUS, 65, 47).expect("a picture");
    decoder
}

/// Returns the directory in `/proc` of the only child of this thread.
fn process() -> PathBuf {
    let process = fs::read_to_string("/proc/thread-self/children").expect("a decoder");
    Path::new("/proc").join(process.trim())
}

/// Returns the current and the maximum limit of this name.
fn limit(limits: &str, name: &str) -> [u64; 2] {
    let mut lines = limits.lines();
    let line = lines.find_map(|line| line.strip_prefix(&format!("Max {name}")));
    let mut words = line.expect("a limit").split_whitespace();
    [words.next(), words.next()].map(|word| word.expect("a limit").parse().expect(limits))
}

fn limits_of_decoder() {
    let _decoder = start(Path::new(""), "");

    let limits = fs::read_to_string(process().join("limits")).expect("a decoder");
    for name in ["open files", "processes", "core file size", "file size"] {
        assert_eq!(limit(&limits, name), [0, 0], "{limits}");
    }
    assert_eq!(limit(&limits, "cpu time"), [15, 16], "{limits}");
    let [current, maximum] = limit(&limits, "address space");
    assert_eq!(current, maximum);
    let program_bytes = current.saturating_sub(max_bytes(MAX_PIXELS));
    assert!((1..256 << 20).contains(&program_bytes), "{program_bytes}");
}

fn limits_that_are_inherited(directory: &Path) {
    let _decoder = start(directory, "ulimit -t 10; ulimit -v 60000");

    let limits = fs::read_to_string(process().join("limits")).expect("a decoder");
    assert_eq!(limit(&limits, "cpu time"), [9, 10], "{limits}");
    assert_eq!(limit(&limits, "address space"), [60_000 << 10; 2]);
}

fn descriptors_that_are_inherited(directory: &Path) {
    let path = directory.join("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let mut options = OpenOptions::new();
    let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
    let pipe = options.read(true).custom_flags(nonblocking).open(&path);
    let mut pipe: File = pipe.expect("a pipe");

    let script = format!("exec 9>{}; echo opened >&9", path.display());
    let _decoder = start(directory, &script);

    // Fails if the pipe is open for writing.
    let mut text = String::new();
    pipe.read_to_string(&mut text).expect("a closed pipe");
    assert_eq!(text, "opened\n");
    // Only root sees the descriptors of a process that is not dumpable.
    if let Ok(descriptors) = fs::read_dir(process().join("fd")) {
        assert_eq!(descriptors.count(), 3);
    }
}

fn memory_above_the_limit() {
    let mut decoder = start(Path::new(""), "");
    let length = usize::try_from(max_bytes(MAX_PIXELS)).expect("a length");

    let error = decoder
        .decode(&vec![0; length], 65, 47)
        .expect_err("an error");

    assert!(matches!(error, Av1Error::Ended(_)), "{error:?}");
}

fn processor_time_above_the_limit(directory: &Path) {
    let side = 256;
    let frame = Frame::new(side, side, aom::Chroma::Half);
    let options = Options {
        speed: 9,
        quantizer: 10,
    };
    let obus = frame.encode(options).expect("a picture");
    let mut decoder = start(directory, "ulimit -t 2");

    let error = loop {
        if let Err(error) = decoder.decode(&obus, side, side) {
            break error;
        }
    };

    assert!(matches!(error, Av1Error::TooSlow), "{error:?}");
}

fn end_of_the_starting_thread() {
    let decoder = thread::spawn(|| start(Path::new(""), ""));
    let mut decoder = decoder.join().expect("a decoder");
    // The thread may be joined before the kernel kills its child.
    let error = loop {
        if let Err(error) = decoder.decode(OBUS, 65, 47) {
            break error;
        }
    };
    assert!(matches!(error, Av1Error::Killed(_)), "{error:?}");
}
