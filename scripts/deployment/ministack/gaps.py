"""Runs MiniStack with bridges over gaps of the installed version. Each function with `@gap` names one gap, and bridges it.

Not bridged: API Gateway responds to preflight requests itself, renames no headers, and limits no sizes; CloudFront verifies no signed URLs,
and caches nothing; function URLs reject characters that are not encoded.

The variables are those of MiniStack. The program stops if a function that it wraps does not exist, as may happen in another version.
"""

import copy
import functools

from ministack import app
from ministack.core import iam_actions
from ministack.services import apigateway, cloudfront, lambda_svc, s3
from ministack.services.cloudformation import provisioners

GAPS = []


def gap(function):
    """Registers a bridge, whose documentation names the gap."""
    GAPS.append(function)
    return function


def wrap(module, name, around):
    """Replaces a function of a module by `around(original, *arguments)`."""
    original = getattr(module, name)
    setattr(module, name, functools.wraps(original)(functools.partial(around, original)))


def wrap_handlers(resource_type, around):
    """Replaces what creates and updates resources of a type by `around(original, properties, *arguments)`."""
    handlers = provisioners._RESOURCE_HANDLERS[resource_type]
    create, update = handlers["create"], handlers["update"]
    handlers["create"] = lambda name, new, stack: around(lambda given: create(name, given, stack), new)

    def updated(identifier, old, new, stack, *rest):
        return around(lambda given: update(identifier, old, given, stack, *rest), new)

    handlers["update"] = updated


@gap
def routes_of_an_api_body():
    """CloudFormation ignores the `Body` of an HTTP API, so that it has no routes."""

    def provision(original, properties):
        identifier, attributes = original(properties)
        body = properties.get("Body")
        if body:
            import_body(identifier, body)
        return identifier, attributes

    wrap_handlers("AWS::ApiGatewayV2::Api", provision)


def import_body(api, body):
    apigateway._routes[api] = {}
    apigateway._integrations[api] = {}
    for path, methods in body["paths"].items():
        for method, operation in methods.items():
            key = "$default" if path == "/$default" else f"{method.upper()} {path}"
            integration = resolved(body, operation["x-amazon-apigateway-integration"])
            stored = {"integrationUri": integration["uri"], "payloadFormatVersion": integration["payloadFormatVersion"]}
            apigateway._create_integration(api, stored)
            target = next(reversed(apigateway._integrations[api]))
            apigateway._create_route(api, {"routeKey": key, "target": f"integrations/{target}"})


def resolved(body, value):
    """Follows `$ref`."""
    for part in value["$ref"].removeprefix("#/").split("/") if "$ref" in value else []:
        body = body[part]
    return body if "$ref" in value else value


@gap
def number_of_maximum_concurrency():
    """CloudFormation passes a number from a parameter on as text, at which the queue triggers of Lambda stop."""

    def provision(original, properties):
        properties = copy.deepcopy(properties)
        scaling = properties.get("ScalingConfig", {})
        scaling.update({name: int(value) for name, value in scaling.items()})
        return original(properties)

    wrap_handlers("AWS::Lambda::EventSourceMapping", provision)


@gap
def expressions_of_alarms():
    """CloudFormation rejects an alarm on an expression, so the alarm is on the first metric of the expression."""

    def provision(original, properties):
        properties = dict(properties)
        queries = properties.pop("Metrics", [])
        for query in queries:
            if "MetricStat" in query:
                statistic = query["MetricStat"]
                properties |= statistic["Metric"] | {"Period": statistic["Period"], "Statistic": "Sum"}
                break
        return original(properties)

    wrap_handlers("AWS::CloudWatch::Alarm", provision)


@gap
def key_pair_of_cloudfront():
    """CloudFormation has no resource types for the public keys and key groups of CloudFront."""

    def provisioner(store, new_id, config_name):
        def put(identifier, properties):
            store[identifier] = {"Id": identifier, "ETag": identifier, "Config": properties[config_name]}
            return identifier, {"Id": identifier}

        return {
            "create": lambda _name, properties, _stack: put(new_id(), properties),
            "update": lambda identifier, _old, properties, *_: put(identifier, properties),
            "delete": lambda identifier, _: store.pop(identifier, None),
        }

    handlers = provisioners._RESOURCE_HANDLERS
    handlers["AWS::CloudFront::PublicKey"] = provisioner(cloudfront._public_keys, cloudfront._pk_id, "PublicKeyConfig")
    handlers["AWS::CloudFront::KeyGroup"] = provisioner(cloudfront._key_groups, cloudfront.new_uuid, "KeyGroupConfig")


@gap
def signature_of_origin_access_control():
    """CloudFront does not sign requests to a function URL, so that Lambda rejects them."""
    actions = {"lambda:InvokeFunction", "lambda:InvokeFunctionUrl"}

    def granted(url_host, distribution):
        """Returns the actions on the function that its policy allows the distribution."""
        name = lambda_svc.resolve_function_url(url_host.split(".")[0])[2]
        for statement in lambda_svc._functions[name]["policy"]["Statement"]:
            source = statement.get("Condition", {}).get("ArnLike", {}).get("AWS:SourceArn")
            if statement["Principal"] == {"Service": "cloudfront.amazonaws.com"} and source == distribution:
                yield statement["Action"]

    async def fetch(original, origin, method, uri, query, headers, *rest):
        host = cloudfront._registered_function_url(origin)
        if host and origin["oac_id"] and actions <= set(granted(host, rest[-1])):
            scope = f"{provisioners.get_account_id()}/20260101/{provisioners.get_region()}/lambda/aws4_request"
            signature = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0"
            headers = {**headers, "authorization": signature}
        return await original(origin, method, uri, query, headers, *rest)

    wrap(cloudfront, "_fetch_from_origin", fetch)


@gap
def checksum_of_copy_object():
    """S3 ignores `x-amz-checksum-algorithm` of CopyObject, and its response has no checksum."""

    def copy_object(original, bucket, key, headers):
        algorithm = headers.get("x-amz-checksum-algorithm")
        if not algorithm:
            return original(bucket, key, headers)
        status, response, body = original(bucket, key, {**headers, "x-amz-sdk-checksum-algorithm": algorithm})
        if status == 200:
            checksum = s3._ensure_bucket(bucket)["objects"][key]["checksums"][algorithm]
            element = f"<Checksum{algorithm}>{checksum}</Checksum{algorithm}></CopyObjectResult>"
            body = body.replace(b"</CopyObjectResult>", element.encode())
        return status, response, body

    wrap(s3, "_copy_object", copy_object)


@gap
def reference_to_a_secret():
    """`Ref` of a secret is its name, and not its ARN."""
    handlers = provisioners._RESOURCE_HANDLERS["AWS::SecretsManager::Secret"]
    create, update, delete = handlers["create"], handlers["update"], handlers["delete"]

    def with_arn(_name, attributes):
        return attributes["Arn"], attributes

    def name(arn):
        return arn.partition(":secret:")[2][:-7]

    handlers["create"] = lambda *new: with_arn(*create(*new))
    handlers["update"] = lambda arn, *change: with_arn(*update(name(arn), *change))
    handlers["delete"] = lambda arn, properties: delete(name(arn), properties)


@gap
def permissions_of_batches():
    """IAM has own actions for the batches of SQS, which the action of one message allows ("Amazon SQS batch actions")."""

    def action(original, service, *request):
        name = original(service, *request)
        return name.removesuffix("Batch") if name and service == "sqs" else name

    wrap(iam_actions, "extract_iam_action", action)


@gap
def trust_within_an_account():
    """IAM requires an identity policy to assume a role, although the role trusts the caller's role of the same account by name, which suffices
    ("AssumeRole" in the AWS STS API Reference). STS still evaluates the trust policy."""

    def action(original, service, *request):
        name = original(service, *request)
        return None if name == "sts:AssumeRole" else name

    wrap(iam_actions, "extract_iam_action", action)


@gap
def address_of_viewers():
    """API Gateway and function URLs report the loopback address, which no viewer of AWS has."""

    def execute(original, function, event):
        if event.get("version") == "2.0":
            event["requestContext"]["http"]["sourceIp"] = "192.0.2.1"
        return original(function, event)

    wrap(lambda_svc, "_execute_function_with_config_scope", execute)


@gap
def one_port():
    """Port 443 of the machine is served too, with TLS, if it is free."""
    wrap(app, "_port_is_bindable", lambda *_: False)


if __name__ == "__main__":
    for bridge in GAPS:
        bridge()
    app.main()
