//! S3 operations and their permissions. URLs are path-style: the path starts with the bucket.

use std::collections::HashSet;

use http::{Method, request::Parts};
use percent_encoding::percent_decode_str;

use crate::{
    arn,
    proxy::{
        attempt::{AwsOperation, UNKNOWN_OPERATION},
        permission::RequiredPermission,
    },
};

/// Returns the bucket in a path.
pub(in crate::proxy) fn bucket(path: &str) -> String {
    BucketAndKey::parse(path).bucket
}

/// Parses a request. An unknown operation requires permission for everything.
pub(in crate::proxy) fn parse(head: &Parts) -> AwsOperation {
    let BucketAndKey { bucket, key } = BucketAndKey::parse(head.uri.path());
    let query = QueryNames::parse(head);
    let copy_source = head
        .headers
        .get("x-amz-copy-source")
        .and_then(|source| source.to_str().ok());

    let action = if key.is_empty() {
        bucket_action(&head.method, &query, &bucket)
    } else {
        let is_copy = copy_source.is_some();
        object_action(&head.method, &query, is_copy, arn::object(&bucket, &key))
    };

    let mut required = vec![RequiredPermission::new(action.iam_action, action.resource)];
    if let Some(source) = copy_source {
        let path = source.split('?').next().unwrap_or_default();
        let source = BucketAndKey::parse(path);
        required.push(RequiredPermission::new(
            "s3:GetObject",
            arn::object(&source.bucket, &source.key),
        ));
    }

    AwsOperation {
        name: action.operation.to_owned(),
        required,
    }
}

/// Returns the permissions that a `DeleteObjects` requires: one for each key in its body. S3
/// deletes the objects whose deletion is permitted; the proxy rejects the request if one is not.
pub(in crate::proxy) fn deletions(path: &str, body: &[u8]) -> Vec<RequiredPermission> {
    let bucket = bucket(path);
    let body = String::from_utf8_lossy(body);
    let elements = body.split("<Key>").skip(1);
    let keys = elements.map(|element| element.split("</Key>").next().unwrap_or_default());
    let required = |key: &str| {
        // A key with an escaped character requires permission for all objects of the bucket.
        let key = if key.contains('&') { "*" } else { key };
        RequiredPermission::new("s3:DeleteObject", arn::object(&bucket, key))
    };
    keys.map(required).collect()
}

/// An operation, the IAM action that it requires, and the ARN that the action is on.
struct S3Action {
    operation: &'static str,
    iam_action: &'static str,
    resource: String,
}

impl S3Action {
    fn new(operation: &'static str, iam_action: &'static str, resource: String) -> S3Action {
        S3Action {
            operation,
            iam_action,
            resource,
        }
    }

    fn unknown() -> S3Action {
        S3Action::new(UNKNOWN_OPERATION, "s3:*", "*".to_owned())
    }
}

fn bucket_action(method: &Method, query: &QueryNames, bucket: &str) -> S3Action {
    match method.as_str() {
        "GET" if query.contains("list-type") => {
            S3Action::new("ListObjectsV2", "s3:ListBucket", arn::bucket(bucket))
        }
        // The keys are in the body, see `deletions`.
        "POST" if query.contains("delete") => {
            S3Action::new("DeleteObjects", "s3:DeleteObject", arn::object(bucket, "*"))
        }
        _ => S3Action::unknown(),
    }
}

fn object_action(
    method: &Method,
    query: &QueryNames,
    is_copy: bool,
    object_arn: String,
) -> S3Action {
    let is_multipart = query.contains("uploadId");
    let on_object = |operation, iam_action| S3Action::new(operation, iam_action, object_arn);

    match method.as_str() {
        "PUT" if is_multipart && is_copy => on_object("UploadPartCopy", "s3:PutObject"),
        "PUT" if is_multipart => on_object("UploadPart", "s3:PutObject"),
        "POST" if is_multipart => on_object("CompleteMultipartUpload", "s3:PutObject"),
        "POST" if query.contains("uploads") => on_object("CreateMultipartUpload", "s3:PutObject"),
        "DELETE" if is_multipart => on_object("AbortMultipartUpload", "s3:AbortMultipartUpload"),
        _ if query.selects_another_operation() => S3Action::unknown(),
        "GET" => on_object("GetObject", "s3:GetObject"),
        "HEAD" => on_object("HeadObject", "s3:GetObject"),
        "PUT" if is_copy => on_object("CopyObject", "s3:PutObject"),
        "PUT" => on_object("PutObject", "s3:PutObject"),
        "DELETE" => on_object("DeleteObject", "s3:DeleteObject"),
        _ => S3Action::unknown(),
    }
}

/// The decoded parts of a path `/bucket/key`.
struct BucketAndKey {
    bucket: String,
    key: String,
}

impl BucketAndKey {
    fn parse(path: &str) -> BucketAndKey {
        let path = path.strip_prefix('/').unwrap_or(path);
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        let decode = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
        BucketAndKey {
            bucket: decode(bucket),
            key: decode(key),
        }
    }
}

/// The names of the query parameters.
struct QueryNames<'a>(HashSet<&'a str>);

impl QueryNames<'_> {
    fn parse(head: &Parts) -> QueryNames<'_> {
        let pairs = head.uri.query().unwrap_or_default().split('&');
        let names = pairs.map(|pair| pair.split('=').next().unwrap_or_default());
        QueryNames(names.collect())
    }

    fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Returns whether a parameter is neither part of a signature nor of an emulated operation on
    /// an object.
    fn selects_another_operation(&self) -> bool {
        let is_known = |name: &str| {
            let prefixes = ["X-Amz-", "response-"];
            name.is_empty()
                || name == "x-id"
                || prefixes.iter().any(|prefix| name.starts_with(prefix))
        };
        !self.0.iter().all(|name| is_known(name))
    }
}

#[cfg(test)]
mod tests {
    use http::{Request, request::Builder};

    use super::*;

    fn operation(request: Builder) -> AwsOperation {
        let (head, ()) = request.body(()).unwrap().into_parts();
        parse(&head)
    }

    /// Asserts the operation of a request line, and the one permission that it requires.
    #[track_caller]
    fn assert_operation(request: &str, name: &str, required: &RequiredPermission) {
        let (method, uri) = request.split_once(' ').unwrap();
        let operation = operation(Request::builder().method(method).uri(uri));

        assert_eq!(operation.name, name, "{request}");
        assert_eq!(
            operation.required.as_slice(),
            std::slice::from_ref(required),
            "{request}"
        );
    }

    #[test]
    fn object_operation_depends_on_method_and_query() {
        let get = RequiredPermission::new("s3:GetObject", arn::object("b", "a b/c"));
        assert_operation("GET /b/a%20b/c?x-id=GetObject", "GetObject", &get);
        assert_operation("HEAD /b/a%20b/c", "HeadObject", &get);

        let put = RequiredPermission::new("s3:PutObject", arn::object("b", "a b/c"));
        assert_operation("PUT /b/a%20b/c", "PutObject", &put);
        assert_operation("POST /b/a%20b/c?uploads", "CreateMultipartUpload", &put);
        assert_operation("PUT /b/a%20b/c?partNumber=1&uploadId=u", "UploadPart", &put);
    }

    #[test]
    fn deletion_of_many_objects_requires_permission_for_each_key() {
        let body =
            "<Delete><Object><Key>a/b</Key></Object><Object><Key>c&amp;d</Key></Object></Delete>";
        let required = ["a/b", "*"]
            .map(|key| RequiredPermission::new("s3:DeleteObject", arn::object("b", key)));
        assert_eq!(deletions("/b", body.as_bytes()), required);
    }

    #[test]
    fn path_without_key_is_operation_on_bucket() {
        let list = RequiredPermission::new("s3:ListBucket", arn::bucket("b"));
        assert_operation("GET /b/?list-type=2&prefix=a", "ListObjectsV2", &list);
    }

    #[test]
    fn unknown_operation_requires_permission_for_everything() {
        let everything = RequiredPermission::new("s3:*", "*".to_owned());
        assert_operation("PUT /b/a%20b/c?acl", "Unknown", &everything);
    }

    #[test]
    fn copy_requires_permission_to_read_its_source() {
        let request = Request::builder()
            .method("PUT")
            .uri("/to/k")
            .header("x-amz-copy-source", "/from/a%2Fb");
        assert_eq!(
            operation(request).required,
            [
                RequiredPermission::new("s3:PutObject", arn::object("to", "k")),
                RequiredPermission::new("s3:GetObject", arn::object("from", "a/b")),
            ]
        );
    }
}
