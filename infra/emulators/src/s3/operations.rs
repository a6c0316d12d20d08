//! The S3 operations that s3s dispatches to.

use std::sync::Arc;

use s3s::{S3, S3Request, S3Response, S3Result, dto};

use super::{complete, copy, delete, list_objects, multipart, put, read, store::ObjectStore};

/// The operations on a store.
pub(super) struct Operations(pub(super) Arc<ObjectStore>);

/// Implements each method of the trait by a function.
macro_rules! operations {
    ($($method:ident($input:ident) -> $output:ident = $function:path;)*) => {
        #[async_trait::async_trait]
        impl S3 for Operations {
            $(
                async fn $method(
                    &self,
                    request: S3Request<dto::$input>,
                ) -> S3Result<S3Response<dto::$output>> {
                    $function(&self.0, request).await
                }
            )*
        }
    };
}

operations! {
    put_object(PutObjectInput) -> PutObjectOutput = put::put;
    get_object(GetObjectInput) -> GetObjectOutput = read::get;
    head_object(HeadObjectInput) -> HeadObjectOutput = read::head;
    delete_object(DeleteObjectInput) -> DeleteObjectOutput = delete::delete;
    delete_objects(DeleteObjectsInput) -> DeleteObjectsOutput = delete::delete_many;
    list_objects_v2(ListObjectsV2Input) -> ListObjectsV2Output = list_objects::list;
    copy_object(CopyObjectInput) -> CopyObjectOutput = copy::copy;
    create_multipart_upload(CreateMultipartUploadInput) -> CreateMultipartUploadOutput = multipart::create;
    upload_part(UploadPartInput) -> UploadPartOutput = multipart::upload_part;
    upload_part_copy(UploadPartCopyInput) -> UploadPartCopyOutput = copy::copy_part;
    complete_multipart_upload(CompleteMultipartUploadInput) -> CompleteMultipartUploadOutput = complete::complete;
    abort_multipart_upload(AbortMultipartUploadInput) -> AbortMultipartUploadOutput = multipart::abort;
}
