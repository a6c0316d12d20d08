//! Limit of the bytes of forms that a process receives and stores at the same time. It concerns
//! containers and the local stack: a function in Lambda handles one request at a time.
//!
//! Invariant: a form counts by what it has sent, so that clients that send nothing keep no others
//! from sending.

use std::sync::Arc;

use domain::errors::ServiceError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Unit of the limit, in bytes: a mebibyte.
const UNIT_BYTES: u64 = 1 << 20;
/// Maximum size of all forms together, in units: 1 GiB, or 20 forms of 50 MB. A container needs as
/// much memory for the page cache, besides what decoding an image takes (docs/large-forms.md).
const MAX_UNITS: usize = 1 << 10;

/// The limit of a process. Clones share it.
#[derive(Clone)]
pub(crate) struct FormsInFlight(Arc<Semaphore>);

impl FormsInFlight {
    pub(crate) fn new() -> FormsInFlight {
        FormsInFlight(Arc::new(Semaphore::new(MAX_UNITS)))
    }

    /// Begins a form of this declared size. Fails with 503 if it would not fit beside what others
    /// have sent.
    pub(crate) fn begin(&self, declared_bytes: Option<u64>) -> Result<FormInFlight, ServiceError> {
        let units = declared_bytes.map_or(1, |bytes| bytes.div_ceil(UNIT_BYTES));
        if units > self.0.available_permits() as u64 {
            return Err(busy());
        }

        Ok(FormInFlight {
            limit: Arc::clone(&self.0),
            permit: None,
            received_bytes: 0,
        })
    }
}

/// A form that is being received or stored. What it has sent counts until this is dropped.
pub(crate) struct FormInFlight {
    limit: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
    received_bytes: u64,
}

impl FormInFlight {
    /// Counts bytes of a file. Fails with 503 if they do not fit beside those of other forms.
    pub(crate) fn receive(&mut self, bytes: usize) -> Result<(), ServiceError> {
        self.received_bytes += bytes as u64;
        let counted = self
            .permit
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let units = self.received_bytes.div_ceil(UNIT_BYTES) - counted as u64;

        let units = u32::try_from(units).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.limit).try_acquire_many_owned(units);
        let permit = permit.map_err(|_| busy())?;
        match &mut self.permit {
            Some(counted) => counted.merge(permit),
            None => self.permit = Some(permit),
        }
        Ok(())
    }
}

fn busy() -> ServiceError {
    ServiceError::unavailable("other forms are being received")
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, extract::Request};
    use domain::{env::Timestamp, errors::ErrorKind};
    use http::header::CONTENT_TYPE;

    use super::*;
    use crate::forms::{FormShape, UnreadForm};

    const MIB: usize = 1 << 20;

    #[test]
    fn forms_count_by_what_they_have_sent() {
        let forms = FormsInFlight(Arc::new(Semaphore::new(3)));
        let mut first = forms.begin(Some(3 << 20)).expect("it fits");
        let mut second = forms.begin(None).expect("the first one has sent nothing");

        first.receive(MIB + 1).expect("2 of 3 units");
        first.receive(MIB - 1).expect("no other unit");
        second.receive(1).expect("the last unit");
        second.receive(MIB - 1).expect("no other unit");
        second.receive(1).expect_err("a fourth unit");
        assert!(forms.begin(None).is_err());

        drop(first);
        second.receive(MIB).expect("the units of the first one");
        assert!(forms.begin(Some(1)).is_err());
        drop(second);
        assert!(forms.begin(Some(3 << 20)).is_ok());
        assert!(forms.begin(Some((3 << 20) + 1)).is_err());
    }

    /// Reads a form with a file of this size.
    async fn read(forms: &FormsInFlight, bytes: usize) -> Result<(), ServiceError> {
        let head = "--b\r\ncontent-disposition: form-data; name=file; filename=a\r\n\r\n";
        let body = [head, &"a".repeat(bytes), "\r\n--b--\r\n"].concat();
        let request = Request::post("/")
            .header(CONTENT_TYPE, "multipart/form-data; boundary=b")
            .body(Body::from(body))
            .expect("a request");
        let shape = FormShape {
            text_fields: &[],
            max_files: 1,
        };
        let form = UnreadForm::of(request, shape).await?;

        let mut in_flight = form.begin(forms)?;
        form.read(&mut in_flight, Timestamp::from_ms(0)).await?;
        Ok(())
    }

    #[tokio::test]
    async fn form_that_does_not_fit_any_more_is_rejected_while_it_is_read() {
        let forms = FormsInFlight(Arc::new(Semaphore::new(1)));

        assert!(read(&forms, MIB).await.is_ok());
        let error = read(&forms, MIB + 1).await.expect_err("a second unit");
        assert_eq!(error.kind, ErrorKind::Unavailable);
        assert!(read(&forms, MIB).await.is_ok());
    }
}
