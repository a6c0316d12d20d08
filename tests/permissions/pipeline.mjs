// Evaluates the roles of infra/pipeline/template.yaml with an evaluator of IAM policies that others wrote: node pipeline.mjs PIPELINE TEMPLATE
//
// The trust of the deploy role is evaluated with forged tokens. The permissions of both roles are evaluated with what they must not do, and those of
// the CloudFormation role also with an action of each resource of TEMPLATE: allowed for the stack, and denied for another one.
import { readFileSync } from 'node:fs';
import { runSimulation } from '@cloud-copilot/iam-simulate';
import { parse } from 'yaml';

const ACCOUNT = '000000000000';
const AWS = `us-east-1:${ACCOUNT}`;
const STACK = 'larder-dev';
const ISSUER = 'token.actions.githubusercontent.com';
const PROVIDER = `arn:aws:iam::${ACCOUNT}:oidc-provider/${ISSUER}`;
const role = (name) => `arn:aws:iam::${ACCOUNT}:role/${name}`;
const policy = (name) => `arn:aws:iam::${ACCOUNT}:policy/${name}`;
const stack = (name) => `arn:aws:cloudformation:${AWS}:stack/${name}/1`;
const passedTo = (service) => ({ 'iam:PassedToService': `${service}.amazonaws.com` });

const scalar = (name) => ({ tag: `!${name}`, resolve: (text) => ({ [name]: text }) });
const list = (name) => ({ tag: `!${name}`, collection: 'seq', resolve: (items) => ({ [name]: items.toJSON() }) });
const lists = ['And', 'Equals', 'If', 'Join', 'Not', 'Or', 'Select', 'Split', 'Sub'];
const customTags = [...['Condition', 'GetAtt', 'Ref', 'Sub'].map(scalar), ...lists.map(list)];
const [pipeline, template] = process.argv.slice(2).map((path) => parse(readFileSync(path, 'utf8'), { customTags }).Resources);

// Names as CloudFormation gives them in the stack STACK-pipeline, whose name begins with that of the stack.
const own = (id) => `${(pipeline[id].Properties.Path ?? '/').slice(1)}${STACK}-pipeline-${id}-1`;
const ARNS = { DeployRole: role(own('DeployRole')), CloudFormationRole: role(own('CloudFormationRole')) };
const ARTIFACTS = `arn:aws:s3:::${own('Artifacts').toLowerCase()}`;
const values = {
  'AWS::AccountId': ACCOUNT, 'AWS::Partition': 'aws', 'AWS::Region': 'us-east-1', StackName: STACK, Environment: 'dev', AccessLogBucket: 'logs.s3.amazonaws.com',
  OidcProvider: PROVIDER, 'Artifacts.Arn': ARTIFACTS, 'CloudFormationRole.Arn': ARNS.CloudFormationRole,
};

// Resolves the references of a policy, as if all conditions were true.
function resolved(node) {
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node !== 'object') return node;
  if (node.If) return resolved(node.If[1]);
  if (node.Sub) return node.Sub.replace(/\$\{([\w.:]+)\}/g, (_, name) => values[name]);
  if (node.Join) return resolved(node.Join[1]).join(node.Join[0]);
  if (node.Select) return resolved(node.Select[1])[node.Select[0]];
  if (node.Split) return resolved(node.Split[1]).split(node.Split[0]);
  if (node.Ref ?? node.GetAtt) return values[node.Ref ?? node.GetAtt];
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, resolved(value)]));
}

let evaluated = 0;
const problems = [];
async function expect(expected, principal, action, resource, context, identityPolicies, resourcePolicy) {
  const request = { principal, action, resource: { resource, accountId: ACCOUNT }, contextVariables: context };
  const result = await runSimulation({ request, identityPolicies, resourcePolicy, serviceControlPolicies: [], resourceControlPolicies: [] }, {});
  if (result.resultType === 'error') throw new Error(`${action} on ${resource}: ${JSON.stringify(result.errors)}`);
  const allowed = result.overallResult === 'Allowed';
  if (allowed !== expected) problems.push(`${allowed ? 'allowed' : 'denied'}: ${principal} ${action} ${resource} ${JSON.stringify(context)}`);
  evaluated += 1;
}

// The evaluator does not list the claims `sub` and `aud` of this issuer as condition keys, so they have the names of those of another.
const renamed = (document) => JSON.parse(JSON.stringify(document).replaceAll(`"${ISSUER}:`, '"accounts.google.com:'));
function expectTrust(expected, name, principal, action, context) {
  const trust = renamed(resolved(pipeline[name].Properties.AssumeRolePolicyDocument));
  return expect(expected, principal, action, ARNS[name], renamed(context), [], trust);
}

function expectPermission(expected, name, action, resource, context = {}) {
  const policies = Object.entries(pipeline).filter(([, { Properties }]) => Properties.Roles?.some(({ Ref }) => Ref === name))
    .map(([id, { Properties }]) => ({ name: id, policy: resolved(Properties.PolicyDocument) }));
  return expect(expected, ARNS[name], action, resource, context, policies);
}

// Subjects of tokens: "OpenID Connect reference" in the GitHub Docs.
for (const [repository, others] of [
  ['octo/larder', ['octo/other', 'evil/larder', 'octo/larder-evil', 'octo/larde', 'Octo/larder', 'octo/*', 'octo@1/larder@2']],
  ['octo@1/larder@2', ['octo/larder', 'octo@1/larder@3', 'octo@3/larder@2', 'octo@1/larder@21']],
]) {
  values.Repository = repository;
  const right = `repo:${repository}:environment:dev`;
  const token = (sub, aud = 'sts.amazonaws.com') => ({ [`${ISSUER}:sub`]: sub, [`${ISSUER}:aud`]: aud });
  const expectToken = (expected, context, provider = PROVIDER) => expectTrust(expected, 'DeployRole', provider, 'sts:AssumeRoleWithWebIdentity', context);
  await expectToken(true, token(right));
  for (const other of others) await expectToken(false, token(`repo:${other}:environment:dev`));
  for (const context of ['environment:prod', 'environment:dev2', 'environment:de', 'pull_request', 'ref:refs/heads/main', 'ref:refs/tags/v1', '*']) {
    await expectToken(false, token(`repo:${repository}:${context}`));
  }
  for (const sub of ['', '*', `${right}:ref:refs/heads/main`, `x${right}`]) await expectToken(false, token(sub));
  for (const aud of ['https://github.com/octo', 'sts.amazonaws.com.evil.example', '']) await expectToken(false, token(right, aud));
  for (const claim of ['sub', 'aud']) await expectToken(false, { ...token(right), [`${ISSUER}:${claim}`]: undefined });
  await expectToken(false, token(right), PROVIDER.replace(ISSUER, 'evil.example'));
}
await expectTrust(true, 'CloudFormationRole', 'cloudformation.amazonaws.com', 'sts:AssumeRole', {});
for (const other of [ARNS.DeployRole, 'lambda.amazonaws.com']) await expectTrust(false, 'CloudFormationRole', other, 'sts:AssumeRole', {});

const setRole = (arn) => ({ 'cloudformation:RoleArn': arn });
for (const [expected, ...call] of [
  [true, 'cloudformation:CreateChangeSet', stack(STACK), setRole(ARNS.CloudFormationRole)],
  [false, 'cloudformation:CreateChangeSet', stack(STACK), setRole(role('admin'))],
  [false, 'cloudformation:CreateChangeSet', stack(STACK)],
  [false, 'cloudformation:CreateChangeSet', stack('other'), setRole(ARNS.CloudFormationRole)],
  [true, 'cloudformation:ExecuteChangeSet', stack(STACK)],
  ...['other', `${STACK}-pipeline`, `${STACK}2`].map((other) => [false, 'cloudformation:ExecuteChangeSet', stack(other)]),
  ...['CreateStack', 'DeleteStack', 'SetStackPolicy', 'UpdateStack'].map((action) => [false, `cloudformation:${action}`, stack(STACK)]),
  [true, 'iam:PassRole', ARNS.CloudFormationRole, passedTo('cloudformation')],
  [false, 'iam:PassRole', ARNS.CloudFormationRole, passedTo('lambda')],
  [false, 'iam:PassRole', role('admin'), passedTo('cloudformation')],
  [false, 'iam:PassRole', role(`${STACK}-FilesRole-1`), passedTo('cloudformation')],
  [false, 'iam:CreateUser', `arn:aws:iam::${ACCOUNT}:user/evil`],
  [false, 'iam:PutRolePolicy', ARNS.DeployRole],
  [false, 'lambda:UpdateFunctionCode', `arn:aws:lambda:${AWS}:function:${STACK}-Files-1`],
  [false, 'dynamodb:GetItem', `arn:aws:dynamodb:${AWS}:table/${STACK}-Table-1`],
  [false, 's3:GetObject', `arn:aws:s3:::${STACK}-bucket-1/_objects/1`],
  [false, 'secretsmanager:GetSecretValue', `arn:aws:secretsmanager:${AWS}:secret:MasterSecret-1`],
  [true, 's3:PutObject', `${ARTIFACTS}/1`],
  [true, 'sqs:SendMessage', `arn:aws:sqs:${AWS}:${STACK}-PurgeQueue-1`],
  [false, 'sqs:SendMessage', `arn:aws:sqs:${AWS}:${STACK}-WebhooksQueue-1`],
]) await expectPermission(expected, 'DeployRole', ...call);

for (const [expected, ...call] of [
  [true, 's3:GetObject', `${ARTIFACTS}/1`],
  [true, 'logs:CreateLogGroup', `arn:aws:logs:${AWS}:log-group:/aws/vendedlogs/${STACK}/1/api`],
  [true, 'iam:PassRole', role(`${STACK}-FilesRole-1`), passedTo('lambda')],
  [false, 'iam:PassRole', role(`${STACK}-FilesRole-1`), passedTo('ec2')],
  [false, 'iam:PassRole', role('admin'), passedTo('lambda')],
  [false, 'iam:AttachRolePolicy', role(`${STACK}-FilesRole-1`), { 'iam:PolicyARN': 'arn:aws:iam::aws:policy/AdministratorAccess' }],
  ...['CreateRole', 'PutRolePolicy', 'UpdateAssumeRolePolicy'].flatMap((action) => Object.values(ARNS).map((arn) => [false, `iam:${action}`, arn])),
  [false, 'iam:CreatePolicyVersion', policy(own('RolesPolicy'))],
  ...['DeleteRolePermissionsBoundary', 'PutRolePermissionsBoundary'].map((action) => [false, `iam:${action}`, role(`${STACK}-FilesRole-1`)]),
  ...['CreateUser', 'CreateAccessKey'].map((action) => [false, `iam:${action}`, `arn:aws:iam::${ACCOUNT}:user/${STACK}-1`]),
  [false, 'iam:CreateOpenIDConnectProvider', PROVIDER],
  [false, 'sts:AssumeRole', role(`${STACK}-FilesRole-1`)],
  [false, 'cloudformation:ExecuteChangeSet', stack(STACK)],
  [false, 'dynamodb:GetItem', `arn:aws:dynamodb:${AWS}:table/${STACK}-Table-1`],
  ...['GetObject', 'PutObject'].map((action) => [false, `s3:${action}`, `arn:aws:s3:::${STACK}-bucket-1/_objects/1`]),
  [false, 's3:PutObject', `${ARTIFACTS}/1`],
  [false, 's3:PutBucketPolicy', ARTIFACTS],
]) await expectPermission(expected, 'CloudFormationRole', ...call);

// An action of each resource of the template, on the ARN with the name that CloudFormation gives it.
const api = 'arn:aws:apigateway:us-east-1::';
const edge = `arn:aws:cloudfront::${ACCOUNT}:`;
const code = (name) => `arn:aws:lambda:${AWS}:function:${name}`;
const TYPES = {
  'AWS::ApiGatewayV2::ApiMapping': () => ['apigateway:GET', `${api}/domainnames/api.example.com/apimappings/1`],
  'AWS::ApiGatewayV2::DomainName': () => ['apigateway:PATCH', `${api}/domainnames/api.example.com`],
  'AWS::CloudFront::CachePolicy': () => ['cloudfront:UpdateCachePolicy', `${edge}cache-policy/1`],
  'AWS::CloudFront::Distribution': () => ['cloudfront:UpdateDistribution', `${edge}distribution/1`],
  'AWS::CloudFront::Function': () => ['cloudfront:PublishFunction', `${edge}function/${STACK}-us-east-1-viewer-request`],
  'AWS::CloudFront::KeyGroup': () => ['cloudfront:CreateKeyGroup', '*'],
  'AWS::CloudFront::OriginAccessControl': () => ['cloudfront:CreateOriginAccessControl', '*'],
  'AWS::CloudFront::PublicKey': () => ['cloudfront:CreatePublicKey', '*'],
  'AWS::CloudFront::ResponseHeadersPolicy': () => ['cloudfront:CreateResponseHeadersPolicy', '*'],
  'AWS::CloudWatch::Alarm': (name) => ['cloudwatch:PutMetricAlarm', `arn:aws:cloudwatch:${AWS}:alarm:${name}`],
  'AWS::CloudWatch::Dashboard': () => ['cloudwatch:PutDashboard', `arn:aws:cloudwatch::${ACCOUNT}:dashboard/${STACK}-us-east-1`],
  'AWS::DynamoDB::Table': (name) => ['dynamodb:CreateTable', `arn:aws:dynamodb:${AWS}:table/${name}`],
  'AWS::Events::Rule': (name) => ['events:PutTargets', `arn:aws:events:${AWS}:rule/${name}`],
  'AWS::IAM::ManagedPolicy': (name) => ['iam:CreatePolicy', policy(name)],
  'AWS::IAM::Role': (name) => ['iam:AttachRolePolicy', role(name), { 'iam:PolicyARN': policy(`${STACK}-FunctionPolicy-1`) }],
  'AWS::Lambda::EventSourceMapping': () => ['lambda:CreateEventSourceMapping', '*', { 'lambda:FunctionArn': code(`${STACK}-Sweep-1`) }],
  'AWS::Lambda::Permission': () => ['lambda:AddPermission', code(`${STACK}-Files-1`)],
  'AWS::Logs::LogGroup': (name) => ['logs:CreateLogGroup', `arn:aws:logs:${AWS}:log-group:${name}`],
  'AWS::S3::Bucket': (name) => ['s3:CreateBucket', `arn:aws:s3:::${name.toLowerCase()}`],
  'AWS::S3::BucketPolicy': () => ['s3:PutBucketPolicy', `arn:aws:s3:::${STACK}-bucket-1`],
  'AWS::SNS::Subscription': () => ['sns:Subscribe', `arn:aws:sns:${AWS}:${STACK}-AlarmTopic-1`],
  'AWS::SNS::Topic': (name) => ['sns:CreateTopic', `arn:aws:sns:${AWS}:${name}`],
  'AWS::SQS::Queue': (name) => ['sqs:CreateQueue', `arn:aws:sqs:${AWS}:${name}`],
  'AWS::SQS::QueuePolicy': () => ['sqs:SetQueueAttributes', `arn:aws:sqs:${AWS}:${STACK}-SweepQueue-1`],
  // Without the name of the stack.
  'AWS::SecretsManager::Secret': (name) => ['secretsmanager:CreateSecret', `arn:aws:secretsmanager:${AWS}:secret:${name.replace(`${STACK}-`, '')}`],
  'AWS::Serverless::Function': (name) => ['lambda:CreateFunction', code(name)],
  // The evaluator has no HTTP APIs.
  'AWS::Serverless::HttpApi': () => ['apigateway:PUT', `${api}/tags/1`],
};
for (const [id, { Type }] of Object.entries(template)) {
  if (!TYPES[Type]) {
    problems.push(`${Type}: add its permissions to the CloudFormation role, and an action of it to this test`);
    continue;
  }
  const call = TYPES[Type](`${STACK}-${id}-1`);
  await expectPermission(true, 'CloudFormationRole', ...call);
  const foreign = JSON.parse(JSON.stringify(call).replaceAll(STACK, 'other'));
  // Ids, and names without the stack: "What remains" in docs/pipeline.md.
  if (JSON.stringify(foreign) !== JSON.stringify(call)) await expectPermission(false, 'CloudFormationRole', ...foreign);
}

console.log(problems.join('\n') || `${evaluated} evaluations of 2 roles`);
process.exit(problems.length ? 1 : 0);
