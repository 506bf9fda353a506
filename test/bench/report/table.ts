import type { PeerName, Peers } from '../peers/peer.ts';
import { peers as peersByName } from '../peers/peer.ts';
import type { Costs, FigureName, Line } from './line.ts';
import { figureNames } from './line.ts';
import type { LineName, Lines, Result } from './result.ts';
import { assessments, longestAssessment } from './targets.ts';

/** The result for people: a table for each policy, with where we stand against the targets. */
export function tableOf({ always, machine, peers, ...everysec }: Result): string {
  const part = (title: string, lines: Lines) => {
    const named = Object.entries(lines) as [LineName, Line][]; // The keys of Lines are nothing else.
    if (named.length === 0) return [];
    const rows = named.map(([name, line]) => [
      `${name.padEnd(12)}${shown(line.floor)}${shown(line.millrace)}${shown(line.ratio)}  ${line.unit}`,
      ...(line.costs === undefined ? [] : costRows(line.costs)),
      ...(line.longest === undefined ? [] : [longestRow(line.longest)]),
      ...assessments(name, line).map((words) => `${' '.repeat(44)}${words}`),
    ]);
    return [title, header, ...rows.flat(), ''];
  };
  const { cores, load } = machine;
  return [
    ...part('appendfsync everysec', everysec),
    ...part('appendfsync always', always),
    ...(peers === undefined ? [] : [peerTable(peers, everysec)]),
    ...[longestAssessment(everysec) ?? []].flat(),
    `${cores} cores, load ${load.toFixed(1)} before it began; times and processor times depend on it, all other figures do not`,
    '',
  ].join('\n');
}

/** Units of figures of one piece of work, with the divisor of values that are shown in larger ones. */
const units: Readonly<Record<FigureName, { readonly unit: string; readonly divisor?: number }>> = {
  commands: { unit: 'commands of Redis, those inside of scripts included' },
  scripts: { unit: 'scripts' },
  packets: { unit: 'packets that Redis reads' },
  commits: { unit: 'commits' },
  bytes: { unit: 'bytes to Redis' },
  allocated: { unit: 'KB allocated by workers', divisor: 1024 },
  worker: { unit: 'µs of worker processor time, the least of the rounds' },
  redis: { unit: 'µs of Redis processor time, the least of the rounds' },
};

const costRows = (costs: Costs): readonly string[] =>
  figureNames.map((name) => {
    const { unit, divisor = 1 } = units[name];
    const { floor, millrace, ratio } = costs[name];
    return `  ${name.padEnd(10)}${shown(floor / divisor)}${shown(millrace / divisor)}${shown(Number.isFinite(ratio) ? ratio : undefined)}  ${unit}`;
  });

const longestRow = ({ turnMs, commandMs }: NonNullable<Line['longest']>): string =>
  `  ${'longest'.padEnd(20)}${shown(turnMs)}${''.padStart(10)}  ms of processor time in a turn of the event loop; a command of Redis: ${commandMs.toPrecision(3)} ms`;

const header = `${'scenario'.padEnd(12)}${'floor'.padStart(10)}${'millrace'.padStart(10)}${'ratio'.padStart(10)}  unit`;

const shown = (value: number | undefined): string => (value === undefined ? '–' : digits(value)).padStart(10);

const digits = (value: number): string => (Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(3));

/** Returns a table of the peers beside Millrace, as measured in the same run. */
function peerTable(times: Peers, { chain, throughput, map }: Lines): string {
  if (typeof times === 'string') return `${times}\n`;
  const row = (title: string, values: readonly (number | undefined)[]) =>
    `${title.padEnd(28)}${values.map((value) => (value === undefined ? '–' : value.toPrecision(3)).padStart(14)).join('')}`;
  const others = (Object.keys(peersByName) as PeerName[]).map((name) =>
    row(peersByName[name].title, [times[name].chain, times[name].throughput, times[name].map]),
  );
  return [
    'durable peers in the same run',
    `${''.padEnd(28)}${['chain, ms', 'steps a second', 'map, ms'].map((title) => title.padStart(14)).join('')}`,
    row('Millrace with Redis', [chain?.millrace, throughput?.millrace, map?.millrace]),
    ...others,
    '',
  ].join('\n');
}
