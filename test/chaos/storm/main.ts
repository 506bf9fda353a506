import { parseArgs } from 'node:util';
import type { StormReport } from './storm.ts';
import { storm } from './storm.ts';

const usage = 'usage: npm run chaos -- [--seconds N] [--seed S] [--json]';

/** `npm run chaos`: a storm, and what it came to. The exit code is 1 when something was lost or came twice. */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' }, json: { type: 'boolean' } },
  });
  const seconds = Number(values.seconds);
  const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed);
  if (!(seconds > 0) || !Number.isInteger(seed)) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const report = await storm({ seconds, seed, say });
  process.stdout.write(`${values.json ? JSON.stringify(report) : tableOf(report)}\n`);
  return report.broken.length > 0 || report.lost > 0 || report.committedTwice > 0 ? 1 : 0;
}

function tableOf({ faults, recoveryMs, leftOut, broken, ...numbers }: StormReport): string {
  const rows = [
    ...Object.entries(numbers),
    ...Object.entries(faults),
    ['recovery p50', `${recoveryMs.p50} ms`],
    ['recovery max', `${recoveryMs.max} ms`],
  ];
  return [
    ...rows.map(([name, value]) => `${String(name).padEnd(20)} ${value}`),
    ...leftOut.map((why) => `left out: ${why}`),
    ...broken,
  ].join('\n');
}
