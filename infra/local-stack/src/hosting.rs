//! Starts the functions of the template.

use axum::{
    Router,
    extract::Request,
    middleware::{self, Next},
};
use runtime::{
    context::FunctionContext,
    http::{BodyTimer, Observer},
};
use sam_template::ResolvedTemplate;

use crate::{
    cargo_lambda::CargoLambdaWatch,
    function::FunctionHost,
    registry::{Registry, Start},
    start_error::StartError,
};

/// Starts a function: under cargo-lambda if it runs, else in this process.
pub(crate) fn start_function(
    binary: &str,
    context: &FunctionContext,
    registry: &Registry,
    cargo_lambda: Option<&mut CargoLambdaWatch>,
) -> Result<FunctionHost, StartError> {
    let start = registry.get(binary).ok_or_else(|| {
        StartError::Functions(format!(
            "the function {binary} of the template does not exist"
        ))
    })?;

    if let Some(cargo_lambda) = cargo_lambda {
        return cargo_lambda
            .run(binary, context)
            .map(|remote| FunctionHost::Remote(Box::new(remote)));
    }

    let observer = Observer::of(context);
    let started = match start {
        Start::Http(start) => start(context)
            .map(|router| FunctionHost::Router(observer.observe_all(with_body_timer(router)))),
        Start::Worker(start) => start(context).map(FunctionHost::Worker),
    };
    started.map_err(|reason| StartError::Function {
        function: binary.to_owned(),
        reason,
    })
}

/// Adds the timer for request bodies that a function has as a Lambda.
fn with_body_timer(router: Router) -> Router {
    router.layer(middleware::from_fn(async |request: Request, next: Next| {
        let timer = BodyTimer::of(request.extensions());
        timer.respond_in_time(next.run(request)).await
    }))
}

/// Fails if a registered function is not in the template.
pub(crate) fn check_registry(
    registry: &Registry,
    template: &ResolvedTemplate,
) -> Result<(), StartError> {
    let is_in_template = |binary: &str| {
        template
            .functions
            .iter()
            .any(|function| function.binary == binary)
    };
    match registry.names().find(|binary| !is_in_template(binary)) {
        None => Ok(()),
        Some(binary) => Err(StartError::Functions(format!(
            "the function {binary} is not in the template"
        ))),
    }
}
