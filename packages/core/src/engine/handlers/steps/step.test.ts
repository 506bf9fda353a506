import { describe, expect, it } from 'vitest';
import { TableRun, vote } from '../../../../test-support/table-run.ts';
import type { Settlement } from '../../commands/settlement.ts';
import type { CompleteStepCommand, StartStepCommand } from './step.ts';

/** A run whose only activation has begun its first step. */
function runInStep() {
  const run = new TableRun(vote);
  const token = run.tokenOf('a1');
  const start = (step: number): StartStepCommand => ({
    type: 'step.start',
    activation: 'a1',
    token,
    step,
    name: 'ask',
    request: `q${step}`,
  });
  const result = (text: string): CompleteStepCommand => ({
    ...start(0),
    type: 'step.complete',
    bodies: [{ role: 'tool', content: text }],
  });
  run.tell(start(0));
  return { run, token, start, result };
}

const completed: Settlement = { type: 'completed', outputs: [], routes: [] };

describe('a command that brings the result of a step', () => {
  it('stores the result before it is decided', () => {
    const { run, start, result } = runInStep();

    const verdict = run.ask({ ...start(1), completes: result('one') });

    expect([verdict, run.last]).toEqual(['accepted', ['step.completed', 'step.started']]);
  });

  it('is refused after the result of another attempt, in the same commit, too', () => {
    const { run, token, start, result } = runInStep();
    const settle = { type: 'settle', activation: 'a1', token, result: completed, steps: 1, bodies: [] } as const;

    const verdicts = run.tell(
      result('first'),
      { ...start(1), completes: result('late') },
      { ...settle, completes: result('late') },
    );

    const late = expect.objectContaining({ type: 'refused', code: 'STEP_COMPLETED' });
    expect([verdicts, run.last]).toEqual([[{ type: 'accepted' }, late, late], ['step.completed']]);
  });

  it('leaves the result when it is refused itself', () => {
    const { run, start, result } = runInStep();

    const verdict = run.ask({ ...start(1), tallies: { calls: 7 }, completes: result('one') });

    expect([verdict, run.last]).toEqual(['TALLY_MOVED', ['step.completed']]);
  });
});
