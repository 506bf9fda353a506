import type { RunEvent } from '@millrace/client';
import { expect, it } from 'vitest';
import { sentenceOf } from './event-sentence.ts';

const event = (facts: Readonly<Record<string, unknown>>): RunEvent =>
  ({ id: '9-0', at: 0, event: facts }) as unknown as RunEvent; // all that sentences read

const asked = { activation: 'a1', nodeId: 'Clerk', tool: 'refund', arguments: '{"amount":80}' };

it.each([
  [{ type: 'tool.asked', ...asked }, 'Clerk asks whether it may call refund with {"amount":80}.'],
  [
    { type: 'activation.suspended', nodeId: 'Clerk', wait: { kind: 'approval' } },
    'Clerk waits for the approval of its calls.',
  ],
  [{ type: 'alarm.cleared', alarm: 'alarm/wait-a1' }, 'A time limit is over or no longer needed: the wait of a1 ends.'],
  [{ type: 'alarm.cleared', alarm: 'alarm/timeout' }, 'A time limit is over or no longer needed: the run ends.'],
  [
    { type: 'alarm.cleared', alarm: 'alarm/termination-s0-1' },
    'A time limit is over or no longer needed: a part of the graph may stop.',
  ],
  [{ type: 'run.finished', status: 'failed' }, 'The run has failed.'],
  [{ type: 'step.started', nodeId: 'Clerk', name: 'chat demo-model' }, 'Clerk calls the model demo-model.'],
  [{ type: 'step.started', nodeId: 'Clerk', name: 'run main.py' }, 'Clerk calls run main.py.'],
  [{ type: 'workspace.claimed' }, 'workspace claimed'],
])('says %j in words', (facts, sentence) => {
  expect(sentenceOf(event(facts))).toBe(sentence);
});
