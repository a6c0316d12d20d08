//! Parses the URL of a delivery: the storage path, and the query parameters.

use domain::{
    errors::{FieldErrors, ServiceError},
    renditions::Transformation,
    signing::{
        QueryParameter, SIGNATURE_PARAMETER, SignatureError, SignedDelivery, decoded_parameters,
    },
};
use http::Uri;
use percent_encoding::percent_decode_str;

/// Query parameter that requests `Content-Disposition: attachment`.
const DOWNLOAD: &str = "download";

/// The parsed URL of a delivery.
pub(crate) struct DeliveryRequest {
    /// Storage path of the file, without a leading slash.
    pub(crate) storage_path: String,
    /// Whether the client saves the file instead of showing it.
    pub(crate) download: bool,
    /// The requested transformation; `None` requests the original.
    pub(crate) transformation: Result<Option<Transformation>, FieldErrors>,
    /// The signature; `None` if the URL has none.
    pub(crate) signature: Option<Result<SignedDelivery, SignatureError>>,
}

impl DeliveryRequest {
    /// Parses a URL. Fails with 400 if its path is malformed.
    pub(crate) fn parse(uri: &Uri) -> Result<DeliveryRequest, ServiceError> {
        require_plain_slashes(uri.path())?;
        let path = percent_decode_str(uri.path())
            .decode_utf8()
            .map_err(|_| ServiceError::malformed("The path is not UTF-8."))?;
        require_canonical(&path)?;

        let query = uri.query().unwrap_or_default();
        let parameters;
        let signature;
        if let Ok(decoded) = decoded_parameters(query) {
            signature = SignedDelivery::parse(&path, &decoded);
            parameters = decoded;
        } else {
            // A query that cannot be decoded has no valid signature.
            parameters = decode_lossy(query);
            let is_signed = has_parameter(&parameters, SIGNATURE_PARAMETER);
            signature = is_signed.then_some(Err(SignatureError::Incomplete));
        }

        Ok(DeliveryRequest {
            storage_path: path.strip_prefix('/').unwrap_or(&path).to_owned(),
            download: has_parameter(&parameters, DOWNLOAD),
            transformation: Transformation::parse(&parameters),
            signature,
        })
    }
}

/// Fails if an undecoded path contains an encoded slash, which is no separator of segments: proxies
/// and caches treat such a URL as another one.
fn require_plain_slashes(path: &str) -> Result<(), ServiceError> {
    if path.to_ascii_lowercase().contains("%2f") {
        return Err(ServiceError::malformed(
            "The path contains an encoded slash. Write it as `/`.",
        ));
    }
    Ok(())
}

/// Fails if a path contains NUL, empty or `..` segments.
fn require_canonical(path: &str) -> Result<(), ServiceError> {
    if path.contains('\0') {
        return Err(ServiceError::malformed(
            "The path contains a NUL character.",
        ));
    }
    if path.contains("//") {
        return Err(ServiceError::malformed(
            "The path contains an empty segment.",
        ));
    }
    if path.split(['/', '\\']).any(|segment| segment == "..") {
        return Err(ServiceError::malformed("The path contains a `..` segment."));
    }
    Ok(())
}

fn decode_lossy(query: &str) -> Vec<QueryParameter<'_>> {
    form_urlencoded::parse(query.as_bytes())
        .map(|(name, value)| QueryParameter { name, value })
        .collect()
}

fn has_parameter(parameters: &[QueryParameter<'_>], name: &str) -> bool {
    parameters.iter().any(|parameter| parameter.name == name)
}

#[cfg(test)]
mod tests {
    use domain::errors::ErrorKind;

    use super::*;

    fn parse(uri: &str) -> Result<DeliveryRequest, ServiceError> {
        DeliveryRequest::parse(&uri.parse().expect("a URI"))
    }

    #[test]
    fn ambiguous_path_is_rejected() {
        for path in [
            "/a/../b",
            "/a/%2e%2e/b",
            "/a/.%2E",
            "/..",
            "/a//b",
            "/a/%2Fb",
            "/a%2Fb",
            "/a%2fb",
            "//a",
            "/a%00b",
            "/a/..%5Cb",
            "/%ff",
        ] {
            let kind = parse(path).err().map(|error| error.kind);
            assert_eq!(kind, Some(ErrorKind::Malformed), "{path}");
        }
    }

    #[test]
    fn url_has_storage_path_download_flag_and_signature() {
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
            let request = parse(uri).expect("a delivery request");

            assert_eq!(request.storage_path, storage_path, "{uri}");
            assert_eq!(request.download, download, "{uri}");
            assert_eq!(request.signature.is_some(), is_signed, "{uri}");
        }
    }

    #[test]
    fn url_has_a_transformation_if_a_parameter_requests_one() {
        for (uri, expected) in [
            ("/acme01/a.jpg?v=2", Some(None)),
            ("/acme01/a.jpg?w=100&v=2", Some(Some("w=100"))),
            ("/acme01/a.jpg?w=%31%30", Some(Some("w=10"))),
            ("/acme01/a.jpg?w=x", None),
        ] {
            let request = parse(uri).expect("a delivery request");
            let transformation = request.transformation.ok();
            let canonical = transformation.map(|parsed| parsed.map(|parsed| parsed.to_string()));

            assert_eq!(
                canonical,
                expected.map(|expected| expected.map(str::to_owned)),
                "{uri}"
            );
        }
    }
}
