import type { Operation } from './operation/operation.ts';

/** Resources of operations, in the order of the reference; the name of each operation begins with one. */
export const resources: Readonly<Record<string, string>> = {
  runs: 'Executions of workflows: start, follow, pause, stop, retry, replay and fork them.',
  tasks: 'Open questions of runs to people, and their answers.',
  workflows: 'Published workflows, which runs start by name.',
  schemas: 'JSON Schemas of what people write, for editors.',
  files: 'Files that are uploaded once and attached to runs.',
  batches: 'Tables whose rows each become a run.',
  schedules: 'Runs that start at the times of a cron expression.',
  webhooks: 'Addresses that are notified of events of runs.',
  bulk: 'One operation on all runs that match a filter.',
  events: 'Changes of runs, questions, batches and bulk actions, live.',
  usage: 'Money, tokens and runs by day, workflow and model.',
  me: 'The caller and its permissions.',
  'sign-in': 'Cookies of browsers, in exchange for keys.',
  keys: 'API keys.',
  limits: 'Shares of tenants and of their workflows.',
  queues: 'Queues of activations, for operators of the installation.',
  workers: 'Connected workers, for operators of the installation.',
  operations: 'State of the whole installation, for its operators.',
  intake: 'Jobs of the intake queue that could start no run, for operators of the installation.',
  models: 'Models that the server knows: what they accept, cost, and when they retire.',
  server: 'State of the process, for probes and collectors.',
};

/** Returns the resource of an operation. */
export const resourceOf = ({ name }: Pick<Operation, 'name'>): string => name.split('.')[0] ?? name;
