import { describe, expect, it } from 'vitest';
import { resume, TableRun, vote } from '../../../test-support/table-run.ts';
import type { AskedCall } from '../../definitions/outcome.ts';
import type { Command } from '../decide/command-handlers.ts';

const wait = { kind: 'approval', prompt: 'Approve?', input: 'task' } as const;

const call = (place: number, more: Partial<AskedCall> = {}): AskedCall => ({
  place,
  tool: 'transfer',
  arguments: `{"amount":${place}}`,
  parameters: '{"type":"object"}',
  rule: 'transfer: ask',
  hash: `h${place}`,
  ...more,
});

/** A run whose only activation asks about these calls. */
function askingRun(...calls: readonly AskedCall[]) {
  const run = new TableRun(vote);
  run.settle('a1', { type: 'suspended', wait, calls });
  return run;
}

type Decide = Extract<Command, { type: 'tool.decide' }>;
const decide = (place: number, more: Partial<Decide> = {}): Decide => ({
  type: 'tool.decide',
  activation: 'a1',
  place,
  asked: `h${place}`,
  decision: 'approve',
  ...more,
});

/** Begins a step that makes a call with this approval. */
const begin = (run: TableRun, step: number, approval?: string): string =>
  run.ask({
    type: 'step.start',
    activation: 'a1',
    token: run.tokenOf('a1'),
    step,
    name: `tool ${step}`,
    request: `q${step}`,
    ...(approval === undefined ? {} : { approval }),
  });

describe('calls that need approval', () => {
  it('are asked about together, and the last decision wakes the activation', () => {
    const run = askingRun(call(1), call(2));
    expect([run.last, run.due, run.run.waiting]).toEqual([['activation.suspended', 'tool.asked', 'tool.asked'], [], 1]);

    expect(run.ask(decide(2, { by: 'ann' }))).toBe('accepted');
    expect([run.last, run.due]).toEqual([['tool.decided'], []]);
    run.ask(decide(1, { decision: 'reject', reason: 'no' }));

    expect([run.last, run.due, run.run.waiting]).toEqual([['tool.decided', 'activation.renewed'], ['a1'], 0]);
    expect(run.state.get('approvals/a1')).toMatchObject([
      { place: 1, arguments: '', parameters: '', decided: { decision: 'reject', reason: 'no', hash: 'h1' } },
      { place: 2, arguments: '', parameters: '', decided: { decision: 'approve', by: 'ann', hash: 'h2' } },
    ]);
  });

  it('are decided on once, at their place, as they were read', () => {
    const run = askingRun(call(1), call(2));
    run.ask(decide(1));

    expect([
      run.ask(decide(1, { decision: 'reject' })),
      run.ask(decide(3)),
      run.ask(decide(2, { asked: 'h1' })),
      run.ask({
        type: 'answer',
        activation: 'a1',
        answer: { role: 'user', source: '', body: 0 },
        bodies: [{ role: 'user', content: 'approve' }],
      }),
    ]).toEqual(['TASK_ANSWERED', 'TASK_UNKNOWN', 'APPROVAL_MISMATCH', 'ANSWER_INVALID']);
  });

  it('are begun again with their approval when they were begun without', () => {
    const run = askingRun(call(1));
    run.ask(decide(1));

    const verdicts = [begin(run, 0), begin(run, 0), begin(run, 0, 'h2'), begin(run, 0, 'h1'), begin(run, 0, 'h1')];

    expect(verdicts).toEqual(['accepted', 'STEP_BEGUN', 'APPROVAL_MISMATCH', 'accepted', 'STEP_BEGUN']);
    expect(run.state.get('step/a1/0')).toMatchObject({ approval: 'h1' });
    expect(begin(run, 1, 'h1')).toBe('APPROVAL_USED');
  });

  it('are other questions than the earlier ones at their places', () => {
    const run = askingRun(call(1), call(2));
    run.tell(decide(1), decide(2));
    run.settle('a1', { type: 'suspended', wait, calls: [call(1, { hash: 'h3' })] });

    expect([run.ask(decide(1)), run.ask(decide(1, { asked: 'h3' }))]).toEqual(['TASK_UNKNOWN', 'TASK_UNKNOWN']);
    expect(run.ask(decide(1, { asked: 'h3', question: 2 }))).toBe('accepted');
    expect(run.journal.at(-2)?.event).toMatchObject({ type: 'tool.decided', place: 1, question: 2 });
  });

  it('are made by one step each, with the approved hash', () => {
    const run = askingRun(call(1), call(2), call(3));
    run.tell(
      decide(1),
      decide(2, { edited: { arguments: '{"amount":5}', hash: 'edited' } }),
      decide(3, { decision: 'reject' }),
    );

    expect([begin(run, 0, 'h2'), begin(run, 0, 'h3'), begin(run, 0, 'other')]).toEqual([
      'APPROVAL_MISMATCH',
      'APPROVAL_MISMATCH',
      'APPROVAL_MISMATCH',
    ]);
    expect([begin(run, 0, 'h1'), begin(run, 1, 'h1'), begin(run, 1, 'edited')]).toEqual([
      'accepted',
      'APPROVAL_USED',
      'accepted',
    ]);
  });

  it('keep what was used when a step before them is made again, which voids the step', () => {
    const run = askingRun(call(1));
    run.ask(decide(1));
    begin(run, 0);
    begin(run, 1, 'h1');
    run.ask({
      type: 'step.start',
      activation: 'a1',
      token: run.tokenOf('a1'),
      step: 0,
      name: 'chat',
      request: 'other',
    });

    expect(begin(run, 1, 'h1')).toBe('APPROVAL_USED');
  });

  it('count as rejected at the end of their time, and the others are still asked about', () => {
    const run = askingRun(call(1, { until: 5000 }), call(2, { until: 9000 }), call(3));
    expect(run.due).toEqual(['alarm/wait-a1']);

    run.now = 5000;
    run.ring();
    expect([run.last, run.ask(decide(1))]).toEqual([
      ['alarm.cleared', 'tool.decided', 'alarm.set'],
      'APPROVAL_EXPIRED',
    ]);
    // The alarm of the second one may come late.
    run.now = 9500;
    expect(run.ask(decide(2))).toBe('APPROVAL_EXPIRED');
    run.ring();

    expect(run.state.get('approvals/a1')?.map(({ decided }) => decided?.decision)).toEqual([
      'expire',
      'expire',
      undefined,
    ]);
    expect(run.due).toEqual([]);
    run.ask(decide(3));
    expect(run.due).toEqual(['a1']);
  });

  it('are withdrawn with the run, and decided on while it is paused', () => {
    const run = askingRun(call(1, { until: 5000 }));
    run.ask({ type: 'pause' });
    expect([run.ask(decide(1)), run.due]).toEqual(['accepted', []]);
    run.ask(resume);
    expect(run.due).toEqual(['a1']);

    const ended = askingRun(call(1, { until: 5000 }));
    ended.ask({ type: 'cancel', reason: 'over' });
    expect([ended.ask(decide(1)), ended.due]).toEqual(['RUN_ENDED', []]);
  });
});
