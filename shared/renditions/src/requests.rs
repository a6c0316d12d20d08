//! Variants for requests: found where they are stored, or rendered.

use domain::{Retention, ServiceError, Variant, VariantLocation};
use space_store::{AnonymousLimits, AuthorizedFile};

use crate::{FoundVariant, ReadyVariant, Renditions, in_flight::Outcome, require_source};

/// A variant of a file that the request is authorized to read.
#[derive(Clone, Copy, Debug)]
pub struct VariantRequest<'a> {
    pub file: &'a AuthorizedFile,
    pub variant: Variant,
    /// Limits of requests without credentials.
    pub limits: AnonymousLimits,
}

impl Renditions {
    /// Returns a variant; `None` if it is not stored. Fails with 403 if it is not stored and the request may
    /// not create it, and with 422 if the file is no image that can be rendered.
    pub async fn find(
        &self,
        request: VariantRequest<'_>,
    ) -> Result<Option<FoundVariant>, ServiceError> {
        let VariantRequest { file, variant, .. } = request;
        let location = file.location_of(&variant);
        let other = VariantLocation {
            retention: location.retention.other(),
            ..location.clone()
        };
        for location in [location, other] {
            if let Some(stored) = file.objects(&self.bucket).variant(&location).await? {
                return Ok(Some(FoundVariant { location, stored }));
            }
        }

        file.require_creatable(&self.tenants, variant.transformation)
            .await?;
        // Before a rendering is counted, or waits for others.
        require_source(file.file())?;
        Ok(None)
    }

    /// Returns a variant, rendered if it is not stored.
    ///
    /// Fails with 403 if it is not stored and the request may not render, with 422 if the file is no
    /// image that can be rendered, with 429 if the space has no renderings left for requests without
    /// credentials, and with 503 if the process is busy with other renderings.
    pub async fn get(&self, request: VariantRequest<'_>) -> Result<ReadyVariant, ServiceError> {
        let finished = self.in_flight.finished();
        if let Some(found) = self.find(request).await? {
            return Ok(ReadyVariant::Stored(found));
        }

        let location = request.file.location_of(&request.variant);
        let render = || {
            let renditions = self.clone();
            let file = request.file.clone();
            let location = location.clone();
            async move {
                let request = VariantRequest {
                    file: &file,
                    ..request
                };
                renditions
                    .render_unless_stored(request, &location, finished)
                    .await
            }
        };
        let outcome = self
            .in_flight
            .run(request.file.file().id, &location, render)
            .await?;
        match outcome {
            Outcome::Rendered {
                rendition,
                is_stored,
            } => Ok(ReadyVariant::Rendered {
                rendition,
                location: is_stored.then_some(location),
            }),
            Outcome::Stored => {
                let stored = request
                    .file
                    .objects(&self.bucket)
                    .variant(&location)
                    .await?;
                let stored =
                    stored.ok_or_else(|| ServiceError::contended("the variant is gone"))?;
                Ok(ReadyVariant::Stored(FoundVariant { location, stored }))
            }
        }
    }

    /// Renders and stores a variant that was not stored when `finished` renderings had succeeded.
    /// Looks it up again only if another rendering has succeeded since.
    async fn render_unless_stored(
        &self,
        request: VariantRequest<'_>,
        location: &VariantLocation,
        finished: u64,
    ) -> Result<Outcome, ServiceError> {
        let has_changed = self.in_flight.finished() != finished;
        if has_changed
            && request
                .file
                .objects(&self.bucket)
                .variant(location)
                .await?
                .is_some()
        {
            return Ok(Outcome::Stored);
        }
        self.render_and_store(request, location).await
    }

    /// Renders a variant and stores it, unless it is for a request without credentials and the file has as many
    /// as it may have.
    async fn render_and_store(
        &self,
        request: VariantRequest<'_>,
        location: &VariantLocation,
    ) -> Result<Outcome, ServiceError> {
        let VariantRequest {
            file,
            variant,
            limits,
        } = request;
        let is_limited = location.retention == Retention::Expiring;
        if is_limited {
            self.tenants
                .delivery()
                .count_rendering(file.file(), limits)
                .await?;
        }

        let rendition = self.render(file, variant).await?;
        let is_stored = !is_limited
            || self
                .tenants
                .delivery()
                .reserve_variant(file.file(), &location.id, limits)
                .await?;
        if is_stored {
            self.store(file, location, &rendition).await?;
        }
        Ok(Outcome::Rendered {
            rendition,
            is_stored,
        })
    }
}
