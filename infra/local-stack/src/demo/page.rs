//! The pages, each a single document.
//!
//! Invariant: the content security policy of a page allows requests to the local stack and images only.

use axum::body::Body;
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderValue, Response, header};
use sha2::{Digest, Sha256};

/// Head of every page up to its title.
const HEAD: &str = include_str!("head.html");
const LOGO: &str = include_str!("logo.svg");

/// A page of the demo.
pub(crate) struct Page {
    path: &'static str,
    title: &'static str,
    /// One line below the name, as HTML.
    introduction: &'static str,
    style: &'static str,
    body: &'static str,
    script: &'static str,
}

static PAGES: [Page; 4] = [
    Page {
        path: "/stack",
        title: "Larder",
        introduction: r#"What this stack is doing. <a href="/demo">Upload files</a> · <a href="/demo/webhooks">Received webhooks</a>"#,
        style: concat!(include_str!("page.css"), include_str!("watch.css")),
        body: include_str!("watch.html"),
        script: concat!(include_str!("blurhash.js"), include_str!("watch.js")),
    },
    Page {
        path: "/demo",
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
    Page {
        path: "/demo/webhooks",
        title: "Larder: received webhooks",
        introduction: r#"The last 100 requests to <code>POST /demo/webhooks</code>, newest first. <a href="/stack">Watch the stack</a>"#,
        style: concat!(include_str!("page.css"), include_str!("webhooks.css")),
        body: include_str!("webhooks.html"),
        script: include_str!("webhooks.js"),
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

    /// Returns the page at a path.
    pub(crate) fn at(path: &str) -> Option<&'static Page> {
        PAGES.iter().find(|page| page.path == path)
    }

    /// Returns the response with the document.
    pub(crate) fn response(&self) -> Response<Body> {
        let mut response = Response::new(Body::from(self.document()));
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
        if let Ok(policy) = HeaderValue::try_from(self.policy()) {
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response
    }
}
