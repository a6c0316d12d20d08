//! The caller's side of a decoder.

use std::{
    io::{self, ErrorKind, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread,
    time::Duration,
};

use crate::{
    ARGUMENT, Av1Error,
    picture::Picture,
    program,
    protocol::{Request, Status, invalid, read_header},
};

/// Even, so that no sample is divided.
const BUFFER_BYTES: usize = 64 << 10;

/// A process that decodes the pictures of one image, one after the other. Killed and reaped when
/// dropped.
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
    /// Starts a decoder of pictures up to this number of pixels, which limits its memory. It is
    /// killed after `time`.
    pub fn start(max_picture_pixels: u64, time: Duration) -> Result<Decoder, Av1Error> {
        let mut child = Command::new(program()?)
            .arg(ARGUMENT)
            .arg(max_picture_pixels.to_string())
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Av1Error::Start)?;
        let input = child.stdin.take().expect("the input is piped");
        let output = child.stdout.take().expect("the output is piped");

        let (running, ended) = mpsc::channel();
        let decoder = Decoder {
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
        Ok(decoder)
    }

    /// Decodes the first picture of open bitstream units, a sequence header and a frame. It must
    /// have exactly this size.
    pub fn decode(&mut self, units: &[u8], width: u32, height: u32) -> Result<Picture, Av1Error> {
        let pixels = u64::from(width) * u64::from(height);
        let limit = self.max_picture_pixels;
        if pixels > limit {
            return Err(Av1Error::TooLarge { pixels, limit });
        }

        let request = Request {
            width,
            height,
            length: units.len() as u64,
        };
        self.exchange(request, units)
            .unwrap_or_else(|error| Err(self.stop(&error)))
    }

    /// Sends a request and reads the answer. Fails if the decoder can answer no more requests.
    fn exchange(
        &mut self,
        request: Request,
        units: &[u8],
    ) -> io::Result<Result<Picture, Av1Error>> {
        self.input.write_all(&request.to_bytes())?;
        self.input.write_all(units)?;

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

    /// Kills the decoder, and returns why it failed.
    fn stop(&self, error: &io::Error) -> Av1Error {
        let status = self.process.kill_and_wait();
        if self.process.is_late.load(Ordering::SeqCst) {
            Av1Error::TimedOut
        } else if error.kind() == ErrorKind::InvalidData {
            Av1Error::InvalidAnswer
        } else {
            Av1Error::Ended(status)
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
