import type { Action, ActionName } from './definition.ts';
import { assignments, budgetWords, option, templateWords, workflowWords } from './words.ts';

/** Returns the definition of an action on a run, whose command has the name of the operation. */
const ofRun = (verb: string, title: string, status: string) => ({
  title,
  at: `/runs?status=${status}`,
  cli: ({ id }: { readonly id: string }) => ({ command: [verb, id] }),
});

/**
 * Actions of the dashboard by the operations of the API: each operation that changes something is here, or in the list of
 * those without an action. The palette and the copied commands and requests derive from these definitions.
 */
export const actions: { readonly [N in ActionName]: Action<N> } = {
  'runs.start': {
    title: 'Start a run',
    at: '/runs/new',
    cli: ({ workflow, input, attachments, tags, ...template }) => {
      // The command takes files of the disk, and no tags.
      if ((attachments ?? []).length > 0 || (typeof workflow === 'string' && (tags ?? []).length > 0)) return {};
      const { word, ...file } = workflowWords(workflow, 'draft.yaml');
      return {
        ...file,
        command: ['run', word, ...option('input', input), ...templateWords({ workflow, ...template })],
      };
    },
  },
  'runs.pause': ofRun('pause', 'Pause a run', 'running'),
  'runs.resume': {
    title: 'Resume a run, or raise its budget',
    at: '/runs?status=paused',
    cli: ({ id, budget, input, to }) => ({
      command: ['resume', id, ...budgetWords(budget), ...option('input', input), ...option('to', to)],
    }),
  },
  'runs.retry': ofRun('retry', 'Retry a failed run', 'failed'),
  'runs.cancel': ofRun('cancel', 'Cancel a run', 'running'),
  'runs.stop': ofRun('stop', 'Stop a run', 'running'),
  'runs.replay': {
    title: 'Replay a run',
    at: '/runs?status=completed',
    cli: ({ id, liveFrom }) => ({ command: ['replay', id, ...option('live-from', liveFrom)] }),
  },
  'runs.fork': {
    title: 'Fork a run',
    at: '/runs?status=completed',
    cli: ({ id, at, output, input, prompt, model, vars }) => ({
      command: [
        'fork',
        id,
        ...option('at', at),
        ...option('output', output),
        ...option('input', input),
        ...option('prompt', prompt),
        ...option('model', model),
        ...assignments('set', vars),
      ],
    }),
  },
  'tasks.answer': {
    title: 'Answer a question',
    at: '/inbox',
    // Files that were uploaded have ids, which only requests name.
    cli: ({ id, text = '', attachments = [] }) =>
      attachments.length > 0 ? {} : { command: ['answer', id, '-', ...(text === '' ? ['--empty'] : [])], stdin: text },
  },
  'tasks.claim': {
    title: 'Claim a question',
    at: '/inbox',
    cli: ({ id, assignee, seconds }) => ({
      command: ['claim', id, '--as', assignee, ...option('for', seconds === undefined ? undefined : `${seconds}s`)],
    }),
  },
  'tasks.release': {
    title: 'Release a claimed question',
    at: '/inbox',
    cli: ({ id, assignee }) => ({ command: ['release', id, '--as', assignee] }),
  },
  'workflows.publish': {
    title: 'Publish a workflow',
    at: '/workflows/new',
    cli: ({ name, yaml, note }) => ({
      command: ['workflows', 'push', '/dev/stdin', '--name', name, ...option('note', note)],
      stdin: yaml,
    }),
  },
  'workflows.archive': {
    title: 'Archive a workflow',
    at: '/workflows',
    cli: ({ name }) => ({ command: ['workflows', 'archive', name] }),
  },
  'webhooks.create': {
    title: 'Create a webhook',
    at: '/webhooks/new',
    cli: ({ url, events = [], description }) => ({
      command: ['webhooks', 'create', url, ...eventWords(events), ...option('description', description)],
    }),
  },
  'webhooks.change': {
    title: 'Change a webhook',
    at: '/webhooks',
    cli: ({ id, url, events = [], description }) => ({
      command: [
        'webhooks',
        'change',
        id,
        ...option('url', url),
        ...eventWords(events),
        ...option('description', description),
      ],
    }),
  },
  'webhooks.test': {
    title: 'Send a test to a webhook',
    at: '/webhooks',
    cli: ({ id }) => ({ command: ['webhooks', 'test', id] }),
  },
  'webhooks.delete': {
    title: 'Delete a webhook',
    at: '/webhooks',
    cli: ({ id }) => ({ command: ['webhooks', 'rm', id] }),
  },
  'webhooks.redeliver': {
    title: 'Redeliver an event to a webhook',
    at: '/webhooks',
    cli: ({ id, did }) => ({ command: ['webhooks', 'redeliver', id, did] }),
  },
  'webhooks.redeliverFailed': {
    title: 'Redeliver all failed events of a webhook',
    at: '/webhooks',
    cli: ({ id }) => ({ command: ['webhooks', 'redeliver-failed', id] }),
  },
  'schedules.create': {
    title: 'Create a schedule',
    at: '/schedules/new',
    cli: ({ id, run, description, ...times }) => {
      const { word, ...file } = workflowWords(run.workflow);
      const described = option('description', description === '' ? undefined : description);
      const template = [...option('input', run.input), ...templateWords(run)];
      return { ...file, command: ['schedule', 'create', id, word, ...timeWords(times), ...described, ...template] };
    },
  },
  'schedules.change': {
    title: 'Change, pause or resume a schedule',
    at: '/schedules',
    cli: ({ id, paused, run, description, ...times }) => {
      if (paused !== undefined) return { command: ['schedule', paused ? 'pause' : 'resume', id] };
      const changed = ['schedule', 'change', id, ...timeWords(times), ...option('description', description)];
      if (run === undefined) return { command: changed };
      const { word, ...file } = workflowWords(run.workflow);
      return { ...file, command: [...changed, '--run', word, ...option('input', run.input), ...templateWords(run)] };
    },
  },
  'schedules.delete': {
    title: 'Delete a schedule',
    at: '/schedules',
    cli: ({ id }) => ({ command: ['schedule', 'rm', id] }),
  },
  'schedules.trigger': {
    title: 'Start a run of a schedule now',
    at: '/schedules',
    cli: ({ id }) => ({ command: ['schedule', 'trigger', id] }),
  },
  'batches.create': {
    title: 'Start a batch',
    at: '/batches/new',
    cli: ({ workflow, id, parallel, columns = {}, ...template }, { file: table = 'table.csv' }) => ({
      command: [
        ...['batch', 'start', workflowWords(workflow).word, table],
        ...option('id', id),
        ...option('parallel', parallel),
        ...templateWords({ workflow, ...template }),
        ...Object.entries(columns).flatMap(([name, to]) => ['--column', `${name}=${to}`]),
      ],
    }),
  },
  'batches.delete': {
    title: 'Delete a batch',
    at: '/batches',
    cli: ({ id }) => ({ command: ['batch', 'rm', id] }),
  },
  'batches.cancel': {
    title: 'Cancel a batch',
    at: '/batches',
    cli: ({ id }) => ({ command: ['batch', 'cancel', id] }),
  },
  'batches.retryFailed': {
    title: 'Retry the failed rows of a batch',
    at: '/batches',
    cli: ({ id }) => ({ command: ['batch', 'retry', id] }),
  },
  'batches.retryRow': {
    title: 'Retry a row of a batch',
    at: '/batches',
    cli: ({ id, row }) => ({ command: ['batch', 'retry', id, '--row', String(row)] }),
  },
  'bulk.create': {
    title: 'Cancel or retry many runs',
    at: '/runs',
    cli: ({ action, filter }) => {
      const { ids, ...fields } = filter;
      if (ids !== undefined) return { command: ids.map((run) => [action, run]) };
      const options = Object.entries(fields).flatMap(([name, value]) => option(name, momentOr(name, value)));
      return { command: ['bulk', action, ...options] };
    },
  },
  'keys.create': {
    title: 'Make an API key',
    at: '/settings/keys',
    cli: ({ name, scopes, expiresAt }) => ({
      command: [
        ...['keys', 'create', '--scopes', [scopes ?? []].flat().join(',')],
        ...option('name', name),
        ...option('expires', daysUntil(expiresAt)),
      ],
    }),
  },
  'keys.revoke': {
    title: 'Revoke an API key',
    at: '/settings/keys',
    cli: ({ id }) => ({ command: ['keys', 'revoke', id] }),
  },
  'intake.retry': {
    title: 'Queue a refused job again',
    at: '/operations/refused',
    cli: ({ id }) => ({ command: ['intake', 'retry', id] }),
  },
  'intake.drop': {
    title: 'Delete a refused job',
    at: '/operations/refused',
    cli: ({ id }) => ({ command: ['intake', 'drop', id] }),
  },
  'limits.setTenant': {
    title: 'Limit a tenant',
    at: '/operations/limits',
    cli: ({ tenant, activations }) => ({ command: ['limits', 'set', String(activations), '--tenant', tenant] }),
  },
  'limits.setWorkflow': {
    title: 'Limit a workflow',
    at: '/operations/limits',
    cli: ({ tenant, workflow, activations }) => ({
      command: ['limits', 'set', String(activations), '--tenant', tenant, '--workflow', workflow],
    }),
  },
  'limits.liftTenant': {
    title: 'Remove the limit of a tenant',
    at: '/operations/limits',
    cli: ({ tenant }) => ({ command: ['limits', 'lift', '--tenant', tenant] }),
  },
  'limits.liftWorkflow': {
    title: 'Remove the limit of a workflow',
    at: '/operations/limits',
    cli: ({ tenant, workflow }) => ({ command: ['limits', 'lift', '--tenant', tenant, '--workflow', workflow] }),
  },
  'queues.pause': {
    title: 'Pause a queue',
    at: '/operations/queues',
    cli: ({ queue }) => ({ command: ['queues', 'pause', queue] }),
  },
  'queues.resume': {
    title: 'Resume a queue',
    at: '/operations/queues',
    cli: ({ queue }) => ({ command: ['queues', 'resume', queue] }),
  },
};

const eventWords = (events: readonly string[]): readonly string[] =>
  events.length === 0 ? [] : ['--events', events.join(',')];

interface Times {
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
  readonly missed?: string | undefined;
  readonly overlap?: string | undefined;
}

const timeWords = ({ cron, timezone, missed, overlap }: Times): readonly string[] => [
  ...option('cron', cron),
  ...option('timezone', timezone),
  ...option('missed', missed),
  ...option('overlap', overlap),
];

/** Returns a value as the command line takes it: times are ISO 8601. */
const momentOr = (name: string, value: unknown): string | undefined =>
  value === undefined
    ? undefined
    : (name === 'since' || name === 'until') && /^\d+$/.test(String(value))
      ? new Date(Number(value)).toISOString()
      : String(value);

const dayMs = 24 * 60 * 60 * 1000;

/** Returns the time until a moment as a duration of whole days. */
const daysUntil = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : `${Math.max(1, Math.round((at - Date.now()) / dayMs))}d`;
