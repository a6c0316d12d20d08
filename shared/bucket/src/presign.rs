//! Presigned URLs, which S3 serves to everyone who has them until they expire.
//!
//! Invariants:
//! - A URL to write to signs only headers that a plain `PUT` with a content type sends.
//! - No URL outlives the credentials that sign it: "If you created a presigned URL using a
//!   temporary token, then the URL expires when the token expires" (Amazon S3 User Guide, "Download
//!   and upload objects with presigned URLs").

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_credential_types::{Credentials, provider::ProvideCredentials};
use aws_sdk_s3::{
    config::{Builder, IdentityCache},
    presigning::PresigningConfig,
};
use domain::env::Timestamp;
use tracing::instrument;

use crate::{Bucket, BucketError, ObjectKey};

/// Headers of the response of S3, in place of the stored ones.
#[derive(Clone, Debug)]
pub struct ResponseHeaders {
    pub content_type: String,
    pub content_disposition: String,
    pub cache_control: String,
}

/// What a presigned URL to write to allows.
#[derive(Clone, Copy, Debug)]
pub struct PutGrant<'a> {
    /// Content type of the object.
    pub content_type: &'a str,
    /// Exact size of the object, in bytes.
    pub size_bytes: u64,
    /// Start of the lifetime.
    pub now: Timestamp,
    /// Lifetime, unless the credentials expire earlier.
    pub lifetime: Duration,
}

/// A presigned URL to write an object to.
pub struct PresignedPut {
    pub url: String,
    /// Lifetime of the URL, in whole seconds.
    pub lifetime: Duration,
}

impl Bucket {
    /// Returns a URL from which anyone can read an object. `start` may be in the past, so that all
    /// URLs of a period are equal and can be cached.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn presign_get(
        &self,
        key: &ObjectKey,
        headers: ResponseHeaders,
        start: Timestamp,
        lifetime: Duration,
    ) -> Result<String, BucketError> {
        let signer = self.url_signer(start, lifetime).await?;
        let presigned = self
            .client
            .get_object()
            .bucket(&self.name)
            .key(&key.0)
            .response_content_type(headers.content_type)
            .response_content_disposition(headers.content_disposition)
            .response_cache_control(headers.cache_control)
            .customize()
            .config_override(signer.config)
            .presigned(signer.presigning)
            .await
            .map_err(BucketError::from_sdk)?;

        Ok(presigned.uri().to_owned())
    }

    /// Returns a URL to which anyone can `PUT` an object repeatedly. S3 rejects another size or
    /// content type.
    #[instrument(skip_all, fields(key = key.as_str()))]
    pub async fn presign_put(
        &self,
        key: &ObjectKey,
        grant: PutGrant<'_>,
    ) -> Result<PresignedPut, BucketError> {
        let signer = self.url_signer(grant.now, grant.lifetime).await?;
        let length = i64::try_from(grant.size_bytes).map_err(BucketError::rejected)?;
        let presigned = self
            .client
            .put_object()
            .bucket(&self.name)
            .key(&key.0)
            .content_type(grant.content_type)
            .content_length(length)
            .customize()
            .config_override(signer.config)
            .presigned(signer.presigning.clone())
            .await
            .map_err(BucketError::from_sdk)?;

        Ok(PresignedPut {
            url: presigned.uri().to_owned(),
            lifetime: signer.presigning.expires(),
        })
    }

    /// Fails as busy if no URL can be signed, because the credentials cannot be refreshed.
    pub async fn require_url_credentials(&self) -> Result<(), BucketError> {
        self.current_url_credentials().await.map(drop)
    }

    /// Returns the signer of a URL that is valid from `start` for `lifetime`, or until its
    /// credentials expire. Fails as busy if they expire within a second of `start`.
    async fn url_signer(
        &self,
        start: Timestamp,
        lifetime: Duration,
    ) -> Result<UrlSigner, BucketError> {
        let credentials = self.current_url_credentials().await?;
        let start = system_time(start);
        let left = credentials.expiry().map_or(lifetime, |expiry| {
            expiry.duration_since(start).unwrap_or_default()
        });
        let limited = Duration::from_secs(lifetime.min(left).as_secs());
        if limited.is_zero() {
            return Err(BucketError::busy("the credentials have expired"));
        }

        let presigning = PresigningConfig::builder()
            .start_time(start)
            .expires_in(limited)
            .build()
            .map_err(BucketError::rejected)?;
        Ok(UrlSigner {
            presigning,
            config: Builder::new()
                .credentials_provider(credentials)
                .identity_cache(IdentityCache::no_cache()),
        })
    }

    async fn current_url_credentials(&self) -> Result<Credentials, BucketError> {
        let credentials = self.url_credentials.provide_credentials().await;
        credentials.map_err(BucketError::busy)
    }
}

/// Signs one URL. Its lifetime and its signature have the same credentials, because those of the
/// next call can be others.
struct UrlSigner {
    presigning: PresigningConfig,
    config: Builder,
}

fn system_time(time: Timestamp) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(time.ms().unsigned_abs())
}

#[cfg(test)]
mod tests {
    use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
    use aws_sdk_s3::{
        Client, Config,
        config::{BehaviorVersion, Region},
    };
    use domain::id::{FileId, SpaceId};

    use super::*;

    const HOUR: Duration = Duration::from_hours(1);

    /// Creates a bucket whose credentials expire this number of seconds after 1970.
    fn bucket(expires_seconds: Option<u64>) -> Bucket {
        let expiry = expires_seconds.map(|seconds| UNIX_EPOCH + Duration::from_secs(seconds));
        let credentials =
            SharedCredentialsProvider::new(Credentials::new("key", "secret", None, expiry, "test"));
        let config = Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("eu"));
        let client = Client::from_conf(config.build());
        Bucket::new(client, credentials, "bucket".to_owned())
    }

    /// Presigns a URL to write to and one to read from. Returns their lifetime, in seconds.
    async fn presigned_seconds(
        expires_seconds: Option<u64>,
        now_ms: i64,
    ) -> Result<u64, BucketError> {
        let key = ObjectKey::staged(SpaceId::MIN, FileId::MIN);
        let bucket = bucket(expires_seconds);
        let now = Timestamp::from_ms(now_ms);
        let headers = ResponseHeaders {
            content_type: "text/plain".to_owned(),
            content_disposition: "inline".to_owned(),
            cache_control: "no-store".to_owned(),
        };
        let grant = PutGrant {
            content_type: "text/plain",
            size_bytes: 1,
            now,
            lifetime: HOUR,
        };

        let put = bucket.presign_put(&key, grant).await?;
        let get = bucket.presign_get(&key, headers, now, HOUR).await?;

        let seconds = put.lifetime.as_secs();
        for url in [put.url, get] {
            let parameter = format!("X-Amz-Expires={seconds}&");
            assert!(url.contains(&parameter), "{seconds}: {url}");
            assert!(url.contains("X-Amz-Credential=key%2F"), "{url}");
        }
        Ok(seconds)
    }

    #[tokio::test]
    async fn lifetime_of_a_presigned_url_ends_with_the_credentials() {
        for (expires_seconds, now_ms, seconds) in [
            (None, 0, 3_600),
            (Some(10_000), 0, 3_600),
            (Some(3_601), 1_500, 3_599),
            (Some(1_200), 0, 1_200),
            (Some(1_200), 1_199_000, 1),
        ] {
            let presigned = presigned_seconds(expires_seconds, now_ms).await;
            assert_eq!(presigned.unwrap(), seconds, "{expires_seconds:?} {now_ms}");
        }
    }

    #[tokio::test]
    async fn presigning_with_expired_credentials_fails_as_busy() {
        for now_ms in [1_199_001, 1_200_000, 9_999_000] {
            let presigned = presigned_seconds(Some(1_200), now_ms).await;
            assert!(matches!(presigned, Err(BucketError::Busy(_))), "{now_ms}");
        }
    }
}
