import type { Millrace, RunHandle } from '@millrace/client';
import { ApiProblem } from '@millrace/client';
import type { Budget, JournalEntry } from '@millrace/core';
import type { Artifact, RunSource, RunSummary } from '@millrace/runtime';
import { CommandError, exitCodes } from '../exit/exit.ts';
import type { CliClient, RunControl, WorkflowRegistry, WorkflowSource } from './cli-client.ts';
import { artifactsOf, descriptionOf, planSummaryOf, summaryOf } from './remote-run.ts';

const largestPage = 200;

/** The installation behind an HTTP API: what the client says, in the words of commands. */
export function remoteClient(millrace: Millrace): CliClient {
  const at = (run: string): RunHandle => millrace.runs.get(run);
  return {
    ...ordersOf(millrace),
    async start({ source, task: { text, attachments }, timeoutMs, budget, priority }) {
      const { id } = await millrace.runs.start(workflowOf(source), {
        input: text,
        attachments,
        vars: { ...source.variables },
        ...(source.compat === undefined ? {} : { compat: source.compat }),
        ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
        ...(budget === undefined ? {} : { budget: inDollars(budget) }),
        ...(priority === undefined ? {} : { priority }),
      });
      return id;
    },
    async describe(run) {
      const found = await at(run).describe().catch(unlessUnknown);
      return found === undefined ? undefined : descriptionOf(found);
    },
    async list({ tenant, limit, ...query }) {
      if (tenant !== undefined) {
        throw new CommandError(
          exitCodes.invalid,
          'Over MILLRACE_URL there are the runs of the tenant of the key only.',
        );
      }
      const found: RunSummary[] = [];
      for await (const line of millrace.runs.list({ ...query, limit: Math.min(limit, largestPage) })) {
        if (found.length >= limit) break;
        found.push(summaryOf(line));
      }
      return found;
    },
    async *watch(run, signal) {
      for await (const event of quiet(at(run).events({ signal }), signal)) yield event as JournalEntry; // the API gives entries as they are
    },
    listen: (run, signal) => quiet(at(run).live({ signal }), signal),
    async *journal(run) {
      for await (const event of at(run).journal()) yield event as JournalEntry; // the API gives entries as they are
    },
    outline: async ({ run }) => planSummaryOf(await at(run).graph()),
    textOf: (run, { id }) => at(run).text(id),
    attach: ({ name, bytes }) => millrace.files.upload(bytes, { name }),
    artifacts: async (run, activation) => artifactsOf(await at(run).artifacts(activation)),
    content: async (run, { id }: Artifact) => new Uint8Array(await (await at(run).artifact(id)).arrayBuffer()),
    workflows: shelfOf(millrace),
    workers: async () => (await millrace.readiness()).workers,
  };
}

const workflowOf = (source: WorkflowSource): string | { readonly yaml: string } =>
  source.type === 'published' ? source.reference : { yaml: source.yaml };

const inDollars = ({ tokens, microUsd }: Budget) => ({
  ...(tokens === undefined ? {} : { tokens }),
  ...(microUsd === undefined ? {} : { usd: microUsd / 1_000_000 }),
});

function unlessUnknown(error: unknown): undefined {
  if (error instanceof ApiProblem && error.code === 'RUN_UNKNOWN') return undefined;
  throw error;
}

/** Ends without an error when the signal is aborted. */
async function* quiet<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function ordersOf(millrace: Millrace): RunControl {
  const at = (run: string): RunHandle => millrace.runs.get(run);
  const done = async (asked: Promise<unknown>): Promise<void> => void (await asked);
  return {
    async answer({ run, activation }, { text, attachments }) {
      const id = activation ?? (await onlyTask(millrace, run));
      await millrace.tasks.answer(`${run}.${id}`, { text, attachments });
    },
    cancel: (run, reason) => done(at(run).cancel(reason)),
    stop: (run, { note, inFlight, scope }) =>
      done(
        at(run).stop({
          note,
          mode: inFlight === 'cancel' ? 'cancel' : 'graceful',
          ...(scope === undefined ? {} : { scope }),
        }),
      ),
    signal: (run, { name, note }) => done(at(run).signal(name, note)),
    pause: (run) => done(at(run).pause()),
    resume: (run, { budget, ...how }) =>
      done(at(run).resume({ ...how, ...(budget === undefined ? {} : { budget: inDollars(budget) }) })),
    retry: (run) => done(at(run).retry()),
    replay: async (source, how) => (await at(known(source)).replay(how)).id,
    fork: async (source, how) => (await at(known(source)).fork(how)).id,
    remove: (run) => at(run).remove(),
  };
}

/** A run that the API has; a file of this machine is none. */
function known(source: RunSource): string {
  if (typeof source === 'string') return source;
  throw new CommandError(exitCodes.invalid, 'Archived runs are read on the machine itself; unset MILLRACE_URL.');
}

/** The activation that a run waits for; what is said when there is none is the API's. */
async function onlyTask(millrace: Millrace, run: string): Promise<string> {
  const { tasks } = await millrace.runs.get(run).describe();
  return tasks[0]?.id.split('.')[1] ?? 'a0';
}

function shelfOf({ workflows }: Millrace): WorkflowRegistry {
  const read: WorkflowRegistry['read'] = async (reference) => {
    const [name = '', hash] = reference.split('@', 2);
    return hash === undefined ? workflows.get(name) : workflows.version(name, hash);
  };
  return {
    read,
    // Whether it may be started is for the API to say, when it is.
    resolve: read,
    publish: async (name, yaml) => {
      const { warnings: _told, ...published } = await workflows.publish(name, yaml);
      return published;
    },
    async *list() {
      for await (const { archivedAt, ...line } of workflows.list()) {
        yield { ...line, ...(archivedAt === undefined ? {} : { archivedAt }) };
      }
    },
  };
}
