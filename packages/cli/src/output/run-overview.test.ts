import type { Run } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { overviewText } from './run-overview.ts';

const run: Run = {
  runId: 'run_1',
  workflow: 'poem',
  plan: 'hash',
  status: 'waiting',
  tags: [],
  startedAt: 0,
  output: null,
  outputs: {},
  data: null,
  dataByNode: {},
  trace: null,
  usage: { calls: 2, promptTokens: 10, completionTokens: 5, microUsd: 1500 },
  usageByNode: {},
  budget: null,
  activations: 3,
  capped: [],
  warnings: { count: 0, latest: [] },
  error: null,
  stop: null,
  tasks: [],
};
const prompt = 'Please read the whole of this long draft and say what is wrong with it.';
const task = { id: 'run_1.a2', runId: 'run_1', node: 'Reader', prompt, input: '', askedAt: 60_000 };
const overview = { run, nodes: [{ node: 'Reader', status: 'waiting' as const }], errors: [], tasks: [task] };

describe('the page about a run', () => {
  it('fits narrow terminals: no line is wider, and no word is lost', () => {
    const text = overviewText(overview, { now: 120_000, width: 40 });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
    expect(text.replace(/\s+/g, ' ')).toContain(`Reader, 1m ago: ${prompt}`);
  });

  it('keeps ids and commands whole where they are wider than the terminal', () => {
    const id = 'run_01a2226d70e6772b903368f5f9abfd21';
    const long = { ...overview, run: { ...run, runId: id }, tasks: [{ ...task, runId: id, id: `${id}.a2` }] };
    const lines = overviewText(long, { now: 120_000, width: 40 }).split('\n');
    expect(lines[0]).toBe(`Run       ${id}`);
    expect(lines.at(-1)).toBe(`          millrace answer ${id}.a2 "…"`);
  });

  it('names the task of the run', () => {
    const titled = { ...run, title: 'Write a poem\nabout rain' };
    const text = overviewText({ ...overview, run: titled }, { now: 120_000, width: undefined });
    expect(text).toContain('Workflow  poem\nTitle     Write a poem about rain\n');
  });

  it('says what caches have saved, or cost in addition', () => {
    const cost = (usage: Partial<Run['usage']>) => {
      const used = { ...run, usage: { ...run.usage, ...usage } };
      return /Cost +(.*)/.exec(overviewText({ ...overview, run: used }, { now: 120_000, width: undefined }))?.[1];
    };
    expect(cost({ cachedTokens: 8, cacheWriteTokens: 2, savedMicroUsd: 700 })).toBe(
      '$0.0015, 2 model calls, 15 tokens, 8 of them read from caches, 2 written to caches, $0.0007 saved by caches',
    );
    expect(cost({ cacheWriteTokens: 9, savedMicroUsd: -40 })).toContain('$0.00004 more for writing to caches');
  });

  it('has one line for each fact in a pipe', () => {
    const text = overviewText(overview, { now: 120_000, width: undefined });
    expect(text).toContain(`Question  Reader, 1m ago: ${prompt}\n`);
    expect(text).toContain('Cost      $0.0015, 2 model calls, 15 tokens');
  });

  it('says what a replay took from its recording', () => {
    const recorded = { calls: 1, promptTokens: 20, completionTokens: 4, microUsd: 2000 };
    const text = overviewText({ ...overview, run: { ...run, recorded } }, { now: 120_000, width: undefined });
    expect(text).toContain('Cost      $0.0015, 2 model calls, 15 tokens\n');
    expect(text).toContain('Recorded  $0.002, 1 model call, 24 tokens from the recording, not charged\n');
  });

  it('shows the events and times that its nodes wait for', () => {
    const event = { type: 'event' as const, since: 0, event: 'payment.received', until: 3_600_000 };
    const time = { type: 'time' as const, since: 60_000, until: 43_200_000 };
    const nodes = [
      { node: 'Paid', status: 'waiting' as const, waitsFor: event },
      { node: 'Noon', status: 'waiting' as const, waitsFor: time },
    ];

    const text = overviewText({ ...overview, nodes, tasks: [] }, { now: 180_000, width: undefined });

    expect(text).toContain(
      'Waits     Paid waits for the event payment.received until 1970-01-01T01:00:00.000Z, since 3m\n',
    );
    expect(text).toContain('Noon waits until 1970-01-01T12:00:00.000Z, since 2m\n');
  });

  it('escapes control characters', () => {
    const text = overviewText({ ...overview, tasks: [{ ...task, prompt: '\u001b[2J' }] }, { now: 0, width: 60 });
    expect(text).not.toContain('\u001b');
  });
});
