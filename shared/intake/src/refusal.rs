//! Files that are refused whoever sends them, since their bytes are those of a program.

use domain::{EXECUTABLE, ValidationRules, Violation, is_executable};

use crate::text::is_text;

/// Refuses native executables: ELF, Mach-O, and all that Windows and DOS run, which begin with `MZ` as texts may. A
/// config that allows any executable by name takes them.
pub(crate) fn by_bytes(head: &[u8], rules: &ValidationRules) -> Result<(), Violation> {
    let native = infer::app::is_elf(head) || infer::app::is_mach(head) || (head.starts_with(b"MZ") && !is_text(head));
    let allowed = rules.allowed_formats.iter().flatten().any(|allowed| is_executable(allowed.as_str()));
    if native && !allowed { Err(EXECUTABLE) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
