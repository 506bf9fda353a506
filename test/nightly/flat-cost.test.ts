import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Workflow } from '@millrace/core';
import { connect } from '@millrace/runtime';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RedisServer } from '../support/redis/redis.ts';
import { startRedis } from '../support/redis/redis.ts';
import type { Stage } from '../support/runs/stage.ts';
import { openStage, workflowIn } from '../support/runs/stage.ts';
import { turning } from '../support/runs/turning.ts';

let redis: RedisServer;
let blobs: string;
let stage: Stage;
let connection: Redis;

beforeAll(async () => {
  redis = await startRedis();
  blobs = await mkdtemp(join(tmpdir(), 'millrace-flat-'));
  stage = await openStage({ where: { redisUrl: redis.url, blobs: { type: 'directory', path: blobs } } });
  connection = connect(redis.url, 'test');
});

afterAll(async () => {
  connection.disconnect();
  await stage.close();
  await redis.stop();
  await rm(blobs, { recursive: true, force: true });
});

/** Commands and bytes that Redis received, processor time used, and peak memory of Redis since the last reading. */
interface Reading {
  readonly commands: number;
  readonly bytes: number;
  readonly cpuMs: number;
  readonly memory: number;
}

async function read(memory: number): Promise<Reading> {
  const info = await connection.info('everything');
  const value = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  const { user, system } = process.cpuUsage();
  return {
    commands: value('total_commands_processed'),
    bytes: value('total_net_input_bytes'),
    cpuMs: (user + system) / 1000 + (value('used_cpu_user') + value('used_cpu_sys')) * 1000,
    memory: Math.max(memory, value('used_memory')),
  };
}

const looks = 10;

/** Runs a workflow with this number of activations and returns the cost of each tenth of the run. */
async function tenthsOf(workflow: Workflow, activations: number, input = 'go'): Promise<readonly Reading[]> {
  const { runs } = stage.runtime;
  const run = await runs.start({ workflow, input });
  const tenths: Reading[] = [];
  let completed = 0;
  let memory = 0;
  let before = await read(0);
  for await (const { event } of runs.watch(run, '0', AbortSignal.timeout(1_700_000))) {
    if (event.type !== 'activation.completed') continue;
    completed++;
    const tenth = activations / 10;
    if (completed % (tenth / looks) !== 0) continue;
    const now = await read(memory);
    memory = now.memory;
    if (completed % tenth !== 0) continue;
    tenths.push({
      commands: now.commands - before.commands,
      bytes: now.bytes - before.bytes,
      cpuMs: now.cpuMs - before.cpuMs,
      memory,
    });
    before = now;
    memory = 0;
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
  }));

/** Returns the ratio of one tenth to an earlier one. */
function growth(tenths: readonly Reading[], from: number, to: number): Reading {
  const [first, last] = [tenths[from], tenths[to]];
  if (first === undefined || last === undefined) throw new Error(`a run came to ${tenths.length} tenths`);
  return {
    commands: last.commands / first.commands,
    bytes: last.bytes / first.bytes,
    cpuMs: last.cpuMs / first.cpuMs,
    memory: last.memory / first.memory,
  };
}

it('takes as long for the last of 100,000 turns as for the first, and no more memory of Redis', async () => {
  const turns = 100_000;
  const tenths = await tenthsOf(turning(turns, stage.vocabulary), 2 * turns);

  const { commands, bytes, memory, cpuMs } = growth(tenths, 0, 9);
  for (const ratio of [commands, bytes, memory]) {
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.1);
  }
  expect(cpuMs).toBeLessThan(1.1);
}, 1_800_000);

it('takes as long for each unit of 200,000', async () => {
  const units = 200_000;
  const tenths = await tenthsOf(mapOfLines(), units, linesOf(units));

  // The first tenth has the splitting in it, and in the last one there is nobody left to be woken.
  const { commands, bytes, cpuMs } = growth([sumOf(tenths.slice(1, 5)), sumOf(tenths.slice(5, 9))], 0, 1);
  expect(commands).toBeLessThan(1.1);
  expect(bytes).toBeLessThan(1.1);
  expect(cpuMs).toBeLessThan(1.1);
}, 1_800_000);

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
