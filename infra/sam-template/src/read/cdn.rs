//! The CloudFront distribution: its function, and its cache behavior for objects, whose requests
//! need a signed URL.

use serde::Deserialize;
use serde_json::Value;

use super::policy::grants;
use crate::{
    error::TemplateError,
    model::{ObjectBehavior, PublicKey, ResponseHeader},
    resources::Resources,
    scope::{BUCKET, FUNCTION_URL},
};

#[derive(Default)]
pub(super) struct Cdn {
    /// Logical id of the function whose URL is the origin of the default behavior.
    pub(super) origin: Option<String>,
    /// The behavior with an S3 origin, if there is one.
    pub(super) objects: Option<ObjectBehavior>,
    pub(super) aliases: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Distribution {
    distribution_config: DistributionConfig,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct DistributionConfig {
    #[serde(default)]
    aliases: Vec<String>,
    origins: Vec<Origin>,
    #[serde(default)]
    cache_behaviors: Vec<CacheBehavior>,
    default_cache_behavior: DefaultCacheBehavior,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct Origin {
    id: String,
    domain_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct DefaultCacheBehavior {
    target_origin_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct CacheBehavior {
    path_pattern: String,
    target_origin_id: String,
    trusted_key_groups: Vec<String>,
    cache_policy_id: String,
    response_headers_policy_id: String,
}

/// Reads the distribution, if there is one. Fails if its default behavior has another origin than a
/// function URL.
pub(super) fn read(resources: &Resources<'_>) -> Result<Cdn, TemplateError> {
    match resources.at_most_one("AWS::CloudFront::Distribution")? {
        Some(id) => distribution(id, resources).map_err(|error| error.within(id)),
        None => Ok(Cdn::default()),
    }
}

fn distribution(id: &str, resources: &Resources<'_>) -> Result<Cdn, TemplateError> {
    let Distribution {
        distribution_config: config,
    } = resources.properties(id)?;
    let target = &config.default_cache_behavior.target_origin_id;
    let function_url = format!("https://{}/", domain(&config.origins, target)?);
    let url = resources.find(FUNCTION_URL, Some("FunctionUrl"), &function_url)?;
    let objects = match config.cache_behaviors.as_slice() {
        [] => None,
        [behavior] => Some(objects(id, behavior, &config.origins, resources)?),
        _ => return Err(TemplateError::new("CacheBehaviors", "more than one")),
    };

    Ok(Cdn {
        origin: url.strip_suffix("Url").map(str::to_owned),
        objects,
        aliases: config.aliases,
    })
}

/// Returns the domain of an origin.
fn domain<'a>(origins: &'a [Origin], id: &str) -> Result<&'a str, TemplateError> {
    let origin = origins.iter().find(|origin| origin.id == id);
    let origin = origin.ok_or_else(|| TemplateError::new("Origins", format!("no `{id}`")))?;
    Ok(&origin.domain_name)
}

fn objects(
    distribution: &str,
    behavior: &CacheBehavior,
    origins: &[Origin],
    resources: &Resources<'_>,
) -> Result<ObjectBehavior, TemplateError> {
    let pattern = &behavior.path_pattern;
    let prefix = pattern.strip_suffix('*');
    let prefix = prefix.filter(|prefix| !prefix.contains(['*', '?']));
    let path_prefix = prefix.ok_or_else(|| {
        let message = format!("`{pattern}` is not supported, only a prefix with `*`");
        TemplateError::new("PathPattern", message)
    })?;
    let domain = domain(origins, &behavior.target_origin_id)?;
    let bucket = resources.find(BUCKET, Some("RegionalDomainName"), domain)?;
    let distribution_arn = format!(
        "arn:${{AWS::Partition}}:cloudfront::${{AWS::AccountId}}:distribution/${{{distribution}}}"
    );

    let cache_policy = "AWS::CloudFront::CachePolicy";
    let cache_policy: Value =
        resources.referenced(cache_policy, None, &behavior.cache_policy_id)?;
    let query_strings = "/CachePolicyConfig/ParametersInCacheKeyAndForwardedToOrigin/QueryStringsConfig/QueryStrings";
    Ok(ObjectBehavior {
        path_prefix: path_prefix.to_owned(),
        bucket: resources.scope.name(bucket),
        public_keys: public_keys(&behavior.trusted_key_groups, resources)?,
        query_parameters: texts(&cache_policy, query_strings),
        response_headers: response_headers(&behavior.response_headers_policy_id, resources)?,
        permissions: grants(
            "AWS::S3::BucketPolicy",
            &resources.scope.reference(bucket)?,
            "cloudfront.amazonaws.com",
            &resources.scope.substitute(&distribution_arn, None)?,
            resources,
        )?,
    })
}

fn public_keys(
    groups: &[String],
    resources: &Resources<'_>,
) -> Result<Vec<PublicKey>, TemplateError> {
    let mut keys = Vec::new();
    for group in groups {
        let group: Value = resources.referenced("AWS::CloudFront::KeyGroup", None, group)?;
        for id in texts(&group, "/KeyGroupConfig/Items") {
            let key: Value = resources.referenced("AWS::CloudFront::PublicKey", None, &id)?;
            let pem = texts(&key, "/PublicKeyConfig/EncodedKey").concat();
            keys.push(PublicKey { id, pem });
        }
    }
    Ok(keys)
}

fn response_headers(
    policy: &str,
    resources: &Resources<'_>,
) -> Result<Vec<ResponseHeader>, TemplateError> {
    let policy_type = "AWS::CloudFront::ResponseHeadersPolicy";
    let policy: Value = resources.referenced(policy_type, None, policy)?;
    let config = &policy["ResponseHeadersPolicyConfig"];
    let security = &config["SecurityHeadersConfig"];
    let sniffing = security.get("ContentTypeOptions").map(|_| "nosniff");

    let values = [
        (
            "x-content-type-options",
            sniffing.unwrap_or_default().to_owned(),
        ),
        (
            "content-security-policy",
            texts(security, "/ContentSecurityPolicy/ContentSecurityPolicy").concat(),
        ),
        (
            "access-control-allow-origin",
            texts(config, "/CorsConfig/AccessControlAllowOrigins/Items").join(", "),
        ),
        (
            "access-control-expose-headers",
            texts(config, "/CorsConfig/AccessControlExposeHeaders/Items").join(", "),
        ),
    ];

    let headers = values.map(|(name, value)| ResponseHeader { name, value });
    Ok(headers
        .into_iter()
        .filter(|header| !header.value.is_empty())
        .collect())
}

/// Returns the texts of the list at a path. A single text counts as a list of one item.
fn texts(value: &Value, path: &str) -> Vec<String> {
    let found = value.pointer(path).cloned().unwrap_or_default();
    crate::text::one_or_more(found).unwrap_or_default()
}
