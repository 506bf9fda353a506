import type { Workflow } from '@millrace/core';
import { connect } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../support/fixtures.ts';
import { startRedis } from '../support/redis/redis.ts';
import { openStage, workflowIn } from '../support/runs/stage.ts';
import { turning } from '../support/runs/turning.ts';

/** Time within which one of these runs ends, in milliseconds. */
const patience = 3_600_000;

const redis = openBeforeAll(startRedis);
const blobs = directoryBeforeAll();
const stage = openBeforeAll(() =>
  openStage({ where: { redisUrl: redis.url, blobs: { type: 'directory', path: blobs } } }),
);
const connection = openBeforeAll(() => connect(redis.url, 'test'));

/**
 * Commands and bytes that Redis received, processor time used, and since the last reading the peak memory of Redis and
 * the smallest heap of this process, which is what it holds after a collection.
 */
interface Reading {
  readonly commands: number;
  readonly bytes: number;
  readonly cpuMs: number;
  readonly memory: number;
  readonly heap: number;
}

async function read({ memory, heap }: Pick<Reading, 'memory' | 'heap'>): Promise<Reading> {
  const info = await connection.info('everything');
  const value = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  const { user, system } = process.cpuUsage();
  return {
    commands: value('total_commands_processed'),
    bytes: value('total_net_input_bytes'),
    cpuMs: (user + system) / 1000 + (value('used_cpu_user') + value('used_cpu_sys')) * 1000,
    memory: Math.max(memory, value('used_memory')),
    heap: Math.min(heap, process.memoryUsage().heapUsed),
  };
}

/** Readings per tenth of a run. */
const looks = 100;
const unread = { memory: 0, heap: Number.POSITIVE_INFINITY };

/** Runs a workflow with this number of activations and returns the cost of each tenth of the run. */
async function tenthsOf(workflow: Workflow, activations: number, input = 'go'): Promise<readonly Reading[]> {
  const { runs } = stage.runtime;
  const run = await runs.start({ workflow, input });
  const tenths: Reading[] = [];
  let completed = 0;
  let extremes: Pick<Reading, 'memory' | 'heap'> = unread;
  let before = await read(unread);
  for await (const { event } of runs.watch(run, '0', AbortSignal.timeout(patience))) {
    if (event.type !== 'activation.completed') continue;
    completed++;
    const tenth = activations / 10;
    if (completed % (tenth / looks) !== 0) continue;
    const now = await read(extremes);
    extremes = now;
    if (completed % tenth !== 0) continue;
    tenths.push({
      commands: now.commands - before.commands,
      bytes: now.bytes - before.bytes,
      cpuMs: now.cpuMs - before.cpuMs,
      memory: now.memory,
      heap: now.heap,
    });
    before = now;
    extremes = unread;
  }
  expect((await runs.describe(run))?.status).toBe('completed');
  return tenths;
}

/** Returns the total cost of several tenths, and the peak memory of Redis in them. */
const sumOf = (tenths: readonly Reading[]): Reading =>
  tenths.reduce((sum, tenth) => ({
    commands: sum.commands + tenth.commands,
    bytes: sum.bytes + tenth.bytes,
    cpuMs: sum.cpuMs + tenth.cpuMs,
    memory: Math.max(sum.memory, tenth.memory),
    heap: Math.min(sum.heap, tenth.heap),
  }));

/** Returns the ratio of one tenth to an earlier one. */
function growth(tenths: readonly Reading[], from: number, to: number): Reading {
  const [first, last] = [tenths[from], tenths[to]];
  if (first === undefined || last === undefined) throw new Error(`a run has ${tenths.length} tenths`);
  return {
    commands: last.commands / first.commands,
    bytes: last.bytes / first.bytes,
    cpuMs: last.cpuMs / first.cpuMs,
    memory: last.memory / first.memory,
    heap: last.heap / first.heap,
  };
}

it(
  'takes as much time and memory for the last of 1,000,000 activations as for the first',
  async () => {
    const iterations = 500_000;
    const tenths = await tenthsOf(turning(iterations, stage.vocabulary), 2 * iterations);

    const { commands, bytes, memory, cpuMs } = growth(tenths, 0, 9);
    for (const [name, ratio] of Object.entries({ commands, bytes, memory })) {
      expect(ratio, name).toBeGreaterThan(0.9);
      expect(ratio, name).toBeLessThan(1.1);
    }
    expect(cpuMs, 'cpuMs').toBeLessThan(1.1);
    // Caches of this process fill in the first half.
    expect(growth(tenths, 5, 9).heap).toBeLessThan(1.15);
  },
  patience,
);

it(
  'takes as long for each unit of 200,000',
  async () => {
    const units = 200_000;
    const tenths = await tenthsOf(mapOfLines(), units, linesOf(units));

    // The first tenth has the splitting in it, and in the last one no activation is left to be woken.
    const { commands, bytes, cpuMs } = growth([sumOf(tenths.slice(1, 5)), sumOf(tenths.slice(5, 9))], 0, 1);
    expect(commands).toBeLessThan(1.1);
    expect(bytes).toBeLessThan(1.1);
    expect(cpuMs).toBeLessThan(1.1);
  },
  patience,
);

/** A text whose lines are fanned out to a node that only passes its line on. */
const mapOfLines = (): Workflow =>
  workflowIn(
    `graph:
  id: units
  nodes:
    - {id: List, type: passthrough, config: {}}
    - {id: Unit, type: passthrough, config: {}}
  edges: [{from: List, to: Unit, dynamic: {type: map, config: {split_type: lines, max_parallel: 1000}}}]
`,
    stage.vocabulary,
  );

const linesOf = (count: number): string => Array.from({ length: count }, (_, at) => `unit ${at}`).join('\n');
