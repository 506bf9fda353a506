import { expect } from 'vitest';
import type { Row, Value } from './operation-row.ts';
import { greeting, idOf } from './operation-row.ts';
import { runs } from './operation-rows-of-runs.ts';

const question =
  'graph:\n  id: question\n  nodes:\n    - { id: H, type: human, config: { description: "Yes or no?" } }\n';
const task = (lastOf: (name: string) => Value): string => {
  const [first] = lastOf('tasks.list')['data'] as { readonly id: string }[]; // as its schema has it
  return first?.id ?? '';
};
const delivery = '000000000000000.r1.1-0';

const workflows: readonly Row[] = [
  { name: 'workflows.validate', input: { yaml: greeting }, expected: { valid: true } },
  { name: 'workflows.validate', input: { yaml: 'graph: {}' }, expected: { valid: false } },
  {
    name: 'workflows.validate',
    input: { yaml: greeting, graph: 'true' },
    expected: { graphs: { event: '0', graphs: [{ key: '' }] } },
    differs: 'server',
  },
  { name: 'schemas.workflow', input: {}, expected: { title: 'Workflow' } },
  { name: 'workflows.publish', input: { name: 'greet', yaml: greeting }, expected: { name: 'greet' } },
  { name: 'workflows.publish', input: { name: 'greet', yaml: 'graph: {}' }, expected: 'WORKFLOW_INVALID' },
  { name: 'workflows.publish', input: { name: 'greet' }, expected: 'REQUEST_INVALID' },
  {
    name: 'workflows.publish',
    input: { name: 'greet', yaml: `${greeting}# two\n`, 'if-none-match': '*' },
    expected: 'WORKFLOW_MOVED',
  },
  { name: 'workflows.list', input: {}, expected: { data: [{ name: 'greet' }], nextCursor: null } },
  { name: 'workflows.get', input: { name: 'greet' }, expected: { yaml: greeting } },
  { name: 'workflows.get', input: { name: 'nothing' }, expected: 'WORKFLOW_UNKNOWN' },
  { name: 'workflows.overview', input: { name: 'greet' }, expected: { name: 'greet', week: { failed: 0 } } },
  { name: 'workflows.overview', input: { name: 'nothing' }, expected: 'WORKFLOW_UNKNOWN' },
  { name: 'workflows.versions', input: { name: 'greet' }, expected: { nextCursor: null } },
  {
    name: 'workflows.version',
    input: (lastOf) => ({ name: 'greet', hash: lastOf('workflows.get')['hash'] }),
    expected: { yaml: greeting },
  },
];

const tasks: readonly Row[] = [
  {
    name: 'runs.start',
    input: { workflow: { yaml: question }, runId: 'h1', prefer: 'wait=20' },
    expected: { status: 'waiting', tasks: [{ node: 'H' }] },
  },
  { name: 'runs.result', input: { id: 'h1' }, expected: 'RUN_UNFINISHED' },
  { name: 'runs.remove', input: { id: 'h1' }, expected: 'RUN_NOT_ENDED' },
  { name: 'tasks.list', input: { run: 'h1' }, expected: { data: [{ status: 'open' }] } },
  { name: 'tasks.list', input: { run: 'h1', view: 'head' }, expected: { data: [{ input: expect.any(String) }] } },
  { name: 'tasks.counts', input: {}, expected: { claimed: 0, mine: 0, capped: false }, differs: 'server' },
  { name: 'tasks.get', input: (lastOf) => ({ id: task(lastOf) }), expected: { status: 'open' } },
  {
    name: 'tasks.attachment',
    input: (lastOf) => ({ id: task(lastOf), file: 'f'.repeat(32) }),
    expected: 'FILE_UNKNOWN',
  },
  {
    name: 'tasks.claim',
    input: (lastOf) => ({ id: task(lastOf), assignee: 'ann', seconds: 60 }),
    expected: { status: 'claimed', assignee: 'ann' },
  },
  {
    name: 'tasks.claim',
    input: (lastOf) => ({ id: task(lastOf), assignee: 'bob', seconds: 60 }),
    expected: 'TASK_CLAIMED',
  },
  {
    name: 'tasks.release',
    input: (lastOf) => ({ id: task(lastOf), assignee: 'ann' }),
    expected: { status: 'open' },
  },
  { name: 'runs.pause', input: { id: 'h1' }, expected: { status: 'paused' } },
  { name: 'runs.resume', input: { id: 'h1' }, expected: { status: 'waiting' } },
  { name: 'runs.stop', input: { id: 'nobody' }, expected: 'RUN_UNKNOWN' },
  {
    name: 'tasks.answer',
    input: (lastOf) => ({ id: task(lastOf), text: 'Yes.', assignee: 'ann' }),
    expected: { runId: 'h1' },
  },
  { name: 'runs.get', input: { id: 'h1', wait: '20s' }, expected: { status: 'completed', output: 'Yes.' } },
  { name: 'tasks.answer', input: (lastOf) => ({ id: task(lastOf), text: 'No.' }), expected: 'TASK_ANSWERED' },
  { name: 'runs.start', input: { workflow: { yaml: question }, runId: 'h2', prefer: 'wait=20' }, expected: {} },
  { name: 'runs.cancel', input: { id: 'h2', reason: 'enough' }, expected: { status: 'cancelled' } },
  { name: 'runs.cancel', input: { id: 'h2' }, expected: 'RUN_ENDED' },
];

const background: readonly Row[] = [
  { name: 'schedules.list', input: {}, expected: { data: [], nextCursor: null } },
  {
    name: 'schedules.create',
    input: { id: 's', cron: '0 0 1 1 *', run: { workflow: 'greet' } },
    expected: { id: 's', timezone: 'UTC' },
    differs: 'redis',
  },
  {
    name: 'schedules.create',
    input: { id: 't', cron: 'never', run: { workflow: 'greet' } },
    expected: 'CRON_INVALID',
    differs: 'redis',
  },
  { name: 'schedules.get', input: { id: 's' }, expected: { id: 's', last: null }, differs: 'redis' },
  { name: 'schedules.get', input: { id: 'nothing' }, expected: 'SCHEDULE_UNKNOWN' },
  { name: 'schedules.change', input: { id: 's', paused: true }, expected: { nextAt: null }, differs: 'redis' },
  { name: 'schedules.ticks', input: { id: 's' }, expected: { data: [], nextCursor: null }, differs: 'redis' },
  { name: 'schedules.ticks', input: { id: 'nothing' }, expected: 'SCHEDULE_UNKNOWN' },
  {
    name: 'schedules.preview',
    input: { cron: '0 7 * * 1-5', timezone: 'Europe/Berlin' },
    expected: { sentence: 'At 07:00, Monday through Friday' },
    differs: 'server',
  },
  { name: 'schedules.preview', input: { cron: 'sometimes' }, expected: 'CRON_INVALID' },
  { name: 'schedules.trigger', input: { id: 's' }, expected: { tags: ['schedule:s'] }, differs: 'redis' },
  { name: 'schedules.delete', input: { id: 's' }, expected: { id: 's' }, differs: 'redis' },
  { name: 'batches.list', input: { limit: 0 }, expected: 'REQUEST_INVALID' },
  {
    name: 'batches.create',
    input: { id: 'b', workflow: 'greet', rows: [{ input: 'Hi.' }] },
    expected: { id: 'b', total: 1 },
    differs: 'redis',
  },
  {
    name: 'batches.create',
    input: { id: 't', workflow: 'greet', file: { name: 'rows.csv', content: new Blob(['input\nHi.\nHo.\n']) } },
    expected: { id: 't', total: 2 },
    differs: 'redis',
  },
  {
    name: 'batches.create',
    input: { workflow: 'greet', file: { name: 'rows.txt', content: new Blob(['a']) } },
    expected: 'BATCH_INVALID',
    differs: 'redis',
  },
  { name: 'batches.create', input: { workflow: 'greet', parallel: 0, rows: [] }, expected: 'REQUEST_INVALID' },
  { name: 'batches.list', input: {}, expected: {}, differs: 'server' },
  { name: 'batches.get', input: { id: 'b' }, expected: { id: 'b', total: 1 }, differs: 'redis' },
  { name: 'batches.rows', input: { id: 'b' }, expected: { data: [{ row: 1 }] }, differs: 'redis' },
  {
    name: 'batches.rows',
    input: { id: 'b', results: 'true' },
    expected: { data: [{ row: 1, title: 'Hi.', input: 'Hi.' }] },
    differs: 'redis',
  },
  { name: 'batches.retryRow', input: { id: 'b', row: 9 }, expected: 'ROW_UNKNOWN', differs: 'redis' },
  {
    name: 'batches.preview',
    input: { file: { name: 't.csv', content: new Blob(['Customer,City\nAnn,Rome\n']) } },
    expected: { columns: [{ name: 'Customer', to: null }, { to: null }], total: 1, wrong: 1 },
  },
  {
    name: 'batches.preview',
    input: {
      file: { name: 't.csv', content: new Blob(['Customer,City\nAnn,Rome\n,Oslo\n']) },
      columns: { Customer: 'input', City: 'vars.CITY' },
    },
    expected: {
      total: 2,
      wrong: 1,
      rows: [{ row: 1, cells: ['Ann', 'Rome'] }, { problem: 'It has no input.' }],
      problems: [{ row: 2, problem: 'It has no input.' }],
    },
  },
  {
    name: 'batches.preview',
    input: { file: { name: 't.csv', content: new Blob(['input\nAnn\n']) }, columns: { Name: 'input' } },
    expected: 'BATCH_INVALID',
  },
  {
    name: 'batches.preview',
    input: { file: { name: 't.csv', content: new Blob(['input\nAnn\n']) }, columns: { input: 'nothing' } },
    expected: 'REQUEST_INVALID',
  },
  { name: 'batches.retryFailed', input: { id: 'b' }, expected: { id: 'b' }, differs: 'redis' },
  { name: 'batches.cancel', input: { id: 'b' }, expected: { id: 'b' }, differs: 'redis' },
  { name: 'batches.get', input: { id: 'nothing' }, expected: 'BATCH_UNKNOWN' },
  { name: 'batches.rows', input: { id: 'nothing' }, expected: 'BATCH_UNKNOWN' },
  { name: 'batches.cancel', input: { id: 'nothing' }, expected: 'BATCH_UNKNOWN', differs: 'redis' },
  { name: 'batches.retryFailed', input: { id: 'nothing' }, expected: 'BATCH_UNKNOWN', differs: 'redis' },
  { name: 'batches.delete', input: { id: 'nothing' }, expected: 'BATCH_UNKNOWN' },
  {
    name: 'bulk.create',
    input: { action: 'cancel', filter: { tag: 'nothing' } },
    expected: { action: 'cancel' },
    differs: 'redis',
  },
  { name: 'bulk.create', input: { action: 'cancel', filter: {} }, expected: 'REQUEST_INVALID' },
  {
    name: 'bulk.create',
    input: { action: 'cancel', filter: { ids: ['r1'], tag: 'nothing' } },
    expected: 'REQUEST_INVALID',
  },
  { name: 'bulk.list', input: {}, expected: {}, differs: 'server' },
  { name: 'bulk.get', input: { id: `bulk_${'0'.repeat(32)}` }, expected: 'BULK_UNKNOWN' },
  {
    name: 'webhooks.create',
    input: { url: 'http://127.0.0.1:9/' },
    expected: { url: 'http://127.0.0.1:9/' },
    differs: 'redis',
  },
  { name: 'webhooks.create', input: { url: 'http://10.0.0.1/' }, expected: 'ADDRESS_REFUSED', differs: 'redis' },
  { name: 'webhooks.list', input: {}, expected: {}, differs: 'server' },
  { name: 'webhooks.get', input: idOf('webhooks.create'), expected: { url: 'http://127.0.0.1:9/' }, differs: 'redis' },
  { name: 'webhooks.deliveries', input: idOf('webhooks.create'), expected: { data: [] }, differs: 'redis' },
  { name: 'webhooks.deliveries', input: { id: 'runs', state: 'failed' }, expected: { data: [], nextCursor: null } },
  {
    name: 'webhooks.change',
    input: (lastOf) => ({ ...idOf('webhooks.create')(lastOf), events: ['run.failed'] }),
    expected: { url: 'http://127.0.0.1:9/', events: ['run.failed'] },
    differs: 'redis',
  },
  {
    name: 'webhooks.change',
    input: (lastOf) => ({ ...idOf('webhooks.create')(lastOf), url: 'http://10.0.0.1/' }),
    expected: 'ADDRESS_REFUSED',
    differs: 'redis',
  },
  { name: 'webhooks.change', input: { id: `wh_${'0'.repeat(18)}` }, expected: 'WEBHOOK_UNKNOWN', differs: 'redis' },
  { name: 'webhooks.test', input: idOf('webhooks.create'), expected: { type: 'webhook.test' }, differs: 'redis' },
  { name: 'webhooks.redeliverFailed', input: { id: 'runs' }, expected: { redelivered: 0 }, differs: 'redis' },
  { name: 'webhooks.redeliver', input: { id: 'runs', did: delivery }, expected: 'DELIVERY_UNKNOWN', differs: 'redis' },
  { name: 'webhooks.secretOfRuns', input: {}, expected: {} },
  {
    name: 'webhooks.delete',
    input: idOf('webhooks.create'),
    expected: { url: 'http://127.0.0.1:9/' },
    differs: 'redis',
  },
];

const usage: readonly Row[] = [
  { name: 'usage.read', input: {}, expected: { data: [{ calls: 0 }], nextCursor: null }, differs: 'server' },
  {
    name: 'usage.read',
    input: { by: ['day', 'workflow'], tenant: 'nobody' },
    expected: { data: [], total: { runs: 0 } },
  },
  { name: 'usage.read', input: { by: 'model', since: '2026-01-02', until: '2026-01-01' }, expected: 'REQUEST_INVALID' },
  { name: 'usage.read', input: { by: 'week' }, expected: 'REQUEST_INVALID' },
];

const operator: readonly Row[] = [
  { name: 'events.watch', input: {}, expected: { first: { type: 'gap' } } },
  {
    name: 'me.get',
    input: {},
    expected: {
      tenant: 'default',
      operator: true,
      server: {
        version: expect.any(String),
        workers: expect.any(Number),
        storage: expect.stringMatching(/^(redis|memory)$/),
      },
    },
    differs: 'server',
  },
  { name: 'keys.create', input: { scopes: ['read'], name: 'reader' }, expected: { name: 'reader' }, differs: 'redis' },
  { name: 'keys.create', input: { scopes: ['read'], expiresAt: 1 }, expected: 'REQUEST_INVALID', differs: 'redis' },
  { name: 'keys.list', input: {}, expected: { nextCursor: null }, differs: 'server' },
  { name: 'keys.revoke', input: idOf('keys.create'), expected: { name: 'reader' }, differs: 'redis' },
  { name: 'intake.list', input: {}, expected: { data: [] } },
  { name: 'intake.retry', input: { id: '1' }, expected: 'INTAKE_UNKNOWN' },
  { name: 'intake.drop', input: { id: '1' }, expected: 'INTAKE_UNKNOWN' },
  {
    name: 'limits.setTenant',
    input: { tenant: 'acme', activations: 2 },
    expected: { activations: 2 },
    differs: 'redis',
  },
  {
    name: 'limits.setWorkflow',
    input: { tenant: 'acme', workflow: 'w', activations: 1 },
    expected: { workflow: 'w' },
    differs: 'redis',
  },
  { name: 'models.list', input: {}, expected: {} },
  {
    name: 'models.update',
    input: { list: { source: 'a list', dated: '2026-11-26', models: { 'house-model': { context: 5 } } } },
    expected: { stored: true, changes: [{ model: 'house-model', type: 'new', isDrop: false }] },
  },
  {
    name: 'models.list',
    input: {},
    expected: { data: expect.arrayContaining([expect.objectContaining({ name: 'house-model', context: 5 })]) },
  },
  {
    name: 'models.update',
    input: { list: { source: 'a list', dated: '2026-11-26', models: { 'gpt-6-sol': { context: 5 } } } },
    expected: 'MODEL_LIST_DROPS',
  },
  {
    name: 'models.update',
    input: { list: { source: 'a list', dated: '2026-11-26', models: { 'a b': {} } } },
    expected: 'REQUEST_INVALID',
  },
  { name: 'limits.list', input: {}, expected: {}, differs: 'server' },
  { name: 'limits.liftWorkflow', input: { tenant: 'acme', workflow: 'w' }, expected: {}, differs: 'server' },
  { name: 'limits.liftTenant', input: { tenant: 'acme' }, expected: {}, differs: 'server' },
  { name: 'queues.list', input: {}, expected: {}, differs: 'server' },
  { name: 'workers.list', input: {}, expected: {}, differs: 'server' },
  { name: 'operations.read', input: {}, expected: { refusedJobs: 0 }, differs: 'server' },
  { name: 'queues.pause', input: { queue: 'nothing' }, expected: 'QUEUE_UNKNOWN', differs: 'redis' },
  { name: 'queues.resume', input: { queue: 'nothing' }, expected: 'QUEUE_UNKNOWN', differs: 'redis' },
  { name: 'workflows.archive', input: { name: 'greet' }, expected: { name: 'greet' } },
];

/** The calls that are made everywhere. */
export const rows: readonly Row[] = [...workflows, ...runs, ...tasks, ...background, ...usage, ...operator];
