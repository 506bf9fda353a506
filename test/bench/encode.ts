import { createHash } from 'node:crypto';
import { ScriptCommand } from '@millrace/runtime/script-command';
import { Command } from 'ioredis';
import type { Line } from './report/line.ts';
import { median } from './report/line.ts';

const text = "return 'a script of which only the digest is sent'";
const script = { text, digest: createHash('sha1').update(text).digest('hex') };
const keys = Array.from({ length: 12 }, (_, at) => `{millrace:run_0123456789abcdef}:f1:part${at}`);
/** As in a commit of an activation: versions and nonces, names of fields, and records as JSON, some of them long. */
const args = Array.from({ length: 50 }, (_, at) =>
  at % 3 === 0
    ? String(at * 1000)
    : at % 3 === 1
      ? `activation/a${at}`
      : JSON.stringify({ at, text: 'x'.repeat(at * 6) }),
);
const values = [...keys, ...args];
const socket = { write: () => true };
const rounds = 5;

/** Compares the time of encoding a commit with that of the client's own command. */
export function encodeLine(commits: number, report: (line: string) => void): Line {
  report('encode');
  const sides = {
    floor: () => new Command('evalsha', [script.digest, String(keys.length), ...values]).toWritable(socket),
    millrace: () => new ScriptCommand(script, { keyCount: keys.length, values: [keys, args] }).toWritable(socket),
  };
  // The first command on a socket sends the text; what the compiler has not seen is slow.
  microseconds(sides.floor, commits);
  microseconds(sides.millrace, commits);
  const pairs = Array.from({ length: rounds }, () => ({
    floor: microseconds(sides.floor, commits),
    millrace: microseconds(sides.millrace, commits),
  }));
  return {
    floor: median(pairs.map(({ floor }) => floor)),
    millrace: median(pairs.map(({ millrace }) => millrace)),
    ratio: median(pairs.map(({ floor, millrace }) => millrace / floor)),
    unit: `µs to encode a commit of ${values.length} arguments`,
  };
}

function microseconds(encode: () => unknown, times: number): number {
  const { user, system } = process.cpuUsage();
  for (let done = 0; done < times; done++) encode();
  const after = process.cpuUsage();
  return (after.user - user + after.system - system) / times;
}
