import type { Command, Wake } from '@millrace/core';
import type { Runs } from '@millrace/runtime';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SupervisedAttempt } from './attempt-supervisor.ts';
import { AttemptSupervisor } from './attempt-supervisor.ts';

describe('the supervisor of attempts', () => {
  const claimed: string[] = [];
  let known: boolean;
  const runs = {
    async submit(_run: string, command: Command) {
      if (command.type === 'claim') claimed.push(command.activation);
      return { type: 'accepted' };
    },
    refresh: async () => (known ? await new Promise<never>(() => undefined) : undefined),
  } as unknown as Runs; // It uses these two.
  let supervisor: AttemptSupervisor;
  let stopping: AbortController;

  beforeEach(() => {
    vi.useFakeTimers();
    claimed.length = 0;
    known = true;
    supervisor = new AttemptSupervisor(runs, 'w');
    stopping = new AbortController();
  });
  afterEach(() => vi.useRealTimers());

  function begin(activation: Wake['activation']): SupervisedAttempt & { readonly reasons: unknown[] } {
    const reasons: unknown[] = [];
    const attempt = {
      wake: { run: 'r', activation, token: 't' },
      startedAt: performance.now(),
      stopSignal: stopping.signal,
      log: pino({ level: 'silent' }),
      abort: (reason: unknown) => void reasons.push(reason),
      reasons,
    };
    supervisor.begin(attempt);
    return attempt;
  }

  it('announces an attempt after 50 ms, each at its own time', () => {
    begin('a1');
    vi.advanceTimersByTime(30);
    begin('a2');

    vi.advanceTimersByTime(20);
    expect(claimed).toEqual(['a1']);
    vi.advanceTimersByTime(29);
    expect(claimed).toEqual(['a1']);
    vi.advanceTimersByTime(1);
    expect(claimed).toEqual(['a1', 'a2']);
  });

  it('announces no attempt that ends before, and sets no timer without attempts', () => {
    supervisor.end(begin('a1'));
    vi.advanceTimersByTime(50);

    expect([claimed, vi.getTimerCount()]).toEqual([[], 0]);
  });

  it('aborts an announced attempt when the worker stops, and a recent one as soon as it is announced', () => {
    const announced = begin('a1');
    vi.advanceTimersByTime(50);
    const recent = begin('a2');
    stopping.abort('stop');

    expect([announced.reasons, recent.reasons]).toEqual([['stop'], []]);
    vi.advanceTimersByTime(50);
    expect([recent.reasons, claimed]).toEqual([['stop'], ['a1']]);
  });

  it('aborts an announced attempt whose run is gone', async () => {
    const attempt = begin('a1');
    known = false;
    await vi.advanceTimersByTimeAsync(550);

    expect(attempt.reasons).toEqual([new Error('the run has been stopped, or has ended, without this activation')]);
  });

  it('ignores an attempt that has ended', () => {
    const attempt = begin('a1');
    vi.advanceTimersByTime(50);
    supervisor.end(attempt);
    stopping.abort('stop');

    expect([attempt.reasons, vi.getTimerCount()]).toEqual([[], 0]);
  });
});
