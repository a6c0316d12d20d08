//! Programs that are no decoders, and the limits of the one that is.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    time::Duration,
};

use av1::{Av1Error, Decoder};
use rustix::{
    io::Errno,
    process::{WaitOptions, wait},
};

const UNITS: &[u8] = include_bytes!("fixtures/half_8.obu");
const TIME: Duration = Duration::from_mins(1);
const SHORT: Duration = Duration::from_millis(50);

/// Decodes a picture of 65 by 47 pixels with this script.
fn decode(directory: &Path, script: &str, units: &[u8], time: Duration) -> Av1Error {
    let path = directory.join("program");
    fs::write(&path, format!("#!/bin/sh\n{script}")).expect("a script");
    fs::set_permissions(&path, Permissions::from_mode(0o700)).expect("a script");
    av1::use_program(path);

    let mut decoder = Decoder::start(1 << 16, time).expect("a process");
    decoder.decode(units, 65, 47).expect_err("no picture")
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
    let large = vec![0; 1 << 20];

    let error = Decoder::start(1, TIME).unwrap_err();
    assert!(matches!(error, Av1Error::NoProgram), "{error:?}");
    av1::use_program(directory.join("missing"));
    let error = Decoder::start(1, TIME).unwrap_err();
    assert!(matches!(error, Av1Error::Start(_)), "{error:?}");

    for (script, units) in [
        ("exit 3", UNITS),
        ("exit 3", &large),
        ("kill -9 $$", UNITS),
        ("exec /bin/sleep 1000 >&-", UNITS),
    ] {
        let error = decode(directory, script, units, TIME);
        assert!(matches!(error, Av1Error::Ended(_)), "{script}: {error:?}");
    }
    for (script, units) in [
        ("exec /bin/sleep 1000", UNITS),
        ("exec /bin/sleep 1000", &large),
        ("exec /usr/bin/yes", &large),
    ] {
        let error = decode(directory, script, units, SHORT);
        assert!(matches!(error, Av1Error::TimedOut), "{script}: {error:?}");
    }
    for script in ["exec /usr/bin/yes", "exec /bin/cat"] {
        let error = decode(directory, script, UNITS, TIME);
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
        fs::write(&path, &bytes).unwrap();
        let error = decode(directory, &script, UNITS, TIME);
        assert!(
            matches!(error, Av1Error::InvalidAnswer),
            "{bytes:?}: {error:?}"
        );
    }

    let path = directory.join("environment");
    let script = format!(
        "/bin/cat /proc/$$/environ /proc/$$/cmdline > {}",
        path.display()
    );
    decode(directory, &script, UNITS, TIME);
    let environment = fs::read_to_string(path).unwrap();
    assert!(environment.starts_with("/bin/sh\0"), "{environment:?}");

    assert_eq!(wait(WaitOptions::NOHANG).unwrap_err(), Errno::CHILD);
    limits_of_decoder();
    assert_eq!(wait(WaitOptions::NOHANG).unwrap_err(), Errno::CHILD);
}

fn limits_of_decoder() {
    av1::use_program(env!("CARGO_BIN_EXE_av1-decoder").into());
    let mut decoder = Decoder::start(1 << 16, TIME).expect("a decoder");
    decoder.decode(UNITS, 65, 47).expect("a decoder");

    let process = fs::read_to_string("/proc/thread-self/children").expect("a decoder");
    let limits = fs::read_to_string(format!("/proc/{}/limits", process.trim())).expect("a decoder");
    for limit in ["open files", "processes", "core file size", "file size"] {
        let mut lines = limits.lines();
        let line = lines.find(|line| line.starts_with(&format!("Max {limit}")));
        let line = line.unwrap_or_default().split_whitespace();
        assert_eq!(line.filter(|word| *word == "0").count(), 2, "{limits}");
    }
}
