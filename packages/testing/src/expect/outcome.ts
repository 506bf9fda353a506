import type { ActivationId, Event, JournalEntry, MessageRef, Plan, RunId } from '@millrace/core';
import { textOf } from '@millrace/core';
import { beginRunProjection, project } from '@millrace/core/projection';
import type { RunDescription, Runtime, Store } from '@millrace/runtime';
import { findActivation } from '@millrace/runtime';

/** A settled activation of a node. */
export interface SettledActivation {
  readonly id: string;
  /** Path of its node: its id, with those of the enclosing nodes before it in a subgraph. */
  readonly node: string;
  readonly outputs: readonly MessageRef[];
  readonly hasFailed: boolean;
}

/** A message that passed an edge; without a message where the edge carries no data. */
export interface PassedMessage {
  readonly from: string;
  readonly to: string;
  readonly activation: string;
  readonly message?: MessageRef;
}

/** A question that a person was asked. */
export interface AskedQuestion {
  readonly node: string;
  readonly prompt: string;
  readonly activation: string;
}

/** A run of a test, as far as it came. */
export interface Outcome {
  readonly run: RunId;
  readonly description: RunDescription;
  readonly journal: readonly JournalEntry[];
  readonly plan: Plan;
  /** Paths of all nodes. */
  readonly nodes: ReadonlySet<string>;
  readonly activations: readonly SettledActivation[];
  readonly passed: readonly PassedMessage[];
  readonly questions: readonly AskedQuestion[];
  /** Codes of its warnings. */
  readonly warnings: readonly string[];
  /** Path of the node of an activation. */
  nodeOf(activation: string): string | undefined;
  /** The text of a message. */
  textOf(ref: MessageRef): Promise<string>;
  /** The text of all messages that an activation was given. */
  inputOf(activation: string): Promise<string>;
}

/** Activations are numbered as they become ready, so the units of a fan-out have the order of its inputs. */
const numberOf = (activation: string): number => Number(activation.slice(1));

async function readWhole(store: Pick<Store, 'journal'>, run: RunId): Promise<readonly JournalEntry[]> {
  const pages: (readonly JournalEntry[])[] = [];
  for (let after = '0'; ; ) {
    const entries = await store.journal(run, after, page);
    const last = entries.at(-1);
    if (last === undefined) return pages.flat();
    pages.push(entries);
    after = last.id;
  }
}

/** Entries of a journal that are read at a time. */
const page = 10_000;

/** Reads what has become of a run. */
export async function readOutcome(runtime: Pick<Runtime, 'runs' | 'store'>, run: RunId): Promise<Outcome> {
  const { runs, store } = runtime;
  const [description, open] = await Promise.all([runs.describe(run), runs.refresh(run)]);
  if (description === undefined || open === undefined) throw new Error(`there is no run ${run}`);
  const journal = await readWhole(store, run);
  const { plan } = open;
  const entries = located(journal, plan);
  const nodeOf = new Map(entries.map(({ location, event }) => [event.activation as string, location.node]));
  return {
    run,
    description,
    journal,
    plan,
    nodes: nodesOf(plan),
    activations: wholes(entries.flatMap(settledPart)),
    passed: entries
      .flatMap((one) => passedMessages(one, plan))
      .sort((a, b) => numberOf(a.activation) - numberOf(b.activation)),
    questions: entries.flatMap(askedQuestions),
    warnings: entries.flatMap(warningCodes),
    nodeOf: (activation) => nodeOf.get(activation),
    async textOf(ref) {
      const [message] = await runs.messages(run, [ref]);
      return message === undefined ? '' : textOf(message);
    },
    async inputOf(id) {
      // An activation of this journal has the form of its ids.
      const detail = await findActivation({ runs, store }, run, { id: id as ActivationId });
      return (detail?.input ?? []).map(({ text }) => text).join('\n');
    },
  };
}

/** Returns the nodes of a plan, as expectations name them. */
export const nodesOf = ({ graphs }: Plan): ReadonlySet<string> =>
  new Set([...graphs.values()].flatMap(({ key, nodes }) => nodes.map(({ id }) => pathOf(key, id))));

const pathOf = (graph: string, node: string): string => (graph === '' ? node : `${graph}/${node}`);

/** Place of an activation. */
interface Location {
  /** Path of its node. */
  readonly node: string;
  readonly graph: string;
  readonly part: string;
}

type LocatedEntry = {
  readonly location: Location;
  readonly event: Extract<Event, { readonly activation: ActivationId }>;
};

/** Returns the events of activations of nodes with the places of their activations. */
function located(journal: readonly JournalEntry[], plan: Plan): readonly LocatedEntry[] {
  const projection = beginRunProjection();
  const locations = new Map<string, Location>();
  return journal.flatMap((entry): LocatedEntry[] => {
    project(projection, entry);
    const { event } = entry;
    // The count of the votes of a graph belongs to no node.
    if (event.type === 'activation.ready' && event.node >= 0) {
      const graph = projection.scopes.get(event.scope)?.graph ?? '';
      const node = plan.graphs.get(graph)?.nodes[event.node]?.id ?? '';
      locations.set(event.activation, { graph, node: pathOf(graph, node), part: event.part });
    }
    if (!('activation' in event) || event.activation === undefined) return [];
    const location = locations.get(event.activation);
    return location === undefined ? [] : [{ location, event: event as LocatedEntry['event'] }]; // it has an activation
  });
}

interface SettledPart extends SettledActivation {
  readonly part: string;
}

function settledPart({ location: { node, part }, event }: LocatedEntry): readonly SettledPart[] {
  const one = { id: event.activation, node, part };
  switch (event.type) {
    case 'activation.completed':
      return [{ ...one, outputs: event.outputs, hasFailed: event.failure !== undefined }];
    case 'activation.failed':
      return [{ ...one, outputs: [], hasFailed: true }];
    case 'activation.opened':
      return [{ ...one, outputs: [], hasFailed: false }];
    default:
      return [];
  }
}

function passedMessages({ location: { node, graph }, event }: LocatedEntry, plan: Plan): readonly PassedMessage[] {
  if (event.type !== 'activation.completed') return [];
  const { nodes = [], edges = [] } = plan.graphs.get(graph) ?? {};
  return event.routes.flatMap(({ edge, dropped, message }) => {
    const taken = edges[edge];
    if (taken === undefined || dropped) return [];
    const to = pathOf(graph, nodes[taken.to]?.id ?? '');
    return [{ from: node, to, activation: event.activation, ...(message === undefined ? {} : { message }) }];
  });
}

const askedQuestions = ({ location: { node }, event }: LocatedEntry): readonly AskedQuestion[] =>
  event.type === 'activation.suspended' && event.wait.kind !== 'event'
    ? [{ node, prompt: event.wait.prompt, activation: event.activation }]
    : [];

const warningCodes = ({ event }: LocatedEntry): readonly string[] =>
  event.type === 'activation.completed' ? (event.warnings ?? []).map(({ code }) => code) : [];

/**
 * Returns one activation for each time that a node has settled: each unit of a fan-out counts, a graph inside a node counts
 * once, with the outputs of its end.
 */
function wholes(settled: readonly SettledPart[]): readonly SettledActivation[] {
  const withUnits = new Set(settled.filter(({ part }) => part === 'unit').map(({ node }) => node));
  const closing = new Set(settled.filter(({ part }) => part === 'close').map(({ node }) => node));
  return settled.filter(({ node, part }) => {
    if (part === 'open') return !withUnits.has(node) && !closing.has(node);
    return part !== 'join' && (part !== 'close' || !withUnits.has(node));
  });
}
