"""A MiniStack with the bridges of gaps.py, and the programs and clients that use it."""

import contextlib
import os
import platform
import re
import signal
import socket
import ssl
import subprocess
import time
import urllib.request
from pathlib import Path

import boto3
import jmespath

ROOT = Path(__file__).resolve().parents[3]
TOOLS = ROOT / ".tools/deploy-check"
# Stands in for parts of the machine.
ENVIRONMENT = Path(__file__).with_name("environment")
REGION = "us-east-1"
# Name in samconfig.toml.
STACK = "larder-dev"
# MiniStack accepts a key of twelve digits as that of the root user of this account.
ACCOUNT = "123456789012"
ARCHITECTURE = {"aarch64": "arm64", "x86_64": "x86_64"}[platform.machine()]
# Hosts that MiniStack serves.
HOSTS = ["localhost", "*.execute-api.localhost", "*.cloudfront.net"]
START_SECONDS = 60
# What a stack creates, whose name or description contains the name of the stack.
LISTINGS = [
    ("apigatewayv2", "get_apis", "Items[].Name"),
    ("cloudfront", "list_cache_policies", "CachePolicyList.Items[].CachePolicy.CachePolicyConfig.Name"),
    ("cloudfront", "list_distributions", "DistributionList.Items[].Comment"),
    ("cloudfront", "list_functions", "FunctionList.Items[].Name"),
    ("cloudfront", "list_origin_access_controls", "OriginAccessControlList.Items[].Name"),
    ("cloudwatch", "describe_alarms", "MetricAlarms[].AlarmName"),
    ("cloudwatch", "list_dashboards", "DashboardEntries[].DashboardName"),
    ("dynamodb", "list_tables", "TableNames"),
    ("events", "list_rules", "Rules[].Name"),
    ("iam", "list_policies", "Policies[].PolicyName"),
    ("iam", "list_roles", "Roles[].RoleName"),
    ("lambda", "list_functions", "Functions[].FunctionName"),
    ("logs", "describe_log_groups", "logGroups[].logGroupName"),
    ("s3", "list_buckets", "Buckets[].Name"),
    ("secretsmanager", "list_secrets", "SecretList[].ARN"),
    ("sns", "list_topics", "Topics[].TopicArn"),
    ("sqs", "list_queues", "QueueUrls"),
]
# Characters of a program's output that a failure prints.
OUTPUT_CHARACTERS = 6000


class Miss(Exception):
    """A result that differs from the expected one."""


def expect(condition, message):
    if not condition:
        raise Miss(message)


def wait_for(condition, seconds, message):
    deadline = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < deadline, message)
        time.sleep(0.2)


def run(*command, fails=False, variables=None, **options):
    """Returns the output of a program, which must succeed, or fail if `fails`."""
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **(variables or {})}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    printed = f"{' '.join(map(str, command))} exited with {done.returncode}:\n{done.stdout[-OUTPUT_CHARACTERS:]}"
    expect((done.returncode != 0) == fails, printed)
    return done.stdout


class Cloud:
    """Programs that `run` starts use this MiniStack. `binaries` is a directory of compiled functions, or None."""

    def __init__(self, directory, binaries):
        self.directory = directory
        self.binaries = binaries
        self.process = None
        self.log = directory / "ministack.log"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.endpoint = f"https://127.0.0.1:{self.port}"

        # cargo-lambda links with Zig, a package for its own interpreter.
        cargo_lambda = TOOLS.parent / "cargo-lambda/bin"
        os.environ["CARGO_ZIGBUILD_PYTHON_PATH"] = str(cargo_lambda / "python3")
        path = [TOOLS / "aws/bin", TOOLS / "sam/bin", cargo_lambda, os.environ["PATH"]]
        if binaries:
            path.insert(0, ENVIRONMENT)
            os.environ.update(COMPILED_BINARIES=str(binaries), CARGO_TARGET_DIR=str(directory / "target"))
        os.environ.update(
            PATH=":".join(map(str, path)), TMPDIR=str(directory), SAM_CLI_TELEMETRY="0", SAM_CLI_POLL_DELAY="0.5",
            AWS_ENDPOINT_URL=self.endpoint, AWS_ACCESS_KEY_ID=ACCOUNT, AWS_SECRET_ACCESS_KEY="test",
            AWS_REGION=REGION, AWS_DEFAULT_REGION=REGION,
        )
        for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN"):
            os.environ.pop(name, None)

    def start(self):
        """Starts MiniStack, which evaluates the policies of roles and buckets (AUTH)."""
        variables = {"GATEWAY_PORT": str(self.port), "BIND_HOST": "127.0.0.1", "MINISTACK_ACCOUNT_ID": ACCOUNT,
                     "AUTH": "true", **self.certify()}
        program = [TOOLS / "ministack/bin/python", Path(__file__).with_name("gaps.py")]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(program, env={**os.environ, **variables}, cwd=self.directory, stdout=log,
                                            stderr=log, start_new_session=True)
        wait_for(lambda: self.process.poll() is not None or self.answers(), START_SECONDS, "MiniStack does not answer")
        expect(self.process.poll() is None, f"MiniStack stopped:\n{self.log.read_text()[-OUTPUT_CHARACTERS:]}")

    def certify(self):
        """Creates a certificate, which all programs trust. Returns the variables of MiniStack."""
        certificate, key, roots = (self.directory / name for name in ("tls.crt", "tls.key", "roots.pem"))
        names = ["IP:127.0.0.1", *(f"DNS:{host}" for host in HOSTS)]
        run("openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "basicConstraints=critical,CA:FALSE",
            "-addext", "subjectAltName=" + ",".join(names), "-out", certificate, "-keyout", key)
        present = Path(os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().openssl_cafile)
        roots.write_text((present.read_text() if present.exists() else "") + certificate.read_text())
        os.environ.update(dict.fromkeys(("SSL_CERT_FILE", "AWS_CA_BUNDLE", "CURL_CA_BUNDLE"), str(roots)))

        # curl connects to MiniStack for any host.
        (self.directory / ".curlrc").write_text(f'connect-to = "::127.0.0.1:{self.port}"\n')
        os.environ["CURL_HOME"] = str(self.directory)
        return {"USE_SSL": "1", "MINISTACK_SSL_CERT": str(certificate), "MINISTACK_SSL_KEY": str(key)}

    def answers(self):
        context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
        try:
            return urllib.request.urlopen(f"{self.endpoint}/_ministack/health", timeout=2, context=context).status == 200
        except OSError:
            return False

    def stop(self):
        """Ends MiniStack and the functions, which are its children."""
        if self.process:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def client(self, service, region=REGION):
        return boto3.client(service, region_name=region)

    def outputs(self, stack, region=REGION):
        described = self.client("cloudformation", region).describe_stacks(StackName=stack)["Stacks"][0]
        return {output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]}

    def resources(self, stack):
        """Returns the physical ids of a stack by logical id."""
        pages = self.client("cloudformation").get_paginator("list_stack_resources").paginate(StackName=stack)
        summaries = [summary for page in pages for summary in page["StackResourceSummaries"]]
        return {summary["LogicalResourceId"]: summary["PhysicalResourceId"] for summary in summaries}

    def named(self, stack):
        """Returns what exists with the name of a stack."""
        names = set()
        for service, operation, expression in LISTINGS:
            response = getattr(self.client(service), operation)()
            names.update(name for name in jmespath.search(expression, response) or [] if stack in name)
        return names

    def last_errors(self, count):
        """Returns the last lines of the functions' logs that report an error or warning, if MiniStack was started."""
        if not self.process:
            return ""
        logs = self.client("logs")
        groups = [group["logGroupName"] for group in logs.describe_log_groups()["logGroups"]]
        events = [event for group in groups for event in logs.filter_log_events(logGroupName=group)["events"]]
        lines = [event["message"] for event in events if re.search("ERROR|WARN", event["message"])]
        return "\n".join(lines[-count:])
