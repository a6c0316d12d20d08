"""Background jobs and alarms."""

import json
import secrets
import time

from deployment.checks import check
from deployment.stack import Miss, NotRun, expect, poll

# A job of the purge of a space that exists waits 15 s and is sent again, until two minutes after `requested_at`
# (shared/space-store/src/jobs/purge.rs).
HOPS_SECONDS = 300
RECHECK_SECONDS = 15
PURGE_GRACE_SECONDS = 120
# Lambda stops the 17th invocation in a chain of messages ("Use Lambda recursive loop detection to prevent infinite loops" in the AWS
# Lambda Developer Guide).
STOPPED_HOPS = 16
LOGS_SECONDS = 120
# First delay of a webhook after a failure, with its jitter (docs/api.md, "Repetition").
WEBHOOK_RETRY_SECONDS = 5 * 0.9
# An invalid message becomes a dead letter when it would be received for the eleventh time, after ten delays
# (shared/worker/src/redelivery.rs): 5,555 s, and up to a fifth more with jitter.
DEAD_LETTER_SECONDS = 5_555
FAILED_RECEIVES = 10
ALARM_SECONDS = 120


@check("webhook-retry", "aws", "local")
def webhook_retry(stack):
    """A webhook whose endpoint responds with an error is sent again after five seconds."""
    # An endpoint that each stack has, and that responds with 404.
    space = stack.create_space(webhook_url=f"{stack.api}/smoke-has-no-such-endpoint")
    stack.upload(space, "hook.txt", b"text", "text/plain").expect(201)

    def repeated():
        messages = stack.data("GET", f"/spaces/{space['id']}/webhook-deliveries")
        attempts = messages[0]["attempts"] if messages else []
        return attempts if len(attempts) > 1 else None

    attempts = poll(LOGS_SECONDS, repeated)
    if not attempts:
        raise Miss(f"fewer than two attempts within {LOGS_SECONDS} s")
    expect("the statuses", [attempt["status_code"] for attempt in attempts[:2]], [404, 404])
    first, second = sorted(time.strptime(attempt["at"][:19], "%Y-%m-%dT%H:%M:%S") for attempt in attempts[:2])
    seconds = time.mktime(second) - time.mktime(first)
    if seconds < int(WEBHOOK_RETRY_SECONDS):
        raise Miss(f"the second attempt followed after {seconds:.0f} s")
    return f"404, and again after {seconds:.0f} s"


# No automatic run includes this check: it waits for the clock, and only Lambda on AWS stops chains. Elsewhere it would prove no more than
# the tests of the purge.
@check("purge-hops", "aws", "local")
def purge_hops(stack):
    """A purge sends itself more than 16 jobs, and Lambda does not stop the chain. Takes five minutes."""
    # Its log is not accessible here, so the queue itself shows whether the chain goes on.
    is_local = stack.target == "local"
    if is_local and not poll(RECHECK_SECONDS, lambda: stack.messages("PurgeQueue") == 0):
        raise NotRun("deleted spaces are being purged, which takes 75 minutes; or start the stack with --reset")
    space = stack.create_space()
    dead_letters = stack.messages("PurgeDeadLetters")
    started = time.time()
    requested_at = int((started + HOPS_SECONDS - PURGE_GRACE_SECONDS) * 1000)
    stack.send("PurgeQueue", {"of": "space", "space_id": space["id"], "pass": "first", "requested_at": requested_at})

    time.sleep(HOPS_SECONDS - RECHECK_SECONDS)
    waiting = stack.messages("PurgeQueue")
    time.sleep(4 * RECHECK_SECONDS)
    expect("the number of new dead letters", stack.messages("PurgeDeadLetters") - dead_letters, 0)
    if is_local:
        expect("the number of messages during the chain and after it", (waiting, stack.messages("PurgeQueue")), (1, 0))
        return f"the chain went on for {HOPS_SECONDS - RECHECK_SECONDS} s, more than {STOPPED_HOPS} times {RECHECK_SECONDS}"

    pattern = f'{{ $.Function = "purge" && $.space_id = "{space["id"]}" }}'
    hops = poll(LOGS_SECONDS, lambda: logged(stack, pattern, started, above=STOPPED_HOPS))
    if not hops:
        raise Miss(f"at most {STOPPED_HOPS} jobs of the chain are in the log")
    return f"{hops} jobs in one chain"


def logged(stack, pattern, since, above=0):
    """Returns the number of matching log lines of the functions, 0 if there are no more than `above`."""
    arguments = ("--log-group-name", stack.resource("FunctionLog"), "--start-time", str(int(since * 1000)))
    found = stack.aws.call("logs", "filter-log-events", *arguments, "--filter-pattern", pattern)
    count = len(found["events"])
    return count if count > above else 0


def iso(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


@check("alarm-topic", "aws")
def alarm_topic(stack):
    """An alarm notifies its SNS topic. This sends a notification, which the reason marks as a test.

    CloudWatch invokes the action and restores the state ("SetAlarmState" in the CloudWatch API Reference). The text of the history is not
    documented, so the report contains it.
    """
    resources = stack.aws.call("cloudformation", "describe-stack-resources", "--stack-name", stack.name)["StackResources"]
    names = [each["PhysicalResourceId"] for each in resources if each["ResourceType"] == "AWS::CloudWatch::Alarm"]
    described = stack.aws.call("cloudwatch", "describe-alarms", "--alarm-names", *names)["MetricAlarms"]
    quiet = [alarm for alarm in described if alarm["AlarmActions"] and alarm["StateValue"] != "ALARM"]
    if not quiet:
        raise NotRun("all alarms are raised already")

    name, since = quiet[0]["AlarmName"], iso(time.time() - 5)
    reason = ("--state-value", "ALARM", "--state-reason", "Test by scripts/smoke. No action is required.")
    stack.aws.call("cloudwatch", "set-alarm-state", "--alarm-name", name, *reason)

    def acted():
        arguments = ("--alarm-name", name, "--history-item-type", "Action", "--start-date", since)
        return stack.aws.call("cloudwatch", "describe-alarm-history", *arguments)["AlarmHistoryItems"]

    items = poll(ALARM_SECONDS, acted, interval=5)
    if not items or not items[-1]["HistorySummary"].startswith("Successfully executed action"):
        raise Miss(f"history of {name}: {[item['HistorySummary'] for item in items]}")
    return f"{name}: {items[-1]['HistorySummary']}"


@check("worker-retry", "aws", "local", option="hour")
def worker_retry(stack):
    """An invalid job is tried ten times, which the metric of failed jobs counts, and becomes a dead letter after about 100 minutes.

    The dead letter is then deleted. Visibility and `ReportBatchItemFailures`: "Handling errors for an SQS event source in Lambda" in the AWS Lambda Developer Guide.
    """
    body, queue = f"scripts/smoke {secrets.token_hex(8)}", stack.resource("SweepDeadLetters")
    stack.send("SweepQueue", body)
    started = time.monotonic()
    since = time.time() - 60

    def dead_letter():
        arguments = ("--queue-url", queue, "--attribute-names", "ApproximateReceiveCount", "--max-number-of-messages", "10")
        received = stack.aws.call("sqs", "receive-message", *arguments, "--visibility-timeout", "5").get("Messages", [])
        return next((message for message in received if message["Body"] == json.dumps(body)), None)

    message = poll(DEAD_LETTER_SECONDS * 1.3, dead_letter, interval=30)
    seconds = time.monotonic() - started
    if not message or seconds < DEAD_LETTER_SECONDS:
        raise Miss(f"{'a' if message else 'no'} dead letter after {seconds:.0f} s")
    stack.aws.call("sqs", "delete-message", "--queue-url", queue, "--receipt-handle", message["ReceiptHandle"])
    return f"a dead letter after {seconds:.0f} s" + ("" if stack.target == "local" else failed_jobs(stack, since))


def failed_jobs(stack, since):
    """Returns how many failed jobs CloudWatch has counted.

    "Specification: Embedded metric format" in the CloudWatch User Guide, "GetMetricStatistics" in its API Reference.
    """
    arguments = [
        *("--namespace", f"Larder/{stack.name}", "--metric-name", "FailedJobs", "--statistics", "Sum", "--period", "3600"),
        *("--start-time", iso(since), "--end-time", iso(time.time() + 3600)),
    ]
    points = stack.aws.call("cloudwatch", "get-metric-statistics", *arguments)["Datapoints"]
    count = sum(point["Sum"] for point in points)
    if count < FAILED_RECEIVES:
        raise Miss(f"{count:.0f} in place of {FAILED_RECEIVES} failed jobs in Larder/{stack.name}")
    return f", {count:.0f} failed jobs"
