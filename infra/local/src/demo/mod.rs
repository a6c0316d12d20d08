//! `/demo` and `/demo/gallery`: pages for uploads and for transformed images, served on the port of
//! the API. They are not part of the template, so they are never deployed.
//!
//! Invariant: each page is a single document. Its content security policy allows requests to the
//! local stack and images only.

use axum::body::Body;
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderValue, Method, Request, Response, header};
use sha2::{Digest, Sha256};

/// Path of the page for uploads.
pub(crate) const PATH: &str = "/demo";

/// Head of every page up to its title.
const HEAD: &str = include_str!("head.html");
const LOGO: &str = include_str!("logo.svg");

/// A page of the demo.
struct Page {
    path: &'static str,
    title: &'static str,
    /// One line below the name, as HTML.
    introduction: &'static str,
    style: &'static str,
    body: &'static str,
    script: &'static str,
}

const PAGES: [Page; 2] = [
    Page {
        path: PATH,
        title: "Larder: upload",
        introduction: r#"Upload files and open them from the CDN. <a id="gallery" href="/demo/gallery">Gallery of transformations</a>"#,
        style: include_str!("page.css"),
        body: include_str!("upload.html"),
        script: include_str!("upload.js"),
    },
    Page {
        path: "/demo/gallery",
        title: "Larder: transformations",
        introduction: r#"One image, transformed by the parameters of its URL. <a href="/demo">Upload an image</a>"#,
        style: concat!(include_str!("page.css"), include_str!("gallery.css")),
        body: include_str!("gallery.html"),
        script: include_str!("gallery.js"),
    },
];

impl Page {
    fn document(&self) -> String {
        let Page {
            title,
            introduction,
            style,
            body,
            script,
            ..
        } = self;
        format!(
            "{HEAD}<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n\
             <header>\n{LOGO}<div><h1>Larder</h1>\n<p>{introduction}</p></div>\n</header>\n{body}\
             <script type=\"module\">{script}</script>\n</body>\n</html>\n"
        )
    }

    /// Returns the content security policy: the page's own script and style, requests to this
    /// machine, and images of selected and delivered files, including custom domains.
    fn policy(&self) -> String {
        let digest = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
        let script = digest(self.script);
        let style = digest(self.style);
        format!(
            "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; \
             connect-src 'self' http://127.0.0.1:*; img-src data: blob: http://127.0.0.1:* https:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    }
}

/// Returns the page that the request is for.
pub(crate) fn page(request: &Request<Body>) -> Option<Response<Body>> {
    let page = PAGES
        .iter()
        .find(|page| page.path == request.uri().path())
        .filter(|_| [Method::GET, Method::HEAD].contains(request.method()))?;

    let mut response = Response::new(Body::from(page.document()));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/html; charset=utf-8"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    if let Ok(policy) = HeaderValue::try_from(page.policy()) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    Some(response)
}
