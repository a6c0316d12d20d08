//! The response to a deletion that may continue in the background.

use axum::response::{IntoResponse, Response};

use crate::{
    fields::Force,
    response::{Accepted, NoContent},
};

/// Progress of a deletion when the response is sent.
pub enum Deletion {
    /// 204: the deletion has ended.
    Completed,
    /// 202: the contents are deleted in the background.
    Started,
}

impl From<Force> for Deletion {
    fn from(Force(force): Force) -> Deletion {
        if force {
            Deletion::Started
        } else {
            Deletion::Completed
        }
    }
}

impl IntoResponse for Deletion {
    fn into_response(self) -> Response {
        match self {
            Deletion::Completed => NoContent.into_response(),
            Deletion::Started => Accepted.into_response(),
        }
    }
}
