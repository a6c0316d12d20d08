//! Renditions for requests: found where they are stored, or rendered.

use domain::{
    errors::ServiceError,
    renditions::{Rendition, RenditionLocation, Retention},
};
use space_store::delivery::{AnonymousLimits, AuthorizedFile};

use crate::{FoundRendition, ReadyRendition, Renditions, in_flight::Outcome};

/// A rendition of a file that the request is authorized to read.
#[derive(Clone, Copy, Debug)]
pub struct RenditionRequest<'a> {
    pub file: &'a AuthorizedFile,
    pub rendition: Rendition,
    /// Limits of requests without credentials.
    pub limits: AnonymousLimits,
}

impl Renditions {
    /// Returns a rendition; `None` if it is not stored. Fails with 403 if it is not stored and the
    /// request may not create it, and with 422 if the file is no image that can be rendered.
    pub async fn find(
        &self,
        request: RenditionRequest<'_>,
    ) -> Result<Option<FoundRendition>, ServiceError> {
        let RenditionRequest {
            file, rendition, ..
        } = request;
        let location = file.location_of(&rendition);
        let other = RenditionLocation {
            retention: location.retention.other(),
            ..location.clone()
        };
        for location in [location, other] {
            if let Some(stored) = file.objects(&self.bucket).rendition(&location).await? {
                return Ok(Some(FoundRendition { location, stored }));
            }
        }

        file.require_creatable(&self.tenants, rendition.transformation)
            .await?;
        // Before a rendering is counted, or waits for others.
        self.require_decoded(file.file())?;
        Ok(None)
    }

    /// Returns a rendition, rendered if it is not stored.
    ///
    /// Fails with 403 if it is not stored and the request may not render, with 422 if the file is
    /// no image that can be rendered, with 429 if the space has no renderings left for requests
    /// without credentials, and with 503 if the process is busy with other renderings.
    pub async fn get(&self, request: RenditionRequest<'_>) -> Result<ReadyRendition, ServiceError> {
        let finished = self.in_flight.finished();
        if let Some(found) = self.find(request).await? {
            return Ok(ReadyRendition::Stored(found));
        }

        let location = request.file.location_of(&request.rendition);
        let render = || {
            let renditions = self.clone();
            let file = request.file.clone();
            let location = location.clone();
            async move {
                let request = RenditionRequest {
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
            .run(request.file.file().revision, &location, render)
            .await?;
        match outcome {
            Outcome::Rendered {
                rendition,
                is_stored,
            } => Ok(ReadyRendition::Rendered {
                rendition,
                location: is_stored.then_some(location),
            }),
            Outcome::Stored => {
                let stored = request
                    .file
                    .objects(&self.bucket)
                    .rendition(&location)
                    .await?;
                let stored =
                    stored.ok_or_else(|| ServiceError::contended("the rendition is gone"))?;
                Ok(ReadyRendition::Stored(FoundRendition { location, stored }))
            }
        }
    }

    /// Renders and stores a rendition that was not stored when `finished` renderings had succeeded.
    /// Looks it up again only if another rendering has succeeded since.
    async fn render_unless_stored(
        &self,
        request: RenditionRequest<'_>,
        location: &RenditionLocation,
        finished: u64,
    ) -> Result<Outcome, ServiceError> {
        let has_changed = self.in_flight.finished() != finished;
        if has_changed
            && request
                .file
                .objects(&self.bucket)
                .rendition(location)
                .await?
                .is_some()
        {
            return Ok(Outcome::Stored);
        }
        self.render_and_store(request, location).await
    }

    /// Renders a rendition and stores it, unless it is for a request without credentials and the
    /// file has as many as it may have.
    async fn render_and_store(
        &self,
        request: RenditionRequest<'_>,
        location: &RenditionLocation,
    ) -> Result<Outcome, ServiceError> {
        let RenditionRequest {
            file,
            rendition,
            limits,
        } = request;
        let is_limited = location.retention == Retention::Expiring;
        if is_limited {
            self.tenants
                .delivery()
                .count_rendering(file.file(), limits)
                .await?;
        }

        let rendered = self.render(file, rendition).await?;
        let is_stored = !is_limited
            || self
                .tenants
                .delivery()
                .reserve_rendition(file.file(), &location.id, limits)
                .await?;
        if is_stored {
            file.objects(&self.bucket)
                .store_rendition(&self.tenants, location, &rendered)
                .await?;
        }
        Ok(Outcome::Rendered {
            rendition: rendered,
            is_stored,
        })
    }
}
