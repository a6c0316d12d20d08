"""The program of scripts/deploy-check, whose comment describes the options."""

import argparse
import contextlib
import json
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

from samcli.yamlhelper import yaml_parse

from deployment.aws import Aws
from deployment.media_checks import upload_video
from deployment.ministack.downloads import Downloads
from deployment.stack import Stack
from deployment.ministack.cloud import ARCHITECTURE, REGION, ROOT, STACK, Cloud, Miss, expect, run, wait_for

# Another name of samconfig.toml, and another region.
SECOND_STACK = "larder-staging"
SECOND_REGION = "eu-central-1"
# Time in which the workers process an upload.
PROCESSING_SECONDS = 60
# Lines of logs that a failure prints.
LOG_LINES = 20
# What the requests of the README print, and how often.
PRINTED = {
    '"status":"active"': 6,
    "the same photo": 1,
    "bytes of image/webp": 1,
    "the signed URL works": 1,
}
# The checks of scripts/smoke that pass.
SMOKE_CHECKS = {
    *("canary", "delivery-key", "revalidation", "odd-paths", "api-queries", "ranges", "processing", "negotiation"),
    *("video-redirect", "large-confirm"),
}


@contextlib.contextmanager
def step(name):
    """Prints the result and the duration of a step. Ends the program if it fails."""
    started = time.monotonic()
    try:
        yield
    except Miss as miss:
        sys.exit(f"{name}: FAILED after {time.monotonic() - started:.1f} s\n{miss}")
    print(f"{name}: passed in {time.monotonic() - started:.1f} s", flush=True)


def validate():
    """Lints the template. SAM calls no service for that."""
    run("sam", "validate", "--lint", "--template", ROOT / "template.yaml", "--region", REGION)


def guide(cloud, heading, *blocks, then="", **replaced):
    """Runs blocks of commands of a section of docs/deploy.md, all by default, with words replaced, and then another command.

    SAM builds and deploys outside of the repository, with the parameters that the page names for the processor of this machine.
    """
    section = re.split(r"^## ", (ROOT / "docs/deploy.md").read_text().partition(f"\n## {heading}\n")[2], flags=re.MULTILINE)[0]
    found = re.findall(r"^```console\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    expect(found, f"docs/deploy.md has no commands below {heading!r}")
    commands = "".join(found[index] for index in blocks or range(len(found)))
    for word, replacement in replaced.items():
        commands = re.sub(rf"\b{word}\b", lambda _: replacement, commands)

    config = cloud.directory / "samconfig.toml"
    architecture = f"Architecture={ARCHITECTURE}"
    text = (ROOT / "samconfig.toml").read_text().replace("LogLevel=debug", f"LogLevel=debug {architecture}")
    config.write_text(text.replace("beta_features = true", f'beta_features = true\nparameter_overrides = "{architecture}"'))
    sam = f"""sam() {{
        case $1 in
        build) command sam build --config-file {config} --build-dir {cloud.directory}/build --cache-dir {cloud.directory}/cache ;;
        deploy) command sam "$@" --config-file {config} --template-file {cloud.directory}/build/template.yaml --no-progressbar ;;
        *) command sam "$@" ;;
        esac
    }}
    """
    root = f'cd {ROOT}\n'
    script = root + sam + re.sub(r"^\$ ", "", commands, flags=re.MULTILINE) + then
    return run("bash", "-euo", "pipefail", input=script)


def deploy(cloud, *options, environment="dev", fails=False, **parameters):
    """Deploys the build. Returns the output of SAM."""
    overrides = [f'{name}="{value}"' for name, value in {"Architecture": ARCHITECTURE, **parameters}.items()]
    return run("sam", "deploy", "--config-file", ROOT / "samconfig.toml", "--config-env", environment,
               "--template-file", cloud.directory / "build/template.yaml", "--no-progressbar", *options,
               "--parameter-overrides", *overrides, fails=fails)


def delete(stack):
    run("sam", "delete", "--stack-name", stack, "--region", REGION, "--no-prompts")


def printed_key(printed):
    keys = re.findall(r"^sk_\S+$", printed, re.MULTILINE)
    expect(len(keys) == 1, f"one key expected in:\n{printed}")
    return keys[0]


def first_key(cloud):
    """Creates the first key, uploads a file as docs/deploy.md does, and returns the key."""
    handle = """$(curl -sS $API/spaces -H "Authorization: Bearer $KEY" | sed 's/.*"handle":"\\([a-z0-9]*\\)".*/\\1/')"""
    url = """$(curl -sS "$API/files?limit=1" -H "Authorization: Bearer $KEY" | sed 's/.*"url":"\\([^"]*\\)".*/\\1/')"""
    words = {"HANDLE": handle, "sSLO": "sSLf -o /dev/null", "URL": url}
    printed = guide(cloud, "First key and upload", then='echo; echo "$KEY"', **words)
    expect('"status":"active"' in printed, f"no uploaded file in:\n{printed}")
    return printed_key(printed)


def bootstrap(stack, region=REGION):
    """Returns the account key of a new stack."""
    return printed_key(run(ROOT / "scripts/bootstrap", "--stack", stack, "--region", region))


def get(cloud, key, path, stack=STACK, region=REGION):
    """Returns the `data` of a response of the API."""
    url = cloud.outputs(stack, region)["ApiUrl"] + path
    return json.loads(run("curl", "-sSf", url, "-H", f"Authorization: Bearer {key}"))["data"]


def readme_requests(cloud, key):
    """Runs the requests of the README and the guide, except the blocks for the stack on one machine."""
    pages = "\n".join((ROOT / page).read_text() for page in ["README.md", "docs/guide.md"])
    blocks = re.findall(r"^```bash\n(.*?)^```", pages, re.MULTILINE | re.DOTALL)
    requests = [block for block in blocks if ".larder/" not in block and "/demo/" not in block]
    variables = {"API": cloud.outputs(STACK)["ApiUrl"], "KEY": key}
    printed = run("bash", "-euo", "pipefail", input="\n".join(requests), variables=variables)
    for text, count in PRINTED.items():
        expect(printed.count(text) == count, f"{count} times {text} expected in:\n{printed}")


def processed(cloud, key):
    """Waits until the workers have processed the photos of the README."""
    space = next(space for space in get(cloud, key, "/spaces") if space["name"].startswith("Holiday"))

    def files():
        return get(cloud, key, f"/files?space_id={space['id']}")

    def is_processed(file):
        return file["processing"]["status"] == "completed" and file["storage_meta"].get("blurhash")

    wait_for(lambda: all(map(is_processed, files())), PROCESSING_SECONDS, "photos are not processed")


def smoke(cloud, key):
    """Runs the checks of a deployed stack that MiniStack can answer. All others are listed as not run."""
    report = cloud.directory / "smoke.json"
    run("scripts/smoke", "--stack", STACK, "--region", REGION, "--connect-to", f"127.0.0.1:{cloud.port}",
        "--report", report, variables={"LARDER_KEY": key})
    results = {check["check"]: check["result"] for check in json.loads(report.read_text())["checks"]}
    passed = {name for name, result in results.items() if result == "passed"}
    expect(passed == SMOKE_CHECKS, f"passed: {sorted(passed)}, expected: {sorted(SMOKE_CHECKS)}")
    unlisted = [name for name, result in results.items() if name not in passed and not result.startswith("not run here")]
    expect(not unlisted, f"neither passed nor listed as not run: {unlisted}")


def unchanged(cloud):
    expect("No changes to deploy" in deploy(cloud), "an unchanged deployment changes the stack")


def key_pair(cloud, key):
    """Turns the key pair on, and replaces it, with the commands of docs/deploy.md, while a large file is downloaded again and again."""
    heading = "Large downloads"
    files = {name: str(cloud.directory / name) for name in ("cdn-private.pem", "cdn-public.pem", "cdn-secret.txt")}
    second = {**files, "CdnPublicKey1": "CdnPublicKey2", "CdnKey1Id": "CdnKey2Id", "larder-dev-cdn-1": "larder-dev-cdn-2"}
    with Downloads(cloud, upload_large(cloud, key)) as downloads:
        guide(cloud, heading, 0, 1, LOGS="access-log", **files)
        expect(not downloads.signers(), "URLs are signed before a deployment of the private key")
        guide(cloud, heading, 2, **files)
        guide(cloud, heading, 1, 2, **second)
        downloads.repeat()
        guide(cloud, heading, 3)
        downloads.repeat()
    used = [downloads.ids[number] for number in downloads.signers()]
    expect(used == ["1", "2"], f"large files were signed with the keys {used}, in place of the first and then the second")


def upload_large(cloud, key):
    """Returns the URL of a public file that delivery redirects."""
    outputs = cloud.outputs(STACK)
    aws = Aws(REGION)
    stack = Stack("ministack", STACK, outputs["ApiUrl"], outputs["CdnUrl"], key, aws, connect_to=("127.0.0.1", cloud.port))
    file, _ = upload_video(stack)
    return file["url"]


def second_region(cloud):
    deploy(cloud, "--region", SECOND_REGION)
    key = bootstrap(STACK, SECOND_REGION)
    expect(len(get(cloud, key, "/spaces", STACK, SECOND_REGION)) == 1, "not one space")


def failure_and_repetition(cloud):
    """Deploys a second stack while the name of one of its last resources is taken, and again when it is free."""
    taken = cloud.resources(STACK)["CdnViewerRequest"].rsplit("/")[-1].replace(STACK, SECOND_STACK)
    cloudfront = cloud.client("cloudfront")
    config = {"Comment": "", "Runtime": "cloudfront-js-2.0"}
    created = cloudfront.create_function(Name=taken, FunctionConfig=config, FunctionCode=b"function handler() {}")
    deploy(cloud, environment="staging", fails=True)
    left = cloud.named(SECOND_STACK) - {taken}
    expect(not left, f"a failed first deployment leaves {left}")

    cloudfront.delete_function(Name=taken, IfMatch=created["ETag"])
    delete(SECOND_STACK)
    deploy(cloud, environment="staging")
    bootstrap(SECOND_STACK)


def deletion(cloud):
    """Deletes the second stack, except the resources that the template retains."""
    template = yaml_parse((cloud.directory / "build/template.yaml").read_text())
    retained = [name for name, resource in template["Resources"].items() if "DeletionPolicy" in resource]
    resources = cloud.resources(SECOND_STACK)
    kept = {resources[name] for name in retained if template["Resources"][name]["DeletionPolicy"] != "Delete"}
    delete(SECOND_STACK)
    left = cloud.named(SECOND_STACK)
    expect(left == kept, f"deleted with the stack: {kept - left}; not deleted: {left - kept}")


def check(cloud, is_journey):
    with step("sam validate"):
        validate()
    with step("start of MiniStack"):
        cloud.start()
    with step("docs/deploy.md: check the account"):
        guide(cloud, "Check the account")
    with step("docs/deploy.md: build and deploy"):
        guide(cloud, "Build and deploy", 0)
    with step("docs/deploy.md: first key and upload"):
        key = first_key(cloud)
    with step("requests of the README"):
        readme_requests(cloud, key)
    with step("workers"):
        processed(cloud, key)
    if is_journey:
        return
    with step("scripts/smoke"):
        smoke(cloud, key)
    with step("docs/deploy.md: protection of state"):
        guide(cloud, "Build and deploy", 1)
    with step("unchanged deployment"):
        unchanged(cloud)
    with step("docs/deploy.md: key pair of the CDN, on and replaced"):
        key_pair(cloud, key)
    with step("second region"):
        second_region(cloud)
    with step("second stack: failed deployment, repeated"):
        failure_and_repetition(cloud)
    with step("deletion"):
        deletion(cloud)


def main():
    parser = argparse.ArgumentParser(prog="scripts/deploy-check", add_help=False)
    parser.add_argument("--journey", action="store_true")
    parser.add_argument("--binaries", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))

    with tempfile.TemporaryDirectory(prefix="larder-deploy-check-") as directory:
        cloud = Cloud(Path(directory), arguments.binaries and arguments.binaries.resolve())
        try:
            check(cloud, arguments.journey)
        except BaseException:
            print(cloud.last_errors(LOG_LINES))
            raise
        finally:
            cloud.stop()


main()
