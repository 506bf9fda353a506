import type { ActivationId, Event, EventType, JournalEntry, ScopeId } from '@millrace/core';
import { visibleName } from '../output/terminal/visible-text.ts';
import type { PlanSummary } from './plan-summary.ts';

/** Returns a function that states each event in a sentence; undefined for events that matter to Millrace alone. */
export function createSentences(plan: PlanSummary): (entry: JournalEntry) => string | undefined {
  const names = createNames(plan);
  return ({ event }) => {
    names.note(event);
    // The table pairs each type with the sentence of that very type.
    const sentence = sentences[event.type] as Sentence<Event> | undefined;
    return sentence?.(event, names);
  };
}

type EventOf<T extends EventType> = Extract<Event, { readonly type: T }>;
type Sentence<E extends Event> = (event: E, names: Names) => string;

/** Names of nodes and activations, which events refer to by number. */
interface Names {
  note(event: Event): void;
  node(scope: ScopeId, node: number): string;
  /** The node of an activation, with the number of its unit. */
  of(activation: ActivationId): string;
  /** The node at which a cycle or a fan-out was entered. */
  scope(scope: ScopeId): string;
  /** Nodes of an item of a graph. */
  item(scope: ScopeId, item: number): readonly string[];
}

function createNames(plan: PlanSummary): Names {
  const graphs = new Map<ScopeId, string>();
  const scopes = new Map<ScopeId, string>();
  const activations = new Map<ActivationId, string>();
  const graphOf = (scope: ScopeId): string => graphs.get(scope) ?? '';
  const node = (scope: ScopeId, index: number): string => {
    const key = graphOf(scope);
    const id = plan.graphs.get(key)?.nodes[index]?.id ?? 'The vote';
    return visibleName(key === '' ? id : `${key}/${id}`);
  };
  return {
    node,
    of: (activation) => activations.get(activation) ?? activation,
    scope: (scope) => scopes.get(scope) ?? scope,
    item: (scope, item) =>
      (plan.graphs.get(graphOf(scope))?.items[item]?.members ?? []).map((index) => node(scope, index)),
    note(event) {
      if (event.type === 'graph.entered') graphs.set(event.scope, event.graph);
      if (event.type === 'cycle.entered' || event.type === 'fanout.entered') {
        graphs.set(event.scope, graphOf(event.parent));
        scopes.set(event.scope, node(event.scope, event.type === 'cycle.entered' ? event.entry : event.node));
      }
      if (event.type === 'activation.ready') {
        const unit = event.unit === undefined ? '' : ` (item ${event.unit + 1})`;
        activations.set(event.activation, node(event.scope, event.node) + unit);
      }
    },
  };
}

const sentences: { readonly [T in EventType]?: Sentence<EventOf<T>> } = {
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
  'items.skipped': ({ scope, items }, { item }) =>
    `Nothing triggered ${items.flatMap((one) => item(scope, one)).join(', ')}: skipped.`,
  'cycle.iterated': ({ scope, iteration }, names) =>
    `The loop at ${names.scope(scope)} started iteration ${iteration}.`,
  'cycle.left': ({ scope, reason }, names) =>
    reason === 'limit'
      ? `The loop at ${names.scope(scope)} reached its iteration limit and was left.`
      : `The loop at ${names.scope(scope)} was left.`,
  'fanout.entered': ({ scope, units }, names) => `${names.scope(scope)} started for ${units.length} items.`,
  'fanout.left': ({ scope }, names) => `${names.scope(scope)} finished all of its items.`,
  'scope.stopping': ({ name, stop }) =>
    `${name === '' ? 'A graph' : `The scope ${visibleName(name)}`} is stopping: ${stop.text}`,
  'activation.ready': ({ activation }, { of }) => `${of(activation)} became ready (${activation}).`,
  'activation.started': ({ activation, attempt, worker }, { of }) =>
    `${of(activation)} started on the worker ${worker}${attempt > 1 ? `, attempt ${attempt}` : ''}.`,
  'activation.postponed': ({ activation, until }, { of }) =>
    `${of(activation)} was postponed until ${new Date(until).toISOString()}.`,
  'activation.suspended': ({ activation, wait }, { of }) =>
    `${of(activation)} waits for an answer${wait.prompt === '' ? '.' : `: ${firstLine(wait.prompt)}`}`,
  'activation.answered': ({ activation }, { of }) => `${of(activation)} was answered.`,
  'activation.renewed': ({ activation }, { of }) =>
    `${of(activation)} withdrew its question, because it got more input.`,
  'activation.short': ({ activation }, { of }) => `${of(activation)} waits for room in the budget.`,
  'activation.completed': ({ activation, outputs, failure }, { of }) => {
    const count = outputs.length === 1 ? 'one output' : `${outputs.length === 0 ? 'no' : outputs.length} outputs`;
    const after = failure === undefined ? '' : ` after a failure: ${failure.message} [${failure.code}]`;
    return `${of(activation)} completed with ${count}${after === '' ? '.' : after}`;
  },
  'activation.failed': ({ activation, error }, { of }) => `${of(activation)} failed: ${error.message} [${error.code}]`,
  'activation.dropped': ({ activation }, { of }) => `${of(activation)} was dropped.`,
  'step.started': ({ activation, name }, { of }) => `${of(activation)} called ${visibleName(name)}.`,
  'step.completed': ({ activation, usage, failed }, { of }) => {
    const tokens = usage === undefined ? '' : ` (${usage.promptTokens} + ${usage.completionTokens} tokens)`;
    return `The call of ${of(activation)} ${failed ? 'failed' : 'returned'}${tokens}.`;
  },
  'files.changed': ({ activation }, { of }) => `${of(activation)} changed files.`,
};

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
