//! Detection of file names that desktops or web servers execute.

use crate::{errors::FieldError, naming::OriginalName, uploads::ValidationRules};

/// Extensions that are executable at the end of a name.
const EXECUTABLE_AS_LAST: [&str; 15] = [
    "exe", "msi", "bat", "cmd", "scr", "pif", "cpl", "ps1", "vbs", "vbe", "wsf", "hta", "jar",
    "sh", "bash",
];
/// Extensions that web servers execute, some servers also when another extension follows.
const EXECUTABLE_BY_SERVERS: [&str; 8] =
    ["phtml", "phar", "asp", "aspx", "jsp", "jspx", "cgi", "pl"];
/// Prefix of all PHP extensions.
const PHP: &str = "php";

/// Error for an executable file.
pub const EXECUTABLE_FILE: FieldError = FieldError::Custom("must not be an executable file");

/// Rejects names with an executable extension, except for extensions in `allowed_formats`.
pub fn reject_executable_name(
    name: &OriginalName,
    rules: &ValidationRules,
) -> Result<(), FieldError> {
    let parts = name.parts();

    // Desktops ignore trailing dots and spaces, and some servers everything after a semicolon or a
    // colon.
    let strip_suffix = |part: &'_ str| {
        part.split([';', ':'])
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let extensions: Vec<String> = parts[1..]
        .iter()
        .map(|part| strip_suffix(part))
        .filter(|part| !part.is_empty())
        .collect();
    let Some((last, middle)) = extensions.split_last() else {
        return Ok(());
    };

    let is_rejected =
        |extension: &String| is_server_executable(extension) && !rules.allows(extension);
    if (is_executable(last) && !rules.allows(last)) || middle.iter().any(is_rejected) {
        Err(EXECUTABLE_FILE)
    } else {
        Ok(())
    }
}

/// Whether desktops or web servers execute files whose last extension is this, in lower case.
pub fn is_executable(extension: &str) -> bool {
    EXECUTABLE_AS_LAST.contains(&extension) || is_server_executable(extension)
}

fn is_server_executable(extension: &str) -> bool {
    extension.starts_with(PHP) || EXECUTABLE_BY_SERVERS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executable_names_are_rejected() {
        let is_rejected = |name| {
            reject_executable_name(&OriginalName::clean(name), &ValidationRules::default()).is_err()
        };
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
            assert!(is_rejected(name), "{name}");
        }

        for name in [
            "a.jpg",
            "exe",
            "a.exe.jpg",
            "sh.txt",
            "bash",
            "readme",
            "a.b.c",
            "jar.tar.gz",
        ] {
            assert!(!is_rejected(name), "{name}");
        }
    }
}
