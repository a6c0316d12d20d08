//! ARNs as IAM policies contain them.

use sam_template::SECRET_ARN_SUFFIX;

/// Region of all emulated resources.
pub const REGION: &str = "us-east-1";

/// AWS account ID of all emulated resources.
pub const ACCOUNT_ID: &str = "000000000000";

/// Returns the ARN of a DynamoDB table. Accepts an ARN as well.
pub(crate) fn table(name: &str) -> String {
    if name.starts_with("arn:") {
        return name.to_owned();
    }
    format!("arn:aws:dynamodb:{REGION}:{ACCOUNT_ID}:table/{name}")
}

/// Returns the ARN of a secondary index of a DynamoDB table.
pub(crate) fn index(table_name: &str, index_name: &str) -> String {
    format!("{}/index/{index_name}", table(table_name))
}

/// Returns the ARN of an S3 bucket.
pub(crate) fn bucket(name: &str) -> String {
    format!("arn:aws:s3:::{name}")
}

/// Returns the ARN of an S3 object.
pub(crate) fn object(bucket_name: &str, key: &str) -> String {
    format!("arn:aws:s3:::{bucket_name}/{key}")
}

/// Returns the ARN of a secret. Accepts an ARN as well.
pub(crate) fn secret(name: &str) -> String {
    if name.starts_with("arn:") {
        return name.to_owned();
    }
    format!("arn:aws:secretsmanager:{REGION}:{ACCOUNT_ID}:secret:{name}-{SECRET_ARN_SUFFIX}")
}

/// Returns the ARN of an SQS queue.
pub(crate) fn queue(name: &str) -> String {
    format!("arn:aws:sqs:{REGION}:{ACCOUNT_ID}:{name}")
}
