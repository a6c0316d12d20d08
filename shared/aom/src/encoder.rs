//! Calls of libaom.

#![expect(unsafe_code, reason = "libaom is written in C")]

use std::{
    ffi::{CStr, c_int},
    mem::MaybeUninit,
    ptr, slice,
};

use libaom_sys::{
    AOM_CICP_MC_BT_601, AOM_CODEC_CX_FRAME_PKT, AOM_CODEC_OK, AOM_CR_FULL_RANGE,
    AOM_ENCODER_ABI_VERSION, AOM_IMG_FMT_I420, AOM_IMG_FMT_I444, AOM_Q, AOM_USAGE_ALL_INTRA,
    AOME_SET_CPUUSED, AOME_SET_CQ_LEVEL, AV1E_SET_COLOR_RANGE, AV1E_SET_MATRIX_COEFFICIENTS,
    aom_codec_av1_cx, aom_codec_control, aom_codec_ctx_t, aom_codec_destroy, aom_codec_enc_cfg_t,
    aom_codec_enc_config_default, aom_codec_enc_init_ver, aom_codec_encode, aom_codec_err_t,
    aom_codec_err_to_string, aom_codec_get_cx_data, aom_codec_set_option, aom_image_t,
    aom_img_wrap,
};

use crate::{Chroma, EncodeError, Frame, MAX_QUANTIZER, Options};

/// Options that raise the score (SSIMULACRA2) by four points at the same size and time: distortion
/// is measured by structural similarity and with the quantization matrices, of which those of
/// middle strength are used, and filters keep edges sharp. `AOM_TUNE_IQ` of later versions of
/// libaom sets similar ones.
const PERCEPTION: [(&CStr, &CStr); 6] = [
    (c"tune", c"ssim"),
    (c"dist-metric", c"qm-psnr"),
    (c"enable-qm", c"1"),
    (c"qm-min", c"5"),
    (c"qm-max", c"9"),
    (c"sharpness", c"7"),
];

/// An initialized encoder of one frame.
pub(crate) struct Encoder {
    context: Box<aom_codec_ctx_t>,
}

impl Encoder {
    pub(crate) fn new(frame: &Frame, options: Options) -> Result<Encoder, EncodeError> {
        let configuration = configuration(frame)?;
        let mut context = Box::new(MaybeUninit::<aom_codec_ctx_t>::zeroed());
        // SAFETY: the function initializes the context, and copies the configuration.
        check(unsafe {
            aom_codec_enc_init_ver(
                context.as_mut_ptr(),
                aom_codec_av1_cx(),
                &raw const configuration,
                0,
                AOM_ENCODER_ABI_VERSION.cast_signed(),
            )
        })?;
        // SAFETY: the context is initialized.
        let context = unsafe { context.assume_init() };
        let mut encoder = Encoder { context };

        for (control, value) in [
            (AOME_SET_CPUUSED, options.speed.into()),
            (AOME_SET_CQ_LEVEL, options.quantizer.into()),
            (AV1E_SET_COLOR_RANGE, AOM_CR_FULL_RANGE.cast_signed()),
            (
                AV1E_SET_MATRIX_COEFFICIENTS,
                AOM_CICP_MC_BT_601.cast_signed(),
            ),
        ] {
            let value: c_int = value;
            // SAFETY: these controls take an integer.
            check(unsafe {
                aom_codec_control(&raw mut *encoder.context, control.cast_signed(), value)
            })?;
        }
        for (name, value) in PERCEPTION {
            // SAFETY: both strings end with a zero byte.
            check(unsafe {
                aom_codec_set_option(&raw mut *encoder.context, name.as_ptr(), value.as_ptr())
            })?;
        }
        Ok(encoder)
    }

    pub(crate) fn encode(mut self, frame: &Frame) -> Result<Vec<u8>, EncodeError> {
        let image = image(frame)?;
        let mut bytes = Vec::new();
        // The second call ends the sequence.
        for image in [&raw const image, ptr::null()] {
            // SAFETY: the image refers to the samples of the frame, which libaom reads during the
            // call.
            check(unsafe { aom_codec_encode(&raw mut *self.context, image, 0, 1, 0) })?;
            self.append_packets(&mut bytes);
        }
        Ok(bytes)
    }

    fn append_packets(&mut self, bytes: &mut Vec<u8>) {
        let mut position = ptr::null();
        // SAFETY: a packet is valid until the next call.
        while let Some(packet) =
            unsafe { aom_codec_get_cx_data(&raw mut *self.context, &raw mut position).as_ref() }
        {
            if packet.kind == AOM_CODEC_CX_FRAME_PKT {
                // SAFETY: this kind of packet contains a frame with this number of bytes.
                bytes.extend_from_slice(unsafe {
                    slice::from_raw_parts(packet.data.frame.buf.cast(), packet.data.frame.sz)
                });
            }
        }
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // SAFETY: the context is initialized, and not used again.
        unsafe { aom_codec_destroy(&raw mut *self.context) };
    }
}

/// Returns the configuration of a still image of constant quality.
fn configuration(frame: &Frame) -> Result<aom_codec_enc_cfg_t, EncodeError> {
    let mut configuration = MaybeUninit::<aom_codec_enc_cfg_t>::zeroed();
    // SAFETY: the function writes the whole configuration.
    let mut configuration = unsafe {
        check(aom_codec_enc_config_default(
            aom_codec_av1_cx(),
            configuration.as_mut_ptr(),
            AOM_USAGE_ALL_INTRA,
        ))?;
        configuration.assume_init()
    };

    configuration.g_w = frame.width;
    configuration.g_h = frame.height;
    configuration.g_limit = 1;
    configuration.g_lag_in_frames = 0;
    configuration.g_threads = 1;
    configuration.g_profile = (frame.chroma == Chroma::Full).into();
    configuration.monochrome = (frame.chroma == Chroma::None).into();
    configuration.rc_end_usage = AOM_Q;
    configuration.rc_min_quantizer = 0;
    configuration.rc_max_quantizer = MAX_QUANTIZER.into();
    Ok(configuration)
}

/// Returns a description of a frame, which refers to its samples.
fn image(frame: &Frame) -> Result<aom_image_t, EncodeError> {
    let format = match frame.chroma {
        Chroma::Full => AOM_IMG_FMT_I444,
        Chroma::Half | Chroma::None => AOM_IMG_FMT_I420,
    };
    let mut image = MaybeUninit::<aom_image_t>::zeroed();
    let samples = frame.samples.as_ptr().cast_mut();
    // SAFETY: the frame has as many samples as this format. libaom does not write to an image that
    // it encodes.
    let wrapped = unsafe {
        aom_img_wrap(
            image.as_mut_ptr(),
            format,
            frame.width,
            frame.height,
            1,
            samples,
        )
    };
    if wrapped.is_null() {
        return Err(EncodeError("the size is not supported"));
    }

    // SAFETY: the function has written the description.
    let mut image = unsafe { image.assume_init() };
    image.range = AOM_CR_FULL_RANGE;
    image.mc = AOM_CICP_MC_BT_601;
    image.monochrome = (frame.chroma == Chroma::None).into();
    Ok(image)
}

fn check(code: aom_codec_err_t) -> Result<(), EncodeError> {
    if code == AOM_CODEC_OK {
        return Ok(());
    }

    // SAFETY: the function returns a constant.
    let message = unsafe { CStr::from_ptr(aom_codec_err_to_string(code)) };
    Err(EncodeError(message.to_str().unwrap_or("unknown error")))
}
