import type { OperationName, routes } from '@millrace/client';
import type { Needed } from '../../api/needed.ts';

/** Operations that change something. */
type ChangingOperation = {
  [N in OperationName]: (typeof routes)[N]['method'] extends 'GET' ? never : N;
}[OperationName];

/** Operations that change something and are no actions of the dashboard, with the reasons. */
const noActions = {
  'runs.signal': 'Signals come from other programs.',
  'runs.remove': 'Ended runs are removed after their retention time.',
  'runs.resetTerminations': 'A resumed run resets its terminations.',
  'files.remove': 'The dashboard lists no uploaded files.',
  'files.upload': 'Files are uploaded with the task or the answer that they belong to.',
  'workflows.validate': 'The editor checks a text while it is typed.',
  'schedules.preview': 'The form of a schedule shows its next times while they are typed.',
  'models.update': 'The list is a file, or a page that the command line fetches.',
  'batches.preview': 'A new batch shows its table as soon as it is chosen.',
} as const satisfies { readonly [N in ChangingOperation]?: string };

/** Operations that are actions of the dashboard: an operation that is neither here nor above is an error of types. */
export type ActionName = Exclude<ChangingOperation, keyof typeof noActions>;

/** Something that people do with the dashboard. */
interface Action {
  /** Verb and object, as the palette shows it. */
  readonly title: string;
  /** Screen of the action, as a path below `/ui`. */
  readonly at: string;
  /** What its operation requires of the caller. */
  readonly needs: Needed;
}

/** Actions of the dashboard by their operations, for the palette. All of them are copied as commands. */
export const actions: { readonly [N in ActionName]: Action } = {
  'runs.start': { title: 'Start a run', at: '/runs/new', needs: 'run' },
  'runs.pause': { title: 'Pause a run', at: '/runs?status=running', needs: 'run' },
  'runs.resume': { title: 'Resume a run, or raise its budget', at: '/runs?status=paused', needs: 'run' },
  'runs.retry': { title: 'Retry a failed run', at: '/runs?status=failed', needs: 'run' },
  'runs.cancel': { title: 'Cancel a run', at: '/runs?status=running', needs: 'run' },
  'runs.stop': { title: 'Stop a run', at: '/runs?status=running', needs: 'run' },
  'runs.replay': { title: 'Replay a run', at: '/runs?status=completed', needs: 'run' },
  'runs.fork': { title: 'Fork a run', at: '/runs?status=completed', needs: 'run' },
  'tasks.answer': { title: 'Answer a question', at: '/inbox', needs: 'answer' },
  'tasks.claim': { title: 'Claim a question', at: '/inbox', needs: 'answer' },
  'tasks.release': { title: 'Release a claimed question', at: '/inbox', needs: 'answer' },
  'workflows.publish': { title: 'Publish a workflow', at: '/workflows/new', needs: 'run' },
  'workflows.archive': { title: 'Archive a workflow', at: '/workflows', needs: 'run' },
  'webhooks.create': { title: 'Create a webhook', at: '/webhooks/new', needs: 'admin' },
  'webhooks.change': { title: 'Change a webhook', at: '/webhooks', needs: 'admin' },
  'webhooks.test': { title: 'Send a test to a webhook', at: '/webhooks', needs: 'run' },
  'webhooks.delete': { title: 'Delete a webhook', at: '/webhooks', needs: 'admin' },
  'webhooks.redeliver': { title: 'Redeliver an event to a webhook', at: '/webhooks', needs: 'run' },
  'webhooks.redeliverFailed': { title: 'Redeliver all failed events of a webhook', at: '/webhooks', needs: 'run' },
  'schedules.create': { title: 'Create a schedule', at: '/schedules/new', needs: 'run' },
  'schedules.change': { title: 'Change, pause or resume a schedule', at: '/schedules', needs: 'run' },
  'schedules.delete': { title: 'Delete a schedule', at: '/schedules', needs: 'run' },
  'schedules.trigger': { title: 'Start a run of a schedule now', at: '/schedules', needs: 'run' },
  'batches.create': { title: 'Start a batch', at: '/batches/new', needs: 'run' },
  'batches.delete': { title: 'Delete a batch', at: '/batches', needs: 'run' },
  'batches.cancel': { title: 'Cancel a batch', at: '/batches', needs: 'run' },
  'batches.retryFailed': { title: 'Retry the failed rows of a batch', at: '/batches', needs: 'run' },
  'batches.retryRow': { title: 'Retry a row of a batch', at: '/batches', needs: 'run' },
  'bulk.create': { title: 'Cancel or retry many runs', at: '/runs', needs: 'run' },
  'keys.create': { title: 'Make an API key', at: '/settings/keys', needs: 'admin' },
  'keys.revoke': { title: 'Revoke an API key', at: '/settings/keys', needs: 'admin' },
  'intake.retry': { title: 'Queue a refused job again', at: '/operations/refused', needs: 'admin' },
  'intake.drop': { title: 'Delete a refused job', at: '/operations/refused', needs: 'admin' },
  'limits.setTenant': { title: 'Limit a tenant', at: '/operations/limits', needs: 'operator' },
  'limits.setWorkflow': { title: 'Limit a workflow', at: '/operations/limits', needs: 'operator' },
  'limits.liftTenant': { title: 'Remove the limit of a tenant', at: '/operations/limits', needs: 'operator' },
  'limits.liftWorkflow': { title: 'Remove the limit of a workflow', at: '/operations/limits', needs: 'operator' },
  'queues.pause': { title: 'Pause a queue', at: '/operations/queues', needs: 'operator' },
  'queues.resume': { title: 'Resume a queue', at: '/operations/queues', needs: 'operator' },
};
