import type { JournalEvent } from '@millrace/client';
import { visibleName } from '../output/terminal/visible-text.ts';
import { labelOf } from './label.ts';

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
  'fanout.entered': (event) => `${nodeIn(event)} started for ${event.units.length} items.`,
  'fanout.left': (event) => `${nodeIn(event)} finished all of its items.`,
  'scope.stopping': ({ name, stop }) =>
    `${name === '' ? 'A graph' : `The scope ${visibleName(name)}`} is stopping: ${stop.text}`,
  'activation.ready': (event) => `${nodeIn(event)} became ready (${event.activation}).`,
  'activation.started': (event) =>
    `${nodeIn(event)} started on the worker ${event.worker}${event.attempt > 1 ? `, attempt ${event.attempt}` : ''}.`,
  'activation.postponed': (event) => `${nodeIn(event)} was postponed until ${new Date(event.until).toISOString()}.`,
  'activation.suspended': (event) =>
    event.wait.event === undefined
      ? `${nodeIn(event)} waits for an answer${afterColon(event.text)}`
      : `${nodeIn(event)} waits for the signal ${visibleName(event.wait.event.name)}.`,
  'activation.answered': (event) =>
    `${nodeIn(event)} was answered${event.by === undefined ? '' : ` by ${visibleName(event.by)}`}${afterColon(event.text)}`,
  'activation.renewed': (event) => `${nodeIn(event)} withdrew its question, because it got more input.`,
  'activation.short': (event) => `${nodeIn(event)} waits for room in the budget.`,
  'activation.completed': (event) => {
    const { outputs, failure, text } = event;
    const count = outputs.length === 1 ? 'one output' : `${outputs.length === 0 ? 'no' : outputs.length} outputs`;
    const after = failure === undefined ? afterColon(text) : ` after a failure: ${failure.message} [${failure.code}]`;
    return `${nodeIn(event)} completed with ${count}${after}`;
  },
  'activation.failed': (event) => `${nodeIn(event)} failed: ${event.error.message} [${event.error.code}]`,
  'activation.dropped': (event) => `${nodeIn(event)} was dropped.`,
  'step.started': (event) => `${nodeIn(event)} called ${visibleName(event.name)}.`,
  'step.completed': (event) => {
    const { usage, failed } = event;
    const tokens = usage === undefined ? '' : ` (${usage.promptTokens} + ${usage.completionTokens} tokens)`;
    return `The call of ${nodeIn(event)} ${failed ? 'failed' : 'returned'}${tokens}.`;
  },
  'files.changed': (event) => `${nodeIn(event)} changed files.`,
  'signal.received': ({ name, text }) => `The signal ${visibleName(name)} arrived${afterColon(text)}`,
};

/** Returns the first line of a text after a colon; without a text, the end of the sentence. */
function afterColon(text: string | undefined): string {
  const [line = ''] = (text ?? '').trim().split('\n', 1);
  return line === '' ? '.' : `: ${line}`;
}
