import { expect, it } from 'vitest';
import { readText, smallVocabulary } from '../../test-support/workflow-vocabulary.ts';
import type { Event, EventOf } from '../engine/records/event.ts';
import { compile } from '../plan/compile.ts';
import { Recording } from './recording.ts';
import { StepIndex, StepSet } from './step-index.ts';

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

/** Returns the activations of a recording at the places of those of another one. */
const placesIn = (recording: Recording, other: Recording) =>
  other.activations.map(({ activation }) => recording.at(other.placeOf(activation))?.activation);

const entered: Event = { type: 'graph.entered', scope: 's0', graph: '', task: [], presets: [] };
const ready = (activation: `a${number}`, node: number, unit?: number): EventOf<'activation.ready'> => ({
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

  expect(placesIn(other, one)).toEqual(['a2', 'a1', 'a3']);
  expect(one.placeOf('a9')).toBeUndefined();
  expect(one.at(undefined)).toBeUndefined();
});

it('finds the same places under a workflow with more nodes', () => {
  const other = new Recording(planOf('First', 'A', 'B'));
  const events = [entered, ready('a1', 0), ready('a2', 1), ready('a3', 2)];
  for (const [at, event] of events.entries()) other.add({ id: `${at}-0`, at, event });
  const one = recordingOf(entered, ready('a1', 0), ready('a2', 1));

  expect(placesIn(one, other)).toEqual([undefined, 'a1', 'a2']);
});

it('counts steps that were made, and not those that took a recorded result', () => {
  const from = { activation: 'a7', step: 0 } as const;
  const taken = recordingOf(entered, ready('a1', 0), started(0, 'x'), { ...completed(0), recorded: { from } });
  expect([taken.wentLive, taken.taking]).toEqual([false, [{ activation: 'a1', step: 0, from }]]);
  expect(recordingOf(entered, ready('a1', 0), started(0, 'x'), completed(0)).wentLive).toBe(true);
});

it('finds steps by what they ask, wherever they are', () => {
  const recording = recordingOf(entered, ready('a1', 0), ready('a2', 1), started(0, 'x'), started(1, 'y'));
  const index = new StepIndex();
  for (const activation of recording.activations) index.add(activation);
  index.add({ activation: 'a7', steps: [{ name: 'y', request: 'hash of y' }] });
  expect(index.asking('y', 'hash of y')).toEqual([
    { activation: 'a1', step: 1 },
    { activation: 'a7', step: 0 },
  ]);
  expect(index.asking('y', 'hash of x')).toEqual([]);
});

it('knows the steps that were added to a set', () => {
  const steps = new StepSet();
  for (const step of [3, 0, 3]) steps.add({ activation: 'a200000', step });
  const has = [0, 1, 3].map((step) => steps.has({ activation: 'a200000', step }));
  expect([...has, steps.has({ activation: 'a1', step: 0 })]).toEqual([true, false, true, false]);
});

it('distinguishes units, and what is in them', () => {
  const fanOut: Event = {
    ...{ type: 'fanout.entered', scope: 's1', parent: 's0', node: 0, kind: 'map' },
    ...{ statics: [], units: [], groupSize: 1, maxParallel: 2 },
  };
  const call = (scope: `s${number}`, unit: number): Event => ({
    type: 'graph.entered',
    scope,
    graph: '',
    task: [],
    presets: [],
    caller: { scope: 's1', node: 0, unit },
  });
  const inside = (activation: `a${number}`, scope: `s${number}`): Event => ({ ...ready(activation, 1), scope });
  const unit = (activation: `a${number}`, at: number): Event => ({ ...ready(activation, 0, at), scope: 's1' });
  const one = recordingOf(
    entered,
    fanOut,
    unit('a1', 0),
    unit('a2', 1),
    call('s2', 0),
    call('s3', 1),
    inside('a3', 's2'),
    inside('a4', 's3'),
  );
  const other = recordingOf(
    entered,
    fanOut,
    unit('a1', 1),
    unit('a2', 0),
    call('s2', 1),
    inside('a3', 's2'),
    inside('a4', 's2'),
  );

  expect(placesIn(one, other)).toEqual(['a2', 'a1', 'a4', undefined]);
  expect(one.placeOf('a4')?.path).toBe('/"A"*#1/"A"()[]1#1/"B".whole#1');
});

const recorded = (...events: readonly Event[]) => {
  const recording = recordingOf(entered, ready('a1', 0), ...events);
  return recording.of('a1');
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
