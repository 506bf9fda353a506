import type { JournalEvent, RunEvent, RunGraphs } from '@millrace/client';
import type { LogLevel, ModelUsage } from '@millrace/core';
import { formatDollars } from '@millrace/core/budget';
import { addModelCall, noModelUsage } from '@millrace/core/usage';
import { exactText, visibleName } from '@millrace/core/visible-text';
import { shortLine } from '../output/short-text.ts';

/** Line of the progress view. The tone determines its colour. */
export interface Line {
  readonly tone: 'good' | 'bad' | 'warn' | 'wait' | 'quiet';
  readonly text: string;
}

/**
 * Converts the journal of a run, entry by entry from the first, to lines for people. It is a fold: the same entries give
 * the same lines. Lines below the `log_level` of their graph are omitted, except for questions and the end of the run.
 */
export function createProgress(levels: GraphLevels): (entry: RunEvent) => readonly Line[] {
  const work: Work = new Map();
  return ({ event, at }) => {
    // The table pairs each type with the formatter of that very type; later servers have further types.
    const formatter = formatters[event.type] as Formatter<JournalEvent> | undefined;
    const lines = formatter?.(event, { work, at }) ?? [];
    const minimum = minimumWeight(levels, event);
    return lines.filter(({ tone }) => weights[levelOf[tone]] >= minimum);
  };
}

/** Log level of the lines of a tone; a question has to be seen. */
const levelOf = {
  quiet: 'DEBUG',
  good: 'INFO',
  warn: 'WARNING',
  bad: 'ERROR',
  wait: 'CRITICAL',
} as const satisfies Record<Line['tone'], LogLevel>;
const weights: Readonly<Record<LogLevel, number>> = { DEBUG: 0, INFO: 1, WARNING: 2, ERROR: 3, CRITICAL: 4 };

/** Returns the minimum weight of a line about this event that is printed. */
function minimumWeight(levels: GraphLevels, event: JournalEvent): number {
  if (event.type === 'run.finished') return 0;
  return weights[levels.get('graph' in event ? event.graph : '') ?? 'DEBUG'];
}

/** Time since which activations are ready, and what they have used; settled ones are forgotten. */
type Work = Map<string, { readonly readyAt: number; usage?: ModelUsage }>;

interface Context {
  readonly work: Work;
  readonly at: number;
}

type EventOf<T extends JournalEvent['type']> = Extract<JournalEvent, { type: T }>;
type Formatter<E extends JournalEvent> = (event: E, context: Context) => readonly Line[];

const budgetText = ({ tokens, microUsd }: EventOf<'run.budgeted'>['budget']): string =>
  [
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(microUsd === undefined ? [] : [formatDollars(microUsd)]),
  ].join(' and ');
const line = (tone: Line['tone'], text: string): readonly Line[] => [{ tone, text }];

/** The node of an event, with the number of its unit. */
const nodeIn = (event: NamedNode): string => labelOf(event) + (event.unit === undefined ? '' : `[${event.unit + 1}]`);

/** Lines about events; there are none about events of other types. */
const formatters: { readonly [T in JournalEvent['type']]?: Formatter<EventOf<T>> } = {
  'run.failing': ({ error }) => line('bad', `✖ the run fails: ${error.code} ${error.message}`),
  'run.stopping': ({ stop }) => line('wait', `◼ the run is stopped: ${stop.text}`),
  'run.paused': () => line('wait', '⏸ the run is paused'),
  'run.resumed': () => line('quiet', '▶ the run is resumed'),
  'run.forked': ({ of, activation }) => line('quiet', `⑂ the fork continues from ${activation} of ${of}`),
  'run.budgeted': ({ budget }) => line('quiet', `$ the run may spend ${budgetText(budget)}`),
  'run.finished': finishedLines,
  'scope.stopping': ({ stop, name }) =>
    line('wait', `◼ ${name === '' ? 'a graph' : visibleName(name)} is stopped: ${stop.text}`),
  'graph.entered': ({ graph }) => (graph === '' ? [] : line('quiet', `▸ ${visibleName(graph)} begins`)),
  'items.skipped': ({ nodeIds, graph }) =>
    line('quiet', `– skipped: ${nodeIds.map((nodeId) => labelOf({ nodeId, graph })).join(', ')}`),
  'cycle.iterated': (event) =>
    event.iteration < 2 ? [] : line('quiet', `↻ ${nodeIn(event)}: iteration ${event.iteration}`),
  'cycle.left': (event) => {
    const entry = nodeIn(event);
    if (event.reason === 'limit')
      return line('warn', `! the loop at ${entry} reached its iteration limit and was cut off`);
    return line('quiet', event.reason === 'exit' ? `↳ ${entry}: loop left` : `↳ ${entry}: loop ended`);
  },
  'fanout.entered': (event) =>
    line('quiet', `⇉ ${nodeIn(event)}: ${event.kind} over ${(event.before ?? 0) + event.units.length}`),
  'fanout.layered': (event) => line('quiet', `⇉ ${nodeIn(event)}: next layer`),
  'activation.ready': ({ activation }, { work, at }) => {
    work.set(activation, { readyAt: at });
    return [];
  },
  'activation.dropped': ({ activation }, { work }) => {
    work.delete(activation);
    return [];
  },
  'activation.postponed': (event, { at }) =>
    line('wait', `… ${nodeIn(event)} continues in ${durationOf(event.until - at)}`),
  'activation.short': (event) => line('wait', `… ${nodeIn(event)} waits for room in the budget`),
  'activation.suspended': (event) => {
    // The calls that it asks about have lines of their own.
    if (event.wait.kind === 'approval') return [];
    const [prompt = ''] = (event.text ?? '').trim().split('\n', 1);
    return line('wait', `⏸ ${nodeIn(event)} waits${prompt === '' ? '' : `: ${prompt}`}`);
  },
  'signal.received': ({ name }) => line('quiet', `✉ the event "${name}" has arrived`),
  'activation.answered': (event) => {
    const by = event.by === undefined ? '' : ` by ${visibleName(event.by)}`;
    return line('quiet', `▷ ${nodeIn(event)} is answered${by}${quoted(event.text)}`);
  },
  'tool.asked': (event) =>
    line('wait', `⏸ ${nodeIn(event)} asks to call ${exactText(event.tool)} ${shortLine(exactText(event.arguments))}`),
  'tool.decided': (event) => {
    const { decision, by, arguments: sent, reason } = event;
    if (decision === 'expire') return line('warn', `! ${nodeIn(event)}: nobody has decided in time on its call`);
    const verb = decision === 'approve' ? 'approved' : 'rejected';
    const person = by === undefined ? '' : ` by ${visibleName(by)}`;
    const changes = sent === undefined ? '' : ` with ${shortLine(sent)}`;
    return line('quiet', `▷ the call of ${nodeIn(event)} is ${verb}${person}${changes}${quoted(reason)}`);
  },
  'activation.completed': completedLines,
  // Not forgotten: a retry continues with it.
  'activation.failed': (event) =>
    line('bad', `✖ ${nodeIn(event)} (${typeIn(event)}) failed: ${event.error.code} ${event.error.message}`),
  'step.started': (event) =>
    event.name === 'compact' ? line('quiet', `⇤ ${nodeIn(event)} shortens its conversation`) : [],
  'step.completed': ({ activation, usage }, { work }) => {
    const one = work.get(activation);
    if (one !== undefined && usage !== undefined) one.usage = addModelCall(one.usage ?? noModelUsage, usage);
    return [];
  },
};

const typeIn = ({ nodeType }: { readonly nodeType: string }): string => (nodeType === '' ? 'vote' : nodeType);

/** Types of nodes that guard loops: mostly they have no output. */
const guards: ReadonlySet<string> = new Set(['loop_counter', 'loop_timer']);

function completedLines(event: EventOf<'activation.completed'>, { work, at }: Context): readonly Line[] {
  const done = work.get(event.activation);
  work.delete(event.activation);
  const label = nodeIn(event);
  const warnings = (event.warnings ?? []).map(
    ({ code, message }): Line => ({ tone: 'warn', text: `! ${label}: ${message} [${code}]` }),
  );
  if (event.outputs.length === 0 && guards.has(event.nodeType)) {
    return [...warnings, { tone: 'quiet', text: `· ${label} has no output` }];
  }
  const [tone, sign] = isFailedProgram(event) ? (['warn', '✖'] as const) : (['good', '✔'] as const);
  const facts = [`${sign} ${label} (${typeIn(event)}) ${durationOf(at - (done?.readyAt ?? at))}`];
  if (done?.usage !== undefined) facts.push(`${done.usage.promptTokens}→${done.usage.completionTokens} tokens`);
  if (event.outputs.length === 0) facts.push('no output');
  if (event.outputs.length > 1) facts.push(`${event.outputs.length} outputs`);
  // The output of a human node is the answer, which was printed already.
  const quote = event.nodeType === 'human' ? '' : quoted(event.text);
  return [...warnings, { tone, text: facts.join(', ') + quote }];
}

/** Returns whether the program of a node has failed, which does not fail the node: its error is the output. */
const isFailedProgram = ({ nodeType, text = '' }: EventOf<'activation.completed'>): boolean =>
  nodeType === 'python' && text.startsWith('==CODE EXECUTION FAILED==');

function finishedLines({ status, error, stop }: EventOf<'run.finished'>): readonly Line[] {
  if (status === 'completed') return line('good', '✔ completed');
  if (stop !== undefined) return line('bad', `◼ ${status}: ${stop.text}`);
  const reason = error === undefined ? '' : `: ${error.code} ${error.message}`;
  const place = error?.node === undefined ? '' : ` (at ${visibleName(error.node)})`;
  return line('bad', `✖ ${status}${reason}${place}`);
}

function durationOf(ms: number): string {
  if (ms < 59_950) return `${(Math.max(ms, 0) / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}

/** Maximum length of a text in a line, in characters. */
const longestQuote = 72;

function quoted(text: string | undefined): string {
  if (text === undefined || text.trim() === '') return '';
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  const shown = characters.length > longestQuote ? [...characters.slice(0, longestQuote - 1), '…'] : characters;
  return `  “${shown.join('')}”`;
}

/** Names of the node of an event. */
interface NamedNode {
  readonly nodeId: string;
  /** Key of its graph. */
  readonly graph: string;
  readonly unit?: number | undefined;
}

/** Returns the id of a node, after the path of its graph in a subgraph. An activation without a node id counts votes. */
export const labelOf = ({ nodeId, graph }: NamedNode): string => {
  const id = nodeId === '' ? 'vote' : nodeId;
  return visibleName(graph === '' ? id : `${graph}/${id}`);
};

/** Minimum level of the printed lines about each graph of a run, by its key; the root graph has ''. */
type GraphLevels = ReadonlyMap<string, LogLevel>;

/** Returns the log levels of graphs from a response of the API. */
export const graphLevelsOf = ({ graphs }: RunGraphs): GraphLevels =>
  new Map(graphs.map(({ key, logLevel }) => [key, logLevel]));
