import type { Action, ActionName } from './definition.ts';
import { scheduleActions } from './schedule-actions.ts';
import {
  assignments,
  attachedWords,
  budgetWords,
  isReference,
  option,
  templateWords,
  textOption,
  workflowWords,
} from './words.ts';

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
    cli: ({ workflow, input, ...template }) => {
      const { word, ...file } = workflowWords(workflow, 'draft.yaml');
      const { words, ...read } = textOption('input', input);
      return { ...file, ...read, command: ['run', word, ...words, ...templateWords({ workflow, ...template })] };
    },
  },
  'runs.pause': ofRun('pause', 'Pause a run', 'running'),
  'runs.resume': {
    title: 'Resume a run, or raise its budget',
    at: '/runs?status=paused',
    cli: ({ id, budget, input, to }) => {
      const { words, ...read } = textOption('input', input);
      return { ...read, command: ['resume', id, ...budgetWords(budget), ...words, ...option('to', to)] };
    },
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
    cli: ({ id, at, output, input, prompt, model, vars }) => {
      const { words, ...read } = output === undefined ? textOption('input', input) : textOption('output', output);
      // Standard input has one text at most.
      const file = prompt !== undefined && isReference(prompt) ? { name: 'prompt.txt', text: prompt } : undefined;
      const role = option('prompt', file === undefined ? prompt : `@${file.name}`);
      const changes = [...words, ...role, ...option('model', model), ...assignments('set', vars)];
      return { ...read, ...(file && { file }), command: ['fork', id, ...option('at', at), ...changes] };
    },
  },
  'tasks.answer': {
    title: 'Answer a question',
    at: '/inbox',
    cli: ({ id, text = '', attachments = [] }) => ({
      command: ['answer', id, '-', ...attachedWords(attachments), ...(text === '' ? ['--empty'] : [])],
      stdin: text,
    }),
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
  ...scheduleActions,
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
