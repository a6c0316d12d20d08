//! Measures calls in rounds, each call once or twice per round, so that other load on the machine
//! affects all calls equally.

use domain::id::FileId;
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use reqwest::multipart::Form;
use serde_json::json;
use tests::{Client, Response, file, file_path, folder_path, text};

use crate::{
    fill::Library,
    record::{
        COMMON_NAME, COMMON_TAG, count_in_tree, count_referenced, nth_in_tree, nth_referenced,
        reference, topic,
    },
    stopwatch::Stopwatch,
};

const WARM_UP: usize = 20;
const ROUNDS: usize = 200;
/// Default page size. Every measured page is full.
const PAGE: usize = 20;
const MAX_PAGE: usize = 100;
/// Number of different tags that updates set.
const UPDATE_TAGS: usize = 7;
/// Content of the uploaded file.
const NOTE: &[u8] = b"A short text file.\n";

/// State of the measurement of a library.
struct Round<'a> {
    library: &'a Library,
    /// Client with a key of the space.
    client: &'a Client,
    /// Query parameter that selects the space.
    space: String,
    /// Query parameter with a cursor in the middle of the list of all files.
    middle_cursor: String,
    delivered: DeliveredFile,
    rng: SmallRng,
    stopwatch: Stopwatch,
}

/// A file in a folder of the tree that the delivery has returned once.
struct DeliveredFile {
    url: String,
    etag: String,
}

/// A file in the tree.
struct RandomFile {
    number: usize,
    id: FileId,
}

/// Measures each call in a library.
pub(crate) async fn measure(library: &Library) -> Stopwatch {
    let client = &library.tenant.client;
    let space = format!("space_id={}", library.tenant.id);
    let mut round = Round {
        library,
        client,
        middle_cursor: find_middle_cursor(client, &space, library.ids.len()).await,
        delivered: upload_and_deliver(library).await,
        space,
        rng: SmallRng::seed_from_u64(1),
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

/// Returns a cursor in the middle of the list of all `size` files.
async fn find_middle_cursor(client: &Client, space: &str, size: usize) -> String {
    let mut cursor = String::new();
    for _ in 0..(size / 2).div_ceil(MAX_PAGE) {
        let page = client
            .fetch(&format!("/files?{space}&limit={MAX_PAGE}{cursor}"))
            .await
            .json();
        cursor = format!("&cursor={}", text(&page["next_cursor"]));
    }
    cursor
}

/// Uploads a file into a folder of the tree and requests it once.
async fn upload_and_deliver(library: &Library) -> DeliveredFile {
    let record = library
        .tenant
        .client
        .upload_form(note_form(library, &library.tree.leaves[0].id.to_string()))
        .await
        .expect_created();
    let url = text(&record["url"]);
    let response = library.stack.anonymous.fetch(&url).await;
    assert_eq!(response.body, NOTE);
    let etag = response.header("etag").to_owned();

    DeliveredFile { url, etag }
}

fn note_form(library: &Library, folder: &str) -> Form {
    let form = Form::new()
        .text("space", library.tenant.handle.clone())
        .text("folder_id", folder.to_owned());
    form.part("file", file("note.txt", "text/plain", NOTE))
}

impl Round<'_> {
    /// Requests a full page of each list, and a file by its reference.
    async fn lists(&mut self) {
        let space = &self.space;
        let tree = &self.library.tree;
        let files = |filter: &str| format!("/files?{space}{filter}");
        let lists = [
            ("GET /files", files("")),
            ("GET /files in the middle", files(&self.middle_cursor)),
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
            assert_full(&self.time(call, 200, self.client.get(&address)).await);
        }

        let count = count_referenced(self.library.ids.len());
        let number = nth_referenced(self.rng.random_range(0..count));
        let address = format!("/files/by-ref?{}&ref={}", self.space, reference(number));
        let found = self.client.get(&address);
        let file = self.time("GET /files/by-ref", 200, found).await.expect_ok();

        assert_eq!(file["id"], self.library.ids[number].to_string());
    }

    /// Measures a call, and asserts its status.
    async fn time(
        &mut self,
        call: &'static str,
        status: u16,
        response: impl Future<Output = Response>,
    ) -> Response {
        let response = self.stopwatch.time(call, response).await;
        response.expect_status(status)
    }

    /// Gets a file in the tree, moves it to another folder, and changes the tags of another file.
    async fn files(&mut self, number: usize) {
        let client = self.client;
        let address = format!("/files/{}", self.random_file().id);
        let get = client.get(&address);
        let file = self.time("GET /files/:id", 200, get).await.expect_ok();

        let leaves = self.library.tree.leaves.iter();
        let mut leaves = leaves.map(|folder| folder.id.to_string());
        let target = leaves.find(|folder| file["folder_id"] != **folder);
        let target = target.expect("there are several folders");
        let movement = client.put(&address, json!({"folder_id": target}));
        let call = "PUT /files/:id to a folder";
        let moved = self.time(call, 200, movement).await.expect_ok();
        assert_eq!(moved["folder_id"], target);

        let tagged = self.random_file();
        let update = format!("update-{}", number % UPDATE_TAGS);
        let body = json!({"tags": [topic(tagged.number), update]});
        let address = format!("/files/{}", tagged.id);
        let call = "PUT /files/:id with tags";
        self.time(call, 200, client.put(&address, body)).await;
    }

    /// Chooses a file in the tree.
    fn random_file(&mut self) -> RandomFile {
        let count = count_in_tree(self.library.ids.len());
        let number = nth_in_tree(self.rng.random_range(0..count));

        RandomFile {
            number,
            id: self.library.ids[number],
        }
    }

    /// Changes the access of the big folder, moves it to another folder and back, and creates and
    /// deletes a small folder.
    async fn folders(&mut self, number: usize) {
        let client = self.client;
        let tree = &self.library.tree;
        let big = format!("/folders/{}", tree.big.id);
        let address = format!("{big}/access-control");
        let requires_auth = number.is_multiple_of(2);
        let body = json!({"access_control": {"requires_auth": requires_auth}});
        let call = "PUT …/access-control of the big folder";
        self.time(call, 200, client.put(&address, body)).await;
        for parent in [Some(tree.move_target.id), None] {
            let movement = client.put(&big, json!({"parent_id": parent}));
            let call = "PUT /folders/:id, the big one moved";
            let moved = self.time(call, 200, movement).await.expect_ok();
            assert_eq!(moved["parent_id"], json!(parent));
        }

        let name = format!("Round {number}");
        let body = json!({"name": name, "space_id": self.library.tenant.id, "parent_id": tree.leaves[0].id});
        let creation = client.post("/folders", body);
        let created = self.time("POST /folders", 201, creation).await;
        let address = folder_path(&created.expect_created());
        let deletion = client.delete(&address);
        self.time("DELETE /folders/:id", 204, deletion).await;
    }

    /// Uploads a file to the big folder and deletes it.
    async fn uploads(&mut self) {
        let form = note_form(self.library, &self.library.tree.big.id.to_string());
        let upload = self.client.upload_form(form);
        let created = self.time("POST /upload", 201, upload).await;
        let address = file_path(&created.expect_created());
        let deletion = self.client.delete(&address);
        self.time("DELETE /files/:id", 204, deletion).await;
    }

    /// Sends a conditional request that is answered with 304 Not Modified.
    async fn delivery(&mut self) {
        let etag = self.delivered.etag.clone();
        let url = self.delivered.url.clone();
        let headers = [("if-none-match", etag.as_str())];
        let anonymous = &self.library.stack.anonymous;
        let revalidation = anonymous.get_with(&url, &headers);
        self.time("delivery, 304", 304, revalidation).await;
    }
}

/// Asserts that a page is full, because a shorter page would be faster.
fn assert_full(response: &Response) {
    let count = response.json()["data"].as_array().map(Vec::len);
    assert_eq!(count, Some(PAGE), "{}", response.request);
}
