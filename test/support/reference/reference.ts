import type { Graph, Message, Vocabulary, Workflow } from '@millrace/core';
import { textMessage, textOf } from '@millrace/core';
import { entryOf, loop } from './reference-cycle.ts';
import type { Frame, Person, Place, Reference } from './reference-frame.ts';
import { enter, placeAt, RunFailed } from './reference-frame.ts';
import { isDue, runAlone, runLevel, settle } from './reference-level.ts';
import { groupsOf, levelsOf } from './reference-order.ts';
import type { Trace } from './trace.ts';

/** Environment of a reference run. */
export interface Surroundings {
  /** The run's id as its nodes see it. */
  readonly run?: string;
  readonly vocabulary: Vocabulary;
  readonly person?: Person;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Runs a workflow in one process, one node at a time, with no queue and no store: the plainest reading of what a
 * workflow means. Tests hold the real engine against it.
 */
export async function runReference(
  workflow: Workflow,
  task: readonly Message[],
  { run: id, vocabulary, person, now }: Surroundings,
): Promise<Trace> {
  const run: Reference = {
    id: id ?? 'reference',
    vocabulary,
    compat: workflow.compat === 'chatdev',
    ...(workflow.script === undefined ? {} : { script: workflow.script }),
    person: person ?? ((node) => textMessage('user', 'ACCEPT', node)),
    now: now ?? (() => 0),
    call: callGraph,
    activations: [],
    capped: [],
    counts: new Map(),
  };
  const { activations, capped } = run;
  try {
    const frame = enter(run, workflow.graph, { key: '', task });
    await runGraph(frame);
    const final = resultOf(frame).at(-1);
    const waiting = waitingIn(frame);
    return { activations, calls: [], capped, waiting, ...(final === undefined ? {} : { final }) };
  } catch (error) {
    if (!(error instanceof RunFailed)) throw error;
    const { failure, node } = error;
    return { activations, calls: [], capped, error: node === undefined ? failure : { ...failure, node } };
  }
}

async function runGraph(frame: Frame): Promise<void> {
  const { graph } = frame;
  if (graph.voting) {
    for (const place of frame.places.values()) await runAlone(frame, place);
    return;
  }
  const ids = graph.nodes.map((node) => node.id);
  const next = (node: string) => frame.links.filter(({ edge }) => edge.from === node).map(({ edge }) => edge.to);
  for (const level of levelsOf(groupsOf(ids, next), next, new Set())) {
    const deliveries = await runLevel(frame, level, {
      due: ({ members, cycle }) =>
        cycle ? entryOf(frame, members, startIn(graph, members)) : members.find((node) => isDue(frame, node)),
      loop: (members, entry) => loop(frame, members, entry),
    });
    settle(frame, deliveries);
  }
}

const startIn = (graph: Graph, members: readonly string[]) => graph.start.find((id) => members.includes(id));

/** A subgraph's task is its node's input; its result is everything that its final node has produced. */
async function callGraph(frame: Frame, place: Place, task: readonly Message[]): Promise<readonly Message[]> {
  const { id, graph } = place.node;
  if (graph === undefined) throw new Error(`node "${id}" has no graph`);
  const inner = enter(frame.run, graph, {
    key: frame.key === '' ? id : `${frame.key}/${id}`,
    task: task.length === 0 ? [textMessage('user', '', 'SUBGRAPH')] : task,
  });
  await runGraph(inner);
  const result = resultOf(inner);
  return result.length === 0 ? [textMessage('assistant', '', id)] : result;
}

/** The outputs of the first end node that has any, else of the first sink that has any. */
function resultOf(frame: Frame): readonly Message[] {
  const { graph, places, links } = frame;
  if (graph.voting) return vote([...places.values()]);
  const sinks = graph.nodes.map((node) => node.id).filter((id) => !links.some(({ edge }) => edge.from === id));
  const finals = [...graph.end, ...sinks].map((id) => placeAt(frame, id).outputs);
  return finals.find((outputs) => outputs.length > 0) ?? [];
}

/** The most frequent last answer; blank ones count only among themselves; the first of equals wins. */
function vote(places: readonly Place[]): readonly Message[] {
  const answers = places.flatMap(({ outputs }) => outputs.slice(-1).map(textOf));
  const filled = answers.filter((answer) => answer.trim() !== '');
  const counted = filled.length > 0 ? filled : answers;
  const votes = new Map<string, number>();
  for (const answer of counted) votes.set(answer, (votes.get(answer) ?? 0) + 1);
  const most = Math.max(...votes.values());
  const winner = [...votes].find(([, count]) => count === most)?.[0] ?? '';
  return [textMessage('assistant', winner, 'MAJORITY_VOTE')];
}

function waitingIn({ places }: Frame): Readonly<Record<string, readonly Message[]>> {
  const busy = [...places.values()].filter(({ queue }) => queue.length > 0);
  return Object.fromEntries(busy.map(({ node, queue }) => [node.id, queue.map(({ message }) => message)]));
}
