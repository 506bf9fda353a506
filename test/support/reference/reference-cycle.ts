import type { Frame, Link } from './reference-frame.ts';
import { placeAt, RunFailed } from './reference-frame.ts';
import type { Delivery } from './reference-level.ts';
import { isDue, runLevel, settle } from './reference-level.ts';
import type { Group } from './reference-order.ts';
import { groupsOf, levelsOf } from './reference-order.ts';

/** Returns the entry of a cycle: the node that an edge from outside has triggered, else `preferred`, else undefined. */
export function entryOf(frame: Frame, members: readonly string[], preferred?: string): string | undefined {
  const inside = new Set(members);
  const triggered = members.filter((node) =>
    frame.links.some(({ edge, fired }) => fired && edge.trigger && edge.to === node && !inside.has(edge.from)),
  );
  const [entry, second] = triggered;
  if (second !== undefined) {
    throw new RunFailed({ code: 'CYCLE_TWO_ENTRIES', message: `"${entry}" and "${second}" are triggered at once` });
  }
  if (entry !== undefined && preferred !== undefined && entry !== preferred) {
    throw new RunFailed({ code: 'CYCLE_ENTRY_MISMATCH', message: `"${entry}" is triggered, "${preferred}" starts` });
  }
  return entry ?? preferred;
}

/**
 * Sweeps over a cycle until it is left. Deliveries inside count from the end of the level on that they happen in;
 * those to the outside are returned, in order.
 */
export async function loop(frame: Frame, members: readonly string[], entry: string): Promise<readonly Delivery[]> {
  const sweep = sweepOf(frame, members, entry);
  const outside: Delivery[] = [];
  const limit = limitOf(frame, members);
  for (let iteration = 1; limit === null || iteration <= limit; iteration++) {
    const roots = iteration === 1 ? [entry] : members.filter((node) => isDue(frame, node));
    const left = await sweepOnce(frame, sweep.levels(new Set(roots)), {
      members,
      first: iteration === 1 ? entry : undefined,
      outside,
    });
    if (left) return outside;
    if (!frame.links.some((link) => leadsBack(link, members, entry))) return outside;
  }
  frame.run.capped.push(entry);
  return outside;
}

const leadsBack = ({ edge, fired }: Link, members: readonly string[], entry: string) =>
  fired && edge.trigger && edge.to === entry && members.includes(edge.from);

interface Sweep {
  readonly members: readonly string[];
  /** The entry, in the first sweep: it runs without being triggered. */
  readonly first: string | undefined;
  readonly outside: Delivery[];
}

/** One sweep, level by level; true when an edge out of the cycle has fired. */
async function sweepOnce(
  frame: Frame,
  levels: readonly (readonly Group[])[],
  { members, first, outside }: Sweep,
): Promise<boolean> {
  for (const level of levels) {
    const deliveries = await runLevel(frame, level, {
      due: (group) =>
        group.cycle
          ? entryOf(frame, group.members)
          : group.members.find((node) => node === first || isDue(frame, node)),
      loop: (inner, entry) => loop(frame, inner, entry),
    });
    const inside = deliveries.filter((delivery) => members.includes(delivery.to));
    settle(frame, inside);
    const leaving = deliveries.filter((delivery) => !members.includes(delivery.to));
    outside.push(...leaving);
    if (!leaving.some((delivery) => delivery.triggers)) continue;
    for (const link of frame.links) if (members.includes(link.edge.to)) link.fired = false;
    return true;
  }
  return false;
}

function sweepOf(frame: Frame, members: readonly string[], entry: string) {
  const inside = new Set(members);
  const triggered = (node: string) =>
    frame.links
      .filter(({ edge }) => edge.trigger && edge.from === node && inside.has(edge.to))
      .map(({ edge }) => edge.to);
  const groups = groupsOf(members, (node) => triggered(node).filter((to) => to !== entry));
  return { levels: (roots: ReadonlySet<string>) => levelsOf(groups, triggered, roots) };
}

const defaultLimit = 100;

/** Returns the maximum number of sweeps over a cycle; null when something else is trusted to end it. */
function limitOf(frame: Frame, members: readonly string[]): number | null {
  const { maxIterations } = frame.graph;
  if (frame.run.compat) return defaultLimit;
  if (maxIterations !== undefined) return maxIterations === 'unlimited' ? null : maxIterations;
  return members.some((node) => guards(frame, node, members)) ? null : defaultLimit;
}

function guards(frame: Frame, node: string, members: readonly string[]): boolean {
  const { traits } = placeAt(frame, node).definition;
  if (traits?.waits === true) return true;
  return (
    traits?.guard === true &&
    frame.links.some(({ edge }) => edge.trigger && edge.from === node && !members.includes(edge.to))
  );
}
