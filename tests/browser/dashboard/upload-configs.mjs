// Upload configs in the dashboard: every field by keyboard alone, errors, roles, and a trial.

import assert from "node:assert/strict";
import { test } from "node:test";

import { api, tenant, TEXT } from "../harness.mjs";
import { signIn } from "./steps.mjs";

/** Number of Tab presses after which a control counts as unreachable. */
const MAX_TABS = 80;

test("every field is set by keyboard alone and read back by the API", async (t) => {
  const { account, handle, id } = await tenant();
  const page = await signIn(t, account, `${handle}/upload-configs`);
  const keys = keyboard(page);

  await page.getByRole("heading", { name: "Upload configs" }).waitFor();
  await keys.activate("New upload config");
  await setBasics(keys);
  await setRules(keys);
  await keys.activate("Save");
  await page.getByText("guestbook was created.").first().waitFor();

  const { data: list } = await api(account, "GET", `/upload-configs?space_id=${id}`);
  const { data } = await api(account, "GET", `/upload-configs/${list.find(({ name }) => name === "guestbook").id}`);
  const { id: configId, space_id, created_at, updated_at, ...fields } = data;
  assert.equal(space_id, id);
  assert.deepEqual(fields, EXPECTED);

  // Items are removed by keyboard too, and a form that is saved again changes nothing else.
  await page.getByRole("heading", { name: "guestbook" }).waitFor();
  await keys.activate("Remove png");
  await keys.activate("Save");
  await page.getByText("guestbook was saved.").first().waitFor();
  const { data: changed } = await api(account, "GET", `/upload-configs/${configId}`);
  const validation = { ...EXPECTED.config.validation, allowed_formats: ["jpg"] };
  assert.deepEqual(changed.config, { ...EXPECTED.config, validation });
  assert.deepEqual(changed.unsigned_restrictions, EXPECTED.unsigned_restrictions);
});

const EXPECTED = {
  name: "guestbook",
  description: "Photos of guests",
  delivery_type: "private",
  is_signed: false,
  allow_unsigned: true,
  unsigned_restrictions: {
    allowed_referrers: ["example.com", "*.example.org"],
    require_https: false,
    max_uploads_per_hour: 50,
  },
  config: {
    storage: { folder: "guests/photos", generate_filename: false, unique_filename: false },
    validation: {
      allowed_formats: ["jpg", "png"],
      max_file_size: 2.5 * 1024 * 1024,
      min_image_width: 10,
      min_image_height: 20,
      max_image_width: 3000,
      max_image_height: 4000,
    },
    transformations: {
      upload_quality: 80,
      upload_format: "webp",
      progressive: true,
      strip_metadata: true,
      eager: [
        { width: 400, height: 300, crop: "thumb", format: "avif" },
        { width: 800, height: null, crop: "fit", format: null },
      ],
    },
    metadata: { tags: ["guest book", "2026"], auto_tagging: true },
    notifications: { webhook_url: "https://example.com/hooks", events: ["file.processed", "file.failed", "file.deleted"] },
  },
};

async function setBasics(keys) {
  await keys.type("Name", "guestbook");
  await keys.type("Description", "Photos of guests");
  await keys.arrow("public", "private");
  await keys.arrow("API keys", "Signed URLs");
  await keys.arrow("Signed URLs", "Pages I name");
  await keys.list("Pages", "example.com", "*.example.org");
  await keys.activate("HTTPS only", "Space");
  await keys.type("Uploads per hour", "50");
}

async function setRules(keys) {
  await keys.list("Formats", "jpg", "png");
  await keys.type("Largest file in MB", "2.5");
  await keys.type("Minimum width", "10");
  await keys.type("Minimum height", "20");
  await keys.type("Maximum width", "3000");
  await keys.type("Maximum height", "4000");

  await keys.activate("Store folder, file names");
  await keys.type("Folder", "guests/photos");
  await keys.activate("Generate file names", "Space");
  await keys.activate("Make names unique", "Space");

  await keys.activate("Convert format, quality, metadata, prepared sizes");
  await keys.select("Format", "WebP");
  await keys.type("Quality", "80");
  await keys.activate("Progressive JPEG", "Space");
  await keys.activate("Remove metadata", "Space");
  await keys.activate("Add size");
  await keys.type("Width", "400");
  await keys.type("Height", "300");
  await keys.select("Resize", "thumb");
  await keys.select("Format", "AVIF");
  await keys.activate("Add size");
  await keys.type("Width", "800");

  await keys.activate("Label tags, automatic tags");
  await keys.list("Tags", "guest book", "2026");
  await keys.activate("Automatic tags", "Space");

  await keys.activate("Notify webhook, events");
  await keys.type("Webhook URL", "https://example.com/hooks");
  for (const event of ["file.processed", "file.failed", "file.deleted"]) await keys.activate(event, "Space");
}

test("errors appear at their fields, their sections open, and the first has the focus", async (t) => {
  const { account, handle, config } = await tenant();
  const { id } = await config("page", {});
  const page = await signIn(t, account, `${handle}/upload-configs?config=${id}`);
  const fill = (label, text) => page.getByLabel(label, { exact: true }).fill(text);
  await fill("Formats", "jpg, zzz");
  await fill("Minimum width", "wide");
  await page.getByText("Notify").click();
  await fill("Webhook URL", "ftp://example.com");
  await page.getByText("Notify").click();
  await page.getByRole("button", { name: "Save" }).click();

  await page.getByText("allowed formats.1 field must be the extension or MIME type").waitFor();
  await page.getByText("min image width field must be an integer.").waitFor();
  await page.getByText("webhook url field must be a valid URL.").waitFor();
  await page.waitForFunction(() => document.activeElement.name === "config.validation.allowed_formats");
});

test("what is typed into a list counts at the first click on Save", async (t) => {
  const { account, handle, config } = await tenant();
  const { id } = await config("page", {});
  const page = await signIn(t, account, `${handle}/upload-configs?config=${id}`);
  await page.getByLabel("Formats", { exact: true }).pressSequentially("jpg png");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove png" }).waitFor();
  const { data } = await api(account, "GET", `/upload-configs/${id}`);
  assert.deepEqual(data.config.validation.allowed_formats, ["jpg", "png"]);
});

test("a config is tried, made active and not deleted while it is", async (t) => {
  const { account, handle, id: spaceId, config } = await tenant();
  const { id } = await config("photos", { config: { validation: { allowed_formats: ["jpg"] } } });
  const page = await signIn(t, account, `${handle}/upload-configs?config=${id}`);
  await page.getByLabel("File to try").setInputFiles(TEXT);
  await page.getByText("The file field must be a file of type: jpg.").waitFor();

  await page.getByRole("button", { name: "Remove jpg" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("photos was saved.").first().waitFor();
  await page.getByLabel("File to try").setInputFiles(TEXT);
  await page.getByText(`Accepted: ${TEXT.name}`).waitFor();

  await page.getByRole("button", { name: "Make active" }).click();
  await page.getByText("photos is the active upload config.").first().waitFor();
  const { data: space } = await api(account, "GET", `/spaces/${spaceId}`);
  assert.equal(space.active_upload_config_id, id);
  assert.ok(await page.getByRole("button", { name: "Delete" }).isDisabled());
});

test("a config is deleted after a question", async (t) => {
  const { account, handle, config } = await tenant();
  const { id } = await config("old", {});
  const page = await signIn(t, account, `${handle}/upload-configs`);
  await page.getByRole("row", { name: "old" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete “old”?" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("old was deleted.").first().waitFor();
  await page.getByRole("button", { name: "New upload config" }).waitFor();
  assert.equal(await page.getByRole("row", { name: "old" }).count(), 0);
  await api(account, "GET", `/upload-configs/${id}`, { status: 404 });
});

test("a config for signed URLs is tried with one", async (t) => {
  const { account, handle, config } = await tenant();
  const { id } = await config("signed", { is_signed: true });
  const page = await signIn(t, account, `${handle}/upload-configs?config=${id}`);
  await page.getByLabel("File to try").setInputFiles(TEXT);
  await page.getByText(`Accepted: ${TEXT.name}`).waitFor();
});

test("users read, viewers learn which role they need", async (t) => {
  const { account, key, handle, id: spaceId, config } = await tenant();
  const { id } = await config("page", {});
  const page = await signIn(t, key, `${handle}/upload-configs`);
  assert.ok(await page.getByRole("button", { name: "New upload config" }).isDisabled());
  await page.getByRole("row", { name: "page" }).click();
  await page.getByText("Changes need the role admin.").waitFor();
  assert.ok(await page.getByLabel("Name", { exact: true }).isDisabled());
  assert.equal(await page.getByRole("button", { name: "Save" }).count(), 0);

  const request = { body: { name: "reader", role: "viewer" }, status: 201 };
  const { data } = await api(account, "POST", `/spaces/${spaceId}/api-keys`, request);
  const reader = await signIn(t, data.key, `${handle}/upload-configs?config=${id}`);
  await reader.getByText("Your role here is viewer").waitFor();
});

/** Drives a page by keys alone. Controls are found by Tab and by their names. */
function keyboard(page) {
  const press = (key) => page.keyboard.press(key);
  const name = () =>
    page.evaluate(() => {
      const { activeElement: control } = document;
      const text = control.labels?.[0]?.textContent ?? control.getAttribute("aria-label") ?? control.textContent;
      return text.trim();
    });
  const reach = async (wanted) => {
    for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
      if ((await name()) === wanted) return;
      await press("Tab");
    }
    throw new Error(`Tab does not reach ${wanted}`);
  };
  return {
    async activate(wanted, key = "Enter") {
      await reach(wanted);
      await press(key);
    },
    async type(wanted, text) {
      await reach(wanted);
      await press("Control+A");
      await page.keyboard.type(text);
      await press("Tab");
    },
    async list(wanted, ...items) {
      await reach(wanted);
      for (const item of items) {
        await page.keyboard.type(item);
        await press("Enter");
      }
    },
    /** Moves from the checked option of a group to the next one. */
    async arrow(checked, next) {
      await reach(checked);
      await press("ArrowDown");
      assert.equal(await name(), next);
    },
    async select(wanted, option) {
      await reach(wanted);
      await page.keyboard.type(option);
      await press("Tab");
    },
  };
}
