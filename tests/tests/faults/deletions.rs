//! Deletions of files and folders, moves of folders, and the purge of files, each of which dies or
//! fails at every one of its calls: all is done or nothing is, and of what is deleted nothing is
//! left in time.

use emulators::{InjectedError, Service};
use futures::future::join_all;
use serde_json::{Value, json};
use tests::{
    PHOTO, Response, Stack, Tenant, failed_calls, form, max_attempts, minutes, seconds, stack_test,
};

use crate::{spaces::delete::kept, uploads::presign::PendingFile};

/// Rounds after which a purge that was killed once has long ended.
const MOST_ROUNDS: u32 = 12;

/// What happens to one call, and to those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultKind {
    /// The function dies before the call takes effect.
    DiesBefore,
    /// The function dies once it has.
    DiesAfter,
    /// The call is refused as often as it is tried.
    Fails,
    /// The call takes effect, and its answers are lost.
    LosesAnswer,
}
use FaultKind::{DiesAfter, DiesBefore, Fails, LosesAnswer};

/// All of them.
const FAULT_KINDS: [FaultKind; 4] = [DiesBefore, DiesAfter, Fails, LosesAnswer];

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    DeleteFile,
    /// Of one whose bytes were sent, and not confirmed.
    DeleteAnnounced,
    DeleteFolder,
    /// Of one with another one in it.
    MoveFolder,
}

/// What it is done to: something in a folder, beside another folder.
struct Setup<'a> {
    stack: &'a Stack,
    acme: &'a Tenant,
    from: String,
    to: String,
    /// Where the API shows it.
    address: String,
    /// How it was shown at first.
    record: Value,
    /// The folder in it.
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
            Operation::DeleteFile | Operation::DeleteAnnounced => "files",
            Operation::DeleteFolder | Operation::MoveFolder => "folders",
        }
    }

    async fn prepare<'a>(self, stack: &'a Stack, acme: &'a Tenant) -> Setup<'a> {
        let (from, to) = (
            folder(acme, "from", None).await,
            folder(acme, "to", None).await,
        );
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
            Operation::DeleteAnnounced => {
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

    /// Demands that it is done or not, clears away what is left, and gives whether it was done.
    async fn settle(self, setup: &Setup<'_>) -> bool {
        let is_done = match self {
            Operation::DeleteFile | Operation::DeleteAnnounced => setup.settle_file().await,
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

    /// The ids that a list shows.
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

    /// Whether a folder says that there are folders in it.
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
        // Whatever was announced to the purge has come to it by then.
        self.stack.run_purges().await;
        self.assert_file(is_there).await;
        if is_there {
            self.delete(&self.address).await;
            self.stack.run_purges().await;
        }
        !is_there
    }

    /// The file is wholly there, as it was, or nowhere.
    async fn assert_file(&self, is_there: bool) {
        let (client, id) = (&self.acme.client, &self.record["id"]);
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
        let shown = client.get(&self.address).await;
        let found = client
            .get(&format!("/files/by-ref?ref=x&space_id={}", self.acme.id))
            .await;
        if is_there {
            assert_eq!(shown.expect_ok(), self.record);
        } else {
            shown.expect_error(404);
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

        // With a file that is there goes that its folder is not empty.
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
        // What was closed opens again.
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
        let shown = self.acme.client.get(&self.address).await.expect_ok();
        let is_moved = shown["parent_id"] == self.to.as_str();
        let (place, left) = if is_moved {
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
            (&shown["parent_id"], &shown["path"]),
            (&json!(place), &json!(path))
        );
        for (id, listed) in [(place, vec![shown["id"].clone()]), (left, Vec::new())] {
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
        // How deep it is counts where it is, and only there.
        self.acme
            .client
            .delete(&format!("/folders/{place}"))
            .await
            .expect_error(409);
        self.delete(&inner).await;
        self.delete(&self.address).await;
        is_moved
    }
}

/// The calls of a function while something is done, in order.
async fn calls_of<T>(
    stack: &Stack,
    function: &str,
    work: impl Future<Output = T>,
) -> Vec<(Service, String)> {
    stack.cloud.call_log().clear();
    work.await;
    let calls = stack.cloud.call_log().calls().into_iter();
    let own = calls.filter(|call| call.principal == function && call.operation != "ReceiveMessage");
    own.map(|call| (call.service, call.operation)).collect()
}

/// Plans that one of these calls gets into trouble.
fn plan(
    stack: &Stack,
    function: &str,
    calls: &[(Service, String)],
    index: usize,
    fault: FaultKind,
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
    if fault == LosesAnswer {
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

/// Does something with each of its calls in trouble, and gives how often it was done all the same.
async fn is_whole_or_nothing(operation: Operation, fault: FaultKind) -> usize {
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
        let before = kept(&stack).await;
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
        kept(&stack).await.assert_unchanged(&before, &by);
    }
    stack.run_confirm_checks().await;
    stack.stop().await;
    done
}

/// The last of the calls is what does it: only where that one takes effect is it done.
async fn assert_whole_or_nothing(operation: Operation) {
    let done =
        join_all(FAULT_KINDS.map(|fault| Box::pin(is_whole_or_nothing(operation, fault)))).await;
    assert_eq!(done, [0, 1, 0, 1], "{operation:?}: {FAULT_KINDS:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_file_deletion_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteFile).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_deletion_of_pending_file_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteAnnounced).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_folder_deletion_is_atomic() {
    assert_whole_or_nothing(Operation::DeleteFolder).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_folder_move_is_atomic() {
    assert_whole_or_nothing(Operation::MoveFolder).await;
}

/// Deletes a file and lets time pass until nothing is left to be done, with the purge killed once
/// on its way, after so many calls.
async fn delete(setup: &Setup<'_>, kill: Option<(u32, bool)>) {
    let (stack, faults) = (setup.stack, setup.stack.cloud.faults());
    setup.delete(&setup.address).await;
    if let Some((after, takes_effect)) = kill {
        faults.disconnect("purge", after, takes_effect);
    }
    let mut is_cut_off = kill.is_some();
    for round in 0..MOST_ROUNDS {
        stack
            .clock
            .advance(if round == 0 { seconds(1) } else { minutes(15) });
        // Its one job has failed once a call has been tried as often as calls are.
        let has_died = || failed_calls(&faults) >= 1;
        let rests = |messages: local::Messages| {
            messages.are_quiet() || (messages.visible == 0 && is_cut_off && has_died())
        };
        let left = stack
            .cloud
            .until(rests)
            .await
            .unwrap_or_else(|error| panic!("{kill:?}: {error}"));
        if is_cut_off && faults.broken_calls() > 0 {
            faults.reconnect();
            is_cut_off = false;
        }
        if left == local::Messages::default() {
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
            let before = kept(stack).await;
            let setup = Operation::DeleteFile.prepare(stack, &acme).await;
            delete(&setup, Some((after, takes_effect))).await;
            for id in [&setup.from, &setup.to] {
                setup.delete(&format!("/folders/{id}")).await;
            }
            let by = format!("a purge that is killed after {after} of {calls:?}, {takes_effect}");
            kept(stack).await.assert_unchanged(&before, &by);
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
