import type { Span, TimelineRow } from '../../activations/timeline-row.ts';
import { spanOf, workedMs } from '../../activations/timeline-row.ts';

/** Arrangement of a timeline. */
export type Arrangement = 'order' | 'node' | 'iteration';

/** One line of a timeline: an activation, or a group of them that can be opened. */
export type TimelineLine = RowLine | GroupLine;

interface RowLine {
  readonly type: 'row';
  readonly row: TimelineRow;
  readonly depth: number;
}

/** Activations that share a line while their group is folded. */
export interface GroupLine {
  readonly type: 'group';
  readonly key: string;
  readonly title: string;
  readonly kind: 'units' | 'iteration' | 'node';
  readonly rows: readonly TimelineRow[];
  readonly depth: number;
  readonly isOpen: boolean;
}

/** Rows up to which a group is open from the start. */
const fewRows = 12;
/** Rows of a whole timeline up to which its iterations are open from the start. */
const shortTimeline = 200;

interface LinesOptions {
  readonly by: Arrangement;
  /** Keys of groups that people have opened or folded. */
  readonly toggled: ReadonlySet<string>;
}

/** Returns the lines of a timeline: activations in their order, units of a fan-out and iterations of a loop as groups. */
export function linesOf(rows: readonly TimelineRow[], { by, toggled }: LinesOptions): readonly TimelineLine[] {
  const isShort = rows.length <= shortTimeline;
  const opened = (group: Group, isOpenAtFirst: boolean): GroupLine => ({
    type: 'group',
    isOpen: toggled.has(group.key) !== (isShort && isOpenAtFirst),
    ...group,
  });
  return partsOf(rows, by).flatMap(({ key, title, kind, members }): readonly TimelineLine[] => {
    if (kind === undefined) return linesOfUnits(members, { depth: 0, under: '', opened });
    const group = opened({ key, title, kind, rows: members, depth: 0 }, kind === 'iteration');
    return group.isOpen ? [group, ...linesOfUnits(members, { depth: 1, under: `${key} `, opened })] : [group];
  });
}

type Group = Omit<GroupLine, 'type' | 'isOpen'>;

interface UnitsOptions {
  readonly depth: number;
  /** Beginning of the keys of the groups. */
  readonly under: string;
  readonly opened: (group: Group, isOpenAtFirst: boolean) => GroupLine;
}

function linesOfUnits(
  members: readonly TimelineRow[],
  { depth, under, opened }: UnitsOptions,
): readonly TimelineLine[] {
  return unitRuns(members).flatMap((rows): readonly TimelineLine[] => {
    const [first] = rows;
    if (first === undefined) return [];
    if (rows.length === 1) return [{ type: 'row', row: first, depth }];
    const key = `${under}units ${first.id}`;
    const group = opened({ key, title: first.node, kind: 'units', rows, depth }, rows.length <= fewRows);
    const inside = rows.map((row): TimelineLine => ({ type: 'row', row, depth: depth + 1 }));
    return group.isOpen ? [group, ...inside] : [group];
  });
}

interface Part {
  readonly key: string;
  readonly title: string;
  /** Absent: the rows have no group. */
  readonly kind?: 'iteration' | 'node';
  readonly members: readonly TimelineRow[];
}

function partsOf(rows: readonly TimelineRow[], by: Arrangement): readonly Part[] {
  if (by === 'node') return byNode(rows);
  const parts = iterationRuns(rows);
  return by === 'iteration' ? merged(parts) : parts;
}

function byNode(rows: readonly TimelineRow[]): readonly Part[] {
  const parts = new Map<string, { title: string; members: TimelineRow[] }>();
  for (const row of rows) {
    const title = nodeNameOf(row);
    const part = parts.get(title) ?? { title, members: [] };
    part.members.push(row);
    parts.set(title, part);
  }
  return [...parts].map(([key, part]) => ({ key: `node ${key}`, kind: 'node', ...part }));
}

/** Splits rows where the iteration of the loop around them changes. */
function iterationRuns(rows: readonly TimelineRow[]): readonly Part[] {
  const parts: {
    key: string;
    title: string;
    kind?: 'iteration';
    iteration: number | undefined;
    graph: string;
    members: TimelineRow[];
  }[] = [];
  for (const row of rows) {
    const last = parts.at(-1);
    if (
      last !== undefined &&
      last.iteration === row.iteration &&
      (row.iteration === undefined || last.graph === row.graph)
    )
      last.members.push(row);
    else {
      const of = row.graph === '' ? '' : `${row.graph}: `;
      const title = row.iteration === undefined ? '' : `${of}Iteration ${row.iteration}`;
      parts.push({
        key: `iteration ${row.id}`,
        title,
        ...(row.iteration === undefined ? {} : { kind: 'iteration' as const }),
        iteration: row.iteration,
        graph: row.graph,
        members: [row],
      });
    }
  }
  return parts;
}

/** Groups parts of the same iteration; parts without an iteration are first. */
function merged(parts: readonly Part[]): readonly Part[] {
  const byTitle = new Map<string, Part & { members: TimelineRow[] }>();
  for (const part of parts) {
    const there = byTitle.get(part.title);
    if (there === undefined) byTitle.set(part.title, { ...part, members: [...part.members] });
    else for (const row of part.members) there.members.push(row);
  }
  const none = byTitle.get('');
  byTitle.delete('');
  const outside: Part[] =
    none === undefined
      ? []
      : [{ key: 'iteration none', title: 'Outside of loops', kind: 'iteration', members: none.members }];
  return [...outside, ...byTitle.values()];
}

/** Splits rows into single ones and units of the same fan-out, which may have others between them. */
function unitRuns(rows: readonly TimelineRow[]): readonly (readonly TimelineRow[])[] {
  const runs: TimelineRow[][] = [];
  const open = new Map<string, TimelineRow[]>();
  for (const row of rows) {
    const place = nodeNameOf(row);
    if (row.unit === undefined) {
      // The activation that opens or closes a fan-out ends the units before it.
      open.delete(place);
      runs.push([row]);
      continue;
    }
    const units = open.get(place);
    if (units === undefined) {
      const started = [row];
      open.set(place, started);
      runs.push(started);
    } else units.push(row);
  }
  return runs;
}

const nodeNameOf = ({ graph, node }: TimelineRow): string => (graph === '' ? node : `${graph}/${node}`);

/** Facts about the rows of a group. */
export interface GroupSummary {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly live: number;
  readonly cancelled: number;
  /** Median working time of the rows, in milliseconds; 0 without settled rows. */
  readonly p50: number;
  readonly p95: number;
  /** Absent: no activation of it has called a model whose price is known. */
  readonly microUsd: number | undefined;
  readonly span: Span | undefined;
}

const hasSettled = ({ settledAt, state }: TimelineRow): boolean => settledAt !== undefined && state !== 'cancelled';

/** Returns facts about the rows of a group. */
export function factsOf(rows: readonly TimelineRow[], now: number): GroupSummary {
  const took = rows.filter(hasSettled).map((row) => workedMs(row, now));
  took.sort((one, other) => one - other);
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  const count = (states: readonly TimelineRow['state'][]) => rows.filter(({ state }) => states.includes(state)).length;
  return {
    total: rows.length,
    completed: count(['completed', 'opened']),
    failed: count(['failed']),
    live: count(['ready', 'working', 'waiting']),
    cancelled: count(['cancelled']),
    p50: at(0.5),
    p95: at(0.95),
    microUsd: sumOfKnown(rows.map(({ microUsd }) => microUsd)),
    span: spanOf(rows, now),
  };
}

/** Adds up the amounts that are known; undefined if none is. */
const sumOfKnown = (amounts: readonly (number | undefined)[]): number | undefined =>
  amounts.reduce((sum, amount) => (amount === undefined ? sum : (sum ?? 0) + amount), undefined);
