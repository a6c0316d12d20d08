//! Files that are refused whoever sends them, since a browser, a web server or a desktop could be made to run them.

use domain::{OriginalName, ValidationRules, Violation};

use crate::text::is_text;

/// Last extensions that desktops and servers run.
const RUN_AS_LAST: [&str; 15] =
    ["exe", "msi", "bat", "cmd", "scr", "pif", "cpl", "ps1", "vbs", "vbe", "wsf", "hta", "jar", "sh", "bash"];
/// Extensions that web servers run, and some of them also when another extension follows.
const RUN_BY_SERVERS: [&str; 8] = ["phtml", "phar", "asp", "aspx", "jsp", "jspx", "cgi", "pl"];
/// What every extension of PHP begins with.
const PHP: &str = "php";

/// What is said of such a file.
const EXECUTABLE: Violation = Violation::Must("must not be an executable file");

/// Refuses by the extensions of a name that something would run, but for those that the config allows by name.
pub(crate) fn by_name(name: &OriginalName, rules: &ValidationRules) -> Result<(), Violation> {
    let parts = name.parts();
    // Desktops drop dots and spaces from the end of a name, and some servers what follows a semicolon or a colon.
    let bare = |part: &'_ str| part.split([';', ':']).next().unwrap_or_default().trim().to_owned();
    let extensions: Vec<String> = parts[1..].iter().map(|part| bare(part)).filter(|part| !part.is_empty()).collect();
    let Some((last, middle)) = extensions.split_last() else { return Ok(()) };
    let is_run = |extension: &String| runs_on_servers(extension) && !allows(rules, extension);
    let refused = (runs(last) && !allows(rules, last)) || middle.iter().any(is_run);
    if refused { Err(EXECUTABLE) } else { Ok(()) }
}

/// Whether a config allows an extension by name.
pub(crate) fn allows(rules: &ValidationRules, extension: &str) -> bool {
    rules.allowed_formats.iter().flatten().any(|allowed| allowed.as_str() == extension)
}

/// Whether desktops or servers run files of this last extension, in lower case.
pub(crate) fn runs(extension: &str) -> bool {
    RUN_AS_LAST.contains(&extension) || runs_on_servers(extension)
}

fn runs_on_servers(extension: &str) -> bool {
    extension.starts_with(PHP) || RUN_BY_SERVERS.contains(&extension)
}

/// Refuses native executables: ELF, Mach-O, and all that Windows and DOS run, which begin with `MZ` as texts may. A
/// config that allows any executable by name takes them.
pub(crate) fn by_bytes(head: &[u8], rules: &ValidationRules) -> Result<(), Violation> {
    let native = infer::app::is_elf(head) || infer::app::is_mach(head) || (head.starts_with(b"MZ") && !is_text(head));
    let allowed = rules.allowed_formats.iter().flatten().any(|allowed| runs(allowed.as_str()));
    if native && !allowed { Err(EXECUTABLE) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_something_would_run_are_refused() {
        let refused = |name| by_name(&OriginalName::clean(name), &ValidationRules::default()).is_err();
        for name in [
            "a.exe",
            "a.EXE",
            "photo.jpg.exe",
            "a.php",
            "a.php7.jpg",
            "a.phtml",
            "a.aspx.png",
            "x.sh",
            ".php",
            "a.exe.",
            "a.exe. .",
            "a.asp;.jpg",
            "a.exe::$DATA",
        ] {
            assert!(refused(name), "{name}");
        }
        for name in ["a.jpg", "exe", "a.exe.jpg", "sh.txt", "bash", "readme", "a.b.c", "jar.tar.gz"] {
            assert!(!refused(name), "{name}");
        }
    }

    #[test]
    fn native_executables_are_told_by_their_bytes() {
        let judged = |head: &[u8]| by_bytes(head, &ValidationRules::default());
        let mut windows = vec![0; 256];
        windows[..2].copy_from_slice(b"MZ");
        windows[0x3C] = 0x80;
        assert!(judged(&windows).is_err(), "as DOS has it");
        windows[0x80..0x84].copy_from_slice(b"PE\0\0");
        assert!(judged(&windows).is_err());
        assert!(judged(b"MZ\x90\0").is_err(), "cut short");
        assert!(judged(&[&b"\x7fELF\x02\x01\x01\0"[..], &[0; 60]].concat()).is_err());
        assert!(judged(b"MZ is how this sentence begins.").is_ok());
    }
}
