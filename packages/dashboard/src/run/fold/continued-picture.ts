import type { RunGraphs } from '@millrace/client';
import type { BudgetFacts, LiveActivation, NodeFacts, Picture } from './picture.ts';
import { emptyPicture, factsOf, placeOf } from './picture.ts';
import { enter, graphOf } from './scope-events.ts';
import { tokensOf } from './usage.ts';

type Graph = RunGraphs['graphs'][number];
type Node = Graph['nodes'][number];
type Progress = NonNullable<RunGraphs['progress']>;

/**
 * Returns the picture of a run as of the graphs of the server, to which the events after them are applied. It lacks the
 * beginnings of outputs and the texts of questions, which only events have.
 */
export function continuedPicture({ graphs, progress, ...run }: RunGraphs): Picture {
  const { status, usage, activations, at, budget } = run;
  const picture: Picture = { ...emptyPicture(), status, usage, activations, at, budget: budgetOf(budget) };
  for (const graph of graphs) addGraph(picture, graph);
  for (const scope of progress?.scopes ?? []) addScope(picture, scope, graphs);
  for (const one of progress?.activations ?? []) addLive(picture, one);
  return picture;
}

const budgetOf = (budget: RunGraphs['budget']): BudgetFacts | undefined =>
  // Absent limits are absent in JSON.
  budget === null ? undefined : { ...budget, limit: budget.limit as BudgetFacts['limit'] };

function addGraph(picture: Picture, graph: Graph): void {
  const { key, nodes, edges, cycles } = graph;
  for (const [index, node] of nodes.entries()) {
    const path = key === '' ? node.id : `${key}/${node.id}`;
    if (node.usage !== undefined) picture.usageByNode.set(path, node.usage);
    Object.assign(factsOf(picture, placeOf(key, index)), factsIn(graph, node));
  }
  for (const { index, passed } of edges) if (passed > 0) picture.passes.set(placeOf(key, index), passed);
  // A loop that was never entered has no limit yet.
  for (const { nodes: members, turn, limit } of cycles)
    if (limit !== undefined) picture.cycles.set(cycleOf(key, members), { graph: key, members, limit, turn, open: 0 });
}

const cycleOf = (graph: string, members: readonly number[]): string => `${graph}\n${members.join(' ')}`;

function factsIn({ edges }: Graph, node: Node): Partial<NodeFacts> {
  const { id, runs, activations, last, usage, counter, timer, units } = node;
  const routes = edges.filter(({ from, missed }) => from === id && missed !== true).map(({ index }) => index);
  const started = timer?.startedAt === undefined ? undefined : { ...timer, startedAt: timer.startedAt };
  return {
    runs,
    activations,
    newest: last,
    microUsd: usage?.microUsd ?? 0,
    tokens: usage === undefined ? 0 : tokensOf(usage),
    routes,
    counter: counter?.value,
    timer: started,
    units: units === undefined ? undefined : { ...units, started: units.completed + units.failed + units.live },
  };
}

function addScope(picture: Picture, { id, ...scope }: Progress['scopes'][number], graphs: readonly Graph[]): void {
  const { type: kind, graph, parent } = scope;
  if (scope.type === 'cycle') {
    const members = graphs.find(({ key }) => key === graph)?.cycles[scope.cycle]?.nodes ?? [];
    const cycle = cycleOf(graph, members);
    const facts = picture.cycles.get(cycle);
    if (facts !== undefined) facts.open += 1;
    enter(picture, id, { kind, graph, parent, node: undefined, cycle });
    return;
  }
  const { node } = scope;
  enter(picture, id, { kind, graph, parent, node, ...(scope.type === 'graph' ? {} : { groupSize: scope.groupSize }) });
  const entered = picture.scopes.get(id);
  if (scope.type !== 'graph' && entered !== undefined) entered.outputs = scope.outputs;
  if (node === undefined || parent === undefined) return;
  if (scope.type === 'graph') factsOf(picture, placeOf(graphOf(picture, parent), node)).openCalls += 1;
  else factsOf(picture, placeOf(graph, node)).openUnits += 1;
}

function addLive(picture: Picture, { id, ...one }: Progress['activations'][number]): void {
  const { scope, graph, node, part, unit, state, waitsFor, reserved = [] } = one;
  const amounts: LiveActivation['reserved'] = new Map(reserved.map(({ step, amount }) => [step, amount]));
  picture.live.set(id, { scope, graph, node, part, unit, state, waitsFor, reserved: amounts });
  factsOf(picture, placeOf(graph, node)).live[state] += 1;
  picture.scopes.get(scope)?.live.add(id);
}
