//! JSON bodies of requests that run once.

use axum::extract::{FromRequest, Request};

use crate::{
    caller::{Authenticated, IdempotencyOutcome, IdempotencyScope, Reservation},
    fields::FromFields,
    request::UnreadJson,
    response::{ApiError, Created},
};
/// A JSON body of a request that runs once.
pub struct IdempotentJson<T> {
    body: UnreadJson<T>,
    scope: IdempotencyScope,
}

impl<T: FromFields> IdempotentJson<T> {
    /// Runs the request, or returns the response of an earlier one with the same
    /// `Idempotency-Key`, even if its fields are not valid any more.
    pub async fn run_once<V>(
        self,
        work: impl AsyncFnOnce(T, &Reservation) -> Result<V, ApiError>,
    ) -> Result<Created<V>, ApiError> {
        let authorize = async |_: &T| Ok(());
        let run =
            async |(), request: T, reservation: &Reservation| work(request, reservation).await;
        self.run_once_authorized(authorize, run).await
    }

    /// Runs a request whose fields select the space. `authorize` also runs before a replay, so that
    /// a caller who lost access to the space gets no stored response.
    pub async fn run_once_authorized<P, V>(
        mut self,
        authorize: impl AsyncFnOnce(&T) -> Result<P, ApiError>,
        work: impl AsyncFnOnce(P, T, &Reservation) -> Result<V, ApiError>,
    ) -> Result<Created<V>, ApiError> {
        let outcome = self.scope.reserve(&self.body.value).await?;
        let read = T::read(&mut self.body.fields);
        let request = self.body.fields.finish(read);

        let reservation = match outcome {
            IdempotencyOutcome::Proceed(reservation) => reservation,
            IdempotencyOutcome::Replay(replay) => {
                if let Ok(request) = &request {
                    authorize(request).await?;
                }
                return Ok(Created::Replayed(replay));
            }
        };

        // Boxed, to keep the futures of handlers small.
        let run = Box::pin(async {
            let request = request?;
            let permission = authorize(&request).await?;
            work(permission, request, &reservation)
                .await
                .map(Created::New)
        });
        reservation.release_on_failure(run).await
    }
}

impl<T: FromFields, S: Send + Sync> FromRequest<S> for IdempotentJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<IdempotentJson<T>, ApiError> {
        let scope = Authenticated::of(&request)?.idempotency.clone();
        let body = UnreadJson::from_request(request, state).await?;
        Ok(IdempotentJson { body, scope })
    }
}
