import type { Workflow } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { keysOf } from './kept-keys.ts';
import type { Line } from './report/line.ts';
import type { Place } from './workload/scenarios.ts';
import { loopThatWaits, question, talk } from './workload/workflows.ts';

/** Measurements of memory, by the names that results have. */
export const keptNames = ['bytes', 'loopState', 'waitBytes'] as const;

/** One of them. */
export type KeptName = (typeof keptNames)[number];

/**
 * Measures the memory that runs use in Redis, by its own account of each key. All of them are measured while they wait
 * for an answer, and the memory that every run uses whatever its size cancels out.
 */
export async function keptBy(
  place: Place,
  names: readonly KeptName[],
): Promise<Readonly<Partial<Record<KeptName, Line>>>> {
  const lines: Partial<Record<KeptName, Line>> = {};
  for (const name of names) lines[name] = await measures[name](place);
  return lines;
}

const measures: Readonly<Record<KeptName, (place: Place) => Promise<Line>>> = {
  bytes: async (place) => ({
    millrace: await slope(place, talk, () => true),
    unit: 'bytes in Redis per activation: state, journal and a message of 100 characters',
  }),
  loopState: async (place) => ({
    millrace: await slope(place, loopThatWaits, isState),
    unit: 'bytes that the state of a run grows by per turn of a loop',
  }),
  waitBytes: async (place) => ({
    millrace: await bytesOf(place, question(), () => true),
    unit: 'bytes in Redis of a run that waits for an answer',
  }),
};

/** Of a run's keys, those that its next step needs: not its history. */
const isState = (key: string): boolean => !/:(journal|messages|archive:journal)$/.test(key);

async function slope(
  place: Place,
  workflow: (size: number) => Workflow,
  counts: (key: string) => boolean,
): Promise<number> {
  const { small, large } = place.sizes.kept;
  const less = await bytesOf(place, workflow(small), counts);
  const more = await bytesOf(place, workflow(large), counts);
  return (more - less) / (large - small);
}

async function bytesOf(
  { bench, connection }: Place,
  workflow: Workflow,
  counts: (key: string) => boolean,
): Promise<number> {
  const run = await bench.leave(workflow);
  const keys = (await keysOf(connection, run)).filter(counts);
  const sizes = await Promise.all(keys.map((key) => connection.memory('USAGE', key, 'SAMPLES', 0)));
  await bench.runtime.runs.answer(run, undefined, { message: textMessage('user', 'ok', 'person') });
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}
