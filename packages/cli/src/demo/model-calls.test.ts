import type { JournalEvent } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { countModelCalls } from './model-calls.ts';

const place = { nodeId: 'Writer', nodeType: 'agent', graph: '' };
const started = (activation: 'a1' | 'a2'): JournalEvent => ({
  type: 'step.started',
  activation,
  ...place,
  step: 0,
  name: 'chat gpt-4o',
  request: 'r',
});
const completed = (activation: 'a1' | 'a2'): JournalEvent => ({
  type: 'step.completed',
  activation,
  ...place,
  step: 0,
  result: 'm1',
  usage: { promptTokens: 10, completionTokens: 5 },
});
const lost: JournalEvent = { type: 'step.lost', activation: 'a2', ...place, step: 0 };

function counted(...events: readonly JournalEvent[]) {
  const calls = countModelCalls();
  for (const event of events) calls.add({ id: '1-0', at: 0, event });
  return calls;
}

describe('the count of model calls', () => {
  it('counts a call that was lost with its worker and repeated as one interrupted and one completed call', () => {
    expect(counted(started('a1'), completed('a1'), started('a2'), lost, completed('a2')).count()).toEqual({
      completed: 2,
      tokens: 30,
      repeated: 0,
      interrupted: 1,
    });
  });

  it('counts a call as repeated that starts or completes again after it was completed', () => {
    expect(counted(started('a1'), completed('a1'), started('a1')).count().repeated).toBe(1);
    expect(counted(started('a1'), completed('a1'), completed('a1')).count().repeated).toBe(1);
  });

  it('numbers calls, and finds the call that an activation waits for', () => {
    const calls = counted(started('a1'), completed('a1'), started('a2'));

    expect([calls.inProgress('a1'), calls.inProgress('a2')]).toEqual([undefined, 2]);
  });

  it('ignores steps other than model calls', () => {
    const tool: JournalEvent = {
      type: 'step.started',
      activation: 'a1',
      ...place,
      step: 0,
      name: 'tool search',
      request: 'r',
    };

    expect(counted(tool, completed('a1')).count()).toMatchObject({ completed: 0, tokens: 0 });
  });
});
