//! Measures calls in rounds, each call once or twice per round, so that other load on the machine
//! affects all of them alike.

use domain::FileId;
use rand::{Rng, SeedableRng, rngs::SmallRng};
use reqwest::multipart::Form;
use serde_json::{Value, json};
use tests::{Client, Response, file};

use crate::{
    fill::Library,
    record::{
        COMMON_NAME, COMMON_TAG, count_in_tree, count_referenced, in_tree, reference, referenced,
        topic,
    },
    stopwatch::Stopwatch,
};

/// Warm-up rounds.
const WARM_UP: usize = 20;
/// Measured rounds.
const ROUNDS: usize = 200;
/// Default page size. Every measured page is full.
const PAGE: usize = 20;
/// Maximum page size.
const LONGEST_PAGE: usize = 100;
/// Tags that files get in turn.
const MARKS: usize = 7;
/// Bytes of the upload.
const NOTE: &[u8] = b"A note, as short as notes are.\n";

/// A measured library.
struct Round<'a> {
    library: &'a Library,
    client: &'a Client,
    /// Client with a key of the space.
    space: String,
    /// Cursor in the middle of the list of all files.
    middle: String,
    /// URL of a file in a folder, and its entity tag.
    delivered: (String, String),
    draws: SmallRng,
    stopwatch: Stopwatch,
}

/// Measures each call in a library.
pub(crate) async fn measure(library: &Library) -> Stopwatch {
    let client = &library.tenant.client;
    let space = format!("space_id={}", library.tenant.id);
    let mut round = Round {
        library,
        client,
        middle: middle(client, &space, library.ids.len()).await,
        delivered: delivered(library).await,
        space,
        draws: SmallRng::seed_from_u64(1),
        stopwatch: Stopwatch::default(),
    };

    for number in 0..WARM_UP + ROUNDS {
        if number == WARM_UP {
            round.stopwatch = Stopwatch::default();
        }
        round.lists().await;
        round.files(number).await;
        round.folders(number).await;
        round.uploads().await;
        round.delivery().await;
    }

    round.stopwatch
}

/// The cursor in the middle of the list of all files, which are so many.
async fn middle(client: &Client, space: &str, size: usize) -> String {
    let mut cursor = String::new();
    for _ in 0..(size / 2).div_ceil(LONGEST_PAGE) {
        let page = client
            .get(&format!("/files?{space}&limit={LONGEST_PAGE}{cursor}"))
            .await
            .expect_status(200)
            .json();
        cursor = format!("&cursor={}", text(&page["next_cursor"]));
    }
    cursor
}

/// Uploads a file into a folder of the tree, and tells where it is delivered and what its copy is
/// known by.
async fn delivered(library: &Library) -> (String, String) {
    let record = library
        .tenant
        .client
        .upload(note(library, &library.tree.leaves[0].id.to_string()))
        .await
        .expect_created();
    let url = text(&record["url"]);
    let whole = library.stack.anonymous.get(&url).await.expect_status(200);
    assert_eq!(whole.body, NOTE);
    let etag = whole.header("etag").to_owned();
    (url, etag)
}

fn note(library: &Library, folder: &str) -> Form {
    let form = Form::new()
        .text("space", library.tenant.handle.clone())
        .text("folder_id", folder.to_owned());
    form.part("file", file("note.txt", "text/plain", NOTE))
}

impl Round<'_> {
    /// A full page of each list, and the one file that is found without its id.
    async fn lists(&mut self) {
        let space = &self.space;
        let tree = &self.library.tree;
        let files = |filter: &str| format!("/files?{space}{filter}");
        let lists = [
            ("GET /files", files("")),
            ("GET /files in the middle", files(&self.middle)),
            (
                "GET /files of a folder",
                files(&format!("&folder_id={}", tree.fixture.id)),
            ),
            (
                "GET /files of the big folder",
                files(&format!("&folder_id={}", tree.big.id)),
            ),
            ("GET /files of a tag", files(&format!("&tag={COMMON_TAG}"))),
            (
                "GET /files by name",
                files(&format!("&search={COMMON_NAME}")),
            ),
            ("GET /files of a type", files("&type=private&status=active")),
            ("GET /folders", format!("/folders?{space}")),
            (
                "GET /folders of a folder",
                format!("/folders?{space}&parent_id={}", tree.wide.id),
            ),
        ];

        for (call, address) in lists {
            assert_full(
                &self
                    .stopwatch
                    .time(call, self.client.get(&address))
                    .await
                    .expect_status(200),
            );
        }

        let number = referenced(
            self.draws
                .random_range(0..count_referenced(self.library.ids.len())),
        );
        let address = format!("/files/by-ref?{}&ref={}", self.space, reference(number));
        let found = self
            .stopwatch
            .time("GET /files/by-ref", self.client.get(&address))
            .await
            .expect_ok();

        assert_eq!(found["id"], self.library.ids[number].to_string());
    }

    /// One file in a folder of the tree is read and moved to another one, and another file is
    /// marked.
    async fn files(&mut self, number: usize) {
        let (_, id) = self.drawn();
        let address = format!("/files/{id}");
        let found = self
            .stopwatch
            .time("GET /files/:id", self.client.get(&address))
            .await
            .expect_ok();
        let is_elsewhere = |folder: &String| found["folder_id"] != **folder;
        let mut leaves = self
            .library
            .tree
            .leaves
            .iter()
            .map(|folder| folder.id.to_string());
        let target = leaves
            .find(is_elsewhere)
            .expect("there are several folders");
        let body = json!({"folder_id": target});
        let moved = self
            .stopwatch
            .time(
                "PUT /files/:id to a folder",
                self.client.put(&address, body),
            )
            .await
            .expect_ok();
        assert_eq!(moved["folder_id"], target);

        let (marked, id) = self.drawn();
        let body = json!({"tags": [topic(marked), format!("mark-{}", number % MARKS)]});
        let address = format!("/files/{id}");
        self.stopwatch
            .time("PUT /files/:id with tags", self.client.put(&address, body))
            .await
            .expect_status(200);
    }

    /// A file of the tree: its number and its id.
    fn drawn(&mut self) -> (usize, FileId) {
        let number = in_tree(
            self.draws
                .random_range(0..count_in_tree(self.library.ids.len())),
        );
        (number, self.library.ids[number])
    }

    /// The big folder is opened or closed, moved into another one, and back; a new folder comes and
    /// goes.
    async fn folders(&mut self, number: usize) {
        let client = self.client;
        let tree = &self.library.tree;
        let big = format!("/folders/{}", tree.big.id);
        let address = format!("{big}/access-control");
        let is_closed = number.is_multiple_of(2);
        let body = json!({"access_control": {"requires_auth": is_closed}});
        self.stopwatch
            .time(
                "PUT …/access-control of the big folder",
                client.put(&address, body),
            )
            .await
            .expect_status(200);
        for parent in [Some(tree.aside.id), None] {
            let body = json!({"parent_id": parent});
            let moved = self
                .stopwatch
                .time(
                    "PUT /folders/:id, the big one moved",
                    client.put(&big, body),
                )
                .await
                .expect_ok();
            assert_eq!(moved["parent_id"], json!(parent));
        }

        let name = format!("Round {number}");
        let body = json!({"name": name, "space_id": self.library.tenant.id, "parent_id": tree.leaves[0].id});
        let made = self
            .stopwatch
            .time("POST /folders", client.post("/folders", body))
            .await
            .expect_created();
        let address = format!("/folders/{}", text(&made["id"]));
        self.stopwatch
            .time("DELETE /folders/:id", client.delete(&address))
            .await
            .expect_status(204);
    }

    /// A file comes into the big folder, and goes.
    async fn uploads(&mut self) {
        let form = note(self.library, &self.library.tree.big.id.to_string());
        let made = self
            .stopwatch
            .time("POST /upload", self.client.upload(form))
            .await
            .expect_created();
        let address = format!("/files/{}", text(&made["id"]));
        self.stopwatch
            .time("DELETE /files/:id", self.client.delete(&address))
            .await
            .expect_status(204);
    }

    /// Whoever has a file in a folder already is told so.
    async fn delivery(&mut self) {
        let (url, etag) = &self.delivered;
        let headers = [("if-none-match", etag.as_str())];
        let response = self
            .stopwatch
            .time(
                "delivery, 304",
                self.library.stack.anonymous.get_with(url, &headers),
            )
            .await;
        response.expect_status(304);
    }
}

/// Demands a full page: one that is shorter would be quicker too.
fn assert_full(response: &Response) {
    let count = response.json()["data"].as_array().map(Vec::len);
    assert_eq!(count, Some(PAGE), "{}", response.request);
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
