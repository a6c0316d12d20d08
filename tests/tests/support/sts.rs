//! An STS on loopback. The sessions of a role have the access key of the function that assumes it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    routing::post,
};
use domain::env::Timestamp;
use local_stack::all_functions;
use runtime::context::{ConfigurationError, FunctionContext};
use tests::StackOptions;
use tokio::{net::TcpListener, task::JoinHandle};

/// ARN of the role.
const ROLE_ARN: &str = "arn:aws:iam::000000000000:role/larder-Presign";
/// The same in a form.
const ENCODED_ROLE_ARN: &str = "arn%3Aaws%3Aiam%3A%3A000000000000%3Arole%2Flarder-Presign";

type Start = fn(&FunctionContext) -> Result<Router, ConfigurationError>;

/// A server that stops when it is dropped.
pub(crate) struct FakeSts {
    url: String,
    state: SharedState,
    task: JoinHandle<()>,
}

#[derive(Clone, Default)]
struct SharedState(Arc<Mutex<StsState>>);

#[derive(Default)]
struct StsState {
    /// Secret keys of the functions by access key.
    secret_keys: BTreeMap<String, String>,
    /// End of new sessions; without one requests are rejected.
    expires_at: Option<Timestamp>,
    requests: usize,
}

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, StsState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a function that may assume the role.
    fn add(&self, access_key: &str, secret_key: &str) {
        let keys = (access_key.to_owned(), secret_key.to_owned());
        self.lock().secret_keys.extend([keys]);
    }
}

fn role_variables(url: &str) -> [(&'static str, String); 2] {
    [
        ("PRESIGN_ROLE_ARN", ROLE_ARN.to_owned()),
        ("AWS_ENDPOINT_URL_STS", url.to_owned()),
    ]
}

impl FakeSts {
    /// Returns the variables of a function that assumes the role with its credentials.
    pub(crate) fn variables(
        &self,
        access_key: &str,
        secret_key: &str,
    ) -> [(&'static str, String); 2] {
        self.state.add(access_key, secret_key);
        role_variables(&self.url)
    }

    /// Starts a server that rejects all requests.
    pub(crate) async fn start() -> FakeSts {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = SharedState::default();
        let router = Router::new()
            .route("/", post(assume_role))
            .with_state(state.clone());
        #[expect(clippy::disallowed_methods, reason = "the test is not a function")]
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it never ends");
        });

        FakeSts {
            url: format!("http://{address}"),
            state,
            task,
        }
    }

    /// Returns the options with functions that assume a role to presign URLs.
    pub(crate) fn options(&self, options: StackOptions) -> StackOptions {
        StackOptions {
            registry: all_functions()
                .http("uploads", self.assuming(uploads::router))
                .http("delivery", self.assuming(delivery::router)),
            ..options
        }
    }

    fn assuming(
        &self,
        start: Start,
    ) -> impl Fn(&FunctionContext) -> Result<Router, ConfigurationError> + use<> {
        let state = self.state.clone();
        let url = self.url.clone();
        move |context| {
            let mut context = context.clone();
            let variable = |name: &str| &context.variables[name];
            state.add(
                variable("AWS_ACCESS_KEY_ID"),
                variable("AWS_SECRET_ACCESS_KEY"),
            );

            let role = role_variables(&url).map(|(name, value)| (name.to_owned(), value));
            context.variables.extend(role);
            start(&context)
        }
    }

    /// Accepts requests from now on, for sessions with this end.
    pub(crate) fn end_sessions_at(&self, expires_at: Timestamp) {
        self.state.lock().expires_at = Some(expires_at);
    }

    /// Rejects requests from now on.
    pub(crate) fn reject_requests(&self) {
        self.state.lock().expires_at = None;
    }

    /// Returns the number of requests since the last call.
    pub(crate) fn take_requests(&self) -> usize {
        std::mem::take(&mut self.state.lock().requests)
    }
}

impl Drop for FakeSts {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn assume_role(
    State(state): State<SharedState>,
    headers: HeaderMap,
    form: String,
) -> (StatusCode, String) {
    for parameter in ["Action=AssumeRole", "DurationSeconds=3600"] {
        assert!(form.split('&').any(|pair| pair == parameter), "{form}");
    }
    assert!(form.contains(ENCODED_ROLE_ARN), "{form}");

    let mut state = state.lock();
    state.requests += 1;
    let Some(expires_at) = state.expires_at else {
        let error = "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>\
            <Message>not authorized</Message></Error><RequestId>1</RequestId></ErrorResponse>";
        return (StatusCode::FORBIDDEN, error.to_owned());
    };

    let authorization = headers[header::AUTHORIZATION].to_str().expect("text");
    let mut signers = state.secret_keys.iter();
    let signer = signers.find(|(access_key, _)| authorization.contains(access_key.as_str()));
    let (access_key, secret_key) = signer.expect("a function");
    let expiration = expires_at.rfc3339();
    let session = format!(
        "<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>{access_key}</AccessKeyId>\
         <SecretAccessKey>{secret_key}</SecretAccessKey><SessionToken>session</SessionToken>\
         <Expiration>{expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>"
    );
    (StatusCode::OK, session)
}
