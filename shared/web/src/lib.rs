//! The HTTP edge: who calls, what they may do, what they ask for, and the form of every answer.
//!
//! Invariants: a handler reaches a space only through [`Can`], which is made here after
//! authentication and authorization, or, to upload, by a signed URL or an upload config; every
//! refusal has the standard body, made in one place; no key, signature or byte of a file is ever
//! logged.
//!
//! # The API's rules
//!
//! Everything is under `/api/v1`; `openapi.json` describes each endpoint. An endpoint gets what is
//! written here from the extractors and responses of this crate: [`Can`] or [`Authenticated`]
//! first, then [`ValidJson`], [`IdempotentJson`] or [`PageQuery`]; [`Data`], [`Created`],
//! [`NoContent`] or [`PageResponse`] last.
//!
//! ## Who calls
//!
//! - A key comes as `Authorization: Bearer …`, or as the query parameter `api_key`; the header wins
//!   where both are there. A missing, malformed, unknown, revoked or expired one is a 401 with
//!   `WWW-Authenticate: Bearer`, before a body is read.
//! - An account key acts for a user in every space where that user has a role; a space key acts for
//!   itself in its one space, with the role it was made with. A role that is too low is a 403.
//! - Three kinds of strangers come without a key. Whoever holds an address that `POST
//!   /upload/generate-signed-url` made uploads by `POST /upload/signed` and `…/signed/presign`;
//!   whoever comes from a page that an upload config names uploads by `POST
//!   /upload/unsigned/:spaceHandle/:configName` and `…/presign`; whoever announced a file in one of
//!   these ways confirms it by the `confirm_token` of the answer. What does not prove anything is a
//!   403; an unsigned upload to a space that does not exist is a 404. A confirm token is valid
//!   until an hour after its presigned URL has expired, then it is a 403.
//! - Uploads and confirmations without a key answer with `id`, `name`, `original_name`,
//!   `mime_type`, `size`, `type`, `resource_type`, `status`, `url` and `created_at` alone, as they
//!   were at activation: later changes do not show.
//! - A folder is named without a key only where the signature covers it: `folder_id` of `POST
//!   /upload/generate-signed-url`, an id or `root`, is where all files of that URL go. A request
//!   that names another folder is a 403; `folder_path` is a 422.
//! - What a caller may not know of is answered like what is not there: 404 where it is named by the
//!   path, by the query's `id` or by the body of an update or a deletion; 422, `The selected … is
//!   invalid.`, where a field refers to it.
//!
//! ## Answers
//!
//! - A resource is `{"data": …}`: 201 where it was created, 200 elsewhere. A deletion or revocation
//!   is 204 without a body; 202 where what was asked for goes on behind.
//! - A list is `{"data": […], "path", "per_page", "next_cursor", "prev_cursor"}`, newest first (but
//!   files that are searched for run by the first 128 characters of their names, whatever the case,
//!   and then by age); `limit` is 1 to 100, 20 if absent. A cursor leads on from where it was
//!   given, also when items have come or gone since; it belongs to its list, that is to one path,
//!   the same filters, and the keys of one owner. Any other is a 422. A page may hold fewer items
//!   than its limit, also none: `next_cursor` says whether there are more.
//! - An error is `{"message": "…", "errors": {"field": ["…"]}}`. `errors` names every field at
//!   error, all of them together, nested ones with dots, and is `{}` where none is.
//!
//! | status | when | and |
//! | --- | --- | --- |
//! | 400 | the JSON or the form cannot be read | the message says where |
//! | 401 | no valid key | `WWW-Authenticate` |
//! | 403 | the role is too low, the space is disabled, or a signature, token or referrer is none that counts | |
//! | 404 | there is no such route or resource | |
//! | 405 | the path takes other methods | `Allow` |
//! | 408 | the body stopped for 30 seconds, or took 15 minutes | |
//! | 409 | the present state does not allow it, or the same request is in progress | the reason under a field |
//! | 413 | the body is larger than the route takes | |
//! | 415 | the content type is another than the route takes, or the body is encoded | |
//! | 422 | fields are wrong | `The given data was invalid.`, at most 100 errors |
//! | 429 | a rate limit is used up | `Retry-After` |
//! | 500 | our mistake | nothing internal, but the request's id |
//! | 503 | overload, ours or AWS's, or another request is changing the same resource | `Retry-After` |
//!
//! - `HEAD` is accepted wherever there is `GET`. A preflight (`OPTIONS`) is answered with 204 on
//!   any path.
//! - Every answer has an `X-Request-Id`, by which the log knows the request, and may be read by
//!   scripts of any origin.
//! - Ids are ULIDs in upper case, taken in any case; moments are RFC 3339 in UTC with milliseconds.
//!
//! ## Fields
//!
//! - A JSON body is an object in UTF-8, with or without a byte order mark. A request without a body
//!   stands for `{}`. No body, of JSON or of a form, may be encoded (`Content-Encoding`).
//! - A query parameter that a route reads and that is given more than once is a 422, even if one of
//!   its values is empty.
//! - Strings are trimmed, and an empty one is null. Names, descriptions, references and tags are
//!   normalised to Unicode NFC. Fields that nobody asks for are ignored, but keys that are unknown
//!   inside `security` and `config` are refused.
//! - `PUT` changes what is present; null clears what may be null; what is required stays required.
//!   `security` and an upload config's `config` are replaced whole. `folder_mode` is set when a
//!   space is created; a `PUT` with another value is a 422.
//! - `config` is in the response of `GET /upload-configs/:id` only. `GET /upload-configs/all` needs
//!   a key with the role user.
//! - An announced upload is validated by its config as that was when it was announced.
//!
//! ## Files and folders
//!
//! - A viewer sees files and folders, lists their URLs and signs them. A user changes and deletes
//!   the files that the same space key, or the same user, uploaded; what came by a signed URL or
//!   without proof is nobody's own. Everything else takes an admin.
//! - `folder_id` is a folder's id, or `root` for none, and `folder_path` goes down from there.
//!   Folders that are missing on the way are made for admins, and refused to others (403).
//!   `storage.folder` of an upload config goes down from the top, is made for everyone, and holds
//!   where a request names no folder; uploads without proof may name none.
//! - `url` is null while a file is pending, on every route.
//! - A stored name that is made of the original one, and a folder's part of a `storage_path`, is
//!   transliterated to ASCII: `Ünï` becomes `uni`. Control characters in a file's name are removed.
//! - A file has at most 50 MB in a form, and 5 GB where it goes straight to storage. Without a key
//!   it has at most 50 MB there too, unless `max_file_size` of its upload config says otherwise.
//!   JavaScript that comes without a key is stored as `text/plain`.
//! - Presigning refuses at once what the declared name, size and type break: a type whose extension
//!   is none of `allowed_formats` is a 422 on `content_type`. `application/octet-stream` and types
//!   that tell no extension pass; the bytes decide when the file is confirmed.
//! - A folder's name is unlike that of any other in the same one, compared in Unicode's NFC and in
//!   lower case. Folders are up to 20 deep. Moving or renaming one changes no file's URL, and moves
//!   all that is in it.
//! - A file's `access_control` says who decides: `direct` the file itself, else `upload_config`
//!   where its type is `private` or `authenticated`, else `folder` the nearest one that says
//!   anything, else `space`. `requires_auth` and `public_read` are complements, and every level
//!   shows both. One given flag sets the other; of two given ones, either closes.
//! - A user cannot lower the protection of an own file: a `PUT` that weakens its `type` (`upload`,
//!   `private`, `authenticated`, from the weakest up), or moves it out of folders that require
//!   authentication into open ones, is a 403. It needs an admin.
//! - `PUT /files/:id`, `PUT /files` and `DELETE /files` with two different ids, in the path or the
//!   query and in the body, are a 422 on `id`; case makes no difference.
//! - `PUT` of a file takes its whole record back, with another `folder_id` too: a record's
//!   `folder_path` says where the file is, and asks for nothing. What it must not change is a 422
//!   where it differs; what we fill in ourselves (`updated_at`, `storage_meta`, `thumbnails`) is
//!   ignored. A name that something would run is refused as it is at an upload.
//! - A list of files looks at up to 1,000 of them for one page. Files of one folder, with one tag,
//!   or whose names begin alike, are kept together and found at once; `type`, `resource_type` and
//!   `status` are looked for among those.
//! - A file that is deleted is gone from every list, its own address and the CDN with the answer;
//!   its bytes follow.
//! - A deleted space is gone with the response, 204 or 202: its keys are a 401 on every route, its
//!   name is free, and nothing of it is delivered. With `force=true` its files are removed in the
//!   background. A 503 may come after the deletion took effect; the keys then end with the
//!   background job.
//!
//! ## Delivery
//!
//! - `GET` and `HEAD {cdn}/{storage_path}` let in everyone, unless the file's type is `private` or
//!   `authenticated`, or the file, a folder around it or its space requires authentication. Then it
//!   takes a signed URL, or a key of the space with any role in `Authorization`. A `signature` that
//!   is wrong, incomplete or expired is a 403, also where a good key comes with it, and on open
//!   files.
//! - A signed URL has the parameters `expires` (seconds since 1970), `kid` and `signature`, and
//!   covers whatever else it says; how is written in `domain`, `signature.rs`. `POST
//!   /files/:id/signed-url` makes one, good for 1 to 1,440 minutes, 60 if absent.
//! - Text that is valid UTF-8 is delivered with `; charset=utf-8`. Of a file that went straight to
//!   storage the first 256 KiB decide. `mime_type` has no parameters.
//! - Access is decided on each request by records as they were at one moment. A file whose folder
//!   is missing is delivered to nobody. A browser may keep what it got for five minutes, but never
//!   for longer than its URL is good; what was opened by a key, and every `authenticated` file, is
//!   kept nowhere.
//! - `ETag` changes with the bytes, with every change of access to the file (its type, the access
//!   control at any level, the folders around it) and with what `Content-Disposition` says.
//!   `Last-Modified` is when the file became active.
//! - A whole body above `RedirectAboveBytes` (4 MiB) is a 307 to storage. The address of an open
//!   file is the same for half an hour and valid for an hour from its beginning, also after the
//!   file was closed; that of a file which required proof is the same for a minute and valid for
//!   two; neither is valid for longer than the signed URL. A range is answered with its first
//!   `RedirectAboveBytes` at most, as `Content-Range` says, so that a player requests the rest at
//!   the same URL.
//!
//! ## Limits
//!
//! - Each key may make so many requests in a minute of the clock, those to the Admin API and those
//!   to the Upload API counted apart, across all functions: `ADMIN_REQUESTS_PER_MINUTE` and
//!   `UPLOAD_REQUESTS_PER_MINUTE`. A signed address and a confirm token count as a key. Without
//!   proof each client address (each /64 of IPv6), as the gateway sees it, may make
//!   `UNSIGNED_REQUESTS_PER_MINUTE` by each upload config, and all of them together as many uploads
//!   in an hour of the clock as the config's `max_uploads_per_hour` says, 1 to 1,000, or else
//!   `UNSIGNED_UPLOADS_PER_HOUR`; an announced upload counts when it is announced. Counting is part
//!   of authenticating, one call to the table; a request that cannot be counted fails as the table
//!   does.
//! - API Gateway limits the requests to each route, whatever their keys (`ApiRequestsPerSecond` and
//!   `ApiBurstRequests` of the template). Above that it answers 429 itself, with a `message` alone
//!   and without the headers below.
//! - Every answer of a route to a valid key says where it stands: `X-RateLimit-Limit`,
//!   `X-RateLimit-Remaining` and `X-RateLimit-Reset` (seconds since 1970), and the same as
//!   `RateLimit-Policy` and `RateLimit` of the IETF's draft. A 429 speaks of the limit that refused
//!   the request; the hourly one is named `unsigned-hourly`, with a window of 3,600 seconds.
//!
//! | bound | value |
//! | --- | --- |
//! | JSON body | 1 MB |
//! | names of spaces, keys, folders and files; `ref`; `filename`; `Idempotency-Key`; `search` | 255 characters |
//! | slug in a stored name or a folder's path; `content_type` that is declared | 100 characters |
//! | `custom_domain` | 253 characters |
//! | name of an upload config | 100 of `A-Za-z0-9_-` |
//! | `description` | 1,000 characters |
//! | URL of a webhook or watermark | 2,048 characters |
//! | tags of a file or upload config | 20, of 100 characters each |
//! | `allowed_formats` | 100, of 20 characters each |
//! | `allowed_referrers` | 100, of 255 characters each; a label has at most 63 |
//! | `eager` renditions, `events` | 10 each |
//! | folders within one another | 20 |
//! | files of one form | 10, of 50 MB each; the whole form has at most 9 MB more than its files may have |
//! | parts of one form | 64; a text part has at most 64 kilobytes, the headers of a part 16 |
//! | `file_ids` of `POST /files/urls`; items of a page | 100 |
//! | signed URLs | 1 to 1,440 minutes |
//!
//! ## Doing it once
//!
//! - Every `POST` that creates something takes an `Idempotency-Key` of 1 to 255 printable
//!   characters of ASCII. The same key with the same payload, from the same API key (or the same
//!   signed address, or the same client address by the same config) to the same path, is answered
//!   within 24 hours with the first answer and `Idempotent-Replayed: true`, and does nothing. With
//!   another payload it is a 422. While the first is in progress it is a 409, whose `Retry-After`
//!   is the rest of the first one's lease of 60 seconds, also where the first one died. The caller
//!   has to be allowed still: a replay into a space that is gone is refused, and one of an upload
//!   into a disabled space or by a deleted upload config. `POST /spaces/:id/signing-secret/rotate`
//!   creates nothing and takes no `Idempotency-Key`: sent twice, it rotates twice.
//! - `POST /upload/presign` signs a fresh address for the same file, good for what is left of the
//!   first one's hour; after it, it is a 409. `expires_in` tells how long an address is good, in
//!   seconds: an hour, or less where the credentials that sign it expire earlier.
//! - Only success is kept: what failed may be sent again. A form's payload is its fields and its
//!   files' digests.
//!
//! ## Versions
//!
//! `v1` changes by addition only: new routes, new optional fields, new values where a list of
//! values is said to grow. Clients ignore fields that they do not know. What is to go is announced
//! six months ahead by the headers `Deprecation` and `Sunset`; what changes in meaning becomes
//! `v2`, beside `v1`.
//!
//! ## Quirks that stay
//!
//! `DELETE /spaces` takes the id as a query parameter, and upload configs are updated by `POST
//! /upload-configs/update` and deleted with the id in the body. `POST /upload/presign` answers
//! without `data`.

mod access_settings;
mod api_state;
mod authenticated;
mod body;
mod can;
mod endpoint;
mod expiration;
mod fallback;
mod field_reader;
mod folders;
mod idempotency;
mod input_fields;
mod json;
mod layers;
pub mod openapi;
mod page;
mod path;
mod request_state;
mod responses;
mod views;

pub use access_settings::{AccessControlChange, SecurityChange};
pub use api_state::{ApiState, RateLimitTier};
pub use authenticated::{
    AccountHolder, AnyRole, Authenticated, SpaceQuery, authenticate_optional, has_key,
};
pub use body::{DRAIN_BYTES, content_type, drain, require_unencoded};
pub use can::{
    Action, Can, DeleteSpace, ManageFileAccess, ManageFiles, ManageFolders, ManageKeys,
    ManageSpace, ManageUploadConfigs, ReadFiles, ReadFolders, ReadSpace, ReadUploadConfigs,
    Resource, ResourceId, Upload,
};
pub use endpoint::{API_PREFIX, Endpoint, Register, RouterBuilder};
pub use expiration::expires_seconds;
pub use fallback::not_found_router;
pub use field_reader::{FieldReader, FromFields, Patch};
pub use folders::{FOLDER_ID, FOLDER_PATH, FolderReference, read_folder};
pub use idempotency::{IdempotencyOutcome, IdempotencyScope, IdempotentJson, Replay, Reservation};
pub use input_fields::InputFields;
pub use json::{JsonObject, UnreadJson, ValidJson};
pub use layers::with_layers;
pub use page::{CursorSecret, ListQuery, PageQuery, PageResponse, ValidQuery};
pub use path::{KeyPath, path_parameter};
pub use responses::{Accepted, ApiError, Created, CreatedUnwrapped, Data, NoContent};
pub use views::{AnonymousFileView, FileView, Rfc3339, file_url};
