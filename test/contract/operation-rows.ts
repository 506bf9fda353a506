import { expect } from 'vitest';

/** One call of an operation. Calls are made in their order, as later ones need what earlier ones have made. */
export interface Row {
  readonly name: string;
  /** A function is given the value of the last call of an operation. */
  readonly input: object | ((lastOf: (name: string) => Value) => object);
  /** A part of the value, or the code of the refusal. */
  readonly expected: object | string;
  /**
   * `redis`: needs work of servers, so it is refused in memory. `server`: its value also shows what else the place has and
   * does, and may differ.
   */
  readonly differs?: 'redis' | 'server';
}

type Value = { readonly [name: string]: unknown };

const greeting = 'graph:\n  id: greeting\n  nodes:\n    - { id: A, type: passthrough, config: {} }\n';
const question =
  'graph:\n  id: question\n  nodes:\n    - { id: H, type: human, config: { description: "Yes or no?" } }\n';
const idOf = (name: string) => (lastOf: (name: string) => Value) => ({ id: lastOf(name)['id'] });
const task = (lastOf: (name: string) => Value): string => {
  const [first] = lastOf('tasks.list')['data'] as { readonly id: string }[]; // as its schema has it
  return first?.id ?? '';
};
const delivery = '000000000000000.r1.1-0';

const workflows: readonly Row[] = [
  { name: 'workflows.validate', input: { yaml: greeting }, expected: { valid: true } },
  { name: 'workflows.validate', input: { yaml: 'graph: {}' }, expected: { valid: false } },
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
  { name: 'workflows.versions', input: { name: 'greet' }, expected: { nextCursor: null } },
  {
    name: 'workflows.version',
    input: (lastOf) => ({ name: 'greet', hash: lastOf('workflows.get')['hash'] }),
    expected: { yaml: greeting },
  },
];

const runs: readonly Row[] = [
  {
    name: 'runs.start',
    input: { workflow: 'greet', input: 'Hi.', runId: 'r1', prefer: 'wait=20' },
    expected: { runId: 'r1', status: 'completed', output: 'Hi.', title: 'Hi.' },
  },
  { name: 'runs.start', input: { workflow: 'greet', runId: 'r1' }, expected: { runId: 'r1', output: 'Hi.' } },
  { name: 'runs.start', input: {}, expected: 'REQUEST_INVALID' },
  { name: 'runs.start', input: { workflow: 'greet', nonsense: 1 }, expected: 'REQUEST_INVALID' },
  { name: 'runs.get', input: { id: 'r1', wait: '1s' }, expected: { status: 'completed' } },
  { name: 'runs.get', input: { id: 'nobody' }, expected: 'RUN_UNKNOWN' },
  { name: 'runs.get', input: { id: 'no body' }, expected: 'REQUEST_INVALID' },
  { name: 'runs.get', input: { id: 'r1', wait: 'long' }, expected: 'REQUEST_INVALID' },
  {
    name: 'runs.list',
    input: { limit: 5, workflow: 'greet' },
    expected: { data: [{ runId: 'r1', title: 'Hi.', activations: 1 }], nextCursor: null },
  },
  { name: 'runs.list', input: { limit: 0 }, expected: 'REQUEST_INVALID' },
  { name: 'runs.list', input: { status: ['completed', 'failed'] }, expected: { data: [{ runId: 'r1' }], looked: 1 } },
  { name: 'runs.list', input: { status: 'completed' }, expected: { data: [{ runId: 'r1' }] } },
  { name: 'runs.list', input: { status: ['completed', 'odd'] }, expected: 'REQUEST_INVALID' },
  { name: 'runs.list', input: { asks: 'true' }, expected: { data: [] }, differs: 'server' },
  { name: 'runs.list', input: { q: 'hi gre' }, expected: { data: [{ runId: 'r1' }] } },
  { name: 'runs.counts', input: {}, expected: { completed: 1, failed: 0, asks: 0, capped: false } },
  { name: 'runs.counts', input: { workflow: 'greet' }, expected: { completed: 1, running: 0 } },
  { name: 'runs.counts', input: { since: 'yesterday' }, expected: 'REQUEST_INVALID' },
  { name: 'runs.start', input: { workflow: 'greet', runId: 'counts' }, expected: 'REQUEST_INVALID' },
  { name: 'runs.result', input: { id: 'r1' }, expected: { output: 'Hi.' } },
  {
    name: 'runs.graph',
    input: { id: 'r1' },
    expected: { status: 'completed', graphs: [{ nodes: [{ id: 'A', runs: 1, line: 4 }] }] },
  },
  { name: 'runs.graph', input: { id: 'r1', at: '1-0' }, expected: { graphs: [{ nodes: [{ id: 'A', runs: 0 }] }] } },
  { name: 'runs.graph', input: { id: 'r1', at: '99999-0' }, expected: 'EVENT_UNKNOWN' },
  {
    name: 'runs.workflow',
    input: { id: 'r1' },
    expected: {
      name: 'greet',
      yaml: greeting,
      hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      vars: {},
      lines: { A: 4 },
    },
  },
  { name: 'runs.workflow', input: { id: 'nobody' }, expected: 'RUN_UNKNOWN' },
  {
    name: 'runs.activations',
    input: { id: 'r1', outputs: 'heads' },
    expected: { data: [{ id: 'a1', scope: 's0', routes: [], lastOutput: { text: 'Hi.' } }], looked: 1 },
  },
  { name: 'runs.activations', input: { id: 'r1', state: ['failed'], node: 'A' }, expected: { data: [] } },
  {
    name: 'runs.timeline',
    input: { id: 'r1', heads: 'true' },
    expected: { id: [1], node: [0], head: ['Hi.'] },
    differs: 'server',
  },
  { name: 'runs.timeline', input: { id: 'nobody' }, expected: 'RUN_UNKNOWN' },
  { name: 'runs.activation', input: { id: 'r1', aid: 'a1' }, expected: { id: 'a1' } },
  { name: 'runs.activation', input: { id: 'r1', aid: 'a99' }, expected: 'ACTIVATION_UNKNOWN' },
  { name: 'runs.artifacts', input: { id: 'r1' }, expected: { data: [] } },
  {
    name: 'runs.journal',
    input: { id: 'r1', limit: 2 },
    expected: { data: [{ event: { type: 'run.started', text: 'Hi.' } }, {}] },
  },
  { name: 'runs.journal', input: { id: 'r1', cursor: '99999-0' }, expected: 'EVENT_UNKNOWN' },
  { name: 'runs.message', input: { id: 'r1', mid: 'm999' }, expected: 'MESSAGE_UNKNOWN' },
  { name: 'runs.terminations', input: { id: 'r1' }, expected: { data: [] } },
  { name: 'runs.resetTerminations', input: { id: 'nobody' }, expected: 'RUN_UNKNOWN' },
  { name: 'runs.signal', input: { id: 'r1', name: 'go' }, expected: 'RUN_ENDED' },
  { name: 'runs.retry', input: { id: 'r1' }, expected: 'RUN_NOT_FAILED' },
  { name: 'runs.replay', input: { id: 'r1', runId: 'r2' }, expected: { runId: 'r2' } },
  { name: 'runs.fork', input: { id: 'r1', at: 'a1', runId: 'r3' }, expected: { runId: 'r3' } },
  {
    name: 'runs.get',
    input: { id: 'r2', wait: '20s' },
    expected: { status: 'completed', title: 'Hi.', origin: { type: 'replay', of: 'r1' } },
  },
  {
    name: 'runs.get',
    input: { id: 'r3', wait: '20s' },
    expected: { status: 'completed', title: 'Hi.', origin: { type: 'fork', of: 'r1' } },
  },
  { name: 'runs.remove', input: { id: 'r2' }, expected: { runId: 'r2' } },
  {
    name: 'runs.events',
    input: { id: 'r1', live: 'false' },
    expected: { events: expect.arrayContaining([{ type: 'event', event: expect.objectContaining({ id: '1-0' }) }]) },
  },
  { name: 'runs.events', input: { id: 'r1', 'last-event-id': '99999-0' }, expected: 'EVENT_UNKNOWN' },
  { name: 'runs.events', input: { id: 'nobody' }, expected: 'RUN_UNKNOWN' },
  {
    name: 'files.upload',
    input: { file: { name: 'note.txt', content: new Blob(['A note.']) } },
    expected: { name: 'note.txt', size: 7, mimeType: 'text/plain' },
  },
  { name: 'files.get', input: idOf('files.upload'), expected: { text: 'A note.' } },
  { name: 'files.get', input: { id: `file_${'0'.repeat(32)}` }, expected: 'FILE_UNKNOWN' },
  {
    name: 'runs.start',
    input: (lastOf) => ({
      workflow: 'greet',
      attachments: [lastOf('files.upload')['id']],
      runId: 'f1',
      prefer: 'wait=20',
    }),
    expected: { status: 'completed' },
  },
  { name: 'runs.artifact', input: { id: 'r1', file: '0'.repeat(24) }, expected: 'ARTIFACT_UNKNOWN' },
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
  { name: 'tasks.get', input: (lastOf) => ({ id: task(lastOf) }), expected: { status: 'open' } },
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
  { name: 'tasks.answer', input: (lastOf) => ({ id: task(lastOf), text: 'Yes.' }), expected: { runId: 'h1' } },
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
  { name: 'bulk.get', input: { id: `bulk_${'0'.repeat(32)}` }, expected: 'BULK_UNKNOWN' },
  { name: 'webhooks.create', input: { url: 'http://127.0.0.1:9/' }, expected: { url: 'http://127.0.0.1:9/' } },
  { name: 'webhooks.create', input: { url: 'http://10.0.0.1/' }, expected: 'ADDRESS_REFUSED' },
  { name: 'webhooks.list', input: {}, expected: { data: [{ url: 'http://127.0.0.1:9/' }] } },
  { name: 'webhooks.get', input: idOf('webhooks.create'), expected: { url: 'http://127.0.0.1:9/' } },
  { name: 'webhooks.deliveries', input: idOf('webhooks.create'), expected: { data: [] } },
  { name: 'webhooks.redeliver', input: { id: 'runs', did: delivery }, expected: 'DELIVERY_UNKNOWN', differs: 'redis' },
  { name: 'webhooks.secretOfRuns', input: {}, expected: {} },
  { name: 'webhooks.delete', input: idOf('webhooks.create'), expected: { url: 'http://127.0.0.1:9/' } },
];

const operator: readonly Row[] = [
  { name: 'events.watch', input: {}, expected: { first: { type: 'gap' } } },
  {
    name: 'me.get',
    input: {},
    expected: {
      tenant: 'default',
      operator: true,
      server: { version: expect.any(String), workers: expect.any(Number) },
    },
    differs: 'server',
  },
  { name: 'keys.create', input: { scopes: ['read'], name: 'reader' }, expected: { name: 'reader' } },
  { name: 'keys.create', input: { scopes: ['read'], expiresAt: 1 }, expected: 'REQUEST_INVALID' },
  { name: 'keys.list', input: {}, expected: { nextCursor: null }, differs: 'server' },
  { name: 'keys.revoke', input: idOf('keys.create'), expected: { name: 'reader' } },
  { name: 'intake.list', input: {}, expected: { data: [] } },
  { name: 'intake.retry', input: { id: '1' }, expected: 'INTAKE_UNKNOWN' },
  { name: 'intake.drop', input: { id: '1' }, expected: 'INTAKE_UNKNOWN' },
  { name: 'limits.setTenant', input: { tenant: 'acme', activations: 2 }, expected: { activations: 2 } },
  { name: 'limits.setWorkflow', input: { tenant: 'acme', workflow: 'w', activations: 1 }, expected: { workflow: 'w' } },
  { name: 'limits.list', input: {}, expected: {}, differs: 'server' },
  { name: 'limits.liftWorkflow', input: { tenant: 'acme', workflow: 'w' }, expected: {}, differs: 'server' },
  { name: 'limits.liftTenant', input: { tenant: 'acme' }, expected: {}, differs: 'server' },
  { name: 'queues.list', input: {}, expected: {}, differs: 'server' },
  { name: 'workers.list', input: {}, expected: {}, differs: 'server' },
  { name: 'queues.pause', input: { queue: 'nothing' }, expected: 'QUEUE_UNKNOWN' },
  { name: 'queues.resume', input: { queue: 'nothing' }, expected: 'QUEUE_UNKNOWN' },
  { name: 'workflows.archive', input: { name: 'greet' }, expected: { name: 'greet' } },
];

/** The calls that are made everywhere. */
export const rows: readonly Row[] = [...workflows, ...runs, ...tasks, ...background, ...operator];
