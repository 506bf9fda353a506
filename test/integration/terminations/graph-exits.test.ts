import type { JournalEntry } from '@millrace/core';
import { textMessage, textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { startHeldModels } from '../../support/fakes/held-models.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { audit } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEntry } from '../../support/runs/watching.ts';

const say = (id: string) => `{ id: ${id}, type: literal, config: { content: ${id} says so } }`;
const template = (id: string, text: string) => `{ id: ${id}, type: template, config: { text: "${text}" } }`;

const models = openBeforeEach(startHeldModels);

/** A, B and C in a chain that two messages stop; what comes last are a node that is part of it, and two that are not. */
const chain = (last: string) => `graph:
  id: chain
  start: A
  end: C
  termination: { type: max_turns, config: { max_turns: 1, sources: [A, B] }, exit_to: [C, Note, Last] }
  nodes:
    - ${say('A')}
    - ${say('B')}
    - { id: C, type: passthrough, config: { only_last_message: false } }
    - ${template('Note', '{{ text }} because of {{ stop_reason }}')}
    - ${last}
    - ${say('Never')}
  edges: [{ from: A, to: B }, { from: B, to: C }, { from: Last, to: Never }]
`;

onBothStores('an exit node of a stopped graph', (stage) => {
  const begin = (text: string) =>
    stage.runtime.runs.start({ workflow: workflowIn(text, stage.vocabulary), input: 'task' });
  const described = async (run: string) => {
    const { status, stop, outputs, output, error } = (await stage.runtime.runs.describe(run)) ?? {};
    return { status, reason: stop?.text, outputs, output: output && textOf(output), error: error?.code };
  };
  const ended = async (run: string, segment = 1) => {
    await untilEntry(stage.runtime.runs, run, ends(segment));
    expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
    return described(run);
  };

  it('receives the reason and the last messages, once in each segment, and its output leads nowhere', async () => {
    const run = await begin(chain(say('Last')));
    const first = await ended(run);

    expect(first).toMatchObject({ status: 'terminated', reason: 'max_turns: 1 of 1', error: undefined });
    expect(first.outputs).toEqual({
      A: 'A says so',
      C: 'A says so',
      Note: 'A says so because of max_turns: 1 of 1',
      Last: 'Last says so',
    });
    await stage.runtime.runs.resume(run);
    const second = await ended(run, 2);
    expect(second.outputs).toMatchObject({ B: 'B says so', C: 'B says so' });
    await stage.runtime.runs.resume(run);
    // C is due as well as last: what came over its edge is still there.
    expect(await ended(run, 3)).toMatchObject({ status: 'completed', output: 'B says so' });
  });

  it('produces the last message of a subgraph call, before the caller continues', async () => {
    const run = await begin(`graph:
  id: calling
  start: S
  end: O
  nodes:
    - id: S
      type: subgraph
      config:
        termination: { type: max_turns, config: { max_turns: 3, sources: [A, B] }, exit_to: [L], message: Enough. }
        type: config
        config:
          start: A
          end: L
          nodes: [${say('A')}, ${say('B')}, ${template('L', "{{ inputs | map(attribute='text') | join(' ') }}")}]
          edges: [{ from: A, to: B }, { from: B, to: A }, { from: B, to: L, trigger: false }]
    - { id: O, type: passthrough, config: {} }
  edges: [{ from: S, to: O }]
`);

    // What waits at the node otherwise is none of its input.
    expect(await ended(run)).toMatchObject({ status: 'completed', output: 'Enough. A says so' });
  });

  it('executes while the run is stopping, and can be cancelled', async () => {
    const run = await begin(chain(`{ id: Last, type: agent, config: ${models.agent('last')} }`));
    await models.asked('last', 1);
    expect(await described(run)).toMatchObject({ status: 'stopping' });
    await expect(stage.runtime.runs.resume(run)).rejects.toMatchObject({ code: 'RUN_NOT_STOPPED' });
    await stage.runtime.runs.stop(run, { note: 'at once', inFlight: 'cancel' });
    await models.hungUp('last', 1);

    expect(await ended(run)).toMatchObject({ status: 'terminated', reason: 'max_turns: 1 of 1' });
  });

  it('is not part of a fork, which continues with the unfinished activations', async () => {
    const asked = `graph:
  id: asked
  start: [H, A]
  end: [H]
  termination: { type: source_match, config: { sources: [A] }, exit_to: [Last] }
  nodes: [{ id: H, type: human, config: {} }, ${say('A')}, ${say('B')}, { id: Last, type: agent, config: ${models.agent('last')} }]
  edges: [{ from: A, to: B }]
`;
    const run = await begin(asked);
    await models.asked('last', 1);
    const { runs } = stage.runtime;
    const output = textMessage('user', 'said', '');
    const whole = { status: 'completed', output: 'said', outputs: { H: 'said', A: 'A says so', B: 'B says so' } };

    expect(await ended(await runs.fork(run, { at: 'a1', output }))).toMatchObject(whole);
    await expect(runs.fork(run, { at: 'a3' })).rejects.toThrow('it is an exit node of the stopped run');
    models.answer('last');
    expect(await ended(run)).toMatchObject({ status: 'terminated', output: 'last says so' });
    // The end of the run is part of its past now.
    expect(await ended(await runs.fork(run, { at: 'a1', output }), 2)).toMatchObject(whole);
  });
});

const ends = (segment: number) => {
  let seen = 0;
  return ({ event }: JournalEntry) => event.type === 'run.finished' && ++seen === segment;
};
