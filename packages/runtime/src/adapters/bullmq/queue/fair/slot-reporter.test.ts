import type { Wake } from '@millrace/core';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AdmissionRequest } from './admission-script.ts';
import { TenantLimits } from './limits.ts';
import { createSlotReporter } from './slot-reporter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A reporter, the numbers of changes in its reports, and the runs whose wakes were in each. */
function reporterWithReports() {
  const reports: number[] = [];
  const requested: string[][] = [];
  const reporter = createSlotReporter({
    script: {
      async ask({ changes, wakes }: AdmissionRequest) {
        reports.push(changes.length);
        requested.push(wakes.map(({ run }) => run));
        return { within: true, waiting: false, admitted: [] };
      },
      unknown: async (wakes) => wakes,
      limited: async () => [],
      recount: async () => [],
    },
    limits: new TenantLimits(),
    admit: async () => undefined,
    onError: (error) => {
      throw error;
    },
  });
  return { reporter, reports, requested };
}

const wakeOf = (run: string): Wake => ({ run, activation: 'a1', token: 't' });

it('reports nothing of a run that ends within 25 ms', () => {
  const { reporter, reports } = reporterWithReports();
  reporter.change(wakeOf('run_1'), 1);
  vi.advanceTimersByTime(24);
  reporter.change(wakeOf('run_1'), -1);

  vi.advanceTimersByTime(100);

  expect(reports).toEqual([]);
});

it('reports all changes of 25 ms together', () => {
  const { reporter, reports } = reporterWithReports();
  reporter.change(wakeOf('run_1'), 1);
  vi.advanceTimersByTime(20);
  reporter.change(wakeOf('run_2'), 1);

  vi.advanceTimersByTime(5);

  expect(reports).toEqual([2]);
});

it('reports a burst of runs in a moment', () => {
  const { reporter, reports } = reporterWithReports();
  for (let at = 0; at < 16; at++) reporter.change(wakeOf(`run_${at}`), 1);

  vi.advanceTimersByTime(1);

  expect(reports).toEqual([16]);
});

it('requests the admission of all wakes of a turn of the event loop together', async () => {
  const { reporter, requested } = reporterWithReports();

  await Promise.all(['run_1', 'run_2'].map((run) => reporter.requestAdmission([wakeOf(run)])));
  await reporter.requestAdmission([wakeOf('run_3')]);

  expect(requested).toEqual([['run_1', 'run_2'], ['run_3']]);
});

it('requests admission before it closes', async () => {
  const { reporter, requested } = reporterWithReports();

  void reporter.requestAdmission([wakeOf('run_1')]);
  await reporter.close();

  expect(requested).toEqual([['run_1']]);
});
