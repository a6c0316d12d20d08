//! Resource names as policies spell them.

use template::SECRET_ARN_SUFFIX;

/// The region that the emulators pretend to be.
pub const REGION: &str = "us-east-1";

/// The account that the emulators pretend to belong to.
pub const ACCOUNT_ID: &str = "000000000000";

/// A DynamoDB table; a name that is an ARN already stays as it is.
pub(crate) fn table(name: &str) -> String {
    if name.starts_with("arn:") {
        return name.to_owned();
    }
    format!("arn:aws:dynamodb:{REGION}:{ACCOUNT_ID}:table/{name}")
}

/// A secondary index of a DynamoDB table.
pub(crate) fn index(table_name: &str, index_name: &str) -> String {
    format!("{}/index/{index_name}", table(table_name))
}

/// An S3 bucket.
pub(crate) fn bucket(name: &str) -> String {
    format!("arn:aws:s3:::{name}")
}

/// An S3 object.
pub(crate) fn object(bucket_name: &str, key: &str) -> String {
    format!("arn:aws:s3:::{bucket_name}/{key}")
}

/// A secret of Secrets Manager; a name that is an ARN already stays as it is.
pub(crate) fn secret(name: &str) -> String {
    if name.starts_with("arn:") {
        return name.to_owned();
    }
    format!("arn:aws:secretsmanager:{REGION}:{ACCOUNT_ID}:secret:{name}-{SECRET_ARN_SUFFIX}")
}

/// An SQS queue.
pub(crate) fn queue(name: &str) -> String {
    format!("arn:aws:sqs:{REGION}:{ACCOUNT_ID}:{name}")
}
