import type { GraphPlan, Message, MessageRef, ModelUsage, Plan, StateView } from '@millrace/core';
import { carriedData, noModelUsage, omitUndefined, rootScope, runOf, textOf } from '@millrace/core';
import type { CachedRun } from '../commit/cached-run.ts';
import type { RunDescription } from '../contract/runs.ts';
import { summaryOf } from '../ports/store/run-summary.ts';
import { openTasks } from './tasks.ts';

/** Sources of a description. */
interface DescribeContext {
  readonly plan: Plan;
  readonly messages: (refs: readonly MessageRef[]) => Promise<readonly Message[]>;
  /** Without the outputs of nodes. */
  readonly view?: 'head';
}

/** Describes a run, with the latest texts of its nodes. */
export async function describeRun(
  cached: CachedRun,
  { plan, messages, view }: DescribeContext,
): Promise<RunDescription> {
  const run = runOf(cached.state);
  const shown = view === 'head' ? [] : recordsOf(plan.graphs.get('')?.nodes ?? []);
  const lasts = shown.flatMap(({ id, key }) => {
    const last = cached.state.get(key)?.last;
    return last === undefined ? [] : [{ id, last }];
  });
  const origin = cached.state.get('origin') ?? { workflow: plan.graphs.get('')?.id ?? '' };
  const { trace, batch } = origin;
  const budget = cached.state.get('budget');
  const {
    budget: _limit,
    error: _code,
    stopCode: _reason,
    ...summary
  } = summaryOf(cached.run, { record: run, origin, budget });
  const tasks = openTasks(cached, plan);
  const usage = usageByNode(cached.state);
  // The cached run may move on while the messages are read.
  const [seen, seenAt] = [`${cached.version}-${Number.MAX_SAFE_INTEGER}`, cached.at];
  const read = await messages([...lasts.map(({ last }) => last), ...(run.output === undefined ? [] : [run.output])]);
  const output = run.output === undefined ? undefined : read.at(-1);
  return {
    ...summary,
    ...omitUndefined({ trace, batch }),
    seen,
    seenAt,
    outputs: Object.fromEntries(lasts.map(({ id }, at) => [id, textOf(read[at] ?? { content: '' })])),
    dataByNode: Object.fromEntries(
      lasts.flatMap(({ id }, at) => {
        const data = carriedData(read[at] ?? { content: '' });
        return data === undefined ? [] : [[id, data]];
      }),
    ),
    usage: run.usage,
    usageByNode: usage,
    activations: run.activations,
    capped: run.capped ?? [],
    warnings: cached.state.get('warnings') ?? { count: 0, latest: [] },
    tasks,
    ...omitUndefined({ output, budget, recorded: run.recorded, error: run.error, stop: run.stop }),
  };
}

type Nodes = GraphPlan['nodes'];

const recordOf = ({ id }: Nodes[number]) => ({ id, key: `node/${rootScope}/${id}` as const });

const recordsByNodes = new WeakMap<Nodes, ReturnType<typeof recordOf>[]>();

/** Returns the keys of the records of the main graph's nodes, made once for a plan: each start describes its run. */
function recordsOf(nodes: Nodes): readonly ReturnType<typeof recordOf>[] {
  const known = recordsByNodes.get(nodes);
  if (known !== undefined) return known;
  const records = nodes.map(recordOf);
  recordsByNodes.set(nodes, records);
  return records;
}

function usageByNode(state: StateView): Readonly<Record<string, ModelUsage>> {
  const entries = [...state.keys('usage/')].map((key): [string, ModelUsage] => {
    const place = key as `usage/${string}`; // the prefix asked for
    return [place.slice('usage/'.length), state.get(place) ?? noModelUsage];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
