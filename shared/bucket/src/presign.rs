//! Presigned URLs: S3 itself answers them, to everyone who has them, until they expire.
//!
//! Invariants:
//! - A URL to write to signs nothing that a plain `PUT` of the bytes with their content type does
//!   not send.
//! - No URL is said to live longer than the credentials that sign it: S3 refuses it from their end
//!   on ("If you created a presigned URL using a temporary token, then the URL expires when the
//!   token expires", Amazon S3 User Guide, "Download and upload objects with presigned URLs").

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_credential_types::provider::ProvideCredentials;
use aws_sdk_s3::presigning::PresigningConfig;
use domain::Timestamp;
use tracing::instrument;

use crate::{Bucket, BucketError, ObjectKey};

/// What an answer of storage itself is to say in place of what is stored.
#[derive(Clone, Debug)]
pub struct ResponseHeaders {
    /// `Content-Type`.
    pub content_type: String,
    /// `Content-Disposition`.
    pub content_disposition: String,
    /// `Cache-Control`.
    pub cache_control: String,
}

/// A URL to which an object can be sent.
pub struct PresignedPut {
    /// The URL.
    pub url: String,
    /// How long it is good from now on, in whole seconds.
    pub lifetime: Duration,
}

impl Bucket {
    /// An address from which anyone can read the object from `now` on for so long, with these
    /// headers. It may begin in the past, so that all addresses of a while are the same.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn presign_get(
        &self,
        key: &ObjectKey,
        headers: ResponseHeaders,
        now: Timestamp,
        lifetime: Duration,
    ) -> Result<String, BucketError> {
        let presigned = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .response_content_type(headers.content_type)
            .response_content_disposition(headers.content_disposition)
            .response_cache_control(headers.cache_control)
            .presigned(from_now(now, self.bounded(lifetime, now).await?)?)
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(presigned.uri().to_owned())
    }

    /// A URL to which anyone can `PUT` an object from now on, as often as they like: of this
    /// content type and of exactly so many bytes. S3 refuses what is longer, shorter or of another
    /// type. It is good for `lifetime`, or for as long as the credentials that sign it.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn presign_put(
        &self,
        key: &ObjectKey,
        content_type: &str,
        length_bytes: u64,
        now: Timestamp,
        lifetime: Duration,
    ) -> Result<PresignedPut, BucketError> {
        let lifetime = self.bounded(lifetime, now).await?;
        let presigned = self
            .client
            .put_object()
            .bucket(&self.name)
            .key(&key.0)
            .content_type(content_type)
            .content_length(i64::try_from(length_bytes).map_err(BucketError::refused)?)
            .presigned(from_now(now, lifetime)?)
            .await
            .map_err(BucketError::from_sdk)?;
        Ok(PresignedPut {
            url: presigned.uri().to_owned(),
            lifetime,
        })
    }

    /// Returns a lifetime that ends with the credentials at the latest, in whole seconds. Fails as
    /// busy if they have less than a second left.
    async fn bounded(&self, lifetime: Duration, now: Timestamp) -> Result<Duration, BucketError> {
        let credentials = self
            .credentials
            .provide_credentials()
            .await
            .map_err(|error| BucketError::Busy(error.into()))?;
        let Some(expiry) = credentials.expiry() else {
            return Ok(lifetime);
        };

        let left = expiry.duration_since(start_of(now)).unwrap_or_default();
        let bounded = Duration::from_secs(lifetime.min(left).as_secs());
        if bounded.is_zero() {
            Err(BucketError::Busy("the credentials have expired".into()))
        } else {
            Ok(bounded)
        }
    }
}

fn from_now(now: Timestamp, lifetime: Duration) -> Result<PresigningConfig, BucketError> {
    PresigningConfig::builder()
        .start_time(start_of(now))
        .expires_in(lifetime)
        .build()
        .map_err(BucketError::refused)
}

fn start_of(now: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(now.ms().unsigned_abs())
}

#[cfg(test)]
mod tests {
    use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
    use aws_sdk_s3::{
        Client, Config,
        config::{BehaviorVersion, Region},
    };
    use domain::{FileId, SpaceId};

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    /// A bucket whose credentials expire so many seconds after 1970.
    fn bucket(expires_seconds: Option<u64>) -> Bucket {
        let expiry = expires_seconds.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
        let credentials =
            SharedCredentialsProvider::new(Credentials::new("key", "secret", None, expiry, "test"));
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu"));
        let client = Client::from_conf(config.credentials_provider(credentials.clone()).build());
        Bucket::new(client, credentials, "bucket".to_owned())
    }

    async fn signed(expires_seconds: Option<u64>, now_ms: i64) -> Result<u64, BucketError> {
        let key = ObjectKey::staged(SpaceId::MIN, FileId::MIN);
        let (bucket, now) = (bucket(expires_seconds), Timestamp::from_ms(now_ms));
        let headers = ResponseHeaders {
            content_type: "text/plain".to_owned(),
            content_disposition: "inline".to_owned(),
            cache_control: "no-store".to_owned(),
        };

        let put = bucket.presign_put(&key, "text/plain", 1, now, HOUR).await?;
        let get = bucket.presign_get(&key, headers, now, HOUR).await?;
        let lifetime = put.lifetime.as_secs();
        for url in [put.url, get] {
            assert!(
                url.contains(&format!("X-Amz-Expires={lifetime}&")),
                "{lifetime}: {url}"
            );
        }
        Ok(lifetime)
    }

    #[tokio::test]
    async fn presigned_url_lives_no_longer_than_its_credentials() {
        for (expires_seconds, now_ms, lifetime) in [
            (None, 0, 3_600),
            (Some(10_000), 0, 3_600),
            (Some(3_601), 1_500, 3_599),
            (Some(1_200), 0, 1_200),
            (Some(1_200), 1_199_000, 1),
        ] {
            assert_eq!(
                signed(expires_seconds, now_ms).await.unwrap(),
                lifetime,
                "{expires_seconds:?} {now_ms}"
            );
        }
        for now_ms in [1_199_001, 1_200_000, 9_999_000] {
            assert!(
                matches!(signed(Some(1_200), now_ms).await, Err(BucketError::Busy(_))),
                "{now_ms}"
            );
        }
    }
}
