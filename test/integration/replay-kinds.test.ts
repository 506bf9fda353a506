import type { ActivationId, RunId } from '@millrace/core';
import { textMessage, textOf } from '@millrace/core';
import type { RunDescription } from '@millrace/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { audit, journalOf } from '../support/audit.ts';
import { exampleExtensions, exampleNames, inOrder, readExample } from '../support/examples.ts';
import type { JsonServer } from '../support/json-server.ts';
import { startJsonServer } from '../support/json-server.ts';
import type { Answer, Stage } from '../support/stage.ts';
import { openStage, workflowIn } from '../support/stage.ts';

/*
 * Replays and forks of all kinds of runs. The model is a server that counts what it is asked: a replay asks it nothing.
 */

let model: JsonServer;
let stage: Stage;
let refuse: (n: number) => number | undefined;
let asked = 0;

beforeAll(async () => {
  model = await startJsonServer(({ body }) => {
    asked++;
    const status = refuse(asked);
    if (status !== undefined) return { status, body: { error: { message: `not now: ${status}` } } };
    const { messages } = body as { messages: { content: string }[] };
    const usage = { prompt_tokens: 10, completion_tokens: 10 };
    const content = `answer ${asked} to ${messages.at(-1)?.content.slice(-40)}`;
    return { body: { choices: [{ finish_reason: 'stop', message: { content } }], usage } };
  });
  stage = await openStage({ where: { local: true }, secret: () => 'key', extensions: await exampleExtensions() });
  stage.runtime.startCaretaker();
});
beforeEach(() => {
  asked = 0;
  refuse = () => undefined;
});
afterAll(async () => {
  await stage.close();
  await model.close();
});

const agent = (id: string, more = '', config = ''): string =>
  `{id: ${id}, type: agent, ${more} config: {provider: openai, name: m, base_url: '${model.url}', api_key: k, retry: {min_wait_seconds: 0, max_wait_seconds: 0}, params: {max_tokens: 20}${config}}}`;

const run = async (yaml: string, input = 'go', answer?: Answer): Promise<RunDescription> =>
  (await stage.run(workflowIn(yaml, stage.vocabulary), input, answer)).description;

/** How a run stands once nothing goes on in it by itself. */
async function idle(run: RunId): Promise<RunDescription> {
  const { runs } = stage.runtime;
  const read = async () => {
    const description = await runs.describe(run);
    if (description === undefined) throw new Error(`run ${run} is gone`);
    return description;
  };
  const isIdle = ({ status }: RunDescription) => !['running', 'stopping'].includes(status);
  for await (const _entry of runs.watch(run, '0', AbortSignal.timeout(20_000))) {
    const description = await read();
    if (isIdle(description)) return description;
  }
  return read();
}

const told = ({ status, output, outputs, error, stop }: RunDescription) => ({
  status,
  output: output && textOf(output),
  outputs,
  error,
  stop: stop?.text,
});

/** Replays a run, asking nobody, and replays the replay. */
async function expectSame(first: RunDescription): Promise<void> {
  const { runs, store } = stage.runtime;
  const before = asked;
  const replay = await idle(await runs.replay(first.run));
  const again = await idle(await runs.replay(replay.run));
  expect(told(replay)).toEqual(told(first));
  expect(told(again)).toEqual(told(first));
  expect([asked, replay.usage.calls]).toEqual([before, 0]);
  expect(await audit(store, replay.run, stage.vocabulary)).toEqual([]);
}

const readyIn = async (run: RunId): Promise<readonly ActivationId[]> =>
  (await journalOf(stage.runtime.store, run)).flatMap(({ event }) =>
    event.type === 'activation.ready' ? [event.activation] : [],
  );

describe('a replay comes to the same', () => {
  const people: Readonly<Record<string, readonly string[]>> = {
    'context-reset': ['normal', 'kept', 'soft', 'hard'],
    'loop-timer-modes': ['first', 'second', 'STOP'],
    'timed-review-loop': ['Shorter', 'ACCEPT'],
  };
  it.each(exampleNames())('in the example %s', async (example) => {
    const { workflow, answers } = readExample(example, stage.vocabulary);
    const script = workflow.script ?? { default: 'A draft.' };
    const { description } = await stage.run({ ...workflow, script }, 'go', inOrder(people[example] ?? answers));
    await expectSame(description);
  });

  it('where a call was refused and made again', async () => {
    refuse = (n) => (n === 1 ? 503 : undefined);
    const first = await run(`graph: {id: g, nodes: [${agent('A')}]}`);
    expect([asked, first.status]).toEqual([2, 'completed']);
    await expectSame(first);
  });

  it.each(['fail', 'text', 'continue'])('where a node failed with on_error: %s', async (policy) => {
    refuse = () => 400;
    await expectSame(
      await run(
        `graph: {id: g, nodes: [${agent('A', `on_error: ${policy},`)}, {id: B, type: passthrough, config: {}}], edges: [{from: A, to: B}]}`,
      ),
    );
  });

  const late = `config: {provider: scripted, name: m, params: {default: {text: late, delay_ms: 60000}}}`;
  it.each(['fail', 'text', 'continue'])('where a node took too long, with on_error: %s', async (policy) => {
    await expectSame(
      await run(`graph: {id: g, nodes: [{id: A, type: agent, timeout: 0.1, on_error: ${policy}, ${late}}]}`),
    );
  });

  it('where an edge caught that a node took too long', async () => {
    await expectSame(
      await run(`
graph:
  id: g
  start: [A]
  end: [B, C]
  nodes: [{id: A, type: agent, timeout: 0.1, ${late}}, {id: B, type: passthrough, config: {}}, {id: C, type: passthrough, config: {}}]
  edges: [{from: A, to: B, condition: error}, {from: A, to: C}]
`),
    );
  });

  it('where a run failed and was retried', async () => {
    refuse = (n) => (n === 2 ? 400 : undefined);
    const two = `graph: {id: g, nodes: [${agent('A')}, ${agent('B')}], edges: [{from: A, to: B}]}`;
    const failed = await run(two);
    expect(failed.status).toBe('failed');
    await expectSame(failed);
    await stage.runtime.runs.retry(failed.run);
    const first = await idle(failed.run);
    expect(first.status).toBe('completed');
    await expectSame(first);
  });

  it('where a run was stopped from outside and resumed', async () => {
    const yaml = `graph: {id: g, nodes: [${agent('A')}, {id: H, type: human, config: {}}, ${agent('B')}], edges: [{from: A, to: H}, {from: H, to: B}]}`;
    const { runs } = stage.runtime;
    const id = await runs.start({ workflow: workflowIn(yaml, stage.vocabulary), input: 'go' });
    expect((await idle(id)).tasks).toHaveLength(1);
    await runs.stop(id, { note: 'enough', inFlight: 'cancel' });
    await idle(id);
    await expect(runs.replay(id)).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    await runs.resume(id);
    await runs.answer(id, undefined, textMessage('user', 'go on', 'person'));
    await expectSame(await idle(id));
  });

  it('where a person was asked for more money, and then by a node', async () => {
    const yaml = `
graph:
  id: g
  budget: {tokens: 60, on_exceeded: ask}
  start: [A]
  end: [H]
  nodes: [${agent('A')}, ${agent('B')}, {id: H, type: human, config: {}}]
  edges: [{from: A, to: B}, {from: B, to: H}]
`;
    const first = await run(yaml, 'go', ({ node }) => (node === 'H' ? 'well done' : '5000 tokens'));
    expect([first.status, first.output && textOf(first.output), asked]).toEqual(['completed', 'well done', 2]);
    expect(
      (await journalOf(stage.runtime.store, first.run)).filter(({ event }) => event.type === 'activation.answered'),
    ).toHaveLength(2);
    await expectSame(first);
  });

  it('where programs wrote files, without running them again', async () => {
    const code = 'import random; open("mine.txt", "a").write("x"); print(open("mine.txt").read(), random.random())';
    const yaml = `
graph:
  id: g
  start: [Code]
  end: [Q]
  nodes:
    - {id: Code, type: literal, config: {content: ${JSON.stringify(code)}}}
    - {id: P, type: python, config: {}}
    - {id: Again, type: literal, config: {content: ${JSON.stringify(code)}}}
    - {id: Q, type: python, config: {}}
  edges: [{from: Code, to: P}, {from: P, to: Again}, {from: Again, to: Q}]
`;
    const first = await run(yaml);
    expect(first.output && textOf(first.output)).toMatch(/^xx 0/);
    await expectSame(first);
    const { runs } = stage.runtime;
    const replay = await idle(await runs.replay(first.run));
    const contents = async (run: RunId) => (await runs.artifacts(run)).map(({ path, digest }) => ({ path, digest }));
    expect(await contents(replay.run)).toEqual(await contents(first.run));

    // The files of the past are there, whichever way it came: a fork of a fork, a fork of a replay, a replay of a fork.
    const fork = await idle(await runs.fork(first.run, { at: 'a4' }));
    const others = [
      fork,
      await idle(await runs.fork(fork.run, { at: 'a3' })),
      await idle(await runs.fork(replay.run, { at: 'a4' })),
    ];
    for (const { output, outputs } of others) {
      expect(output && textOf(output)).toMatch(/^xx 0/);
      expect(outputs['P']).toBe(first.outputs['P']);
    }
    await expectSame(fork);
  });

  it('and writes nothing to memories that others read', async () => {
    const yaml = `
graph:
  id: remembering
  memory: [{name: notes, type: simple}]
  nodes: [${agent('A', '', ', memories: [{name: notes, read: true, write: true, similarity_threshold: 0}]')}]
`;
    const memories = async () => (await stage.runtime.store.memory('graph:remembering:notes', '0', 100)).items.length;
    await run(yaml, 'dragons');
    const first = await run(yaml, 'castles');
    expect(await memories()).toBe(2);
    await run(yaml, 'knights');
    await expectSame(first);
    expect(await memories()).toBe(3);
  });
});

describe('a replay is refused', () => {
  it('for a run that its budget stopped; it may go live, with a budget of its own', async () => {
    const yaml = `graph: {id: g, budget: {tokens: 200}, nodes: [${agent('A')}, ${agent('B')}], edges: [{from: A, to: B}]}`;
    const first = await run(yaml);
    expect([first.stop?.code, asked]).toEqual(['budget', 1]);
    const { runs } = stage.runtime;
    await expect(runs.replay(first.run)).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    const live = await idle(await runs.replay(first.run, { liveFrom: 'a2' }));
    expect([live.status, asked]).toEqual(['completed', 2]);
    const fork = await idle(await runs.fork(first.run, { at: 'a2' }));
    expect(fork).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
  });

  it('as a fork is at an activation that a termination has dropped', async () => {
    const first = await run(`
graph:
  id: g
  start: [S]
  end: [Z]
  scopes: [{id: team, nodes: [A, H], termination: {type: text_mention, config: {text: STOP}}}]
  nodes: [{id: S, type: passthrough, config: {}}, {id: A, type: literal, config: {content: STOP}}, {id: H, type: human, config: {}}, {id: Z, type: passthrough, config: {}}]
  edges: [{from: S, to: H}, {from: S, to: A}, {from: A, to: Z}]
`);
    const journal = await journalOf(stage.runtime.store, first.run);
    const [at] = journal.flatMap(({ event }) => (event.type === 'activation.dropped' ? [event.activation] : []));
    const forking = stage.runtime.runs.fork(first.run, { at: at ?? 'a0' });
    await expect(forking).rejects.toThrow(`cannot be forked at activation ${at}: a termination dropped it`);
    await expectSame(first);
  });

  it('for one that was cancelled; a fork goes on', async () => {
    const { runs } = stage.runtime;
    const yaml = `graph: {id: g, nodes: [{id: H, type: human, config: {}}, {id: E, type: passthrough, config: {}}], edges: [{from: H, to: E}]}`;
    const id = await runs.start({ workflow: workflowIn(yaml, stage.vocabulary), input: 'go' });
    await idle(id);
    await runs.cancel(id, 'enough');
    await expect(runs.replay(id)).rejects.toMatchObject({ code: 'REPLAY_IMPOSSIBLE' });
    const asking = await runs.fork(id, { at: 'a1' });
    expect((await idle(asking)).tasks).toHaveLength(1);
    const fork = await runs.fork(id, { at: 'a1', output: textMessage('user', 'said', '') });
    expect(told(await idle(fork))).toMatchObject({ status: 'completed', output: 'said' });
  });
});

describe('anywhere in a run', () => {
  const map = () => `
graph:
  id: map
  start: [Source]
  end: [Join]
  nodes: [{id: Source, type: passthrough, config: {}}, ${agent('Each')}, {id: Join, type: passthrough, config: {only_last_message: false}}]
  edges: [{from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: 1}}}, {from: Each, to: Join}]
`;

  it('a replay goes live in the middle of a map, and pays for the rest only', async () => {
    const first = await run(map(), 'a\nb\nc\nd');
    expect(asked).toBe(4);
    const units = (await journalOf(stage.runtime.store, first.run)).flatMap(({ event }) =>
      event.type === 'activation.ready' && event.unit === 2 ? [event.activation] : [],
    );
    const live = await idle(await stage.runtime.runs.replay(first.run, { liveFrom: units[0] ?? 'a0' }));
    expect([live.status, live.usage.calls, asked]).toEqual(['completed', 2, 6]);
    expect(live.outputs['Each']).not.toEqual(first.outputs['Each']);
  });

  it.each(['subgraph', 'map-reduce', 'review-loop', 'voting', 'handoff'])(
    'a fork of the example %s is sound, and so are its forks and replays',
    async (example) => {
      const { workflow, answers } = readExample(example, stage.vocabulary);
      const script = workflow.script ?? { default: 'A draft.' };
      const { description: first } = await stage.run({ ...workflow, script }, 'go', inOrder(answers));
      const { runs, store } = stage.runtime;
      for (const at of await readyIn(first.run)) {
        const fork = await idle(await runs.fork(first.run, { at }));
        expect([at, await audit(store, fork.run, stage.vocabulary)]).toEqual([at, []]);
        expect([at, fork.error]).toEqual([at, undefined]);
        if (fork.status !== 'waiting')
          expect([at, told(await idle(await runs.replay(fork.run)))]).toEqual([at, told(fork)]);
        const again = await idle(await runs.fork(fork.run, { at }));
        expect([at, again.status]).toEqual([at, fork.status]);
      }
    },
  );

  it('a fork of a boss has the memory files that there were, and what its messages know', async () => {
    const { workflow, answers } = readExample('boss', stage.vocabulary);
    const { description: first } = await stage.run(workflow, 'go', inOrder(answers));
    const { runs } = stage.runtime;
    const journal = await journalOf(stage.runtime.store, first.run);
    const done = journal.flatMap(({ event }) => (event.type === 'activation.completed' ? [event] : []));
    const last = done.at(-1)?.activation ?? 'a0';
    const fork = await idle(await runs.fork(first.run, { at: last }));
    expect(told(fork)).toEqual(told(first));
    const remembered = async (run: RunId) => {
      const names = new Set(done.flatMap((event) => Object.keys(event.remembered ?? {})));
      const read = [...names].map(
        async (name) => (await stage.runtime.store.memory(`run:${run}:${name}`, '0', 100)).items,
      );
      return (await Promise.all(read)).map((items) => items.map(({ text }) => text));
    };
    expect(await remembered(fork.run)).toEqual(await remembered(first.run));
    expect((await remembered(first.run)).flat().length).toBeGreaterThan(0);
  });
});
