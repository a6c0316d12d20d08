// Evaluates the roles of template.yaml with an evaluator of IAM policies that others wrote:
//
//   node evaluate.mjs TEMPLATE USED
//
// USED has a line `FUNCTION ACTION RESOURCE` for each permission that a function used in the tests, and `FUNCTION-urls …` for those of
// the URLs that it presigned. Every function, and every role that presigns, must be
// allowed exactly what it used: other tables, queues, buckets, key prefixes, secrets and log groups are refused, and no action is
// granted that is never used. A role that presigns can be assumed by its function alone. The policies are resolved here, independently of the local
// stack.
import { readFileSync } from 'node:fs';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { parse } from 'yaml';

const ACCOUNT = '000000000000';
const AWS = `us-east-1:${ACCOUNT}`;
const BUCKET = `arn:aws:s3:::larder-bucket-${ACCOUNT}`;
const CDN_KEY = `arn:aws:secretsmanager:${AWS}:secret:larder-cdn-private-key-abcdef`;

// ARNs of resources as the local stack names them.
const ARNS = {
  'AWS::DynamoDB::Table': (id) => `arn:aws:dynamodb:${AWS}:table/larder-${id}`,
  'AWS::IAM::ManagedPolicy': (id) => id,
  'AWS::IAM::Role': (id) => `arn:aws:iam::${ACCOUNT}:role/larder-${id}`,
  'AWS::Logs::LogGroup': (id) => `arn:aws:logs:${AWS}:log-group:larder-${id}:*`,
  'AWS::S3::Bucket': () => BUCKET,
  'AWS::SQS::Queue': (id) => `arn:aws:sqs:${AWS}:larder-${id}`,
  'AWS::SecretsManager::Secret': (id) => `arn:aws:secretsmanager:${AWS}:secret:larder-${id}-abcdef`,
};

// The resources that actions are evaluated on, by service. Those of the template are added to the foreign ones.
const objects = ['_objects/0/originals/0', '_objects/0/renditions/0', '_objects/0/watermarks/0', 'staging/0', 'other/0'];
const RESOURCES = {
  dynamodb: [`arn:aws:dynamodb:${AWS}:table/other`],
  logs: [`arn:aws:logs:${AWS}:log-group:other:log-stream:1`],
  sts: [`arn:aws:iam::${ACCOUNT}:role/other`],
  s3: [...objects.map((key) => `${BUCKET}/${key}`), 'arn:aws:s3:::other/_objects/0/originals/0'],
  secretsmanager: [CDN_KEY, `arn:aws:secretsmanager:${AWS}:secret:other-abcdef`],
  sqs: [`arn:aws:sqs:${AWS}:other`],
};
const RESOURCES_OF_ACTION = { 's3:ListBucket': [BUCKET, 'arn:aws:s3:::other'] };

const [templatePath, usedPath] = process.argv.slice(2);
const scalar = (name) => ({ tag: `!${name}`, resolve: (text) => ({ [name]: text }) });
const list = (name) => ({ tag: `!${name}`, collection: 'seq', resolve: (items) => ({ [name]: items.toJSON() }) });
const lists = ['And', 'Equals', 'If', 'Join', 'Not', 'Or', 'Select', 'Split', 'Sub'];
const { Resources: resources } = parse(readFileSync(templatePath, 'utf8'), {
  customTags: [...['Condition', 'GetAtt', 'Ref', 'Sub'].map(scalar), ...lists.map(list)],
});

// What policies refer to besides ARNs.
const values = { 'AWS::Partition': 'aws', 'AWS::StackName': 'larder', 'AWS::Region': 'us-east-1', 'AWS::AccountId': ACCOUNT };

function arn(id) {
  return ARNS[resources[id].Type](id);
}

// Resolves the references of a policy, as if all conditions were true.
function resolved(node) {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object') return node;
  if (node.Ref) return arn(node.Ref);
  if (node.GetAtt) return arn(node.GetAtt.split('.')[0]);
  if (node.If) return resolved(node.If[1]);
  if (node.Sub) return node.Sub.replace(/\$\{(\w+)\.Arn\}/g, (_, id) => arn(id)).replace(/\$\{([\w:]+)\}/g, (_, name) => values[name]);
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolved(value)]));
}

// Returns the logical id of a role.
const idOf = (roleArn) => roleArn.split('larder-')[1];

function policiesOf(roleArn) {
  const role = idOf(roleArn);
  const { ManagedPolicyArns: named = [], Policies: inline = [] } = resources[role].Properties;
  const shared = named.map(resolved).map((id) => ({ name: id, policy: resolved(resources[id].Properties.PolicyDocument) }));
  return [...shared, ...inline.map((own) => ({ name: own.PolicyName, policy: resolved(own.PolicyDocument) }))];
}

async function isAllowed({ role, policies }, action, resource, resourcePolicy = undefined) {
  const simulation = {
    request: { principal: role, action, resource: { resource, accountId: ACCOUNT }, contextVariables: {} },
    identityPolicies: policies,
    resourcePolicy,
    serviceControlPolicies: [],
    resourceControlPolicies: [],
  };
  const result = await runSimulation(simulation, {});
  if (result.resultType === 'error') throw new Error(`${action} on ${resource}: ${JSON.stringify(result.errors)}`);
  return result.overallResult === 'Allowed';
}

const entries = Object.entries(resources);
const ofType = (type) => entries.filter(([, resource]) => resource.Type === type);
for (const [service, type] of [['dynamodb', 'AWS::DynamoDB::Table'], ['secretsmanager', 'AWS::SecretsManager::Secret'], ['sqs', 'AWS::SQS::Queue'], ['sts', 'AWS::IAM::Role']]) {
  RESOURCES[service].push(...ofType(type).map(([id]) => arn(id)));
}
const streamOf = (group) => arn(group).replace(/\*$/, 'log-stream:1');
RESOURCES.logs.push(...ofType('AWS::Logs::LogGroup').map(([id]) => streamOf(id)));

const functions = ofType('AWS::Serverless::Function').map(([id, { Metadata, Properties }]) => {
  const role = resolved(Properties.Role);
  return { id, name: Metadata.BuildProperties.Binary, role, variables: Properties.Environment?.Variables ?? {}, policies: policiesOf(role) };
});
const presigners = functions.filter(({ variables }) => variables.PRESIGN_ROLE_ARN).map(({ name, role, variables }) => {
  const own = resolved(variables.PRESIGN_ROLE_ARN);
  return { name: `${name}-urls`, role: own, caller: role, policies: policiesOf(own) };
});
const roles = [...functions, ...presigners];
// Keys below one prefix have the same permissions, and so have the renditions of both retentions.
const lines = readFileSync(usedPath, 'utf8').trim().split('\n').map((line) => line
  .replace(/_objects\/(expiring\/)?0\/(\w+)\/.*/, '_objects/0/$2/0')
  .replace(/staging\/.*/, 'staging/0'));
const used = new Set(lines.filter((line) => roles.some(({ name }) => line.startsWith(`${name} `))));

// What Lambda calls with the role of a function ("Sending Lambda function logs to CloudWatch Logs" and "Creating and configuring an Amazon SQS
// event source mapping" in the Lambda Developer Guide).
for (const { id, name } of functions) {
  for (const action of ['logs:CreateLogStream', 'logs:PutLogEvents']) used.add(`${name} ${action} ${streamOf('FunctionLog')}`);
  for (const [, { Properties: source }] of ofType('AWS::Lambda::EventSourceMapping')) {
    if (source.FunctionName.Ref !== id) continue;
    for (const action of ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage']) used.add(`${name} sqs:${action} ${resolved(source.EventSourceArn)}`);
  }
}

const statements = roles.flatMap(({ policies }) => policies.flatMap(({ policy }) => policy.Statement));
// Besides the actions that roles name, some that only a wildcard would grant.
const actions = new Set([
  'dynamodb:DeleteTable', 'dynamodb:Scan', 'logs:DeleteLogStream', 's3:PutObjectAcl', 'secretsmanager:PutSecretValue', 'sqs:PurgeQueue', 'sts:AssumeRole',
]);
const named = [...statements.flatMap(({ Action }) => Action), ...[...used].map((line) => line.split(' ')[1])];
for (const action of named) if (!action.includes('*')) actions.add(action);
let evaluated = 0;
const problems = [];
const unseen = new Set(used);
for (const role of roles) {
  const { name } = role;
  for (const action of actions) {
    for (const resource of RESOURCES_OF_ACTION[action] ?? RESOURCES[action.split(':')[0]]) {
      const call = `${name} ${action} ${resource}`;
      const allowed = await isAllowed(role, action, resource);
      if (allowed !== used.has(call)) problems.push(`${allowed ? 'granted and never used' : 'used and not granted'}: ${call}`);
      unseen.delete(call);
      evaluated += 1;
    }
  }
}
// Trust policies of the roles that presign URLs.
for (const { role: presigner, caller } of presigners) {
  for (const { name, role } of roles) {
    const trust = resolved(resources[idOf(presigner)].Properties.AssumeRolePolicyDocument);
    const allowed = await isAllowed({ role, policies: [] }, 'sts:AssumeRole', presigner, trust);
    if (allowed !== (role === caller)) problems.push(`${presigner} ${allowed ? 'trusts' : 'does not trust'} ${name}`);
    evaluated += 1;
  }
}
problems.push(...[...unseen].map((call) => `on a resource that is not evaluated: ${call}`));

console.log(problems.join('\n') || `${roles.length} roles, ${used.size} used permissions, ${evaluated} evaluations`);
process.exit(problems.length ? 1 : 0);
