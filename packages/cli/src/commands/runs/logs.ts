import type { JournalEvent, RunEvent, RunHandle } from '@millrace/client';
import { exactText, visibleName } from '@millrace/core/visible-text';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { exitCodes } from '../../exit/exit.ts';
import { labelOf } from '../../follow/progress.ts';
import { wrappedOn } from '../../output/terminal/wrapped.ts';
import type { Cli } from '../../process/cli.ts';
import { interruption } from '../../process/interruption.ts';
import { resolveRun, rethrowUnknownRun } from '../../requests/resolve-run.ts';

interface LogsFlags {
  readonly follow?: boolean;
  readonly json?: boolean;
}

/** `millrace logs`: states the events of a run in sentences. */
export function addLogs(program: Command, cli: Cli): void {
  program
    .command('logs')
    .description('print the events of a run as sentences with the names of nodes')
    .argument('<run>', 'its id, or the beginning of it')
    .option('-f, --follow', 'print further events as they happen, until the run ends')
    .option('--json', 'print JSON lines of {id, at, type, nodeId, nodeType, graph, unit, iteration, text}')
    .addHelpText('after', '\nExample:\n  millrace logs run_0199a1b2 --follow')
    .action(async (run: string, flags: LogsFlags) => printLogs(cli, run, flags));
}

async function printLogs(cli: Cli, named: string, { follow, json }: LogsFlags): Promise<void> {
  const { signal, dispose } = await interruption(cli, exitCodes.interrupted);
  await withSession(cli, { throughOutages: follow === true }, async (session) => {
    const run = session.millrace.runs.get(await resolveRun(session, named));
    const print = (event: RunEvent) => {
      const text = sentenceOf(event.event);
      if (text === undefined) return;
      const { id, at } = event;
      const line = json
        ? JSON.stringify({ id, at, type: event.event.type, ...namesIn(event.event), text })
        : wrappedOn(
            cli.terminal,
            `${new Date(at).toISOString()} ${text}`,
            ' '.repeat(new Date(at).toISOString().length + 1),
          );
      cli.terminal.data(line);
    };
    for await (const event of eventsOf(run, follow === true, signal)) print(event);
    if (signal.aborted) cli.exit = exitCodes.interrupted;
  });
  dispose();
}

/** Names of the node of an event. */
const namesIn = (event: JournalEvent) =>
  Object.fromEntries(Object.entries(event).filter(([field]) => /^(nodeId|nodeType|graph|unit|iteration)$/.test(field)));

/** Yields the events so far, or all events until the run ends or the signal is aborted. */
async function* eventsOf(run: RunHandle, follow: boolean, signal: AbortSignal): AsyncGenerator<RunEvent> {
  try {
    for await (const event of follow ? run.events({ signal }) : run.journal()) {
      if (signal.aborted) return;
      yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    rethrowUnknownRun(run.id)(error);
  }
}

type EventOf<T extends JournalEvent['type']> = Extract<JournalEvent, { type: T }>;
type Sentences = { readonly [T in JournalEvent['type']]?: (event: EventOf<T>) => string };

/** Returns an event as a sentence; undefined for internal events. */
export function sentenceOf(event: JournalEvent): string | undefined {
  // The table maps each type to its sentence; later servers have further types.
  const sentence = sentences[event.type] as ((event: JournalEvent) => string) | undefined;
  return sentence?.(event);
}

/** The node of an event with its graph, and the number of its unit. */
const nodeIn = (event: Parameters<typeof labelOf>[0]): string =>
  labelOf(event) + (event.unit === undefined ? '' : ` (item ${event.unit + 1})`);

const sentences: Sentences = {
  'run.started': ({ origin }) => `The run of the workflow ${origin.workflow} started.`,
  'run.failing': ({ error }) => `The run is failing: ${error.message} [${error.code}]`,
  'run.stopping': ({ stop }) => `The run is stopping: ${stop.text}`,
  'run.paused': () => 'The run was paused.',
  'run.resumed': () => 'The run was resumed.',
  'run.forked': ({ of, activation }) => `The run was forked from ${of} at ${activation}.`,
  'run.finished': ({ status, error, stop }) => {
    const reason = stop?.text ?? (error === undefined ? undefined : `${error.message} [${error.code}]`);
    return `The run ended with the status ${status}${reason === undefined ? '.' : `: ${reason}`}`;
  },
  'graph.entered': ({ graph }) =>
    graph === '' ? 'The graph was entered.' : `The subgraph ${visibleName(graph)} was entered.`,
  'items.skipped': ({ nodeIds, graph }) =>
    `Nothing triggered ${nodeIds.map((nodeId) => labelOf({ nodeId, graph })).join(', ')}: skipped.`,
  'cycle.iterated': (event) => `The loop at ${nodeIn(event)} started iteration ${event.iteration}.`,
  'cycle.left': (event) =>
    event.reason === 'limit'
      ? `The loop at ${nodeIn(event)} reached its iteration limit and was left.`
      : `The loop at ${nodeIn(event)} was left.`,
  'fanout.entered': (event) => `${nodeIn(event)} started for ${(event.before ?? 0) + event.units.length} items.`,
  'fanout.left': (event) => `${nodeIn(event)} finished all of its items.`,
  'scope.stopping': ({ name, stop }) =>
    `${name === '' ? 'A graph' : `The scope ${visibleName(name)}`} is stopping: ${stop.text}`,
  'activation.ready': (event) => `${nodeIn(event)} became ready (${event.activation}).`,
  'activation.started': (event) =>
    `${nodeIn(event)} started on the worker ${event.worker}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}.`,
  'activation.postponed': (event) => `${nodeIn(event)} was postponed until ${new Date(event.until).toISOString()}.`,
  'activation.suspended': (event) => {
    const { kind, event: signal } = event.wait;
    if (kind === 'approval') return `${nodeIn(event)} waits for the approval of its calls.`;
    return signal === undefined
      ? `${nodeIn(event)} waits for an answer${afterColon(event.text)}`
      : `${nodeIn(event)} waits for the signal ${visibleName(signal.name)}.`;
  },
  'tool.asked': (event) =>
    `${nodeIn(event)} asks to call ${exactText(event.tool)}${afterColon(exactText(event.arguments))}`,
  'tool.decided': (event) => {
    const { decision, by, arguments: sent, reason, place } = event;
    if (decision === 'expire') return `Nobody decided in time on call ${place} of ${nodeIn(event)}.`;
    const person = by === undefined ? 'Someone' : visibleName(by);
    const changes = sent === undefined ? '' : ' with other arguments';
    return `${person} ${decision === 'approve' ? 'approved' : 'rejected'} call ${place} of ${nodeIn(event)}${changes}${afterColon(sent === undefined ? reason : exactText(sent))}`;
  },
  'activation.answered': (event) =>
    `${nodeIn(event)} was answered${event.by === undefined ? '' : ` by ${visibleName(event.by)}`}${afterColon(event.text)}`,
  'activation.renewed': (event) =>
    `${nodeIn(event)} is ready again: it has more input, its calls are decided on, or it is in a fork.`,
  'activation.short': (event) => `${nodeIn(event)} waits for room in the budget.`,
  'activation.completed': (event) => {
    const { outputs, failure, text } = event;
    const count = outputs.length === 1 ? 'one output' : `${outputs.length === 0 ? 'no' : outputs.length} outputs`;
    const after = failure === undefined ? afterColon(text) : ` after a failure: ${failure.message} [${failure.code}]`;
    return `${nodeIn(event)} completed with ${count}${after}`;
  },
  'activation.failed': (event) => `${nodeIn(event)} failed: ${event.error.message} [${event.error.code}]`,
  'activation.dropped': (event) => `${nodeIn(event)} was dropped.`,
  'step.started': (event) =>
    event.name === 'compact'
      ? `${nodeIn(event)} shortens its conversation.`
      : `${nodeIn(event)} called ${visibleName(event.name)}${event.insteadOf === undefined ? '' : ` in place of ${visibleName(event.insteadOf)}`}.`,
  'step.completed': (event) => {
    const { usage, failed, recorded } = event;
    const tokens = usage === undefined ? '' : ` (${usage.promptTokens} + ${usage.completionTokens} tokens)`;
    const source = recorded === undefined ? '' : ' in the recording';
    return `The call of ${nodeIn(event)} ${failed ? 'failed' : 'returned'}${source}${tokens}.`;
  },
  'files.changed': (event) => `${nodeIn(event)} changed files.`,
  'signal.received': ({ name, text }) => `The signal ${visibleName(name)} arrived${afterColon(text)}`,
};

/** Returns the first line of a text after a colon; without a text, the end of the sentence. */
function afterColon(text: string | undefined): string {
  const [line = ''] = (text ?? '').trim().split('\n', 1);
  return line === '' ? '.' : `: ${line}`;
}
