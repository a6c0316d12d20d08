//! `POST /upload/presign`, and the same by a signed address or without a key: announce a file whose bytes go to storage
//! itself.
//!
//! Whoever asks again under the same `Idempotency-Key` gets the same file, and a fresh address, good until the first one's
//! hour is over.

use std::time::Duration;

use axum::extract::{Request, State};
use domain::{Awaited, Fault, File, FileId, Principal, Timestamp, UploadConfig, Violation};
use intake::Destination;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tenant::{Entry, PRESIGNED_MS, Presigned, Space};
use web::{
    Authenticated, Claim, CreatedBare, Failure, Fields, SignedStranger, Stranger, UnsignedStranger, Upload, read_fields,
};

use crate::{Uploads, particulars::Particulars, promise::Said, signed::demand_named, upload::place};

/// Milliseconds in a second.
const MS_PER_SECOND: i64 = 1_000;

/// Where and how to send the bytes.
#[derive(Serialize)]
pub(crate) struct PresignedView {
    file_id: String,
    upload_url: String,
    object_key: String,
    /// Seconds.
    expires_in: u64,
    /// What has to be sent with the bytes.
    headers: Map<String, Value>,
    /// What confirms the file in place of a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    confirm_token: Option<String>,
}

/// What is kept of an answer: all but its address.
#[derive(Serialize, Deserialize)]
struct Announced {
    file_id: FileId,
    content_type: String,
    size: u64,
    made_at: Timestamp,
}

impl Announced {
    fn of(file: &File) -> Result<Announced, Fault> {
        let awaited = file.awaited.as_ref().ok_or_else(|| Fault::internal("an announced file that nobody awaits"))?;
        Ok(Announced {
            file_id: file.id,
            content_type: awaited.content_type.clone(),
            size: file.size,
            made_at: file.created_at,
        })
    }
}

pub(crate) async fn presign(
    by: Authenticated,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<CreatedBare<PresignedView>, Failure> {
    by.might::<Upload>()?;
    let (mut fields, payload) = read_fields(request, by.sources().now()).await?;
    let particulars = Particulars::read(&mut fields);
    let said = Said::read(&mut fields);
    let place = place(&by, &mut fields).await?;
    let claim = by.claim(&payload).await;
    let mut placed = None;
    // What was done once is answered again though it would be refused by now.
    if let (Ok(_), Some((can, config))) = (&claim, &place) {
        judge(said.as_ref(), config, can.caller.principal(), &mut fields);
        placed = particulars.placed(&can.space, config, &mut fields).await?;
    }
    let (said, (can, config)) = fields.finish(said.zip(place))?;
    let placed = placed.unwrap_or_default();
    let destination = placed.destination(&can.space, &config, can.caller.principal(), &can.sources).await?;
    announce(&uploads, &can.space, &destination, &said, None, claim).await
}

pub(crate) async fn presign_signed(
    SignedStranger { signed, expected, stranger }: SignedStranger,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<CreatedBare<PresignedView>, Failure> {
    let (mut fields, payload) = read_fields(request, stranger.sources.now()).await?;
    let named = ["space_id", "upload_config_id"].map(|field| fields.optional(field, |id| Ok(id.to_owned())));
    demand_named(&signed, named)?;
    let mut said = Said::read(&mut fields);
    if let Some(said) = &mut said {
        said.bind(signed.original_name(), expected.as_ref(), &mut fields);
    }
    let particulars = Particulars::of_signed(&mut fields, &signed)?;
    presign_for(&uploads, &stranger, fields, (said, particulars), signed.content_type, &payload).await
}

pub(crate) async fn presign_unsigned(
    UnsignedStranger(stranger): UnsignedStranger,
    State(uploads): State<Uploads>,
    request: Request,
) -> Result<CreatedBare<PresignedView>, Failure> {
    let (mut fields, payload) = read_fields(request, stranger.sources.now()).await?;
    let said = Said::read(&mut fields);
    let particulars = Particulars::of_stranger(&mut fields);
    presign_for(&uploads, &stranger, fields, (said, particulars), None, &payload).await
}

async fn presign_for(
    uploads: &Uploads,
    stranger: &Stranger,
    mut fields: Fields,
    (said, particulars): (Option<Said>, Particulars),
    expected_type: Option<String>,
    payload: &Value,
) -> Result<CreatedBare<PresignedView>, Failure> {
    let Entry { space, config } = &stranger.entry;
    let claim = stranger.claim(payload).await;
    let mut placed = None;
    if claim.is_ok() {
        judge(said.as_ref(), config, stranger.uploaded_by, &mut fields);
        placed = particulars.placed(space, config, &mut fields).await?;
    }
    let said = fields.finish(said)?;
    let destination = placed.unwrap_or_default().of_stranger(stranger).await?;
    announce(uploads, space, &destination, &said, expected_type, claim).await
}

/// Notes what a config refuses of what is said of a file.
fn judge(said: Option<&Said>, config: &UploadConfig, uploaded_by: Principal, fields: &mut Fields) {
    if let Some(said) = said {
        said.judge(&config.rules_for(uploaded_by), uploaded_by, fields);
    }
}

/// Announces a file, unless that was done before, and gives an address for its bytes.
async fn announce(
    uploads: &Uploads,
    space: &Space,
    destination: &Destination<'_>,
    said: &Said,
    expected_type: Option<String>,
    claim: Result<Claim, Failure>,
) -> Result<CreatedBare<PresignedView>, Failure> {
    let assets = space.assets(&uploads.originals);
    let (announced, is_replayed) = match claim {
        Ok(claim) => {
            let rules = destination.config.rules_for(destination.uploaded_by);
            let content_type = said.content_type.clone();
            let awaited = Awaited { rules, content_type, expected_type };
            let file = destination.announced(&mut claim.ids(), &said.promise(destination.uploaded_by), awaited);
            let announced = Announced::of(&file)?;
            let completion = claim.complete_with(serde_json::to_vec(&announced).map_err(Fault::internal)?);
            let announcing = assets.announce(&file, destination.quota(), &uploads.checks, completion.as_ref());
            let done = runtime::done_in_time(announcing).await;
            done.unwrap_or_else(|| Err(Fault::unavailable("announcing took too long")))?;
            (announced, false)
        }
        Err(Failure::Replay(kept)) => {
            let announced: Announced = serde_json::from_slice(&kept).map_err(Fault::internal)?;
            // What was sent for it may have been refused since, and the file with it.
            assets.file(announced.file_id).await?.ok_or_else(expired)?;
            (announced, true)
        }
        Err(failure) => return Err(failure),
    };
    let Announced { file_id, content_type, size, made_at } = announced;
    let now = destination.sources.now();
    let left_seconds = (made_at.plus_ms(PRESIGNED_MS).ms() - now.ms() + MS_PER_SECOND - 1).div_euclid(MS_PER_SECOND);
    // No address is good for longer than somebody looks after its file.
    let lifetime = u64::try_from(left_seconds).ok().filter(|seconds| *seconds > 0).ok_or_else(expired)?;
    let Presigned { url, lifetime, object_key } =
        assets.presign(file_id, &content_type, size, now, Duration::from_secs(lifetime)).await?;
    let is_stranger = destination.uploaded_by.is_stranger();
    let confirm_token = is_stranger.then(|| uploads.strangers.tokens.of(file_id).reveal().to_owned());
    let headers = Map::from_iter([("content-type".to_owned(), json!(content_type))]);
    let body = PresignedView {
        file_id: file_id.to_string(),
        upload_url: url,
        object_key,
        expires_in: lifetime.as_secs(),
        headers,
        confirm_token,
    };
    Ok(CreatedBare { body, is_replayed })
}

fn expired() -> Fault {
    let message = "The upload URL of this request has expired, or its file was refused.";
    let violation = Violation::Must("is that of a request whose URL has expired, or whose file was refused");
    Fault::conflict(message, "idempotency_key", violation)
}
