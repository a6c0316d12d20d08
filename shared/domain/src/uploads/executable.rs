//! Names of files that a browser, a web server or a desktop could be made to run.

use crate::{FieldError, OriginalName, ValidationRules};

/// Last extensions that desktops and servers run.
const RUN_AS_LAST: [&str; 15] = [
    "exe", "msi", "bat", "cmd", "scr", "pif", "cpl", "ps1", "vbs", "vbe", "wsf", "hta", "jar",
    "sh", "bash",
];
/// Extensions that web servers run, and some of them also when another extension follows.
const RUN_BY_SERVERS: [&str; 8] = ["phtml", "phar", "asp", "aspx", "jsp", "jspx", "cgi", "pl"];
/// What every extension of PHP begins with.
const PHP: &str = "php";

/// What is said of such a file.
pub const EXECUTABLE_FILE: FieldError = FieldError::Custom("must not be an executable file");

/// Refuses by the extensions of a name that something would run, but for those that the config
/// allows by name.
pub fn reject_executable_name(
    name: &OriginalName,
    rules: &ValidationRules,
) -> Result<(), FieldError> {
    let parts = name.parts();
    // Desktops drop dots and spaces from the end of a name, and some servers what follows a
    // semicolon or a colon.
    let bare = |part: &'_ str| {
        part.split([';', ':'])
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let extensions: Vec<String> = parts[1..]
        .iter()
        .map(|part| bare(part))
        .filter(|part| !part.is_empty())
        .collect();
    let Some((last, middle)) = extensions.split_last() else {
        return Ok(());
    };
    let is_run = |extension: &String| runs_on_servers(extension) && !rules.allows(extension);
    let refused = (is_executable(last) && !rules.allows(last)) || middle.iter().any(is_run);
    if refused {
        Err(EXECUTABLE_FILE)
    } else {
        Ok(())
    }
}

/// Whether desktops or servers run files of this last extension, in lower case.
pub fn is_executable(extension: &str) -> bool {
    RUN_AS_LAST.contains(&extension) || runs_on_servers(extension)
}

fn runs_on_servers(extension: &str) -> bool {
    extension.starts_with(PHP) || RUN_BY_SERVERS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_something_would_run_are_refused() {
        let refused = |name| {
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
            assert!(refused(name), "{name}");
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
            assert!(!refused(name), "{name}");
        }
    }
}
