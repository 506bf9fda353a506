import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { showingCopy } from './copy-status.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('shows the progress of a copy that takes longer than half a second', async () => {
  const shown: string[] = [];
  const status = (text: string) => void shown.push(text);

  const made = await showingCopy({ status }, async ({ onProgress }) => {
    onProgress?.({ done: 10, total: 40 });
    expect(shown).toEqual([]);
    vi.advanceTimersByTime(500);
    onProgress?.({ done: 20, total: 40 });
    return 'run_1';
  });

  expect(made).toBe('run_1');
  expect(shown).toEqual([
    'copying the history: 10 of 40 activations',
    'copying the history: 20 of 40 activations',
    'copied the history: 40 activations',
  ]);
});

it('shows nothing of a quick one, of a short history, and where no terminal is', async () => {
  const shown: string[] = [];
  const status = (text: string) => void shown.push(text);

  await showingCopy({ status }, async ({ onProgress }) => onProgress?.({ done: 10, total: 40 }));
  await showingCopy({ status }, async () => vi.advanceTimersByTime(5000));
  await showingCopy({}, async (options) => expect(options).toEqual({}));

  expect(shown).toEqual([]);
});
