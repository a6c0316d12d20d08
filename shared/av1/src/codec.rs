//! Calls of rav1d, whose only interface is that of C. They abort the process on most damage.

#![expect(unsafe_code, reason = "the interface of rav1d is that of C")]

use std::{mem::MaybeUninit, ptr::NonNull, slice};

use rav1d::{
    Dav1dResult,
    include::dav1d::{
        data::Dav1dData,
        dav1d::{Dav1dContext, Dav1dSettings},
        picture::Dav1dPicture,
    },
    src::lib::{
        dav1d_close, dav1d_data_create, dav1d_data_unref, dav1d_default_settings,
        dav1d_get_picture, dav1d_open, dav1d_picture_unref, dav1d_send_data,
    },
};

use crate::{
    picture::{Chroma, ChromaPosition, Picture},
    protocol::{chroma_of, position_of},
};

const OK: Dav1dResult = Dav1dResult(0);
/// More input is needed, or output must be read first.
const AGAIN: Dav1dResult = Dav1dResult(-rustix::io::Errno::AGAIN.raw_os_error());

/// Open bitstream units (OBUs), the syntax elements of AV1.
pub(crate) struct Obus(Dav1dData);

impl Obus {
    /// Allocates OBUs of this length. Fails if the memory does not suffice.
    pub(crate) fn zeroed(length: usize) -> Option<Obus> {
        let mut data = Dav1dData::default();
        // SAFETY: the function writes to `data`.
        let bytes = unsafe { dav1d_data_create(Some(NonNull::from(&mut data)), length) };
        (!bytes.is_null()).then_some(Obus(data))
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        let Some(bytes) = self.0.data else {
            return &mut [];
        };
        // SAFETY: rav1d has allocated and zeroed `sz` bytes, and does not use them before they are
        // sent.
        unsafe { slice::from_raw_parts_mut(bytes.as_ptr(), self.0.sz) }
    }
}

impl Drop for Obus {
    fn drop(&mut self) {
        // SAFETY: the data is valid, and empty once it is sent.
        unsafe { dav1d_data_unref(Some(NonNull::from(&mut self.0))) };
    }
}

/// Decodes the first picture of these OBUs. A frame with more pixels than expected is an error.
pub(crate) fn decode(mut obus: Obus, expected_pixels: u64) -> Option<Decoded> {
    let context = Context::new(expected_pixels)?;
    loop {
        if obus.0.data.is_some() && !matches!(context.send(&mut obus), OK | AGAIN) {
            return None;
        }

        let mut decoded = Decoded(Dav1dPicture::default());
        match context.receive(&mut decoded) {
            OK => return decoded.is_valid().then_some(decoded),
            AGAIN if obus.0.data.is_some() => (),
            _ => return None,
        }
    }
}

/// A decoder with one thread, which returns the highest layer of the first operating point, as
/// libavif does.
struct Context(Option<Dav1dContext>);

impl Context {
    fn new(expected_pixels: u64) -> Option<Context> {
        let mut settings = MaybeUninit::<Dav1dSettings>::uninit();
        // SAFETY: the function writes all settings.
        let mut settings = unsafe {
            dav1d_default_settings(NonNull::from(&mut settings).cast());
            settings.assume_init()
        };
        settings.n_threads = 1;
        settings.max_frame_delay = 1;
        settings.all_layers = 0;
        settings.operating_point = 0;
        // 0 would be no limit.
        settings.frame_size_limit = u32::try_from(expected_pixels.max(1)).unwrap_or(u32::MAX);

        let mut context = Context(None);
        let opened = NonNull::from(&mut context.0);
        // SAFETY: the function copies the settings, and writes a context.
        let result = unsafe { dav1d_open(Some(opened), Some(NonNull::from(&mut settings))) };
        (result == OK).then_some(context)
    }

    fn send(&self, obus: &mut Obus) -> Dav1dResult {
        // SAFETY: the context is open. The data is valid, and remains so when rav1d has taken its
        // bytes.
        unsafe { dav1d_send_data(self.0, Some(NonNull::from(&mut obus.0))) }
    }

    fn receive(&self, decoded: &mut Decoded) -> Dav1dResult {
        // SAFETY: the context is open. The function writes to the picture, which is empty.
        unsafe { dav1d_get_picture(self.0, Some(NonNull::from(&mut decoded.0))) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is open or `None`, and not used again.
        unsafe { dav1d_close(Some(NonNull::from(&mut self.0))) };
    }
}

/// A picture in the memory of rav1d.
pub(crate) struct Decoded(Dav1dPicture);

impl Decoded {
    /// Returns the properties of the picture, without samples.
    pub(crate) fn header(&self) -> Picture {
        let sequence = self.0.seq_hdr;
        // SAFETY: the picture refers to its sequence header.
        let sequence = sequence.map(|header| unsafe { header.as_ref() });
        let code = |number: u32| u8::try_from(number).unwrap_or(u8::MAX);

        Picture {
            width: self.0.p.w.unsigned_abs(),
            height: self.0.p.h.unsigned_abs(),
            bit_depth: code(self.0.p.bpc.unsigned_abs()),
            chroma: chroma_of(self.0.p.layout).unwrap_or(Chroma::None),
            chroma_position: sequence
                .and_then(|header| position_of(header.chr))
                .unwrap_or(ChromaPosition::Unknown),
            primaries: sequence.map_or(2, |header| code(header.pri)),
            transfer: sequence.map_or(2, |header| code(header.trc)),
            matrix: sequence.map_or(2, |header| code(header.mtrx)),
            is_full_range: sequence.is_some_and(|header| header.color_range != 0),
            planes: Default::default(),
        }
    }

    /// Returns the bytes of a row of a plane that is not empty.
    pub(crate) fn row(&self, plane: usize, row: usize) -> &[u8] {
        let header = self.header();
        let size = header.plane_sizes()[plane];
        assert!(row < size.height, "the row is in the picture");

        let stride = self.0.stride[plane.min(1)];
        let offset = stride * row.cast_signed();
        let samples = self.0.data[plane]
            .expect("the plane has samples")
            .cast::<u8>();
        // SAFETY: the plane has rows at distances of its stride, which have at least as many
        // samples as the picture is wide.
        unsafe {
            let start = samples.as_ptr().offset(offset);
            slice::from_raw_parts(start, size.width * header.sample_bytes())
        }
    }

    fn is_valid(&self) -> bool {
        self.0.seq_hdr.is_some() && chroma_of(self.0.p.layout).is_some()
    }
}

impl Drop for Decoded {
    fn drop(&mut self) {
        // SAFETY: the picture is empty or valid, and empty afterwards.
        unsafe { dav1d_picture_unref(Some(NonNull::from(&mut self.0))) };
    }
}
