//! Starts and stops the local stack.
//!
//! Invariants:
//! - Callers stop before the functions, and the functions before the emulators.
//! - `local.json` is written before the API, the CDN or S3 responds.

use std::{collections::BTreeMap, sync::Arc};

use domain::keys::KeySecret;
use emulators::{CallLog, Emulators, ExistingData, Faults};
use runtime::{context::FunctionContext, http::BodyDeadlines};
use sam_template::{ResolvedTemplate, Trigger};
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

use crate::{
    bootstrap::{self, LOCAL_FILE, LocalFile},
    cargo_lambda::CargoLambdaWatch,
    cdn_key_pair::CdnKeyPair,
    demo::Demo,
    function::LocalFunction,
    function_contexts::{FunctionContexts, SECRET_FILE},
    gateway::{ApiOrigins, CdnOrigins, Gateway, ObjectOrigin, Routing, Upstream},
    hosting::{check_registry, start_function},
    messages::RunningBatches,
    options::{Options, Origins, context},
    paused::PausedWorkers,
    poller::{Poller, PollerOptions},
    recursion::RecursionGuard,
    s3_client::s3_client,
    schedule::Schedules,
    server::{bind, serve},
    start_error::StartError,
    stopping::Stopping,
};

/// Files in the data directory besides those of the emulators, including unfinished drafts.
const LOCAL_FILES: &[&str] = &[SECRET_FILE, "secret.new", LOCAL_FILE, "local.new"];
/// Path prefix of the API.
const API_PATH: &str = "/api/v1";

/// Functions by logical id.
type Functions = BTreeMap<String, Arc<LocalFunction>>;

/// Listeners of the gateways.
struct Listeners {
    api: TcpListener,
    cdn: TcpListener,
}

/// A running local stack.
pub struct LocalStack {
    pub(crate) emulators: Emulators,
    pub(crate) template: ResolvedTemplate,
    contexts: FunctionContexts,
    api_url: String,
    cdn_url: String,
    first_key: Option<KeySecret>,
    cargo_lambda: Option<CargoLambdaWatch>,
    pub(crate) schedules: Schedules,
    pub(crate) running_batches: RunningBatches,
    pub(crate) paused_workers: PausedWorkers,
    tasks: JoinSet<()>,
    /// Stops the stack when it is dropped.
    stop: watch::Sender<()>,
}

impl LocalStack {
    /// Starts the stack. Returns once it serves requests.
    pub async fn start(options: Options) -> Result<LocalStack, StartError> {
        let listeners = Listeners {
            api: bind(options.ports.api)?,
            cdn: bind(options.ports.cdn)?,
        };
        let api_origin = origin(&listeners.api)?;
        let cdn_url = origin(&listeners.cdn)?;
        let emulators = start_emulators(&options).await?;

        let origins = Origins {
            cdn: &cdn_url,
            sqs: emulators.sqs_url(),
        };
        let key_pair = if options.needs_key_pair() {
            Some(CdnKeyPair::open(&emulators, &*options.random)?)
        } else {
            None
        };
        let template_context = context(&options, &origins, key_pair.as_ref());
        let mut template = options.template.read(&template_context)?;
        let local_variables = options.local_variables()?;
        for function in &mut template.functions {
            function.environment.extend(local_variables.clone());
        }
        emulators.provision(&template).await?;
        let contexts = FunctionContexts::open(
            &options.data_dir,
            Arc::clone(&options.clock),
            Arc::clone(&options.random),
        )?;
        let first_key =
            bootstrap::first_key(&options.data_dir, &template, &contexts, &emulators).await?;

        let (stop, stopping) = watch::channel(());
        let cargo_lambda = match &options.cargo_lambda {
            Some(location) => Some(CargoLambdaWatch::start(location).await?),
            None => None,
        };
        let mut local_stack = LocalStack {
            api_url: format!("{api_origin}{API_PATH}"),
            cdn_url,
            emulators,
            template,
            contexts,
            first_key,
            cargo_lambda,
            schedules: Schedules::new(Arc::clone(&options.clock)),
            running_batches: RunningBatches::default(),
            paused_workers: PausedWorkers::new(options.paused_workers),
            tasks: JoinSet::new(),
            stop,
        };
        let functions = local_stack.start_functions(&options)?;
        local_stack.write_local_file(&options)?;
        local_stack.emulators.serve_s3();
        local_stack.serve(listeners, options.body_deadlines, &functions, &stopping);
        local_stack.start_pollers(&functions, &stopping);
        local_stack.start_schedules(&stopping);
        Ok(local_stack)
    }

    fn start_functions(&mut self, options: &Options) -> Result<Functions, StartError> {
        let mut functions = Functions::new();
        for function in &self.template.functions {
            let context = self.contexts.of(function, &self.emulators);
            let host = start_function(
                &function.binary,
                &context,
                &options.registry,
                self.cargo_lambda.as_mut(),
            )?;
            let local = LocalFunction::new(function.binary.clone(), function.timeout_seconds, host);
            functions.insert(function.logical_id.clone(), Arc::new(local));
        }

        check_registry(&options.registry, &self.template)?;
        Ok(functions)
    }

    fn serve(
        &mut self,
        listeners: Listeners,
        body_deadlines: BodyDeadlines,
        functions: &Functions,
        stopping: &Stopping,
    ) {
        let env = self.contexts.env();
        let gateway = |upstream| Arc::new(Gateway::new(upstream, env.clone(), body_deadlines));

        let routing = Routing::of(&self.template.routes, functions);
        let demo = Demo::new(
            &self.template.queues,
            self.emulators.message_counter(),
            &env,
        );
        let api = gateway(Upstream::Api(ApiOrigins { routing, demo }));
        self.tasks
            .spawn(serve(listeners.api, api, stopping.clone()));

        let origin_id = self.template.cdn_origin.as_ref();
        if let Some(origin) = origin_id.and_then(|id| functions.get(id)) {
            let cdn = gateway(Upstream::Cdn(CdnOrigins::new(
                Arc::clone(origin),
                self.object_origin(),
                &self.template.cdn_aliases,
            )));
            self.tasks
                .spawn(serve(listeners.cdn, cdn, stopping.clone()));
        }
    }

    fn object_origin(&self) -> Option<Box<ObjectOrigin>> {
        let behavior = self.template.cdn_objects.clone()?;
        let s3 = s3_client(&self.contexts.of_cdn(&behavior, &self.emulators));
        let env = self.contexts.env();
        Some(Box::new(ObjectOrigin::new(behavior, s3, env)))
    }

    fn start_pollers(&mut self, functions: &Functions, stopping: &Stopping) {
        for trigger in &self.template.triggers {
            let Some(poller) = self.poller(trigger, functions) else {
                continue;
            };
            let polling = poller.run(trigger.maximum_concurrency, stopping.clone());
            if self.is_paused(trigger) {
                let paused = self.paused_workers.after_resume(polling, stopping.clone());
                self.tasks.spawn(paused);
            } else {
                self.tasks.spawn(polling);
            }
        }
    }

    /// Whether the queue of a trigger is not polled because its worker is paused.
    pub(crate) fn is_paused(&self, trigger: &Trigger) -> bool {
        let function = self
            .template
            .functions
            .iter()
            .find(|function| function.logical_id == trigger.function);
        function.is_some_and(|function| self.paused_workers.contains(&function.binary))
    }

    /// Resumes the paused workers.
    pub fn resume_workers(&self) {
        self.paused_workers.resume();
    }

    /// Creates the poller of a trigger. `None` if its function does not exist.
    fn poller(&self, trigger: &Trigger, functions: &Functions) -> Option<Poller> {
        let definition = self
            .template
            .functions
            .iter()
            .find(|function| function.logical_id == trigger.function)?;
        let function = functions.get(&trigger.function)?;
        let queue = self
            .template
            .queues
            .iter()
            .find(|queue| queue.name == trigger.queue);
        let dead_letter_queue = queue
            .and_then(|queue| queue.redrive.as_ref())
            .map(|redrive| redrive.dead_letter_queue.as_str());

        let lambda = self
            .contexts
            .unrestricted("lambda", BTreeMap::new(), &self.emulators);
        let options = PollerOptions {
            context: self.contexts.of(definition, &self.emulators),
            recursion: RecursionGuard::new(definition, dead_letter_queue, &lambda),
            running: self.running_batches.clone(),
        };
        Some(Poller::new(trigger, Arc::clone(function), options))
    }

    fn start_schedules(&mut self, stopping: &Stopping) {
        for schedule in &self.template.schedules {
            let context = self.contexts.of_schedule(schedule, &self.emulators);
            let sender = self.schedules.begin(schedule, &context);
            self.tasks.spawn(sender.run(stopping.clone()));
        }
    }

    fn write_local_file(&self, options: &Options) -> Result<(), StartError> {
        let operator = self.contexts.of_operator(&self.emulators).variables;
        let variable = |name: &str| operator.get(name).cloned().unwrap_or_default();
        let local = LocalFile {
            api_url: self.api_url.clone(),
            cdn_url: self.cdn_url.clone(),
            s3_url: self.s3_url().to_owned(),
            api_key: self.api_key().map(str::to_owned),
            sqs_url: self.emulators.sqs_url().to_owned(),
            access_key_id: variable("AWS_ACCESS_KEY_ID"),
            secret_access_key: variable("AWS_SECRET_ACCESS_KEY"),
        };
        bootstrap::write_local(&options.data_dir, &local)
    }

    /// Returns the base URL of the API, `http://127.0.0.1:PORT/api/v1`.
    pub fn api_url(&self) -> &str {
        &self.api_url
    }

    /// Returns the URL of the dashboard, `http://127.0.0.1:PORT/`.
    pub fn dashboard_url(&self) -> String {
        format!("{}/", self.api_url.trim_end_matches(API_PATH))
    }

    /// Returns the base URL of delivery, `http://127.0.0.1:PORT`.
    pub fn cdn_url(&self) -> &str {
        &self.cdn_url
    }

    /// Returns the base URL of S3, `http://127.0.0.1:PORT`.
    pub fn s3_url(&self) -> &str {
        self.emulators.s3_url()
    }

    /// Returns an account key of the first user, if the template has a table.
    pub fn api_key(&self) -> Option<&str> {
        self.first_key.as_ref().map(KeySecret::reveal)
    }

    /// Returns the resolved template.
    pub fn template(&self) -> &ResolvedTemplate {
        &self.template
    }

    /// Returns the log of calls to the emulators.
    pub fn call_log(&self) -> CallLog {
        self.emulators.call_log()
    }

    /// Returns the planned faults.
    pub fn faults(&self) -> Faults {
        self.emulators.faults()
    }

    /// Returns the switch of random AWS misbehavior, which is off at the start.
    pub fn chaos(&self) -> emulators::Chaos {
        self.emulators.chaos()
    }

    /// Returns the count of the capacity units of DynamoDB, which is off at the start.
    pub fn units(&self) -> emulators::UnitMeter {
        self.emulators.units()
    }

    /// Gives all objects of one length the same ETag, see [`Emulators::collide_etags`].
    pub fn collide_etags(&self) {
        self.emulators.collide_etags();
    }

    /// Makes S3 behave as if the disk were full, see [`Emulators::simulate_full_disk`].
    pub fn simulate_full_disk(&self) {
        self.emulators.simulate_full_disk();
    }

    /// Returns the context of the function with this binary.
    pub fn environment_of(&self, binary: &str) -> Option<FunctionContext> {
        let function = self
            .template
            .functions
            .iter()
            .find(|function| function.binary == binary)?;
        Some(self.contexts.of(function, &self.emulators))
    }

    /// Returns a context with the variables of a function and all permissions.
    pub fn unrestricted_context(&self, binary: &str) -> Option<FunctionContext> {
        let variables = self.environment_of(binary)?.variables;
        Some(
            self.contexts
                .unrestricted("unrestricted", variables, &self.emulators),
        )
    }

    /// Stops the stack: the gateways and pollers first, then the functions and the emulators.
    /// Requests and batches in progress have a few seconds to finish.
    pub async fn stop(mut self) {
        drop(self.stop);
        while self.tasks.join_next().await.is_some() {}
        if let Some(cargo_lambda) = self.cargo_lambda {
            cargo_lambda.stop().await;
        }
        self.emulators.stop().await;
    }
}

async fn start_emulators(options: &Options) -> Result<Emulators, StartError> {
    let s3_listener = bind(options.ports.s3)?
        .into_std()
        .map_err(|reason| StartError::Port {
            port: options.ports.s3,
            reason,
        })?;
    let existing = if options.reset {
        ExistingData::Remove {
            extra_files: LOCAL_FILES,
        }
    } else {
        ExistingData::Keep
    };

    let emulators = Emulators::start(emulators::EmulatorOptions {
        data_dir: options.data_dir.clone(),
        existing,
        clock: Arc::clone(&options.clock),
        s3_listener,
    });
    Ok(emulators.await?)
}

/// Returns the base URL of a listener.
fn origin(listener: &TcpListener) -> Result<String, StartError> {
    let address = listener
        .local_addr()
        .map_err(|reason| StartError::Port { port: 0, reason })?;
    Ok(format!("http://{address}"))
}
