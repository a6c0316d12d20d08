//! Compiles the AV1 encoder of libaom from the source code in the crate `libaom-sys`.
//!
//! Replaces the build of libaom, which needs `CMake`, Perl and nasm; the headers that it generates
//! are in `generated`. Functions are vectorized with intrinsics only; those that have assembly code
//! instead, mostly for motion between frames, are compiled from C. Left out: the decoder, and more
//! than 8 bits per channel.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The version of `libaom-sys` whose headers `generated` has. An option that these headers lack
/// would silently be off.
const GENERATED_FOR: &str = "0.17.2+libaom.3.11.0";

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Optimisation of the compiler. With 3, compiling takes longer and encoding as long.
const OPTIMISATION: u32 = 2;
/// Directories with the source code of the encoder. Each may have a subdirectory for the processor.
const DIRECTORIES: [&str; 11] = [
    "aom/src",
    "aom_dsp",
    "aom_dsp/flow_estimation",
    "aom_mem",
    "aom_scale",
    "aom_scale/generic",
    "aom_util",
    "av1/common",
    "av1/encoder",
    "third_party/fastfeat",
    "third_party/vector",
];
/// Single files of other directories.
const FILES: [&str; 3] = [
    "av1/arg_defs.c",
    "av1/av1_cx_iface.c",
    "common/args_helper.c",
];
/// Parts of the names of files that the encoder does not use with these options.
const UNUSED: &str = "av1_highbd binary_codes_reader bitreader.c blockiness butteraugli cdef_block_ssse3 crc32 debug_util \
                      denoiser dotprod entdec fastssim highbd_ i8mm jnt_variance_ssse3 optical_flow.c psnrhvs saliency_map \
                      sparse_linear_solver subpixel_8t sve tflite thirdpass variance_ssse3.c vmaf";
/// Files that are used although their names contain one of these parts.
const USED: [&str; 2] = ["highbd_fwd_txfm", "highbd_inv_txfm"];
/// Extensions of the instruction set, as names of files end, with the option of the compiler.
const EXTENSIONS: [(&str, &str); 7] = [
    ("_sse2", "-msse2"),
    ("_sse3", "-msse3"),
    ("_ssse3", "-mssse3"),
    ("_sse4", "-msse4.1"),
    ("_sse42", "-msse4.2"),
    ("_avx", "-mavx"),
    ("_avx2", "-mavx2"),
];

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo describes the build in variables"
)]
fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=generated");
    println!("cargo::rerun-if-changed=Cargo.toml");

    let architecture = env::var("CARGO_CFG_TARGET_ARCH")?;
    let subdirectory = match &architecture[..] {
        "x86_64" => "x86",
        "aarch64" => "arm",
        other => return Err(format!("{other} is not supported").into()),
    };
    let generated = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("generated");
    let source = source_directory(&env::var("CARGO")?, &env::var("TARGET")?)?;

    compile(&source, &generated.join(architecture), subdirectory)
}

/// Returns the directory with the source code of libaom.
fn source_directory(cargo: &str, target: &str) -> Result<PathBuf> {
    let metadata = Command::new(cargo)
        .args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform",
            target,
        ])
        .output()?;

    let metadata: Value = serde_json::from_slice(&metadata.stdout)
        .map_err(|_| String::from_utf8_lossy(&metadata.stderr).into_owned())?;

    let packages = metadata["packages"].as_array().into_iter().flatten();
    let manifest = packages
        .filter(|package| package["name"] == "libaom-sys")
        .find(|package| package["version"] == GENERATED_FOR)
        .and_then(|package| package["manifest_path"].as_str())
        .ok_or_else(|| format!("generated/ has the headers of libaom-sys {GENERATED_FOR}"))?;

    Ok(Path::new(manifest).with_file_name("vendor"))
}

/// Compiles the encoder with generated headers. `subdirectory` has the source code for the
/// processor.
fn compile(source: &Path, generated: &Path, subdirectory: &str) -> Result<()> {
    let mut build = cc::Build::new();
    build
        .include(generated)
        .include(source)
        .include(source.join("third_party/SVT-AV1"))
        .define("_GNU_SOURCE", None)
        .define("NDEBUG", None)
        .std("c11")
        .flag_if_supported("-ffunction-sections")
        .flag_if_supported("-fdata-sections")
        // Without optimisation, tests would take minutes.
        .opt_level(OPTIMISATION)
        .debug(false)
        .warnings(false);

    let files = source_files(source, subdirectory)?;
    let mut library = build.clone();
    for (suffix, option) in EXTENSIONS {
        let (extended, _): (Vec<_>, Vec<_>) =
            files.iter().partition(|file| has_suffix(file, suffix));
        let objects = build
            .clone()
            .flag(option)
            .files(extended)
            .try_compile_intermediates()?;
        library.objects(objects);
    }
    let portable = files.iter().filter(|file| {
        !EXTENSIONS
            .iter()
            .any(|(suffix, _)| has_suffix(file, suffix))
    });
    library.files(portable).try_compile("aom")?;
    Ok(())
}

fn has_suffix(file: &Path, suffix: &str) -> bool {
    file.file_stem()
        .is_some_and(|stem| stem.to_string_lossy().ends_with(suffix))
}

/// Returns the files of the encoder, for every processor and for one architecture.
fn source_files(source: &Path, subdirectory: &str) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = FILES.iter().map(|file| source.join(file)).collect();
    for directory in DIRECTORIES {
        let directory = source.join(directory);
        for directory in [directory.join(subdirectory), directory] {
            let Ok(entries) = fs::read_dir(directory) else {
                continue;
            };
            for entry in entries {
                files.push(entry?.path());
            }
        }
    }

    files.retain(|file| is_used(file));
    files.sort();
    Ok(files)
}

fn is_used(file: &Path) -> bool {
    let path = file.to_string_lossy();
    let contains = |part: &str| path.contains(part);
    file.extension().is_some_and(|extension| extension == "c")
        && (USED.into_iter().any(contains) || !UNUSED.split_whitespace().any(contains))
}
