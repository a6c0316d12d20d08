//! The caller's side of a decoder.

use std::{
    io::{self, ErrorKind, Read, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::Duration,
};

use rustix::process::Signal;

use crate::{
    ARGUMENT, Av1Error,
    picture::Picture,
    program,
    protocol::{READY, Request, Status, invalid, read_array, read_header},
};

/// Even, so that no sample is divided.
const BUFFER_BYTES: usize = 64 << 10;

/// Disables the thread cache of the allocator of glibc. With it, aligned blocks are often not used
/// again, so that the memory of a decoder would grow with the number of its pictures.
const ALLOCATOR: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0");

/// The signals of a process that aborts or faults. Those of damage, since rav1d aborts on most, and
/// nothing else sends them to a decoder.
const DAMAGE_SIGNALS: [Signal; 7] = [
    Signal::ABORT,
    Signal::SEGV,
    Signal::BUS,
    Signal::ILL,
    Signal::FPE,
    Signal::TRAP,
    Signal::SYS,
];

/// A process that decodes the pictures of one image, one after the other. Killed and reaped when
/// dropped.
///
/// Invariant: the thread that starts it outlives it, since the kernel kills it when that thread
/// ends. Callers start, use and drop it in one function, on one thread.
#[derive(Debug)]
pub struct Decoder {
    process: Arc<Process>,
    input: ChildStdin,
    output: ChildStdout,
    max_picture_pixels: u64,
    /// Ends the watchdog when dropped.
    _running: Sender<()>,
}

impl Decoder {
    /// Starts a decoder of pictures up to this number of pixels, which limits its memory, and waits
    /// until it is ready. It is killed after `time`, or when the calling thread ends.
    pub fn start(max_picture_pixels: u64, time: Duration) -> Result<Decoder, Av1Error> {
        let mut child = Command::new(program()?)
            .arg(ARGUMENT)
            .arg(max_picture_pixels.to_string())
            .env_clear()
            .env(ALLOCATOR.0, ALLOCATOR.1)
            // It needs no files, and would keep the file system of the caller's directory in use.
            .current_dir("/")
            // Ctrl-C of a terminal is for the caller, which then decides what becomes of the image.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Av1Error::Start)?;
        let input = child.stdin.take().expect("the input is piped");
        let output = child.stdout.take().expect("the output is piped");

        let (running, ended) = mpsc::channel();
        let mut decoder = Decoder {
            process: Arc::new(Process {
                child: Mutex::new(child),
                is_late: AtomicBool::new(false),
            }),
            input,
            output,
            max_picture_pixels,
            _running: running,
        };
        decoder.watch(time, ended).map_err(Av1Error::Start)?;
        decoder.receive_ready()?;
        Ok(decoder)
    }

    /// Decodes the first picture of OBUs, a sequence header and a frame. It must have exactly this
    /// size.
    pub fn decode(&mut self, obus: &[u8], width: u32, height: u32) -> Result<Picture, Av1Error> {
        let pixels = u64::from(width) * u64::from(height);
        let limit = self.max_picture_pixels;
        if pixels > limit {
            return Err(Av1Error::TooLarge { pixels, limit });
        }

        let request = Request {
            width,
            height,
            length: obus.len() as u64,
        };
        self.exchange(request, obus)
            .unwrap_or_else(|error| Err(self.stop(&error)))
    }

    /// Sends a request and reads the answer. Fails if the decoder can answer no more requests.
    fn exchange(&mut self, request: Request, obus: &[u8]) -> io::Result<Result<Picture, Av1Error>> {
        self.input.write_all(&request.to_bytes())?;
        self.input.write_all(obus)?;

        match Status::read(&mut self.output)? {
            Status::Decoded => (),
            Status::Malformed => return Ok(Err(Av1Error::Malformed)),
            Status::OtherSize => return Ok(Err(Av1Error::OtherSize)),
        }
        let mut picture = read_header(&mut self.output)?;
        if (picture.width, picture.height) != (request.width, request.height) {
            return Err(invalid());
        }

        let sizes = picture.plane_sizes();
        for (plane, size) in sizes.into_iter().enumerate() {
            let samples = size.width * size.height;
            picture.planes[plane] = read_plane(&mut self.output, samples, &picture)?;
        }
        Ok(Ok(picture))
    }

    /// Reads what the decoder sends when it has set its limits.
    fn receive_ready(&mut self) -> Result<(), Av1Error> {
        match read_array(&mut self.output) {
            Ok([READY]) => Ok(()),
            Ok(_) => Err(Av1Error::Start(invalid())),
            Err(_) => {
                let status = self.process.kill_and_wait();
                if self.process.is_late.load(Ordering::SeqCst) {
                    return Err(Av1Error::TimedOut);
                }
                let cause = format!("it ended with {status} before it was ready");
                Err(Av1Error::Start(io::Error::other(cause)))
            }
        }
    }

    /// Kills the decoder, and returns why it failed. The status of one that has ended or is about
    /// to, since its pipes are closed, remains that of its end.
    fn stop(&self, error: &io::Error) -> Av1Error {
        let status = self.process.kill_and_wait();
        let ended_by = |signal: &Signal| status.signal() == Some(signal.as_raw());
        if ended_by(&Signal::XCPU) {
            Av1Error::TooSlow
        } else if DAMAGE_SIGNALS.iter().any(ended_by) {
            Av1Error::Ended(status)
        } else if self.process.is_late.load(Ordering::SeqCst) {
            Av1Error::TimedOut
        } else if error.kind() == ErrorKind::InvalidData {
            Av1Error::InvalidAnswer
        } else {
            Av1Error::Killed(status)
        }
    }

    /// Starts the watchdog, which kills the process after this time. It ends with the decoder.
    fn watch(&self, time: Duration, ended: Receiver<()>) -> io::Result<()> {
        let process = Arc::clone(&self.process);
        let watchdog = thread::Builder::new().name("av1-watchdog".to_owned());
        watchdog.spawn(move || {
            if ended.recv_timeout(time) == Err(RecvTimeoutError::Timeout) {
                process.is_late.store(true, Ordering::SeqCst);
                process.kill_and_wait();
            }
        })?;
        Ok(())
    }
}

impl Drop for Decoder {
    fn drop(&mut self) {
        self.process.kill_and_wait();
    }
}

#[derive(Debug)]
struct Process {
    child: Mutex<Child>,
    /// Whether the watchdog has killed it.
    is_late: AtomicBool,
}

impl Process {
    fn kill_and_wait(&self) -> ExitStatus {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // Fails if the process has ended, which `wait` notices.
        let _ = child.kill();
        child.wait().unwrap_or_default()
    }
}

/// Reads as many samples of a plane of this picture. Fails if one has more bits than the picture.
fn read_plane(input: &mut impl Read, samples: usize, picture: &Picture) -> io::Result<Vec<u16>> {
    let sample_bytes = picture.sample_bytes();
    let mut plane = Vec::with_capacity(samples);
    let mut buffer = vec![0; BUFFER_BYTES.min(samples * sample_bytes)];
    while plane.len() < samples {
        let rest = (samples - plane.len()) * sample_bytes;
        let chunk = &mut buffer[..rest.min(BUFFER_BYTES)];
        input.read_exact(chunk)?;

        if sample_bytes == 1 {
            plane.extend(chunk.iter().map(|byte| u16::from(*byte)));
        } else {
            let (pairs, _) = chunk.as_chunks();
            plane.extend(pairs.iter().map(|pair| u16::from_ne_bytes(*pair)));
        }
    }

    if plane.iter().any(|sample| sample >> picture.bit_depth != 0) {
        return Err(invalid());
    }
    Ok(plane)
}
