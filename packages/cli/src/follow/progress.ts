import type { ActivationId, Budget, Event, EventType, JournalEntry, LogLevel, ScopeId, Usage } from '@millrace/core';
import { formatDollars } from '@millrace/core/budget';
import { visibleName } from '../output/terminal/visible-text.ts';
import type { PlanSummary } from './plan-summary.ts';

/** Line of the progress view. The tone says how it may be coloured. */
export interface Line {
  readonly tone: 'good' | 'bad' | 'warn' | 'wait' | 'quiet';
  readonly text: string;
}

/**
 * Tells the journal of a run, entry by entry from the first one on, in lines for people. It is a fold: the same entries
 * give the same lines. `preview` is the text of the message that {@link previewOf} names. What weighs less than the
 * `log_level` of its graph is not told, except for questions and how the run ended.
 */
export function createProgress(plan: PlanSummary): (entry: JournalEntry, preview?: string) => readonly Line[] {
  const seen: Seen = { plan, graphs: new Map(), cycles: new Map(), fanOuts: new Map(), activations: new Map() };
  return (entry, preview) => {
    // The table pairs each type with the teller of that very type.
    const teller = tellers[entry.event.type] as Teller<Event>;
    const least = leastOf(seen, entry.event);
    return teller(entry.event, { seen, at: entry.at, preview }).filter(({ tone }) => weights[levels[tone]] >= least);
  };
}

/** The message whose text says most about an entry. */
export function previewOf({ event }: JournalEntry) {
  if (event.type === 'activation.answered') return event.answer;
  return event.type === 'activation.completed' ? event.outputs.at(-1) : undefined;
}

/** Log level of the lines of a tone; a question has to be seen. */
const levels = {
  quiet: 'DEBUG',
  good: 'INFO',
  warn: 'WARNING',
  bad: 'ERROR',
  wait: 'CRITICAL',
} as const satisfies Record<Line['tone'], LogLevel>;
const weights: Readonly<Record<LogLevel, number>> = { DEBUG: 0, INFO: 1, WARNING: 2, ERROR: 3, CRITICAL: 4 };

/** Returns the least weight of a line about this event that is printed. */
function leastOf(seen: Seen, event: Event): number {
  if (event.type === 'run.finished') return 0;
  const graph =
    'activation' in event
      ? (seen.activations.get(event.activation)?.graph ?? '')
      : 'graph' in event
        ? event.graph
        : 'scope' in event
          ? graphOf(seen, event.scope)
          : '';
  return weights[seen.plan.graphs.get(graph)?.logLevel ?? 'DEBUG'];
}

interface Seen {
  readonly plan: PlanSummary;
  /** Scope → key of its graph; the root's is ''. */
  readonly graphs: Map<ScopeId, string>;
  readonly cycles: Map<ScopeId, string>;
  readonly fanOuts: Map<ScopeId, string>;
  readonly activations: Map<ActivationId, Activation>;
}

interface Activation {
  /** Key of the graph that it is part of. */
  readonly graph: string;
  readonly label: string;
  readonly type: string;
  readonly guard: boolean;
  /** Its output is what was told as the answer. */
  readonly waits: boolean;
  readonly logOutput: boolean;
  readonly readyAt: number;
  usage?: Usage;
}

interface Moment {
  readonly seen: Seen;
  readonly at: number;
  readonly preview: string | undefined;
}

type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>;
type Teller<E extends Event> = (event: E, moment: Moment) => readonly Line[];

const nothing = (): readonly Line[] => [];

const budgetText = ({ tokens, microUsd }: Budget): string =>
  [
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
    ...(microUsd === undefined ? [] : [formatDollars(microUsd)]),
  ].join(' and ');
const line = (tone: Line['tone'], text: string): readonly Line[] => [{ tone, text }];

const tellers: { readonly [T in EventType]: Teller<EventOf<T>> } = {
  'run.started': nothing,
  'run.failing': ({ error }) => line('bad', `✖ the run fails: ${error.code} ${error.message}`),
  'run.stopping': ({ stop }) => line('wait', `◼ the run is stopped: ${stop.text}`),
  'run.paused': () => line('wait', '⏸ the run is paused'),
  'run.resumed': () => line('quiet', '▶ the run is resumed'),
  'run.forked': ({ of, activation }) => line('quiet', `⑂ the run goes on here from ${activation} of ${of}`),
  'run.told': nothing,
  'activation.admitted': nothing,
  'activation.renewed': nothing,
  'files.changed': nothing,
  'files.attached': nothing,
  'run.budgeted': ({ budget }) => line('quiet', `$ the run may spend ${budgetText(budget)}`),
  'step.reserved': nothing,
  'step.lost': nothing,
  'activation.short': (event, { seen }) =>
    line('wait', `… ${seen.activations.get(event.activation)?.label} waits for room in the budget`),
  'activation.funded': nothing,
  'run.finished': tellFinished,
  'scope.entered': nothing,
  'scope.left': nothing,
  'scope.stopping': ({ stop, name }) =>
    line('wait', `◼ ${name === '' ? 'a graph' : visibleName(name)} is stopped: ${stop.text}`),
  'graph.exiting': nothing,
  'scope.stopped': nothing,
  'scope.dropped': nothing,
  'activation.dropped': (event, { seen }) => {
    take(seen, event.activation);
    return [];
  },
  'termination.moved': nothing,
  'termination.reset': nothing,
  'alarm.set': nothing,
  'alarm.cleared': nothing,
  'journal.archived': nothing,
  'graph.entered': (event, { seen }) => {
    seen.graphs.set(event.scope, event.graph);
    return event.graph === '' ? [] : line('quiet', `▸ ${visibleName(event.graph)} begins`);
  },
  'graph.left': nothing,
  'items.skipped': (event, { seen }) => {
    const items = seen.plan.graphs.get(graphOf(seen, event.scope))?.items ?? [];
    const nodes = event.items.flatMap((item) => items[item]?.members ?? []);
    return line('quiet', `– skipped: ${nodes.map((node) => labelOf(seen, event.scope, node)).join(', ')}`);
  },
  'cycle.entered': (event, { seen }) => {
    seen.graphs.set(event.scope, graphOf(seen, event.parent));
    seen.cycles.set(event.scope, labelOf(seen, event.scope, event.entry));
    return [];
  },
  'cycle.iterated': (event, { seen }) =>
    event.iteration < 2 ? [] : line('quiet', `↻ ${seen.cycles.get(event.scope)}: iteration ${event.iteration}`),
  'cycle.levelled': nothing,
  'cycle.left': (event, { seen }) => {
    const entry = seen.cycles.get(event.scope);
    if (event.reason === 'limit')
      return line('warn', `! the loop at ${entry} reached its iteration limit and was cut off`);
    return line('quiet', event.reason === 'exit' ? `↳ ${entry}: loop left` : `↳ ${entry}: loop ended`);
  },
  'fanout.entered': (event, { seen }) => {
    seen.graphs.set(event.scope, graphOf(seen, event.parent));
    const label = labelOf(seen, event.scope, event.node);
    seen.fanOuts.set(event.scope, label);
    return line('quiet', `⇉ ${label}: ${event.kind} over ${event.units.length}`);
  },
  'fanout.layered': (event, { seen }) => line('quiet', `⇉ ${seen.fanOuts.get(event.scope)}: next layer`),
  'fanout.left': nothing,
  'activation.ready': (event, { seen, at }) => {
    const graph = graphOf(seen, event.scope);
    const node = seen.plan.graphs.get(graph)?.nodes[event.node];
    const unit = event.unit === undefined ? '' : `[${event.unit + 1}]`;
    seen.activations.set(event.activation, {
      graph,
      label: labelOf(seen, event.scope, event.node) + unit,
      type: node?.type ?? 'vote',
      guard: node?.guard === true,
      waits: node?.waits === true,
      logOutput: node?.logOutput !== false,
      readyAt: at,
    });
    return [];
  },
  'activation.started': nothing,
  'activation.postponed': (event, { seen, at }) =>
    line('wait', `… ${seen.activations.get(event.activation)?.label} goes on in ${durationOf(event.until - at)}`),
  'activation.suspended': (event, { seen }) => {
    const prompt = firstLine(event.wait.prompt);
    return line(
      'wait',
      `⏸ ${seen.activations.get(event.activation)?.label} waits${prompt === '' ? '' : `: ${prompt}`}`,
    );
  },
  'signal.received': ({ name }) => line('quiet', `✉ the event "${name}" has arrived`),
  'activation.answered': (event, { seen, preview }) =>
    line(
      'quiet',
      `▷ ${seen.activations.get(event.activation)?.label} is answered${shown(seen.activations.get(event.activation), preview)}`,
    ),
  'activation.completed': tellCompleted,
  'activation.opened': nothing,
  'activation.failed': (event, { seen }) => {
    // Not forgotten: a retry goes on with it.
    const activation = seen.activations.get(event.activation);
    return line(
      'bad',
      `✖ ${activation?.label} (${activation?.type}) failed: ${event.error.code} ${event.error.message}`,
    );
  },
  'step.started': nothing,
  'step.completed': (event, { seen }) => {
    const activation = seen.activations.get(event.activation);
    if (activation !== undefined && event.usage !== undefined) activation.usage = sum(activation.usage, event.usage);
    return [];
  },
};

function tellCompleted(event: EventOf<'activation.completed'>, { seen, at, preview }: Moment): readonly Line[] {
  const activation = take(seen, event.activation);
  if (activation === undefined) return [];
  const warnings = (event.warnings ?? []).map(
    (text): Line => ({ tone: 'warn', text: `! ${activation.label}: ${text}` }),
  );
  if (event.outputs.length === 0 && activation.guard) {
    return [...warnings, { tone: 'quiet', text: `· ${activation.label} suppressed` }];
  }
  const facts = [`✔ ${activation.label} (${activation.type}) ${durationOf(at - activation.readyAt)}`];
  if (activation.usage) facts.push(`${activation.usage.promptTokens}→${activation.usage.completionTokens} tokens`);
  if (event.outputs.length === 0) facts.push('no output');
  if (event.outputs.length > 1) facts.push(`${event.outputs.length} outputs`);
  return [...warnings, { tone: 'good', text: facts.join(', ') + (activation.waits ? '' : shown(activation, preview)) }];
}

function tellFinished({ status, error, stop }: EventOf<'run.finished'>): readonly Line[] {
  if (status === 'completed') return line('good', '✔ completed');
  if (stop !== undefined) return line('bad', `◼ ${status}: ${stop.text}`);
  const reason = error === undefined ? '' : `: ${error.code} ${error.message}`;
  const place = error?.node === undefined ? '' : ` (at ${visibleName(error.node)})`;
  return line('bad', `✖ ${status}${reason}${place}`);
}

/** Settled activations are forgotten, so that a long run does not grow the view. */
function take(seen: Seen, id: ActivationId): Activation | undefined {
  const activation = seen.activations.get(id);
  seen.activations.delete(id);
  return activation;
}

const graphOf = (seen: Seen, scope: ScopeId): string => seen.graphs.get(scope) ?? '';

function labelOf(seen: Seen, scope: ScopeId, node: number): string {
  const key = graphOf(seen, scope);
  const id = seen.plan.graphs.get(key)?.nodes[node]?.id ?? 'vote';
  return visibleName(key === '' ? id : `${key}/${id}`);
}

const sum = (a: Usage | undefined, b: Usage): Usage => ({
  promptTokens: (a?.promptTokens ?? 0) + b.promptTokens,
  completionTokens: (a?.completionTokens ?? 0) + b.completionTokens,
});

function durationOf(ms: number): string {
  if (ms < 59_950) return `${(Math.max(ms, 0) / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}

const previewLength = 72;

function quoted(text: string | undefined): string {
  if (text === undefined || text.trim() === '') return '';
  const flat = text.replace(/\s+/g, ' ').trim();
  return `  “${flat.length > previewLength ? `${flat.slice(0, previewLength - 1)}…` : flat}”`;
}

/** The text of an output, or only its length where the author does not want it shown. */
function shown(activation: Activation | undefined, text: string | undefined): string {
  if (activation?.logOutput !== false || text === undefined) return quoted(text);
  return `  (${text.length} characters)`;
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
