//! Headers that choose the implementation of a function by processor.
//!
//! libaom defines these functions in small Perl programs, from which its own build generates the
//! headers. This module evaluates as much of Perl as the programs need: definitions of functions
//! and of their variants, in loops and conditions.

mod perl;
mod tokens;

use std::fmt::Write as _;

use crate::{Options, Result};

/// A processor architecture.
pub(crate) struct Architecture {
    /// Name in the source code of libaom.
    pub(crate) name: &'static str,
    /// Subdirectories with its source code.
    pub(crate) directory: &'static str,
    /// Options of libaom.
    pub(crate) options: &'static str,
    /// Instruction sets that all its processors have.
    baseline: &'static [&'static str],
    /// Instruction sets that are detected when the program runs.
    detected: &'static [&'static str],
    /// Statement that detects them.
    detection: &'static str,
}

pub(crate) const X86_64: Architecture = Architecture {
    name: "x86_64",
    directory: "x86",
    options: "AOM_ARCH_X86_64 1 HAVE_MMX 1 HAVE_SSE 1 HAVE_SSE2 1 HAVE_SSE3 1 HAVE_SSSE3 1 HAVE_SSE4_1 1 HAVE_SSE4_2 1 \
              HAVE_AVX 1 HAVE_AVX2 1",
    baseline: &["c", "sse2"],
    detected: &["sse3", "ssse3", "sse4_1", "sse4_2", "avx", "avx2"],
    detection: "#include \"aom_ports/x86.h\"\nstatic void setup_rtcd_internal(void) {\n  int flags = x86_simd_caps();\n  (void)flags;\n",
};

pub(crate) const AARCH64: Architecture = Architecture {
    name: "arm64",
    directory: "arm",
    options: "AOM_ARCH_ARM 1 AOM_ARCH_AARCH64 1 HAVE_NEON 1 CONFIG_RUNTIME_CPU_DETECT 0",
    baseline: &["c", "neon"],
    detected: &[],
    detection: "static void setup_rtcd_internal(void) {\n",
};

/// Parts of the names of functions whose implementation for an instruction set is assembly code.
const ASSEMBLY: [(&str, &str); 3] = [
    (
        "sse2",
        "aom_sad aom_subtract_block av1_block_error aom_ssim_parms_8x8",
    ),
    (
        "ssse3",
        "sub_pixel aom_quantize_b aom_convolve8_ av1_quantize_fp aom_scaled_2d aom_dist_wtd_comp_avg_pred",
    ),
    ("avx2", "aom_convolve8_"),
];
/// Predictors that are assembly code for SSE2 in these sizes.
const ASSEMBLY_PREDICTORS: &str =
    "aom_dc_p aom_dc_128_p aom_dc_left_p aom_dc_top_p aom_h_p aom_v_p";
const ASSEMBLY_SIZES: &str = "_4x4 _8x8 _16x16 _32x32";

/// A function with one or more implementations.
struct Function {
    return_type: String,
    name: String,
    parameters: String,
    /// Suffixes of the names of its implementations.
    variants: Vec<String>,
}

impl Function {
    fn name_of(&self, variant: &str) -> String {
        format!("{}_{variant}", self.name)
    }
}

/// Returns the header with the functions of a Perl program.
pub(crate) fn header(
    program: &str,
    options: &Options<'_>,
    architecture: &Architecture,
) -> Result<String> {
    let (preamble, functions) = perl::evaluate(program, options, architecture.name)?;
    let mut declarations = String::new();
    let mut setup = String::new();
    for function in &functions {
        declare(function, architecture, &mut declarations, &mut setup)?;
    }

    Ok(format!(
        "#pragma once\n#include \"config/aom_config.h\"\n\
         #ifdef RTCD_C\n#define RTCD_EXTERN\n#else\n#define RTCD_EXTERN extern\n#endif\n\
         {preamble}\n{declarations}void aom_dsp_rtcd(void);\nvoid aom_scale_rtcd(void);\nvoid av1_rtcd(void);\n\
         #ifdef RTCD_C\n{}{setup}}}\n#endif\n",
        architecture.detection,
    ))
}

/// Declares the implementations of a function. If one of them depends on a detected instruction
/// set, the function is a pointer, which `setup` sets.
fn declare(
    function: &Function,
    architecture: &Architecture,
    declarations: &mut String,
    setup: &mut String,
) -> Result<()> {
    let Function {
        return_type,
        name,
        parameters,
        ..
    } = function;

    let is_implemented = |set: &&&str| {
        **set == "c"
            || (function.variants.iter().any(|variant| variant == **set) && !is_assembly(name, set))
    };
    let baseline: Vec<_> = architecture
        .baseline
        .iter()
        .filter(is_implemented)
        .collect();
    let detected: Vec<_> = architecture
        .detected
        .iter()
        .filter(is_implemented)
        .collect();
    for set in baseline.iter().chain(&detected) {
        writeln!(
            declarations,
            "{return_type} {}({parameters});",
            function.name_of(set)
        )?;
    }

    let default = function.name_of(baseline.last().ok_or("no implementation in C")?);
    if detected.is_empty() {
        writeln!(declarations, "#define {name} {default}")?;
        return Ok(());
    }

    writeln!(
        declarations,
        "RTCD_EXTERN {return_type} (*{name})({parameters});"
    )?;
    writeln!(setup, "  {name} = {default};")?;
    for set in detected {
        let flag = set.to_uppercase();
        writeln!(
            setup,
            "  if (flags & HAS_{flag}) {name} = {};",
            function.name_of(set)
        )?;
    }
    Ok(())
}

/// Whether an implementation is written in assembly code.
fn is_assembly(name: &str, set: &str) -> bool {
    let contains_any = |parts: &str| parts.split_whitespace().any(|part| name.contains(part));
    let is_predictor =
        set == "sse2" && contains_any(ASSEMBLY_PREDICTORS) && contains_any(ASSEMBLY_SIZES);
    let is_listed = |(of, parts): &(&str, &str)| *of == set && contains_any(parts);

    is_predictor || ASSEMBLY.iter().any(is_listed)
}
