//! The stack itself: started in order, ended in reverse.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::Request,
    middleware::{self, Next},
};
use domain::Random;
use emulators::{ACCOUNT_ID, CallLog, Emulators, ExistingData, Faults, MessageCounts, REGION};
use runtime::{BodyDeadlines, BodyTimer, Environment, Observer};
use template::{Context, Stack, Template};
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

use crate::{
    CargoLambda, Registry, StartError,
    bootstrap::{self, FirstKey, LOCAL_FILE, Local},
    callee::{Callee, Place},
    demo,
    emulate::Running,
    environment::{Environments, SECRET_FILE},
    gateway::{Behind, Gateway, Routing},
    recursion::RecursionGuard,
    registry::Start,
    schedule::Schedules,
    server::{Stopping, bind, serve},
    trigger::{Messages, Pump, RunningBatches},
};

/// What everything is called after, as a deployed stack would be.
const STACK_NAME: &str = "larder";
/// The files that are kept beside the emulators' own, drafts of a write that was cut off among
/// them.
const BESIDE: &[&str] = &[SECRET_FILE, "secret.new", LOCAL_FILE, "local.new"];
/// The template's parameter for the address of delivery.
const CDN_URL_PARAMETER: &str = "CdnUrl";
/// The template's parameter for the longest body that delivery answers itself.
const REDIRECT_PARAMETER: &str = "RedirectAboveBytes";
/// What that parameter is in this process, where nothing limits an answer: more than any file has.
const NEVER_REDIRECT: u64 = 1 << 50;
/// What it is behind cargo-lambda, which hangs on larger answers: 3 MiB.
const CARGO_LAMBDA_REDIRECT: u64 = 3 << 20;
/// The path under which the API is.
const API_PATH: &str = "/api/v1";
/// How long queues may take to run empty.
const DRAIN_DEADLINE: Duration = Duration::from_secs(20);
/// Pause between two looks at them.
const DRAIN_PAUSE: Duration = Duration::from_millis(20);

/// The ports to listen on; 0 takes a free one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ports {
    /// The API's.
    pub api: u16,
    /// The CDN's.
    pub cdn: u16,
    /// S3's.
    pub s3: u16,
}

/// What a stack is started with.
pub struct Options {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// Whether to begin anew: what earlier runs left is removed.
    pub reset: bool,
    /// The template. Stacks of one process share it.
    pub template: Arc<Template>,
    /// The functions that it names.
    pub registry: Registry,
    /// Where to listen.
    pub ports: Ports,
    /// Parameters of the template that do not take their defaults.
    pub parameters: BTreeMap<String, String>,
    /// The clock of everything.
    pub clock: Arc<dyn emulators::AsyncClock>,
    /// The randomness of the functions.
    pub random: Arc<dyn Random>,
    /// How long a client may take for the body of a request.
    pub body_deadlines: BodyDeadlines,
    /// Where the functions run: behind cargo-lambda, or, where there is none, in this process.
    pub cargo_lambda: Option<CargoLambda>,
}

/// A running stack.
pub struct Cloud {
    emulators: Emulators,
    stack: Stack,
    environments: Environments,
    api_url: String,
    cdn_url: String,
    first_key: Option<FirstKey>,
    running: Option<Running>,
    schedules: Schedules,
    running_batches: RunningBatches,
    tasks: JoinSet<()>,
    /// Stops everything when it is dropped.
    stop: watch::Sender<()>,
}

/// The queues do not hold what was waited for.
#[derive(Debug, thiserror::Error)]
#[error("the queues do not come to hold what they should: {0}")]
pub struct NotDrained(String);

impl Cloud {
    /// Starts everything; returns once it answers.
    pub async fn start(options: Options) -> Result<Cloud, StartError> {
        let (api, cdn, s3) = (
            bind(options.ports.api)?,
            bind(options.ports.cdn)?,
            bind(options.ports.s3)?,
        );
        let (api_origin, cdn_url) = (origin(&api)?, origin(&cdn)?);
        let s3_listener = s3.into_std().map_err(|reason| StartError::Port {
            port: options.ports.s3,
            reason,
        })?;
        let emulators = Emulators::start(emulators::EmulatorOptions {
            data_dir: options.data_dir.clone(),
            existing: if options.reset {
                ExistingData::Remove {
                    extra_files: BESIDE,
                }
            } else {
                ExistingData::Keep
            },
            clock: Arc::clone(&options.clock),
            s3_listener,
        })
        .await?;

        let context = context(&options, &api_origin, &cdn_url, &emulators);
        let stack = options.template.read(&context)?;
        emulators.provision(&stack).await?;
        let environments = Environments::open(
            &options.data_dir,
            Arc::clone(&options.clock),
            Arc::clone(&options.random),
        )?;
        let first_key =
            bootstrap::first_key(&options.data_dir, &stack, &environments, &emulators).await?;

        let (stop, stopping) = watch::channel(());
        let mut running = match &options.cargo_lambda {
            Some(place) => Some(Running::start(place).await?),
            None => None,
        };
        let mut callees = BTreeMap::new();
        for function in &stack.functions {
            let environment = environments.of(function, &emulators);
            let place = place(
                &function.binary,
                &environment,
                &options.registry,
                running.as_mut(),
            )?;
            let callee = Callee::new(function.binary.clone(), function.timeout_seconds, place);
            callees.insert(function.logical_id.clone(), Arc::new(callee));
        }
        all_registered_exist(&options.registry, &stack)?;

        let mut cloud = Cloud {
            api_url: format!("{api_origin}{API_PATH}"),
            cdn_url,
            emulators,
            stack,
            environments,
            first_key,
            running,
            schedules: Schedules::new(options.clock),
            running_batches: RunningBatches::default(),
            tasks: JoinSet::new(),
            stop,
        };
        cloud.serve([api, cdn], options.body_deadlines, &callees, &stopping);
        let (api_url, cdn_url) = (cloud.api_url.clone(), cloud.cdn_url.clone());
        let api_key = cloud.first_key.as_ref().map(|first| first.key.clone());
        let local = Local {
            api_url,
            cdn_url,
            s3_url: cloud.s3_url().to_owned(),
            api_key,
        };
        bootstrap::write_local(&options.data_dir, &local)?;
        Ok(cloud)
    }

    fn serve(
        &mut self,
        [api, cdn]: [TcpListener; 2],
        body_deadlines: BodyDeadlines,
        callees: &BTreeMap<String, Arc<Callee>>,
        stopping: &Stopping,
    ) {
        let routing = Routing::of(&self.stack.routes, callees);
        let gateway = |behind| {
            Arc::new(Gateway::new(
                behind,
                self.environments.env(),
                body_deadlines,
            ))
        };
        self.tasks
            .spawn(serve(api, gateway(Behind::Api(routing)), stopping.clone()));
        if let Some(origin) = self
            .stack
            .cdn_origin
            .as_ref()
            .and_then(|id| callees.get(id))
        {
            self.tasks.spawn(serve(
                cdn,
                gateway(Behind::Cdn(Arc::clone(origin))),
                stopping.clone(),
            ));
        }
        for trigger in &self.stack.triggers {
            let function = self
                .stack
                .functions
                .iter()
                .find(|function| function.logical_id == trigger.function);
            let (Some(function), Some(callee)) = (function, callees.get(&trigger.function)) else {
                continue;
            };
            let queue = self
                .stack
                .queues
                .iter()
                .find(|queue| queue.name == trigger.queue);
            let redrive = queue.and_then(|queue| queue.redrive.as_ref());
            let dead_letter_queue = redrive.map(|redrive| redrive.dead_letter_queue.as_str());
            let lambda = self
                .environments
                .operator("lambda", BTreeMap::new(), &self.emulators);
            let recursion = RecursionGuard::new(function, dead_letter_queue, &lambda);
            let environment = self.environments.of(function, &self.emulators);
            let pump = Pump::new(
                trigger,
                Arc::clone(callee),
                &environment,
                recursion,
                self.running_batches.clone(),
            );
            self.tasks
                .spawn(pump.run(trigger.maximum_concurrency, stopping.clone()));
        }
        for schedule in &self.stack.schedules {
            let sender = self.schedules.begin(
                schedule,
                &self.environments.of_schedule(schedule, &self.emulators),
            );
            self.tasks.spawn(sender.run(stopping.clone()));
        }
    }

    /// `http://127.0.0.1:PORT/api/v1`.
    pub fn api_url(&self) -> &str {
        &self.api_url
    }

    /// `http://127.0.0.1:PORT/demo`: a page to upload from.
    pub fn demo_url(&self) -> String {
        format!("{}{}", self.api_url.trim_end_matches(API_PATH), demo::PATH)
    }

    /// `http://127.0.0.1:PORT`.
    pub fn cdn_url(&self) -> &str {
        &self.cdn_url
    }

    /// `http://127.0.0.1:PORT`.
    pub fn s3_url(&self) -> &str {
        self.emulators.s3_url()
    }

    /// An account key of the first user, where there is a table to keep one.
    pub fn api_key(&self) -> Option<&str> {
        self.first_key.as_ref().map(|first| first.key.as_str())
    }

    /// Whether that key was made at this start.
    pub fn api_key_is_new(&self) -> bool {
        self.first_key.as_ref().is_some_and(|first| first.is_new)
    }

    /// What the template came to.
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// The log of calls to the emulators.
    pub fn call_log(&self) -> CallLog {
        self.emulators.call_log()
    }

    /// The faults to come.
    pub fn faults(&self) -> Faults {
        self.emulators.faults()
    }

    /// Random AWS misbehavior. Disabled at the start.
    pub fn chaos(&self) -> emulators::Chaos {
        self.emulators.chaos()
    }

    /// Lets all objects of one length have one ETag, as described at [`Emulators::collide_etags`].
    pub fn collide_etags(&self) {
        self.emulators.collide_etags();
    }

    /// What the function of this binary is started with.
    pub fn environment_of(&self, binary: &str) -> Option<Environment> {
        let function = self
            .stack
            .functions
            .iter()
            .find(|function| function.binary == binary)?;
        Some(self.environments.of(function, &self.emulators))
    }

    /// The environment of somebody who may do everything, with a function's variables.
    pub fn operator_environment(&self, binary: &str) -> Option<Environment> {
        let variables = self.environment_of(binary)?.variables;
        Some(
            self.environments
                .operator("operator", variables, &self.emulators),
        )
    }

    /// Waits until no queue that triggers a function holds a message, no function is processing
    /// one, and no schedule is to send one by now.
    pub async fn drained(&self) -> Result<(), NotDrained> {
        self.until(|messages| messages == Messages::default())
            .await
            .map(drop)
    }

    /// Waits until the queues that trigger functions hold, together, what is wanted, with all that
    /// schedules send by now; gives what they hold then.
    pub async fn until(&self, wanted: impl Fn(Messages) -> bool) -> Result<Messages, NotDrained> {
        let mut seen = None;
        let watch = async {
            loop {
                // Asked before the queues are: what is sent while they are counted may have been
                // counted or not.
                let is_complete = !self.schedules.are_due();
                seen = self.messages().await;
                if let Some(messages) = seen.filter(|messages| is_complete && wanted(*messages)) {
                    return messages;
                }
                tokio::time::sleep(DRAIN_PAUSE).await;
            }
        };
        tokio::time::timeout(DRAIN_DEADLINE, watch)
            .await
            .map_err(|_| NotDrained(format!("{seen:?}")))
    }

    /// Counts the messages of all queues that trigger functions. `None` if one cannot be counted.
    async fn messages(&self) -> Option<Messages> {
        let mut together = Messages::default();
        for trigger in &self.stack.triggers {
            let MessageCounts {
                visible,
                in_flight,
                delayed,
            } = self.emulators.message_counts(&trigger.queue).await?;
            together.visible += visible;
            together.in_flight += in_flight;
            together.delayed += delayed;
        }
        // Counted after the queues: once a message is deleted, its other deliveries have begun.
        together.running_batches = self.running_batches.count();
        Some(together)
    }

    /// Ends everything, first what calls, then what is called: requests and batches at work are
    /// finished, within a bound, by functions that still run.
    pub async fn stop(mut self) {
        drop(self.stop);
        while self.tasks.join_next().await.is_some() {}
        if let Some(running) = self.running {
            running.stop().await;
        }
        self.emulators.stop().await;
    }
}

fn origin(listener: &TcpListener) -> Result<String, StartError> {
    let address = listener
        .local_addr()
        .map_err(|reason| StartError::Port { port: 0, reason })?;
    Ok(format!("http://{address}"))
}

fn context(options: &Options, api_origin: &str, cdn_url: &str, emulators: &Emulators) -> Context {
    let mut parameters = options.parameters.clone();
    let redirect_above = if options.cargo_lambda.is_some() {
        CARGO_LAMBDA_REDIRECT
    } else {
        NEVER_REDIRECT
    };
    let ours = [
        (CDN_URL_PARAMETER, cdn_url.to_owned()),
        (REDIRECT_PARAMETER, redirect_above.to_string()),
    ];
    let declared = options.template.parameters().unwrap_or_default();
    for (name, value) in ours {
        if declared.iter().any(|parameter| parameter.name == name) {
            parameters.entry(name.to_owned()).or_insert(value);
        }
    }
    let known = |resource: &str, attribute: &str, value: &str| {
        (
            (resource.to_owned(), attribute.to_owned()),
            value.to_owned(),
        )
    };
    let cdn_domain = cdn_url.trim_start_matches("http://");
    Context {
        stack_name: STACK_NAME.to_owned(),
        region: REGION.to_owned(),
        account_id: ACCOUNT_ID.to_owned(),
        parameters,
        attributes: [
            known("Cdn", "DomainName", cdn_domain),
            known("Api", "ApiEndpoint", api_origin),
        ]
        .into(),
        queue_url_base: emulators.sqs_url().to_owned(),
    }
}

fn place(
    binary: &str,
    environment: &Environment,
    registry: &Registry,
    running: Option<&mut Running>,
) -> Result<Place, StartError> {
    let start = registry.get(binary).ok_or_else(|| {
        StartError::Functions(format!(
            "the template names the function {binary}, which is not built in"
        ))
    })?;
    if let Some(running) = running {
        return running
            .run(binary, environment)
            .map(|remote| Place::Remote(Box::new(remote)));
    }
    let observer = Observer::of(environment);
    let started = match start {
        Start::Http(start) => {
            start(environment).map(|router| Place::Router(observer.observe_all(in_time(router))))
        }
        Start::Worker(start) => start(environment).map(Place::Worker),
    };
    started.map_err(|reason| StartError::Function {
        function: binary.to_owned(),
        reason,
    })
}

/// The function with the watch that it has as a Lambda.
fn in_time(router: Router) -> Router {
    router.layer(middleware::from_fn(async |request: Request, next: Next| {
        let timer = BodyTimer::of(request.extensions());
        timer.respond_in_time(next.run(request)).await
    }))
}

fn all_registered_exist(registry: &Registry, stack: &Stack) -> Result<(), StartError> {
    let named = |binary: &str| {
        stack
            .functions
            .iter()
            .any(|function| function.binary == binary)
    };
    match registry.names().find(|binary| !named(binary)) {
        None => Ok(()),
        Some(binary) => Err(StartError::Functions(format!(
            "the function {binary} is not in the template"
        ))),
    }
}
