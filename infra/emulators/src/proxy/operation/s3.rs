//! What S3's operations are called, and what they need. Paths name the bucket first: there are no
//! host names per bucket.

use std::{borrow::Cow, collections::HashSet};

use http::{Method, request::Parts};
use percent_encoding::percent_decode_str;

use super::{super::permission::RequiredPermission, Operation, UNKNOWN};
use crate::arn;

/// The bucket that a path names.
pub(in crate::proxy) fn bucket_of(path: &str) -> Cow<'_, str> {
    address(path).0
}

/// What a request is called and required. What it does not know required the right to everything.
pub(super) fn operation(head: &Parts) -> Operation {
    let (bucket, key) = address(head.uri.path());
    let query = Query::of(head);
    let copied = head
        .headers
        .get("x-amz-copy-source")
        .and_then(|source| source.to_str().ok());
    let (name, action, resource) = if bucket.is_empty() {
        of_service(&head.method)
    } else if key.is_empty() {
        of_bucket(&head.method, &query, &bucket)
    } else {
        of_object(
            &head.method,
            &query,
            copied.is_some(),
            arn::object(&bucket, &key),
        )
    };
    let mut required = vec![RequiredPermission::new(action, resource)];
    if let Some(source) = copied {
        let (bucket, key) = address(source.split('?').next().unwrap_or_default());
        required.push(RequiredPermission::new(
            "s3:GetObject",
            arn::object(&bucket, &key),
        ));
    }
    Operation {
        name: name.to_owned(),
        required,
    }
}

type Named = (&'static str, &'static str, String);

fn of_service(method: &Method) -> Named {
    if *method == Method::GET {
        ("ListBuckets", "s3:ListAllMyBuckets", "*".to_owned())
    } else {
        unknown()
    }
}

fn of_bucket(method: &Method, query: &Query, bucket: &str) -> Named {
    let on_bucket = arn::bucket(bucket);
    match method.as_str() {
        "GET" if query.has("uploads") => (
            "ListMultipartUploads",
            "s3:ListBucketMultipartUploads",
            on_bucket,
        ),
        "GET" if query.has("location") => ("GetBucketLocation", "s3:GetBucketLocation", on_bucket),
        "GET" if query.has("list-type") => ("ListObjectsV2", "s3:ListBucket", on_bucket),
        "GET" if query.names_a_configuration() => unknown(),
        "GET" => ("ListObjects", "s3:ListBucket", on_bucket),
        "HEAD" => ("HeadBucket", "s3:ListBucket", on_bucket),
        // The keys stand in the body: whoever may delete all of the bucket's objects may delete
        // these.
        "POST" if query.has("delete") => {
            ("DeleteObjects", "s3:DeleteObject", arn::object(bucket, "*"))
        }
        "PUT" if !query.names_a_configuration() => ("CreateBucket", "s3:CreateBucket", on_bucket),
        "DELETE" if !query.names_a_configuration() => {
            ("DeleteBucket", "s3:DeleteBucket", on_bucket)
        }
        _ => unknown(),
    }
}

fn of_object(method: &Method, query: &Query, copies: bool, object: String) -> Named {
    let multipart = query.has("uploadId");
    match method.as_str() {
        "GET" if multipart => ("ListParts", "s3:ListMultipartUploadParts", object),
        "PUT" if multipart && copies => ("UploadPartCopy", "s3:PutObject", object),
        "PUT" if multipart => ("UploadPart", "s3:PutObject", object),
        "POST" if multipart => ("CompleteMultipartUpload", "s3:PutObject", object),
        "POST" if query.has("uploads") => ("CreateMultipartUpload", "s3:PutObject", object),
        "DELETE" if multipart => ("AbortMultipartUpload", "s3:AbortMultipartUpload", object),
        _ if query.names_a_configuration() => unknown(),
        "GET" => ("GetObject", "s3:GetObject", object),
        "HEAD" => ("HeadObject", "s3:GetObject", object),
        "PUT" if copies => ("CopyObject", "s3:PutObject", object),
        "PUT" => ("PutObject", "s3:PutObject", object),
        "DELETE" => ("DeleteObject", "s3:DeleteObject", object),
        _ => unknown(),
    }
}

fn unknown() -> Named {
    (UNKNOWN, "s3:*", "*".to_owned())
}

/// Splits `/bucket/key` and decodes both.
fn address(path: &str) -> (Cow<'_, str>, Cow<'_, str>) {
    let path = path.strip_prefix('/').unwrap_or(path);
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    (
        percent_decode_str(bucket).decode_utf8_lossy(),
        percent_decode_str(key).decode_utf8_lossy(),
    )
}

/// Names of a request's query parameters.
struct Query<'a>(HashSet<&'a str>);

impl Query<'_> {
    /// Sub-resources that are a matter of their own, none of which exists here.
    const CONFIGURATIONS: [&'static str; 14] = [
        "acl",
        "attributes",
        "cors",
        "encryption",
        "legal-hold",
        "lifecycle",
        "notification",
        "policy",
        "retention",
        "tagging",
        "torrent",
        "versioning",
        "versions",
        "website",
    ];

    fn of(head: &Parts) -> Query<'_> {
        let pairs = head.uri.query().unwrap_or_default().split('&');
        Query(
            pairs
                .map(|pair| pair.split('=').next().unwrap_or_default())
                .collect(),
        )
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    fn names_a_configuration(&self) -> bool {
        Self::CONFIGURATIONS.iter().any(|name| self.has(name))
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn named(method: &str, uri: &str) -> (String, Vec<RequiredPermission>) {
        let (head, ()) = Request::builder()
            .method(method)
            .uri(uri)
            .body(())
            .unwrap()
            .into_parts();
        let operation = operation(&head);
        (operation.name, operation.required)
    }

    #[test]
    fn requests_are_named_by_method_path_and_query() {
        let object = || arn::object("b", "a b/c");
        for (method, uri, name, action, resource) in [
            (
                "GET",
                "/b/a%20b/c?x-id=GetObject",
                "GetObject",
                "s3:GetObject",
                object(),
            ),
            ("HEAD", "/b/a%20b/c", "HeadObject", "s3:GetObject", object()),
            ("PUT", "/b/a%20b/c", "PutObject", "s3:PutObject", object()),
            (
                "POST",
                "/b/a%20b/c?uploads",
                "CreateMultipartUpload",
                "s3:PutObject",
                object(),
            ),
            (
                "PUT",
                "/b/a%20b/c?partNumber=1&uploadId=u",
                "UploadPart",
                "s3:PutObject",
                object(),
            ),
            (
                "GET",
                "/b/?list-type=2&prefix=a",
                "ListObjectsV2",
                "s3:ListBucket",
                arn::bucket("b"),
            ),
            ("PUT", "/b/a%20b/c?acl", "Unknown", "s3:*", "*".to_owned()),
        ] {
            assert_eq!(
                named(method, uri),
                (
                    name.to_owned(),
                    vec![RequiredPermission::new(action, resource)]
                ),
                "{method} {uri}"
            );
        }
    }

    #[test]
    fn a_copy_also_reads_its_source() {
        let request = Request::builder()
            .method("PUT")
            .uri("/to/k")
            .header("x-amz-copy-source", "/from/a%2Fb");
        let (head, ()) = request.body(()).unwrap().into_parts();
        assert_eq!(
            operation(&head).required,
            [
                RequiredPermission::new("s3:PutObject", arn::object("to", "k")),
                RequiredPermission::new("s3:GetObject", arn::object("from", "a/b")),
            ]
        );
    }
}
