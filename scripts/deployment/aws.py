"""The AWS CLI as a subprocess. It resolves profiles, SSO and roles."""

import json
import os
import subprocess


class AwsError(Exception):
    """A call failed. The text is that of the AWS CLI, without a full stop."""


class Aws:
    """Calls AWS in one region. `variables` are added to the environment of the AWS CLI."""

    def __init__(self, region, variables=None, endpoint=None):
        self.region = region
        self.endpoint = endpoint
        self.environment = {**os.environ, "AWS_PAGER": "", **(variables or {})}

    def call(self, *arguments):
        """Returns the parsed output of a command, `{}` if there is none."""
        endpoint = ["--endpoint-url", self.endpoint] if self.endpoint else []
        command = ["aws", *arguments, "--region", self.region, "--output", "json", *endpoint]
        try:
            ended = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120)
        except FileNotFoundError:
            raise AwsError("the AWS CLI is missing: install its version 2") from None
        except subprocess.TimeoutExpired:
            raise AwsError(f"`aws {' '.join(arguments[:2])}` did not end within two minutes") from None

        if ended.returncode != 0:
            lines = ended.stderr.strip().splitlines() or [f"exit status {ended.returncode}"]
            raise AwsError(f"`aws {' '.join(arguments[:2])}` failed: {lines[-1].rstrip('.')}")
        return json.loads(ended.stdout) if ended.stdout.strip() else {}
