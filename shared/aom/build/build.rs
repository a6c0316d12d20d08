//! Compiles the AV1 encoder of libaom from the source code in the crate `libaom-sys`.
//!
//! Replaces the build of libaom, which needs `CMake`, Perl and nasm. Functions are vectorized with
//! intrinsics only; those that have assembly code instead, mostly for motion between frames, are
//! compiled from C. Left out: the decoder, and more than 8 bits per channel.

mod dispatch;

use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use dispatch::Architecture;
use serde_json::Value;

/// Options of libaom by name.
type Options<'t> = BTreeMap<&'t str, &'t str>;
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Optimisation of the compiler. With 3, compiling takes longer and encoding as long.
const OPTIMISATION: u32 = 2;
/// Version of libaom, which only a program that links it dynamically asks for.
const VERSION: &str =
    "#define VERSION_PACKED 0\n#define VERSION_STRING_NOSP \"\"\n#define VERSION_EXTRA \"\"\n";
/// Start of the header with the options. One function in assembly code is called by its name.
const CONFIG_START: &str =
    "#pragma once\n#define INLINE inline\n#define aom_subtract_block_sse2 aom_subtract_block_c\n";
/// Options of libaom that differ from its defaults, for every processor.
const OPTIONS: &str = "CONFIG_AV1_DECODER 0 CONFIG_AV1_HIGHBITDEPTH 0 CONFIG_GCC 1 CONFIG_LIBYUV 0 CONFIG_MULTITHREAD 1 \
                       CONFIG_OS_SUPPORT 1 CONFIG_WEBM_IO 0 HAVE_FEXCEPT 1 HAVE_PTHREAD_H 1 HAVE_UNISTD_H 1";
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
/// The definitions of functions that have an implementation per processor, by the header that
/// declares them.
const DISPATCHED: [(&str, &str); 3] = [
    ("aom_dsp_rtcd", "aom_dsp/aom_dsp_rtcd_defs.pl"),
    ("aom_scale_rtcd", "aom_scale/aom_scale_rtcd.pl"),
    ("av1_rtcd", "av1/common/av1_rtcd_defs.pl"),
];

#[expect(
    clippy::disallowed_methods,
    reason = "Cargo describes the build in variables"
)]
fn main() -> Result<()> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=Cargo.toml");

    let architecture = match &env::var("CARGO_CFG_TARGET_ARCH")?[..] {
        "x86_64" => dispatch::X86_64,
        "aarch64" => dispatch::AARCH64,
        other => return Err(format!("{other} is not supported").into()),
    };
    let source = source_directory(&env::var("CARGO")?, &env::var("TARGET")?)?;
    let generated = PathBuf::from(env::var("OUT_DIR")?);

    generate(&source, &generated.join("config"), &architecture)?;
    compile(&source, &generated, &architecture)
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
        .find_map(|package| package["manifest_path"].as_str())
        .ok_or("libaom-sys is no dependency")?;

    Ok(Path::new(manifest).with_file_name("vendor"))
}

/// Writes the headers that depend on the options and the processor.
fn generate(source: &Path, directory: &Path, architecture: &Architecture) -> Result<()> {
    fs::create_dir_all(directory)?;
    let defaults = fs::read_to_string(source.join("build/cmake/aom_config_defaults.cmake"))?;
    let options = options(&defaults, architecture);

    let mut config = CONFIG_START.to_owned();
    for (name, value) in &options {
        writeln!(config, "#define {name} {value}")?;
    }
    fs::write(directory.join("aom_config.h"), config)?;
    fs::write(directory.join("aom_version.h"), VERSION)?;

    for (name, program) in DISPATCHED {
        let program = fs::read_to_string(source.join(program))?;
        let header = dispatch::header(&program, &options, architecture)?;
        fs::write(directory.join(name).with_extension("h"), header)?;
    }
    Ok(())
}

/// Returns the options of libaom with a numeric value: the defaults in its build files, and ours.
fn options<'t>(defaults: &'t str, architecture: &'t Architecture) -> Options<'t> {
    let mut options = Options::new();
    for call in defaults.split("_var(").skip(1) {
        let mut words = call.split_whitespace();
        if let (Some(name), Some(value)) = (words.next(), words.next())
            && value.parse::<u32>().is_ok()
        {
            options.insert(name, value);
        }
    }

    let mut own = OPTIONS
        .split_whitespace()
        .chain(architecture.options.split_whitespace());
    while let (Some(name), Some(value)) = (own.next(), own.next()) {
        options.insert(name, value);
    }
    options
}

fn compile(source: &Path, generated: &Path, architecture: &Architecture) -> Result<()> {
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

    let files = source_files(source, architecture)?;
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
fn source_files(source: &Path, architecture: &Architecture) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = FILES.iter().map(|file| source.join(file)).collect();
    for directory in DIRECTORIES {
        let directory = source.join(directory);
        for directory in [directory.join(architecture.directory), directory] {
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
