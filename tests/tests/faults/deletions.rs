//! Deletions of files and folders, moves of folders, and the purge of files, with a crash or a
//! fault at each of their calls. Each either takes effect as a whole or not at all, and nothing of
//! a deleted record remains.

use emulators::{InjectedError, Service};
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{
    PHOTO, Response, Stack, Tenant, failed_calls, form, max_attempts, minutes, seconds, stack_test,
};

use crate::{spaces::delete::stored_data, uploads::presign::PendingFile};

/// Rounds after which a purge that was interrupted once has ended.
const MOST_ROUNDS: u32 = 12;

/// A fault of one call and all later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallFault {
    /// The function dies before the call takes effect.
    DiesBefore,
    /// The function dies after the call took effect.
    DiesAfter,
    /// All attempts of the call fail.
    Fails,
    /// The call takes effect, and its responses are lost.
    LosesResponse,
}
use CallFault::{DiesAfter, DiesBefore, Fails, LosesResponse};

/// All kinds of faults.
const CALL_FAULTS: [CallFault; 4] = [DiesBefore, DiesAfter, Fails, LosesResponse];

/// The operation under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    DeleteFile,
    /// Deletes a file whose bytes were sent but not confirmed.
    DeletePending,
    DeleteFolder,
    /// Moves a folder with a folder in it.
    MoveFolder,
}

/// The resource of the operation: a file or folder in a folder that has a sibling.
struct Setup<'a> {
    stack: &'a Stack,
    acme: &'a Tenant,
    from: String,
    to: String,
    /// Path of the resource in the API.
    address: String,
    /// Record before the operation.
    record: Value,
    /// Folder in the resource.
    inner: Option<String>,
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

async fn folder(acme: &Tenant, name: &str, parent: Option<&str>) -> String {
    let body = json!({"name": name, "space_id": acme.id, "parent_id": parent});
    text(&acme.client.post("/folders", body).await.expect_created()["id"])
}

impl Operation {
    fn function(self) -> &'static str {
        match self {
            Operation::DeleteFile | Operation::DeletePending => "files",
            Operation::DeleteFolder | Operation::MoveFolder => "folders",
        }
    }

    async fn prepare<'a>(self, stack: &'a Stack, acme: &'a Tenant) -> Setup<'a> {
        let from = folder(acme, "from", None).await;
        let to = folder(acme, "to", None).await;
        let (address, inner) = match self {
            Operation::DeleteFile => {
                let form = form(&acme.handle, "photo.jpg", "image/jpeg", PHOTO)
                    .text("folder_id", from.clone());
                let file = acme
                    .client
                    .upload(form.text("ref", "x"))
                    .await
                    .expect_created();
                (format!("/files/{}", text(&file["id"])), None)
            }
            Operation::DeletePending => {
                let pending_file =
                    PendingFile::create(acme, json!({"folder_id": from, "ref": "x"})).await;
                pending_file.send(stack, PHOTO).await.expect_status(200);
                (pending_file.address(), None)
            }
            Operation::DeleteFolder => (
                format!("/folders/{}", folder(acme, "subject", Some(&from)).await),
                None,
            ),
            Operation::MoveFolder => {
                let subject = folder(acme, "subject", Some(&from)).await;
                let inner = folder(acme, "inner", Some(&subject)).await;
                (format!("/folders/{subject}"), Some(inner))
            }
        };
        let record = acme.client.get(&address).await.expect_ok();

        Setup {
            stack,
            acme,
            from,
            to,
            address,
            record,
            inner,
        }
    }

    async fn perform(self, setup: &Setup<'_>) -> Response {
        let client = &setup.acme.client;
        match self {
            Operation::MoveFolder => {
                client
                    .put(&setup.address, json!({"parent_id": setup.to}))
                    .await
            }
            _ => client.delete(&setup.address).await,
        }
    }

    /// Asserts that the operation took effect as a whole or not at all, cleans up, and returns
    /// whether it did.
    async fn settle(self, setup: &Setup<'_>) -> bool {
        let is_done = match self {
            Operation::DeleteFile | Operation::DeletePending => setup.settle_file().await,
            Operation::DeleteFolder => setup.settle_folder().await,
            Operation::MoveFolder => setup.settle_move().await,
        };
        for id in [&setup.from, &setup.to] {
            setup.delete(&format!("/folders/{id}")).await;
        }
        is_done
    }
}

impl Setup<'_> {
    async fn delete(&self, address: &str) {
        self.acme.client.delete(address).await.expect_status(204);
    }

    async fn is_there(&self) -> bool {
        let response = self.acme.client.get(&self.address).await;
        if response.status == 404 {
            false
        } else {
            !response.expect_ok().is_null()
        }
    }

    /// Returns the ids of a list.
    async fn listed(&self, list: &str) -> Vec<Value> {
        let page = self
            .acme
            .client
            .get(&format!("/{list}&space_id={}", self.acme.id))
            .await
            .expect_status(200)
            .json();
        page["data"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|record| record["id"].clone())
            .collect()
    }

    /// Returns whether a folder has folders.
    async fn has_children(&self, id: &str) -> bool {
        self.acme
            .client
            .get(&format!("/folders/{id}"))
            .await
            .expect_ok()["has_children"]
            == true
    }

    async fn settle_file(&self) -> bool {
        let is_there = self.is_there().await;
        self.assert_file(is_there).await;
        // All jobs of the purge are due by then.
        self.stack.run_purges().await;
        self.assert_file(is_there).await;
        if is_there {
            self.delete(&self.address).await;
            self.stack.run_purges().await;
        }
        !is_there
    }

    /// Asserts that the file is unchanged, or else that it is gone.
    async fn assert_file(&self, is_there: bool) {
        let client = &self.acme.client;
        let id = &self.record["id"];
        let expected = if is_there {
            vec![id.clone()]
        } else {
            Vec::new()
        };
        let in_folder = format!("files?folder_id={}", self.from);
        for list in ["files?limit=10", &in_folder, "files?search=photo"] {
            assert_eq!(self.listed(list).await, expected, "{list}");
        }
        let is_active = is_there && self.record["status"] == "active";
        let record = client.get(&self.address).await;
        let found = client
            .get(&format!("/files/by-ref?ref=x&space_id={}", self.acme.id))
            .await;
        if is_there {
            assert_eq!(record.expect_ok(), self.record);
        } else {
            record.expect_error(404);
        }

        let url = format!(
            "{}/{}",
            self.stack.cloud.cdn_url(),
            text(&self.record["storage_path"])
        );
        let delivered = self.stack.anonymous.get(&url).await;
        if is_active {
            assert_eq!(found.expect_ok(), self.record);
            assert_eq!(delivered.expect_status(200).body, PHOTO);
        } else {
            found.expect_error(404);
            delivered.expect_error(404);
        }

        // A folder with a file is not empty.
        if is_there {
            client
                .delete(&format!("/folders/{}", self.from))
                .await
                .expect_error(409);
        }
    }

    async fn settle_folder(&self) -> bool {
        let is_there = self.is_there().await;
        assert_eq!(self.has_children(&self.from).await, is_there);

        let expected = if is_there {
            vec![self.record["id"].clone()]
        } else {
            Vec::new()
        };

        assert_eq!(
            self.listed(&format!("folders?parent_id={}", self.from))
                .await,
            expected
        );

        // A folder that was locked for deletion is unlocked.
        self.stack.run_for(minutes(3)).await;

        let named = json!({"name": "SUBJECT", "space_id": self.acme.id, "parent_id": self.from});
        let same = self.acme.client.post("/folders", named).await;

        if is_there {
            assert_eq!(
                same.expect_error(422),
                json!({"name": ["The name has already been taken."]})
            );
            assert_eq!(
                self.record["id"],
                self.acme.client.get(&self.address).await.expect_ok()["id"]
            );
            let subject = text(&self.record["id"]);
            let inner = folder(self.acme, "inner", Some(&subject)).await;
            self.delete(&format!("/folders/{inner}")).await;
            self.delete(&self.address).await;
        } else {
            self.delete(&format!("/folders/{}", text(&same.expect_created()["id"])))
                .await;
        }

        !is_there
    }

    async fn settle_move(&self) -> bool {
        let record = self.acme.client.get(&self.address).await.expect_ok();
        let is_moved = record["parent_id"] == self.to.as_str();
        let (parent, other_parent) = if is_moved {
            (&self.to, &self.from)
        } else {
            (&self.from, &self.to)
        };
        let path = if is_moved {
            "to/subject/"
        } else {
            "from/subject/"
        };

        assert_eq!(
            (&record["parent_id"], &record["path"]),
            (&json!(parent), &json!(path))
        );
        for (id, listed) in [
            (parent, vec![record["id"].clone()]),
            (other_parent, Vec::new()),
        ] {
            assert_eq!(self.has_children(id).await, !listed.is_empty());
            assert_eq!(
                self.listed(&format!("folders?parent_id={id}")).await,
                listed
            );
        }

        let inner = format!(
            "/folders/{}",
            self.inner.as_ref().expect("there is one in it")
        );

        assert_eq!(
            self.acme.client.get(&inner).await.expect_ok()["path"],
            format!("{path}inner/")
        );

        // Its depth counts at its new place alone.
        self.acme
            .client
            .delete(&format!("/folders/{parent}"))
            .await
            .expect_error(409);
        self.delete(&inner).await;
        self.delete(&self.address).await;

        is_moved
    }
}

/// Returns the calls of a function during an operation, in order.
async fn calls_of<T>(
    stack: &Stack,
    function: &str,
    work: impl Future<Output = T>,
) -> Vec<(Service, String)> {
    stack.cloud.call_log().clear();
    work.await;
    let calls = stack.cloud.call_log().calls().into_iter();
    let own_calls =
        calls.filter(|call| call.principal == function && call.operation != "ReceiveMessage");
    own_calls
        .map(|call| (call.service, call.operation))
        .collect()
}

/// Plans a fault of one of these calls.
fn plan(
    stack: &Stack,
    function: &str,
    calls: &[(Service, String)],
    index: usize,
    fault: CallFault,
) {
    let faults = stack.cloud.faults();
    let few = |number: usize| u32::try_from(number).expect("a few");

    if let DiesBefore | DiesAfter = fault {
        faults.disconnect(function, few(index), fault == DiesAfter);
        return;
    }

    let (service, operation) = &calls[index];
    let before = calls[..index]
        .iter()
        .filter(|call| **call == calls[index])
        .count();

    if before > 0 {
        faults.skip(*service, operation, few(before));
    }

    if fault == LosesResponse {
        faults.lose_response(*service, operation, max_attempts(*service));
    } else {
        let code = if *service == Service::DynamoDb {
            "InternalServerError"
        } else {
            "InternalFailure"
        };
        faults.fail(
            *service,
            operation,
            max_attempts(*service),
            InjectedError::new(500, code),
        );
    }
}

/// Runs the operation with a fault at each of its calls, and returns how often it took effect.
async fn is_whole_or_nothing(operation: Operation, fault: CallFault) -> usize {
    let stack = Stack::start().await;
    let acme = stack.space("Acme").await;
    let setup = operation.prepare(&stack, &acme).await;
    let done = async {
        let response = operation.perform(&setup).await;
        assert!(response.status < 400, "{operation:?}: {:?}", response.body);
    };
    let calls = calls_of(&stack, operation.function(), done).await;

    assert!(calls.len() >= 4, "{operation:?}: {calls:?}");
    assert!(
        operation.settle(&setup).await,
        "{operation:?} is done without trouble"
    );

    let mut done = 0;
    for index in 0..calls.len() {
        let before = stored_data(&stack).await;
        let setup = operation.prepare(&stack, &acme).await;
        plan(&stack, operation.function(), &calls, index, fault);
        operation.perform(&setup).await.expect_error(503);
        let faults = stack.cloud.faults();
        assert_eq!(
            faults.pending(),
            0,
            "{operation:?}: {fault:?} at {:?} does not happen",
            calls[index]
        );
        faults.reconnect();
        done += usize::from(operation.settle(&setup).await);
        let by = format!("{operation:?} with {fault:?} at {:?}", calls[index]);
        stored_data(&stack).await.assert_unchanged(&before, &by);
    }

    stack.run_confirm_checks().await;
    stack.stop().await;

    done
}

/// The last call commits: the operation takes effect only if that call does.
async fn assert_whole_or_nothing(operation: Operation) {
    let done =
        join_all(CALL_FAULTS.map(|fault| Box::pin(is_whole_or_nothing(operation, fault)))).await;
    assert_eq!(done, [0, 1, 0, 1], "{operation:?}: {CALL_FAULTS:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_file_deletion_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteFile).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_deletion_of_pending_file_is_atomic() {
    assert_whole_or_nothing(Operation::DeletePending).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_folder_deletion_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteFolder).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_folder_move_is_atomic() {
    assert_whole_or_nothing(Operation::MoveFolder).await;
}

/// Deletes a file and runs all jobs, with the purge killed once after this number of calls.
async fn delete(setup: &Setup<'_>, kill: Option<(u32, bool)>) {
    let stack = setup.stack;
    let faults = setup.stack.cloud.faults();
    setup.delete(&setup.address).await;
    if let Some((after, takes_effect)) = kill {
        faults.disconnect("purge", after, takes_effect);
    }

    let mut is_cut_off = kill.is_some();
    for round in 0..MOST_ROUNDS {
        stack
            .clock
            .advance(if round == 0 { seconds(1) } else { minutes(15) });
        // Its job has failed once all attempts of a call have.
        let has_died = || failed_calls(&faults) >= 1;
        let is_idle = |messages: local::Messages| {
            messages.are_quiet() || (messages.visible == 0 && is_cut_off && has_died())
        };
        let remaining = stack
            .cloud
            .until(is_idle)
            .await
            .unwrap_or_else(|error| panic!("{kill:?}: {error}"));
        if is_cut_off && faults.broken_calls() > 0 {
            faults.reconnect();
            is_cut_off = false;
        }
        if remaining == local::Messages::default() {
            break;
        }
    }

    assert!(!is_cut_off, "{kill:?}: the purge makes fewer calls");
}

#[stack_test]
async fn file_purge_killed_at_any_call_completes_on_retry(stack: &Stack) {
    let acme = stack.space("Acme").await;
    let other = acme.upload(PHOTO).await;
    let setup = Operation::DeleteFile.prepare(stack, &acme).await;
    let calls = calls_of(stack, "purge", delete(&setup, None)).await;

    assert!(
        calls.len() >= 4,
        "it looks for the record, removes what was sent and what was kept: {calls:?}"
    );
    for id in [&setup.from, &setup.to] {
        setup.delete(&format!("/folders/{id}")).await;
    }

    for after in 0..u32::try_from(calls.len()).expect("a few") {
        for takes_effect in [false, true] {
            let before = stored_data(stack).await;
            let setup = Operation::DeleteFile.prepare(stack, &acme).await;
            delete(&setup, Some((after, takes_effect))).await;
            for id in [&setup.from, &setup.to] {
                setup.delete(&format!("/folders/{id}")).await;
            }
            let by = format!("a purge that is killed after {after} of {calls:?}, {takes_effect}");
            stored_data(stack).await.assert_unchanged(&before, &by);
        }
    }

    assert!(
        stack
            .anonymous
            .get(&text(&other["url"]))
            .await
            .expect_status(200)
            .body
            == PHOTO
    );
}
