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

    #[test]
    fn operation_and_permission_depend_on_method_path_and_query() {
        for row in [
            "GET /b/a%20b/c?x-id=GetObject -> GetObject s3:GetObject arn:aws:s3:::b/a b/c",
            "HEAD /b/k -> HeadObject s3:GetObject arn:aws:s3:::b/k",
            "PUT /b/k -> PutObject s3:PutObject arn:aws:s3:::b/k",
            "PUT /b/k?acl -> Unknown s3:* *",
            "POST /b/k?uploads -> CreateMultipartUpload s3:PutObject arn:aws:s3:::b/k",
            "PUT /b/k?partNumber=1&uploadId=u -> UploadPart s3:PutObject arn:aws:s3:::b/k",
            "DELETE /b/k?uploadId=u -> AbortMultipartUpload s3:AbortMultipartUpload arn:aws:s3:::b/k",
            "GET /b/?list-type=2&prefix=a -> ListObjectsV2 s3:ListBucket arn:aws:s3:::b",
        ] {
            let (request, expected) = row.split_once(" -> ").unwrap();
            let (method, uri) = request.split_once(' ').unwrap();
            let AwsOperation { name, required } =
                operation(Request::builder().method(method).uri(uri));
            let required = required.iter();
            let shown: Vec<String> = required
                .map(|required| format!("{name} {} {}", required.action, required.resource))
                .collect();
            assert_eq!(shown, [expected], "{request}");
        }
    }

    #[test]
    fn copy_and_batch_delete_require_permission_on_each_object() {
        let request = Request::builder().method("PUT").uri("/to/k");
        let copy = operation(request.header("x-amz-copy-source", "/from/a%2Fb"));
        let expected = [
            RequiredPermission::new("s3:PutObject", arn::object("to", "k")),
            RequiredPermission::new("s3:GetObject", arn::object("from", "a/b")),
        ];
        assert_eq!(copy.required, expected);

        let body =
            "<Delete><Object><Key>a/b</Key></Object><Object><Key>c&amp;d</Key></Object></Delete>";
        let expected = ["a/b", "*"]
            .map(|key| RequiredPermission::new("s3:DeleteObject", arn::object("b", key)));
        assert_eq!(deletions("/b", body.as_bytes()), expected);
    }
}
