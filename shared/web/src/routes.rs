//! The one table of the API's routes, and the routers made from it.
//!
//! Invariant: a path is spelled here and in the template, nowhere else; a function mounts exactly its routes of this
//! table, and a test holds table and template together.

use axum::{
    Router,
    extract::Request,
    handler::Handler,
    response::{IntoResponse, Response},
    routing::{MethodFilter, on},
};
use domain::{Fault, FaultKind};
use http::{HeaderValue, Method, StatusCode, header};

use crate::{Failure, with_layers};

/// Seconds for which a browser may remember a preflight's answer.
const PREFLIGHT_SECONDS: u32 = 7_200;

/// One route of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Binary of the function that answers it.
    pub function: &'static str,
    /// The HTTP method.
    pub method: &'static str,
    /// The whole path, parameters in braces.
    pub path: &'static str,
}

macro_rules! routes {
    ($($(#[$doc:meta])* $name:ident: $function:literal, $method:literal, $path:literal;)+) => {
        $(
            $(#[$doc])*
            pub const $name: Route = Route { function: $function, method: $method, path: concat!("/api/v1", $path) };
        )+
        /// Every route of the API.
        pub const ALL: &[Route] = &[$($name),+];
    };
}

routes! {
    /// Lists the spaces that the caller may see.
    LIST_SPACES: "spaces", "GET", "/spaces";
    /// Makes a space.
    CREATE_SPACE: "spaces", "POST", "/spaces";
    /// Deletes a space.
    DELETE_SPACE: "spaces", "DELETE", "/spaces";
    /// Shows a space.
    GET_SPACE: "spaces", "GET", "/spaces/{id}";
    /// Changes a space.
    UPDATE_SPACE: "spaces", "PUT", "/spaces/{id}";
    /// Changes who may see the files of a space.
    SET_SPACE_ACCESS_CONTROL: "spaces", "PUT", "/spaces/{id}/access-control";
    /// Gives a space the default access control.
    RESET_SPACE_ACCESS_CONTROL: "spaces", "DELETE", "/spaces/{id}/access-control";
    /// Replaces the security settings of a space.
    SET_SPACE_SECURITY: "spaces", "PUT", "/spaces/{id}/security";
    /// Gives a space the default security settings.
    RESET_SPACE_SECURITY: "spaces", "DELETE", "/spaces/{id}/security";
    /// Shows the secret that a space's addresses are signed by.
    GET_SIGNING_SECRET: "spaces", "GET", "/spaces/{id}/signing-secret";
    /// Gives a space another secret to sign by.
    ROTATE_SIGNING_SECRET: "spaces", "POST", "/spaces/{id}/signing-secret/rotate";
    /// Makes a key of a space.
    CREATE_KEY: "spaces", "POST", "/spaces/{id}/api-keys";
    /// Lists the keys of a space.
    LIST_KEYS: "spaces", "GET", "/spaces/{id}/api-keys";
    /// Revokes a key of a space.
    REVOKE_KEY: "spaces", "DELETE", "/spaces/{id}/api-keys/{keyId}";
    /// Shows who is calling.
    GET_ACCOUNT: "spaces", "GET", "/account";
    /// Changes the caller's account.
    UPDATE_ACCOUNT: "spaces", "PUT", "/account";
    /// Makes an account key.
    CREATE_ACCOUNT_KEY: "spaces", "POST", "/account/api-keys";
    /// Lists the caller's account keys.
    LIST_ACCOUNT_KEYS: "spaces", "GET", "/account/api-keys";
    /// Revokes an account key.
    REVOKE_ACCOUNT_KEY: "spaces", "DELETE", "/account/api-keys/{keyId}";
    /// Lists the upload configs of a space.
    LIST_UPLOAD_CONFIGS: "upload-configs", "GET", "/upload-configs";
    /// Lists the upload configs of every space of the caller.
    LIST_ALL_UPLOAD_CONFIGS: "upload-configs", "GET", "/upload-configs/all";
    /// Makes an upload config.
    CREATE_UPLOAD_CONFIG: "upload-configs", "POST", "/upload-configs";
    /// Changes an upload config.
    UPDATE_UPLOAD_CONFIG: "upload-configs", "POST", "/upload-configs/update";
    /// Deletes an upload config.
    DELETE_UPLOAD_CONFIG: "upload-configs", "DELETE", "/upload-configs";
    /// Shows an upload config.
    GET_UPLOAD_CONFIG: "upload-configs", "GET", "/upload-configs/{id}";
    /// Uploads files.
    UPLOAD: "uploads", "POST", "/upload";
    /// Makes a signed address to upload to.
    GENERATE_SIGNED_URL: "uploads", "POST", "/upload/generate-signed-url";
    /// Uploads a file by a signed address.
    UPLOAD_SIGNED: "uploads", "POST", "/upload/signed";
    /// Uploads a file without a key.
    UPLOAD_UNSIGNED: "uploads", "POST", "/upload/unsigned/{spaceHandle}/{configName}";
    /// Announces a file whose bytes go to storage itself.
    PRESIGN: "uploads", "POST", "/upload/presign";
    /// Announces a file by a signed address.
    PRESIGN_SIGNED: "uploads", "POST", "/upload/signed/presign";
    /// Announces a file without a key.
    PRESIGN_UNSIGNED: "uploads", "POST", "/upload/unsigned/{spaceHandle}/{configName}/presign";
    /// Takes in a file whose bytes were sent to storage.
    CONFIRM: "uploads", "POST", "/upload/confirm/{fileId}";
    /// Lists the files of a space.
    LIST_FILES: "files", "GET", "/files";
    /// Changes the file that the body names.
    UPDATE_NAMED_FILE: "files", "PUT", "/files";
    /// Deletes the file that the query or the body names.
    DELETE_NAMED_FILE: "files", "DELETE", "/files";
    /// Shows the newest file of a reference.
    GET_FILE_BY_REF: "files", "GET", "/files/by-ref";
    /// Shows where many files are delivered.
    FILE_URLS: "files", "POST", "/files/urls";
    /// Shows a file.
    GET_FILE: "files", "GET", "/files/{id}";
    /// Changes a file.
    UPDATE_FILE: "files", "PUT", "/files/{id}";
    /// Deletes a file.
    DELETE_FILE: "files", "DELETE", "/files/{id}";
    /// Makes a signed address that delivers a file.
    SIGN_FILE_URL: "files", "POST", "/files/{id}/signed-url";
    /// Changes who may see a file.
    SET_FILE_ACCESS_CONTROL: "files", "PUT", "/files/{id}/access-control";
    /// Lets a file inherit who may see it.
    RESET_FILE_ACCESS_CONTROL: "files", "DELETE", "/files/{id}/access-control";
    /// Lists the folders of a space.
    LIST_FOLDERS: "folders", "GET", "/folders";
    /// Makes a folder.
    CREATE_FOLDER: "folders", "POST", "/folders";
    /// Shows a folder.
    GET_FOLDER: "folders", "GET", "/folders/{id}";
    /// Renames or moves a folder.
    UPDATE_FOLDER: "folders", "PUT", "/folders/{id}";
    /// Deletes a folder.
    DELETE_FOLDER: "folders", "DELETE", "/folders/{id}";
    /// Changes who may see what is in a folder.
    SET_FOLDER_ACCESS_CONTROL: "folders", "PUT", "/folders/{id}/access-control";
    /// Lets a folder inherit who may see what is in it.
    RESET_FOLDER_ACCESS_CONTROL: "folders", "DELETE", "/folders/{id}/access-control";
    /// Replaces the security settings of a folder.
    SET_FOLDER_SECURITY: "folders", "PUT", "/folders/{id}/security";
    /// Lets a folder inherit its security settings.
    RESET_FOLDER_SECURITY: "folders", "DELETE", "/folders/{id}/security";
}

/// Returns every route that the gateway has to know: those of the table, and `HEAD` wherever there is `GET`. A handler
/// of `GET` answers `HEAD` too, without the body.
pub fn gateway_routes() -> impl Iterator<Item = Route> {
    let head = |route: &Route| Route { method: "HEAD", ..*route };
    let heads = ALL.iter().filter(|route| route.method == "GET").map(head);
    ALL.iter().copied().chain(heads)
}

/// Methods that a preflight of an unknown path allows, so that the browser goes on and shows the 404.
const ANY_METHODS: &str = "GET, HEAD, POST, PUT, DELETE, OPTIONS";

impl Route {
    fn parameters(&self) -> usize {
        self.path.matches('{').count()
    }

    /// Whether a path, still encoded, is one of this route's.
    fn matches(&self, path: &str) -> bool {
        let (mut pattern, mut given) = (self.path.split('/'), path.split('/'));
        loop {
            match (pattern.next(), given.next()) {
                (None, None) => return true,
                (Some(part), Some(value)) if part == value || (part.starts_with('{') && !value.is_empty()) => {}
                _ => return false,
            }
        }
    }
}

/// A function's router in the making.
pub struct Endpoints<S> {
    function: &'static str,
    router: Router<S>,
    mounted: Vec<Route>,
}

impl<S: Clone + Send + Sync + 'static> Endpoints<S> {
    /// The endpoints of a function.
    pub fn of(function: &'static str) -> Endpoints<S> {
        Endpoints { function, router: Router::new(), mounted: Vec::new() }
    }

    /// Answers a route with a handler.
    #[must_use]
    pub fn on<H: Handler<T, S>, T: 'static>(mut self, route: Route, handler: H) -> Endpoints<S> {
        let method =
            Method::from_bytes(route.method.as_bytes()).ok().and_then(|method| MethodFilter::try_from(method).ok());
        let method = method.expect("the table holds HTTP methods only");
        self.router = self.router.route(route.path, on(method, handler));
        self.mounted.push(route);
        self
    }

    /// The router.
    ///
    /// # Panics
    ///
    /// Where the function does not mount exactly its routes of the table: a mistake that every start shows.
    pub fn router(self, state: S) -> Router {
        let missing = ALL.iter().filter(|route| route.function == self.function && !self.mounted.contains(route));
        let foreign = self.mounted.iter().filter(|route| route.function != self.function);
        let wrong: Vec<&Route> = missing.chain(foreign).collect();
        assert!(wrong.is_empty(), "the function {} does not mount exactly its routes: {wrong:?}", self.function);
        let router = self.router.method_not_allowed_fallback(unrouted).fallback(unrouted).with_state(state);
        with_layers(router)
    }
}

/// The router of whatever no other route takes.
pub fn not_found_router() -> Router {
    with_layers(Router::new().fallback(unrouted))
}

/// Answers requests that no route matches: preflights (204 on any path), 405 with `Allow`, 404.
pub async fn unrouted(request: Request) -> Response {
    let is_preflight = request.method() == Method::OPTIONS;
    let Some(allowed) = allowed_methods(request.uri().path()) else {
        return if is_preflight { preflight(ANY_METHODS) } else { Failure::from(Fault::not_found()).into_response() };
    };

    let mut response = if is_preflight {
        preflight(&allowed)
    } else {
        let message = format!("This path takes the methods {allowed}.");
        Failure::from(Fault::new(FaultKind::MethodNotAllowed, message)).into_response()
    };
    insert(&mut response, header::ALLOW, &allowed);
    response
}

/// Returns the methods of a path as `Allow` lists them; `None` for a path of no route.
fn allowed_methods(path: &str) -> Option<String> {
    let matching: Vec<&Route> = ALL.iter().filter(|route| route.matches(path)).collect();
    // A literal path takes precedence over one with parameters, as in the routers.
    let fewest = matching.iter().map(|route| route.parameters()).min()?;

    let mut methods = Vec::new();
    for route in matching.iter().filter(|route| route.parameters() == fewest) {
        methods.push(route.method);
        if route.method == "GET" {
            methods.push("HEAD");
        }
    }
    methods.push("OPTIONS");
    Some(methods.join(", "))
}

fn preflight(allowed: &str) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    insert(&mut response, header::ACCESS_CONTROL_ALLOW_METHODS, allowed);
    // The wildcard does not cover Authorization.
    insert(&mut response, header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, *");
    insert(&mut response, header::ACCESS_CONTROL_MAX_AGE, &PREFLIGHT_SECONDS.to_string());
    response
}

fn insert(response: &mut Response, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_one_part_that_is_not_empty() {
        assert!(GET_SPACE.matches("/api/v1/spaces/x"));
        for other in ["/api/v1/spaces/", "/api/v1/spaces", "/api/v1/spaces/x/y", "/api/v2/spaces/x", ""] {
            assert!(!GET_SPACE.matches(other), "{other}");
        }
    }
}
