//! Domains of the CDN, which a space can have as its custom domain.

use std::sync::Arc;

use domain::{
    errors::{FieldError, FieldErrors},
    naming::{HostName, HostPattern},
};

const NOT_SERVED: FieldError = FieldError::Custom(
    "must be a domain of the CDN; the operator of the deployment adds domains to `CdnDomainNames`",
);

/// Domains of the CDN.
#[derive(Clone)]
pub(crate) struct CdnDomains(Arc<[HostPattern]>);

impl CdnDomains {
    pub(crate) fn new(domains: Vec<HostPattern>) -> CdnDomains {
        CdnDomains(domains.into())
    }

    /// Fails with 422 if the CDN does not serve the domain.
    pub(super) fn require(&self, domain: &HostName) -> Result<(), FieldErrors> {
        let is_served = |pattern: &HostPattern| pattern.matches(domain.as_str());
        if self.0.iter().any(is_served) {
            Ok(())
        } else {
            Err(FieldErrors::from(("custom_domain", NOT_SERVED)))
        }
    }
}
