import { textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { bothPlaces } from '../../support/redis/installation.ts';
import { inOrder, readExample } from '../../support/runs/examples.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';

/** A graph of one agent that says what it is asked, with a store. */
const agentWith = ({
  id,
  store,
  memories,
  more = '',
}: Record<'id' | 'store' | 'memories', string> & { more?: string }) => `
graph:
  id: ${id}
  memory: [${store}]
  nodes:
    - id: A
      type: agent
      config:
        provider: scripted
        name: m
        params: {default: '{last} / {last_user}', rules: [{when: {any_contains: Related Memories}, reply: 'remembering: {last_user}'}]}
        memories: [${memories}]
        ${more}
`;

describe.each(bothPlaces())('memories in %s', (_name, where) => {
  const stage = openBeforeAll(() => openStage({ where, secret: () => 'canary-key' }));

  const textsIn = async (identity: string): Promise<readonly string[]> =>
    (await stage.runtime.store.memory(identity, '0', 100)).items.map(({ text }) => text);
  const say = async (document: string, input: string): Promise<string> => {
    const { description } = await stage.run(document, input);
    if (description.output === undefined) throw new Error(JSON.stringify(description.error));
    return textOf(description.output);
  };

  it('outlive the run that wrote them', async () => {
    const document = agentWith({
      id: 'outlive',
      store: '{name: notes, type: simple}',
      memories: '{name: notes, read: true, write: true, similarity_threshold: 0}',
    });
    expect(await say(document, 'dragons')).toBe('dragons / dragons');
    expect(await say(document, 'castles')).toBe('remembering: castles');
    expect(await textsIn('graph:outlive:notes')).toEqual([
      'Input: === INPUT FROM TASK (user) === dragons\nOutput: dragons / dragons',
      'Input: === INPUT FROM TASK (user) === castles\nOutput: remembering: castles',
    ]);
  });

  it('let a writer learn from an editor', async () => {
    const { workflow, answers } = readExample('memory', stage.vocabulary);
    await stage.run(workflow, 'Bees', inOrder(answers));
    const second = await stage.run(workflow, 'Bees', inOrder(answers));
    expect(second.description.output && textOf(second.description.output)).toBe('Bees live on roofs.');
    expect(waitsIn(second)).toMatchObject([{ memory: expect.stringContaining('Say it in one short sentence.') }]);
  });

  it('are shared by workflows that name the same store, and by no others', async () => {
    const board = (id: string, path: string) =>
      agentWith({
        id,
        store: `{name: ${id}, type: blackboard, config: {memory_path: ${path}}}`,
        memories: `{name: ${id}, read: true, write: true}`,
      });
    await say(board('one', 'shared'), 'first');
    expect(await say(board('two', 'shared'), 'second')).toBe('remembering: second');
    expect(await say(board('three', 'other'), 'third')).toBe('third / third');
    expect(await textsIn('path:shared')).toEqual(['first / first', 'remembering: second']);
  });

  it('are only read, or only written, as the workflow says', async () => {
    const with_ = (memories: string) => agentWith({ id: 'oneway', store: '{name: b, type: blackboard}', memories });
    expect(await say(with_('{name: b, write: true}'), 'x')).toBe('x / x');
    expect(await say(with_('{name: b, write: true}'), 'y')).toBe('y / y');
    expect(await say(with_('{name: b, read: true}'), 'z')).toBe('remembering: z');
    expect(await textsIn('graph:oneway:b')).toEqual(['x / x', 'y / y']);
  });

  it('are shown to people, and store their answers in full', async () => {
    const document = `
graph:
  id: people
  memory: [{name: feedback, type: simple}]
  nodes:
    - id: H
      type: human
      config:
        description: Review
        memories: [{name: feedback, read: true, write: true, similarity_threshold: 0}]
`;
    const workflow = workflowIn(document, stage.vocabulary);
    const long = 'More colour, please. '.repeat(2000).trim();
    const first = await stage.run(workflow, 'draft 1', () => long);
    expect(waitsIn(first)).toEqual([{ kind: 'human', prompt: 'Review', input: expect.stringContaining('draft 1') }]);
    const second = await stage.run(workflow, 'draft 2', () => 'ok');
    expect(waitsIn(second)).toMatchObject([{ memory: expect.stringContaining(long) }]);
  });

  it('are read for the reflection when that stage is configured', async () => {
    const document = (stage_: string) =>
      agentWith({
        id: 'reflecting',
        store: '{name: b, type: blackboard}',
        memories: `{name: b, read: true, write: true, retrieve_stage: ${stage_}}`,
        more: "thinking: {type: reflection, config: {reflection_prompt: 'Improve.'}}",
      });
    await say(document('pre_gen_thinking'), 'x');
    expect(await say(document('pre_gen_thinking'), 'y')).toMatch(
      /^remembering: Here is a conversation between two roles: ===== Related Memories =====.*ASSISTANT: y \/ y Improve\.$/s,
    );
  });

  it('record in the journal what is read when a node has finished', async () => {
    const document = agentWith({
      id: 'finished',
      store: '{name: b, type: blackboard}',
      memories: '{name: b, read: true, write: true, retrieve_stage: finished}',
    });
    await say(document, 'x');
    const { journal, description } = await stage.run(document, 'y');
    expect(description.output && textOf(description.output)).toBe('y / y');
    const steps = journal.flatMap(({ event }) => (event.type === 'step.started' ? [event.name] : []));
    expect(steps).toEqual(['chat m', 'recall finished', 'remember']);
  });

  it('fail the node with a reason when a text cannot be embedded, without the key', async () => {
    const server = await startFakeProvider({ embed: () => ({ refuse: 400, message: 'canary-key: no' }) });
    const embedding = `{provider: openai, model: emb, base_url: '${server.at('ok')}', api_key: '\${EMBEDDING_KEY}'}`;
    const document = agentWith({
      id: 'broken',
      store: `{name: s, type: simple, config: {embedding: ${embedding}}}`,
      memories: '{name: s, read: true, write: true}',
    });
    const { description, journal } = await stage.run(document, 'x');
    await server.close();
    expect(description.error).toMatchObject({ code: 'MEMORY_EMBEDDING_FAILED' });
    expect(server.requests).toMatchObject([{ headers: { authorization: 'Bearer canary-key' } }]);
    expect(JSON.stringify([description, journal])).not.toContain('canary-key');
    expect(await textsIn('graph:broken:s')).toEqual([]);
  });
});

/** Returns the questions that people were asked in a run. */
const waitsIn = ({ journal }: Awaited<ReturnType<Stage['run']>>): readonly unknown[] =>
  journal.flatMap(({ event }) => (event.type === 'activation.suspended' ? [event.wait] : []));
