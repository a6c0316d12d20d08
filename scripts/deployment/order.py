"""Checks the order in which CloudFormation creates and updates the resources of a translated template: python -m deployment.order FILE

- A resource that contains the name of another one, such as a stage or a domain, must depend on it: otherwise CloudFormation may
  create the first one before ("DependsOn attribute" in the CloudFormation Template Reference Guide: dependent resources are created
  after those that they refer to, others in parallel).
- In each permitted deployment of the key pairs of the CDN, and in each order of its updates, the distribution verifies by the key that
  delivery signs with.
"""

import itertools
import json
import re
import sys

# The resource that signs URLs, the one that verifies them, and that of its public keys.
SIGNER = "Delivery"
VERIFIER = "Cdn"
GROUP = "CdnKeyGroup"
KEYS = ("1", "2")
SECRET_PARAMETER = "CdnPrivateKeySecretArn"
# Properties by which resources name themselves; `Name` by default.
OWN_NAMES = {"AWS::ApiGatewayV2::Stage": "StageName", "AWS::ApiGatewayV2::DomainName": "DomainName", "AWS::S3::Bucket": "BucketName"}


def references(value):
    """Yields the names that a value refers to."""
    if isinstance(value, list):
        for child in value:
            yield from references(child)
    elif isinstance(value, dict):
        for name, child in value.items():
            if name == "Ref":
                yield child
            elif name == "Fn::GetAtt":
                yield child[0] if isinstance(child, list) else child.split(".")[0]
            elif name == "Fn::Sub":
                text, *variables = child if isinstance(child, list) else [child]
                yield from re.findall(r"\$\{(\w+)[.\w]*\}", text)
                yield from references(variables)
            elif name == "DependsOn":
                yield from [child] if isinstance(child, str) else child
            else:
                yield from references(child)


def dependencies(resources):
    return {name: set(references(resource)) & set(resources) - {name} for name, resource in resources.items()}


def depends(graph, name, other):
    """Returns whether a resource is created after another one."""
    seen = set()
    ahead = [name]
    while ahead:
        found = graph[ahead.pop()] - seen
        seen |= found
        ahead += found
    return other in seen


def texts(value, path=()):
    """Yields the paths and the texts, or references to parameters, of a value."""
    if isinstance(value, list):
        for child in value:
            yield from texts(child, path)
    elif isinstance(value, str) or isinstance(value, dict) and ("Ref" in value or "Fn::Sub" in value):
        yield path, json.dumps(value)
    elif isinstance(value, dict):
        for name, child in value.items():
            yield from texts(child, (*path, name))


def unordered(resources):
    """Yields the resources that name another one in text, without a dependency on it."""
    graph = dependencies(resources)
    properties = {name: each.get("Properties", {}) for name, each in resources.items()}
    own = {name: OWN_NAMES.get(each["Type"], "Name") for name, each in resources.items()}
    owners = {json.dumps(properties[name][key]): name for name, key in own.items() if key in properties[name]}

    for name in resources:
        for path, text in texts(properties[name]):
            owner = owners.get(text)
            if owner and path != (own[name],) and not depends(graph, name, owner):
                yield f"{name}.{'.'.join(path)} names {owner} ({text}), without a dependency on it: use !Ref"


def evaluated(template, parameters):
    """Returns the resources that exist with these parameters, without conditions."""

    def holds(condition):
        [(kind, arguments)] = condition.items()
        if kind == "Condition":
            return holds(template["Conditions"][arguments])
        if kind == "Fn::Equals":
            return resolved(arguments[0]) == resolved(arguments[1])
        return {"Fn::Not": lambda: not holds(arguments[0]), "Fn::And": lambda: all(map(holds, arguments)), "Fn::Or": lambda: any(map(holds, arguments))}[kind]()

    def resolved(value):
        if isinstance(value, list):
            return [each for each in map(resolved, value) if each != {"Ref": "AWS::NoValue"}]
        if not isinstance(value, dict):
            return value
        if "Fn::If" in value:
            name, then, otherwise = value["Fn::If"]
            return resolved(then if holds(template["Conditions"][name]) else otherwise)
        if value.get("Ref") in parameters:
            return parameters[value["Ref"]]
        entries = {name: resolved(child) for name, child in value.items()}
        return {name: child for name, child in entries.items() if child != {"Ref": "AWS::NoValue"}}

    existing = {name: each for name, each in template["Resources"].items() if "Condition" not in each or holds({"Condition": each["Condition"]})}
    return {name: resolved(resource) for name, resource in existing.items()}


def steps(before, after, is_first):
    """Yields the changed resources in an order that the dependencies permit, in which the signer comes first or last; then the removed ones."""
    graph = dependencies(after)
    changed = {name for name in after if after[name] != before.get(name)}
    # A new resource has another id, which changes those that refer to it.
    while more := {name for name in after if graph[name] & (changed - set(before))} - changed:
        changed |= more
    while changed:
        ready = sorted(name for name in changed if not any(depends(graph, name, other) for other in changed))
        signers = [name for name in ready if name == SIGNER or depends(graph, SIGNER, name)]
        others = [name for name in ready if name not in signers]
        chosen = (signers + others if is_first else others + signers)[0]
        changed.remove(chosen)
        yield chosen
    yield from set(before) - set(after)


def signing_key(live):
    variables = live[SIGNER]["Properties"]["Environment"]["Variables"]
    return variables["CDN_PRIVATE_KEY_ARN"].removeprefix("secret-") or None


def verified_keys(live):
    """Returns the keys by which the live distribution verifies."""
    behaviors = live[VERIFIER]["Properties"]["DistributionConfig"].get("CacheBehaviors", [])
    trusted = {name for behavior in behaviors for name in references(behavior["TrustedKeyGroups"])}
    items = [name for group in trusted & set(live) for name in references(live[group]["Properties"]["KeyGroupConfig"]["Items"])]
    return {name.removeprefix("CdnKey") for name in items if name in live}


def interruptions(template, is_permitted):
    """Yields the steps of permitted deployments after which delivery signs with a key that the distribution does not verify by."""
    defaults = {name: str(each.get("Default", "")) for name, each in template["Parameters"].items()}
    states = [(keys, secret) for count in range(3) for keys in itertools.combinations(KEYS, count) for secret in (None, *keys)]

    def resources(state):
        keys, secret = state
        values = {f"CdnPublicKey{key}": f"pem-{key}" if key in keys else "" for key in KEYS}
        return evaluated(template, {**defaults, **values, SECRET_PARAMETER: f"secret-{secret}" if secret else ""})

    for before, after in itertools.permutations(states, 2):
        for is_first in (True, False) if is_permitted(before, after) else ():
            live = dict(resources(before))
            new = resources(after)
            for name in steps(dict(live), new, is_first):
                live = {key: value for key, value in {**live, name: new.get(name)}.items() if value is not None}
                if signing_key(live) not in {None, *verified_keys(live)}:
                    yield f"{before} to {after}: after {name}, delivery signs with key {signing_key(live)}, and {sorted(verified_keys(live))} verify"


def has_known_id(before, after):
    """Returns whether the secret's public key existed before the deployment, because CloudFront chooses the id that the secret begins with."""
    return after[1] is None or after[1] in before[0]


def check(template):
    resources = template["Resources"]
    yield from unordered(resources)
    if SECRET_PARAMETER not in template.get("Parameters", {}):
        return
    yield from interruptions(template, has_known_id)

    # The checks find what a deployment would do if the secret did not need the id, and a mapping without references.
    assert any(interruptions(template, lambda *_: True)), "no deployment can interrupt downloads"
    mapping = {**resources["ApiDomainMapping"], "Properties": {"Stage": "$default", "DomainName": {"Ref": "ApiDomainName"}}}
    assert len(list(unordered({**resources, "ApiDomainMapping": mapping}))) == 2, "a stage or domain in text is not found"


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        problems = list(check(json.load(file)))
    print("\n".join(problems) or "every name is a dependency, and no deployment that keeps the key in use interrupts signed URLs")
    sys.exit(bool(problems))
