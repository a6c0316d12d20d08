//! What an address asks for: a storage path, and how it is to be delivered.

use domain::{Fault, Violation, Violations};
use http::Uri;
use percent_encoding::percent_decode_str;

/// Parameters that ask for another rendering than the original.
const RENDERING_PARAMETERS: [&str; 6] = ["w", "h", "r", "g", "f", "q"];

/// An address, read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Where the file is, without a leading slash.
    pub(crate) storage_path: String,
    /// Whether the file is to be saved, not shown.
    pub(crate) download: bool,
}

impl Address {
    pub(crate) fn read(uri: &Uri) -> Result<Address, Fault> {
        let path = percent_decode_str(uri.path()).decode_utf8();
        let path = path.map_err(|_| Fault::malformed("The path is not UTF-8."))?;
        let storage_path = path.strip_prefix('/').unwrap_or(&path);
        if path.contains('\0') {
            return Err(Fault::malformed("The path holds a NUL."));
        }
        if path.contains("//") {
            return Err(Fault::malformed("The path holds an empty segment."));
        }
        if storage_path.split(['/', '\\']).any(|segment| segment == "..") {
            return Err(Fault::malformed("The path holds a `..` segment."));
        }
        let mut address = Address { storage_path: storage_path.to_owned(), download: false };
        let mut violations = Violations::default();
        for (name, _) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
            if name == "download" {
                address.download = true;
            } else if RENDERING_PARAMETERS.contains(&&*name) {
                violations.add(&name, &Violation::Must("is not supported yet: files are delivered as they are"));
            }
        }
        if violations.is_empty() { Ok(address) } else { Err(violations.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::FaultKind;

    fn read(uri: &str) -> Result<Address, FaultKind> {
        Address::read(&uri.parse().expect("a URI")).map_err(|fault| fault.kind)
    }

    #[test]
    fn paths_that_could_lead_elsewhere_are_refused() {
        for path in
            ["/a/../b", "/a/%2e%2e/b", "/a/.%2E", "/..", "/a//b", "/a/%2Fb", "//a", "/a%00b", "/a/..%5Cb", "/%ff"]
        {
            assert_eq!(read(path), Err(FaultKind::Malformed), "{path}");
        }
    }

    #[test]
    fn an_address_is_a_path_and_what_to_do_with_it() {
        let address = |storage_path: &str, download| Ok(Address { storage_path: storage_path.to_owned(), download });
        assert_eq!(read("/acme01/a.jpg"), address("acme01/a.jpg", false));
        assert_eq!(read("/acme01/%61..jpg?download"), address("acme01/a..jpg", true));
        assert_eq!(read("/acme01/a.jpg?download=1&v=2"), address("acme01/a.jpg", true));
        assert_eq!(read("/acme01/a.jpg?w=100"), Err(FaultKind::Invalid));
    }
}
