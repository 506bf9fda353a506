import { expect, it } from 'vitest';
import { readText, smallVocabulary } from '../../test-support/workflow-vocabulary.ts';
import type { Event, EventOf } from '../engine/records/event.ts';
import { compile } from '../plan/compile.ts';
import { Recording } from './recording.ts';

/** Returns the plan of a workflow with these nodes. */
function planOf(...ids: readonly string[]) {
  const nodes = ids.map((id) => `{id: ${id}, type: pass, config: {}}`).join(', ');
  const { workflow, issues } = readText(`graph: {id: g, start: [A], end: [A], nodes: [${nodes}]}`);
  if (workflow === undefined) throw new Error(JSON.stringify(issues));
  return compile(workflow, smallVocabulary);
}

const plan = planOf('A', 'B');

function recordingOf(...events: readonly Event[]): Recording {
  const recording = new Recording(plan);
  events.forEach((event, at) => {
    recording.add({ id: `${at + 1}-0`, at: 100 + at, event });
  });
  return recording;
}

const entered: Event = { type: 'graph.entered', scope: 's0', graph: '', task: [], presets: [] };
const ready = (activation: `a${number}`, node: number, unit?: number): Event => ({
  type: 'activation.ready',
  activation,
  scope: 's0',
  node,
  part: 'whole',
  token: 't',
  ...(unit === undefined ? {} : { unit }),
});
const asks = (kind: 'human' | 'budget'): Event => ({
  type: 'activation.suspended',
  activation: 'a1',
  wait: { kind, prompt: '?', input: '' },
});
const answered = (id: `m${number}`): Event => ({
  type: 'activation.answered',
  activation: 'a1',
  token: 't',
  answer: { id, role: 'user', source: 'person' },
});
const started = (step: number, name: string): Event => ({
  type: 'step.started',
  activation: 'a1',
  step,
  name,
  request: `hash of ${name}`,
});
const completed = (step: number): EventOf<'step.completed'> => ({
  type: 'step.completed',
  activation: 'a1',
  step,
  result: `m${step + 1}`,
});

it('finds the same places, whatever happened concurrently', () => {
  const one = recordingOf(entered, ready('a1', 0), ready('a2', 1), ready('a3', 0));
  const other = recordingOf(entered, ready('a1', 1), ready('a2', 0), ready('a3', 0));

  expect(one.pathOf('a1')).toBe(other.pathOf('a2'));
  expect(one.pathOf('a2')).toBe(other.pathOf('a1'));
  expect(one.pathOf('a3')).toBe(other.pathOf('a3'));
  expect(one.pathOf('a1')).not.toBe(one.pathOf('a3'));
  expect(one.pathOf('a9')).toBeUndefined();
});

it('finds the same places under a workflow with more nodes', () => {
  const other = new Recording(planOf('First', 'A', 'B'));
  const events = [entered, ready('a1', 0), ready('a2', 1), ready('a3', 2)];
  for (const [at, event] of events.entries()) other.add({ id: `${at}-0`, at, event });
  const one = recordingOf(entered, ready('a1', 0), ready('a2', 1));

  expect([other.pathOf('a2'), other.pathOf('a3')]).toEqual([one.pathOf('a1'), one.pathOf('a2')]);
});

it('counts steps that were made, and not those that took a recorded result', () => {
  const from = { activation: 'a7', step: 0 } as const;
  const taken = recordingOf(entered, ready('a1', 0), started(0, 'x'), { ...completed(0), recorded: { from } });
  expect([taken.wentLive, taken.taking]).toEqual([false, [{ activation: 'a1', step: 0, from }]]);
  expect(recordingOf(entered, ready('a1', 0), started(0, 'x'), completed(0)).wentLive).toBe(true);
});

it('finds steps by what they ask, wherever they are', () => {
  const recording = recordingOf(entered, ready('a1', 0), ready('a2', 1), started(0, 'x'), started(1, 'y'));
  expect(recording.asking('y', 'hash of y')).toEqual([{ activation: 'a1', step: 1 }]);
  expect(recording.asking('y', 'hash of x')).toEqual([]);
});

it('distinguishes units', () => {
  const recording = recordingOf(entered, ready('a1', 0, 0), ready('a2', 0, 1));
  expect(recording.pathOf('a1')).not.toBe(recording.pathOf('a2'));
});

const recorded = (...events: readonly Event[]) => {
  const recording = recordingOf(entered, ready('a1', 0), ...events);
  return recording.at(recording.pathOf('a1') ?? '');
};

it('contains steps by number, with the files that they changed', () => {
  const files = [{ path: 'a.txt' }];
  const changed: Event = { type: 'files.changed', activation: 'a1', step: 0, node: 'A', frame: 's0', files };
  const outside: Event = {
    type: 'files.changed',
    activation: 'a1',
    node: 'A',
    frame: 's0',
    files: [{ path: 'b.txt' }],
  };

  expect(recorded(started(0, 'x'), completed(0), changed, started(1, 'y'), outside)?.steps).toEqual([
    { name: 'x', request: 'hash of x', result: 'm1', files },
    { name: 'y', request: 'hash of y' },
  ]);
});

it('drops the steps after one that was repeated', () => {
  const steps = recorded(started(0, 'x'), completed(0), started(1, 'y'), completed(1), started(0, 'z'))?.steps;
  expect(steps).toEqual([{ name: 'z', request: 'hash of z' }]);
});

it('contains the answers of people to the node, and not those about the budget', () => {
  const answers = recorded(asks('budget'), answered('m1'), asks('human'), answered('m2'))?.answers;
  expect(answers?.map(({ message }) => message.id)).toEqual(['m2']);
});

it('contains the failure that its policy or an edge handled, and none that a retry repaired', () => {
  const failure = { code: 'NODE_TIMEOUT', message: 'late' };
  const failed: Event = { type: 'activation.failed', activation: 'a1', error: failure };
  const done: Event = { type: 'activation.completed', activation: 'a1', outputs: [], routes: [] };

  expect(recorded(failed)?.failure).toEqual(failure);
  expect(recorded({ ...done, failure })?.failure).toEqual(failure);
  expect(recorded(failed, done)).toMatchObject({ settledAt: 103 });
  expect(recorded(failed, done)?.failure).toBeUndefined();
});

it('begins again where a run was forked, with the given output', () => {
  const output = { id: 'm5', role: 'assistant', source: '' } as const;
  const forked: Event = { type: 'run.forked', of: 'r', activation: 'a1', until: 1, token: 't', output };
  const { output: _none, ...anew } = forked;
  expect(recorded(started(0, 'x'), completed(0), forked)).toMatchObject({ steps: [], answers: [], output });
  expect(recorded(forked, anew)?.output).toBeUndefined();
});

it('contains an output that the journal of a replay names as given', () => {
  const output = { id: 'm5', role: 'assistant', source: '' } as const;
  const done: Event = { type: 'activation.completed', activation: 'a1', outputs: [output], routes: [] };
  expect(recorded({ ...done, given: true })?.output).toEqual(output);
  expect(recorded(done)?.output).toBeUndefined();
});
