//! What an address asks for: a storage path, and how it is to be delivered.

use domain::{
    FieldError, FieldErrors, SIGNATURE_PARAMETER, ServiceError, SignatureError, SignedDelivery,
    TRANSFORMATION_PARAMETERS, decoded_parameters, validate_transformation,
};
use http::Uri;
use percent_encoding::percent_decode_str;

/// The parameter that asks for a file to be saved.
const DOWNLOAD: &str = "download";

/// An address, read.
pub(crate) struct Address {
    /// Where the file is, without a leading slash.
    pub(crate) storage_path: String,
    /// Whether the file is to be saved, not shown.
    pub(crate) download: bool,
    /// What is wrong with the rendering that is asked for, where one is.
    pub(crate) rendering: Result<(), FieldErrors>,
    /// What the address proves, where it is signed.
    pub(crate) proof: Option<Result<SignedDelivery, SignatureError>>,
}

impl Address {
    pub(crate) fn read(uri: &Uri) -> Result<Address, ServiceError> {
        let path = percent_decode_str(uri.path()).decode_utf8();
        let path = path.map_err(|_| ServiceError::malformed("The path is not UTF-8."))?;
        let storage_path = path.strip_prefix('/').unwrap_or(&path);
        if path.contains('\0') {
            return Err(ServiceError::malformed("The path holds a NUL."));
        }
        if path.contains("//") {
            return Err(ServiceError::malformed("The path holds an empty segment."));
        }
        if storage_path
            .split(['/', '\\'])
            .any(|segment| segment == "..")
        {
            return Err(ServiceError::malformed("The path holds a `..` segment."));
        }
        let query = uri.query().unwrap_or_default();
        let (parameters, proof) = if let Ok(parameters) = decoded_parameters(query) {
            let proof = SignedDelivery::parse(&path, &parameters);
            (parameters, proof)
        } else {
            // Whatever it says, nobody has signed it.
            let parameters: Vec<_> = form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect();
            let is_signed = parameters
                .iter()
                .any(|(name, _)| name == SIGNATURE_PARAMETER);
            (
                parameters,
                is_signed.then_some(Err(SignatureError::Incomplete)),
            )
        };
        let rendering = require_original(&parameters);
        let download = parameters.iter().any(|(name, _)| name == DOWNLOAD);
        Ok(Address {
            storage_path: storage_path.to_owned(),
            download,
            rendering,
            proof,
        })
    }
}

/// Refuses what asks for a rendering.
fn require_original(parameters: &[(String, String)]) -> Result<(), FieldErrors> {
    validate_transformation(
        parameters
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str())),
    )?;
    let mut field_errors = FieldErrors::default();
    for name in TRANSFORMATION_PARAMETERS {
        if parameters.iter().any(|(given, _)| given == name) {
            field_errors.add(
                name,
                &FieldError::Custom("is not supported yet: files are delivered as they are"),
            );
        }
    }
    if field_errors.is_empty() {
        Ok(())
    } else {
        Err(field_errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ErrorKind;

    fn read(uri: &str) -> Result<(), ErrorKind> {
        Address::read(&uri.parse().expect("a URI"))
            .map(|_| ())
            .map_err(|error| error.kind)
    }

    #[test]
    fn paths_that_could_lead_elsewhere_are_refused() {
        for path in [
            "/a/../b",
            "/a/%2e%2e/b",
            "/a/.%2E",
            "/..",
            "/a//b",
            "/a/%2Fb",
            "//a",
            "/a%00b",
            "/a/..%5Cb",
            "/%ff",
        ] {
            assert_eq!(read(path), Err(ErrorKind::Malformed), "{path}");
        }
    }

    #[test]
    fn an_address_is_a_path_and_what_to_do_with_it() {
        for (uri, storage_path, download, is_signed) in [
            ("/acme01/a.jpg", "acme01/a.jpg", false, false),
            ("/acme01/%61..jpg?download", "acme01/a..jpg", true, false),
            ("/acme01/a.jpg?download=1&v=2", "acme01/a.jpg", true, false),
            ("/acme01/a.jpg?signature", "acme01/a.jpg", false, true),
            ("/acme01/a.jpg?v=%ff&download", "acme01/a.jpg", true, false),
            (
                "/acme01/a.jpg?v=%ff&signature=0",
                "acme01/a.jpg",
                false,
                true,
            ),
        ] {
            let address = Address::read(&uri.parse().expect("a URI")).expect("an address");
            let read = (
                address.storage_path.as_str(),
                address.download,
                address.proof.is_some(),
            );
            assert_eq!(read, (storage_path, download, is_signed), "{uri}");
        }
        for (uri, is_right) in [
            ("/acme01/a.jpg?v=2", true),
            ("/acme01/a.jpg?w=100", false),
            ("/acme01/a.jpg?w=x", false),
        ] {
            let address = Address::read(&uri.parse().expect("a URI")).expect("an address");
            assert_eq!(address.rendering.is_ok(), is_right, "{uri}");
        }
    }
}
