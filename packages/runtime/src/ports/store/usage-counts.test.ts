import type { Decision, Event, Origin, RunRecord } from '@millrace/core';
import { durationBucket } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { usageCounts } from './usage-counts.ts';

const at = Date.UTC(2026, 10, 22, 23, 59);
const day = '2026-11-22';
const call = (microUsd?: number): Event => ({
  type: 'step.completed',
  activation: 'a1',
  step: 0,
  result: 'm1',
  model: 'gpt 4/o',
  usage: { promptTokens: 10, completionTokens: 5, ...(microUsd === undefined ? {} : { microUsd }) },
});
const forked: Event = { type: 'run.forked', of: 'r', activation: 'a1', until: 1, token: 't' };
const finished = (status: 'completed' | 'terminated', code?: string): Event => ({
  type: 'run.finished',
  status,
  ...(code === undefined ? {} : { stop: { code, text: '' } }),
});
/** Returns the write of the tokens that calls of a model have lost. */
const lostOf = (model: string, tokens: number) =>
  ({ type: 'set', key: `lost/${model}`, value: { tokens, microUsd: 2 * tokens } }) as const;
const resumed: Event = { type: 'run.resumed', token: 't', segment: 2 };

interface CountedCommit {
  readonly origin?: Origin;
  /** Records before, by their keys. */
  readonly before?: Readonly<Record<string, unknown>>;
  readonly writes?: Decision['writes'];
}

function counted(
  events: readonly Event[],
  run?: Partial<RunRecord>,
  { origin = { workflow: 'poem' }, before, writes = [] }: CountedCommit = {},
): Record<string, number> {
  const records: Readonly<Record<string, unknown>> = { origin, run, ...before };
  const state = { get: (key: string) => records[key] } as Parameters<typeof usageCounts>[0]['state']; // only these two records are read
  const decision: Decision = { events, writes, bodies: [], wakes: [], later: [], settled: [], memory: [] };
  const usage = usageCounts({ state }, decision, at) ?? [];
  return Object.fromEntries(usage.map((count) => [`${count.day} ${count.field}`, count.by]));
}

describe('the usage of a commit', () => {
  it('is that of its calls, by workflow and model', () => {
    expect(counted([call(70), call(30), call()])).toEqual({
      [`${day} poem/gpt%204%2Fo/calls`]: 3,
      [`${day} poem/gpt%204%2Fo/promptTokens`]: 30,
      [`${day} poem/gpt%204%2Fo/completionTokens`]: 15,
      [`${day} poem/gpt%204%2Fo/microUsd`]: 100,
      [`${day} poem/gpt%204%2Fo/unpriced`]: 1,
    });
  });

  it('has the parts of tokens, and the requests to tools of the provider', () => {
    const usage = { promptTokens: 10, completionTokens: 5, cacheWriteTokens: 4, requests: { web_search: 2 } };
    expect(counted([{ ...call(), usage } as Event])).toMatchObject({
      [`${day} poem/gpt%204%2Fo/cacheWriteTokens`]: 4,
      [`${day} poem/gpt%204%2Fo/toolRequests`]: 2,
    });
  });

  it('is beside them what was reserved for calls that were lost, by model, also with the end of the run', () => {
    const before = { 'lost/gpt': lostOf('gpt', 100).value };
    const writes = [lostOf('gpt', 140), lostOf('team/small', 7)];
    expect(counted([finished('completed')], {}, { before, writes })).toEqual({
      [`${day} poem//completed`]: 1,
      [`${day} poem/gpt/lostTokens`]: 40,
      [`${day} poem/gpt/lostMicroUsd`]: 80,
      [`${day} poem/team%2Fsmall/lostTokens`]: 7,
      [`${day} poem/team%2Fsmall/lostMicroUsd`]: 14,
    });
    expect(counted([forked], {}, { writes })).toEqual({});
    expect(counted([], {}, { before, writes: [lostOf('gpt', 100)] })).toEqual({});
  });

  it('has how long a completed run took, except of replays, once', () => {
    const startedAt = at - 5000;
    const took = `${day} poem//took${durationBucket(5000)}`;
    expect(counted([finished('completed')], { startedAt })).toMatchObject({ [took]: 1 });
    expect(Object.keys(counted([finished('terminated')], { startedAt }))).not.toContain(took);
    const ended = { status: 'completed', finishedAt: at, startedAt } as const;
    expect(counted([resumed], ended)).toMatchObject({ [`${day} poem//completed`]: -1, [took]: -1 });
    const replay = { run: 'r', plan: 'p', journal: [] };
    expect(
      Object.keys(counted([finished('completed')], { startedAt }, { origin: { workflow: 'poem', replay } })),
    ).toEqual([`${day} poem//completed`]);
  });

  it('does not count the time between an end and a retry or a fork as time that a run took', () => {
    const run = { startedAt: at - 90_000_000, stoodStillMs: 80_000_000 };
    const took = (ms: number) => `${day} poem//took${durationBucket(ms)}`;
    const write = (stoodStillMs: number) =>
      ({ type: 'set', key: 'run', value: { ...run, stoodStillMs } }) as const satisfies Decision['writes'][number];

    expect(counted([finished('completed')], run)).toMatchObject({ [took(10_000_000)]: 1 });
    // A fork starts at the time of the fork.
    const fork = { startedAt: at - 10_000_000, stoodStillMs: 80_000_000, stoodStillBeforeForkMs: 80_000_000 };
    expect(counted([finished('completed')], fork)).toMatchObject({ [took(10_000_000)]: 1 });
    const ended = { ...run, status: 'completed', finishedAt: at - 5_000_000 } as const;
    // As long as the end that the retry takes back.
    expect(counted([resumed, finished('completed')], ended, { writes: [write(85_000_000)] })).toEqual({});
  });

  it('leaves out the history of a fork, also of a fork of a fork', () => {
    const numbers = counted([call(70), finished('completed'), forked, call(50), forked, call(30)]);
    expect(numbers[`${day} poem/gpt%204%2Fo/microUsd`]).toBe(30);
    expect(numbers[`${day} poem//completed`]).toBeUndefined();
  });

  it('has only the calls of a temporary run that may have cost money', () => {
    const numbers = counted([call(0), call(70), call(), finished('completed')], undefined, {
      origin: { workflow: 'poem', expiresAt: at },
    });
    expect(numbers).toMatchObject({ [`${day} poem/gpt%204%2Fo/calls`]: 2, [`${day} poem/gpt%204%2Fo/microUsd`]: 70 });
    expect(Object.keys(numbers).some((field) => field.endsWith('completed'))).toBe(false);
  });

  it('has the end of the run, and whether its budget stopped it', () => {
    expect(counted([finished('completed')])).toEqual({ [`${day} poem//completed`]: 1 });
    expect(counted([finished('terminated', 'budget')])).toEqual({
      [`${day} poem//terminated`]: 1,
      [`${day} poem//budgetStopped`]: 1,
    });
  });

  it('takes back the end of a run that is continued, on the day of that end', () => {
    const ended = { status: 'failed', finishedAt: at - 48 * 3_600_000 } as const;
    expect(counted([resumed, finished('completed')], ended)).toEqual({
      '2026-11-20 poem//failed': -1,
      [`${day} poem//completed`]: 1,
    });
    expect(counted([resumed], { status: 'paused' })).toEqual({});
    expect(counted([resumed], { status: 'failed', finishedAt: at - 401 * 86_400_000 })).toEqual({});
  });
});
