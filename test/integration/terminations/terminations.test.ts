import { textMessage, textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { bothPlaces } from '../../support/redis/installation.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf, untilEnded } from '../../support/runs/watching.ts';

const say = (id: string) => `{ id: ${id}, type: literal, config: { content: ${id} says so } }`;
const pass = (id: string) => `{ id: ${id}, type: passthrough, config: {} }`;
const edges = (...pairs: readonly string[]) =>
  `[${pairs.map((pair) => `{ from: ${pair[0]}, to: ${pair[1]} }`).join(', ')}]`;
const graph = (nodes: readonly string[], joined: string, more: string) =>
  `graph:\n  id: g\n${more}\n  nodes:\n${nodes.map((node) => `    - ${node}`).join('\n')}\n  edges: ${joined}\n`;

describe.each(bothPlaces())('terminations in %s', (_, where) => {
  const stage = openBeforeEach(() => openStage({ where }));

  const run = async (text: string, input = 'task') => {
    const finished = await stage.run(text, input);
    const { description } = finished;
    return { ...finished, run: description.run, status: description.status, reason: description.stop?.text };
  };
  const resume = async (id: string, task: readonly string[] = [], to?: string) => {
    const before = (await stage.runtime.runs.describe(id))?.seen ?? '0';
    await stage.runtime.runs.resume(
      id,
      task.map((text) => textMessage('user', text, 'TASK')),
      to === undefined ? {} : { to },
    );
    await untilEnded(stage.runtime.runs, id, before);
    const description = await stage.runtime.runs.describe(id);
    return { status: description?.status, reason: description?.stop?.text, outputs: description?.outputs };
  };

  it('stop a chain after a number of messages, from where it can continue', async () => {
    const chain = graph(
      [say('A'), say('B'), say('C')],
      edges('AB', 'BC'),
      '  termination: { type: max_messages, config: { max_messages: 3 } }',
    );
    const { run: id, status, reason, description } = await run(chain);

    expect({ status, reason }).toEqual({ status: 'terminated', reason: 'max_messages: 3 of 3' });
    expect(description.outputs).toEqual({ A: 'A says so', B: 'B says so' });
    expect(textOf(description.output ?? { content: '' })).toBe('B says so');
    expect(await resume(id)).toMatchObject({ status: 'completed', outputs: { C: 'C says so' } });
  });

  it('can be satisfied by the task before any node runs', async () => {
    const mention = (more: string) =>
      graph([say('A')], '[]', `  termination: { type: text_mention, config: { text: STOP${more} } }`);
    const stopped = await run(mention(''), 'say STOP when done');

    expect(stopped).toMatchObject({ status: 'terminated', reason: "text_mention: 'STOP' by user" });
    expect(stopped.description.activations).toBe(0);
    expect(await run(mention(', include_task: false'), 'say STOP when done')).toMatchObject({ status: 'completed' });
  });

  it('count a message once, and no forwarded one', async () => {
    const fan = graph(
      [say('A'), pass('P'), say('B'), say('C')],
      edges('AP', 'PB', 'AC'),
      '  start: A\n  end: [B, C]\n  termination: { type: max_messages, config: { max_messages: 3, include_task: false } }',
    );
    const { status, reason, description } = await run(fan);

    expect({ status, reason }).toEqual({ status: 'terminated', reason: 'max_messages: 3 of 3' });
    expect(Object.keys(description.outputs).sort()).toEqual(['A', 'B', 'C', 'P']);
  });

  it('are evaluated before the run completes, and a further task begins at the start', async () => {
    const line = graph(
      [say('A'), say('D')],
      edges('AD'),
      '  termination: { type: text_mention, config: { text: D says, include_task: false } }',
    );
    const { run: id, status } = await run(line);

    expect(status).toBe('terminated');
    expect(await resume(id, ['more'])).toMatchObject({ status: 'terminated', reason: "text_mention: 'D says' by D" });
  });

  it('continue a loop of two with reset counts in every segment', async () => {
    const pair = graph(
      [say('A'), say('B')],
      edges('AB', 'BA'),
      '  start: A\n  end: B\n  termination: { type: max_messages, config: { max_messages: 3 } }',
    );
    const first = await run(pair);
    const said = async () => {
      const described = await stage.runtime.runs.describe(first.run);
      return described?.activations;
    };

    expect(first).toMatchObject({ status: 'terminated', reason: 'max_messages: 3 of 3' });
    expect(await said()).toBe(2);
    expect(await resume(first.run)).toMatchObject({ status: 'terminated', reason: 'max_messages: 3 of 3' });
    expect(await said()).toBe(5);
    expect(await resume(first.run, ['continue'])).toMatchObject({
      status: 'terminated',
      reason: 'max_messages: 3 of 3',
    });
    expect(await said()).toBe(7);
  });

  it('stop a named scope, whose last message is passed on to its successors', async () => {
    const review = graph(
      [say('A'), say('B'), pass('O')],
      edges('AB', 'BA'),
      `  start: A
  end: O
  scopes:
    - id: review
      nodes: [A, B]
      termination: { type: max_messages, config: { max_messages: 5 }, exit_to: [O], carry_last: B }`,
    );
    const { status, description } = await run(review);

    expect(status).toBe('completed');
    expect(textOf(description.output ?? { content: '' })).toBe('B says so');
    expect(description.activations).toBe(6);
  });

  it('are reset each time a named scope is entered', async () => {
    const twice = graph(
      [say('A'), say('B'), '{ id: C, type: loop_counter, config: { max_iterations: 2 } }', pass('O'), pass('X')],
      edges('AB', 'BA', 'XA', 'CX', 'CO'),
      `  start: X
  end: O
  scopes:
    - id: review
      nodes: [A, B]
      termination: { type: max_turns, config: { max_turns: 3, sources: [A, B] }, exit_to: [X, C] }`,
    );
    const { status, journal } = await run(twice);

    expect(status).toBe('completed');
    expect(journal.filter(({ event }) => event.type === 'scope.stopped')).toHaveLength(2);
    expect(journal.filter(({ event }) => event.type === 'scope.entered')).toHaveLength(2);
  });

  it('stop a subgraph call, whose caller continues with its result', async () => {
    const call = graph(
      [
        `id: S
      type: subgraph
      config:
        type: config
        config:
          start: A
          end: B
          nodes: [${say('A')}, ${say('B')}]
          edges: [{ from: A, to: B }, { from: B, to: A }]
        termination: { type: max_messages, config: { max_messages: 4, include_task: false } }`,
        pass('O'),
      ],
      edges('SO'),
      '  start: S\n  end: O',
    );
    const { status, description } = await run(call);

    expect(status).toBe('completed');
    expect(textOf(description.output ?? { content: '' })).toBe('B says so');
    expect(description.output?.metadata).toMatchObject({
      stop_reason: 'max_messages: 4 of 4',
      stop_code: 'max_messages',
    });
  });

  it('are not all that ends a loop: an unguarded one is cut after a hundred rounds', async () => {
    const { status, description } = await run(graph([say('A'), say('B')], edges('AB', 'BA'), '  start: A\n  end: B'));

    expect([status, description.capped, description.activations]).toEqual(['completed', ['A'], 200]);
  });

  it('observe a signal, or refuse it where none waits for it', async () => {
    const waiting = graph(
      ['{ id: H, type: human, config: {} }'],
      '[]',
      '  termination: { type: external, config: { name: enough } }',
    );
    const id = await stage.runtime.runs.start({ workflow: workflowIn(waiting, stage.vocabulary), input: 'x' });
    for await (const { event } of entriesOf(stage.runtime.runs, id)) {
      if (event.type === 'activation.suspended') break;
    }

    await expect(stage.runtime.runs.signal(id, { name: 'other' })).rejects.toMatchObject({ code: 'SIGNAL_UNKNOWN' });
    await stage.runtime.runs.signal(id, { name: 'enough', note: 'by Ann' });
    const stopped = await stage.runtime.runs.describe(id);
    expect(stopped).toMatchObject({ status: 'terminated', stop: { text: 'external: enough by Ann' }, tasks: [] });
    await expect(stage.runtime.runs.signal(id, { name: 'enough' })).rejects.toMatchObject({ code: 'RUN_ENDED' });
    await stage.runtime.runs.resume(id);
    expect(await stage.runtime.runs.describe(id)).toMatchObject({ status: 'waiting', tasks: [{ node: 'H' }] });
  });
});
