import type { ActivationId, RunId } from '@millrace/core';
import { defineTool, omitUndefined } from '@millrace/core';
import type { CallDetail } from '@millrace/runtime';
import { createTenantRuntime } from '@millrace/runtime';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { FakeProvider } from '../../support/provider/provider.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Turn } from '../../support/provider/turn.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { archivedJournalOf } from '../../support/runs/waits.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const look = defineTool<{ page: number }>({
  name: 'look',
  description: 'Reads a page.',
  parameters: z.object({ page: z.number() }),
  execute: ({ page }) => `page ${page}: ${'lorem ipsum '.repeat(20)}`,
});

const rounds = 20;
let model: FakeProvider;
const turns: Turn[] = [];
beforeAll(async () => {
  model = await startFakeProvider({
    // A prompt of 6 MiB is not too long for the model.
    bytesPerToken: 100,
    reply(turn) {
      turns.push(turn);
      const usage = { input: 10, output: 5 };
      if (turn.tools.length === 0 || turn.rounds >= rounds) return { text: `answer ${turns.length}`, usage };
      const text = `Round ${turn.rounds}.`;
      return { text, calls: [{ name: 'look', arguments: { page: turn.rounds } }], usage };
    },
  });
});
afterAll(() => model.close());
beforeEach(() => {
  turns.length = 0;
});

const agent = (id: string, role: string, more = '') =>
  `{id: ${id}, type: agent, context_window: -1, config: {provider: openai, name: m, base_url: '${model.at('ok')}', api_key: k, role: '${role}', params: {max_tokens: 20, temperature: 0}${more}}}`;
const tooling = ', tooling: [{type: function, config: {tools: [{name: look}]}}]';

/** A conversation of two agents, each of which keeps all messages. */
const conversation = (fields = '', maxIterations = rounds) => `
graph:
  id: pair
  start: [Writer]
  end: [Writer]
  max_iterations: ${maxIterations}${fields}
  nodes:
    - ${agent('Writer', 'You write.')}
    - ${agent('Critic', 'You judge.')}
  edges:
    - {from: Writer, to: Critic}
    - {from: Critic, to: Writer}
`;

onBothStores(
  'what a model was asked',
  (stage) => {
    /** The run of the conversation, which several tests look at. */
    let conversed: RunId;
    const of = (run: RunId) => createTenantRuntime(stage.runtime, 'default').run(run);
    const callsOf = async (run: RunId, activation: ActivationId): Promise<readonly CallDetail[]> => {
      const calls = (await of(run).calls(activation)) ?? [];
      const details = await Promise.all(calls.map(({ step }) => of(run).call({ activation, step })));
      return details.filter((detail) => detail !== undefined);
    };
    const modelCallsOf = async (run: RunId, activation: ActivationId) =>
      (await callsOf(run, activation)).filter(({ name }) => name.startsWith('chat '));
    const askedIn = ({ request }: CallDetail) => request?.messages.map(({ role, text }) => ({ role, text }));
    /** Sizes of the events that begin calls of models, and of the texts that came with them. */
    const sizesOf = async (run: RunId) =>
      (await journalOf(stage.runtime.store, run)).flatMap(({ event }) =>
        event.type === 'step.started' && event.name.startsWith('chat ')
          ? [{ bytes: Buffer.byteLength(JSON.stringify(event)), bodies: event.bodies ?? 0 }]
          : [],
      );

    it('is what the provider received, in a loop with tools, in bytes that do not grow with it', async () => {
      const yaml = `graph: {id: tools, nodes: [${agent('A', 'Be short.', tooling)}]}`;
      const { description } = await stage.run(yaml, 'Count.');
      const { run } = description;

      const calls = await modelCallsOf(run, 'a1');

      expect(calls).toHaveLength(rounds + 1);
      expect(calls.map(askedIn)).toEqual(turns.map(({ messages }) => messages));
      const [first] = calls;
      expect(first?.request?.settings).toMatchObject({ provider: 'openai', model: 'm', params: { temperature: 0 } });
      expect(first?.request?.tools.map(({ name }) => name)).toEqual(['look']);
      expect(first?.reply).toMatchObject({ text: 'Round 0.', toolCalls: [{ name: 'look', arguments: '{"page":0}' }] });
      const sizes = await sizesOf(run);
      // The first call brings settings, tools and the system prompt; no other brings any text.
      expect(sizes.map(({ bodies }) => bodies)).toEqual([3, ...Array<number>(rounds).fill(0)]);
      expect(Math.max(...sizes.slice(1).map(({ bytes }) => bytes))).toBeLessThanOrEqual(300);
      expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
    });

    it('is cut behind 4 Mi characters, with the sizes of the texts', async () => {
      const yaml = `
graph:
  id: long
  start: [Text, Other]
  nodes:
    - {id: Text, type: passthrough, config: {}}
    - {id: Other, type: passthrough, config: {}}
    - ${agent('A', 'Be short.')}
  edges: [{from: Text, to: A, keep_message: true}, {from: Other, to: A}]
`;
      const size = 3 * 1024 * 1024;
      const { description, journal } = await stage.run(yaml, 'x'.repeat(size));
      const ready = journal.flatMap(({ event }) => (event.type === 'activation.ready' ? [event.activation] : []));
      const asked = (await Promise.all(ready.map((id) => modelCallsOf(description.run, id)))).flat();

      const messages = asked.flatMap(({ request }) => request?.messages ?? []);
      expect(messages.filter((one) => one.size !== undefined)).not.toEqual([]);
      for (const request of asked) {
        const shown = request.request?.messages.reduce((sum, { text }) => sum + text.length, 0) ?? 0;
        expect(shown).toBeLessThanOrEqual(4 * 1024 * 1024);
      }
      expect(messages.map((one) => one.size ?? one.text.length)).toEqual(
        turns.flatMap((turn) => turn.messages.map(({ text }) => text.length)),
      );
    });

    it('is named by the messages of the run, in a conversation of agents that keep everything', async () => {
      const { description, journal } = await stage.run(conversation(), 'Begin.');
      conversed = description.run;
      const ready = journal.flatMap(({ event }) => (event.type === 'activation.ready' ? [event.activation] : []));

      const asked = await Promise.all(ready.map(async (id) => (await modelCallsOf(description.run, id)).map(askedIn)));

      expect(asked.flat()).toEqual(turns.map(({ messages }) => messages));
      const sizes = await sizesOf(description.run);
      const [settings, system] = [1, 1];
      // The settings are the same, and each node has its own prompt.
      expect(sizes.map(({ bodies }) => bodies).filter((bodies) => bodies > 0)).toEqual([settings + system, system]);
      // No call costs more than the ones before it.
      expect(Math.max(...sizes.slice(2).map(({ bytes }) => bytes))).toBeLessThanOrEqual(220);
    });

    it('is kept by a fork, and stored for what the fork asks anew', async () => {
      const fork = await stage.runtime.runs.fork(conversed, { at: 'a39', settings: { prompt: 'You write verse.' } });
      await untilEnded(stage.runtime.runs, fork);

      const [kept] = await modelCallsOf(fork, 'a2');
      const [anew] = await modelCallsOf(fork, 'a39');

      expect(kept?.request).toEqual((await modelCallsOf(conversed, 'a2'))[0]?.request);
      expect(anew?.request?.messages[0]).toMatchObject({ role: 'system', text: 'You write verse.' });
    });

    it('is in a replay, too, which asks nothing', async () => {
      const asked = turns.length;
      const replay = await stage.runtime.runs.replay(conversed);
      await untilEnded(stage.runtime.runs, replay);

      const texts = async (run: RunId) => (await modelCallsOf(run, 'a20')).map(askedIn);

      expect(await texts(replay)).toEqual(await texts(conversed));
      expect(turns.length).toBe(asked);
      expect(await audit(stage.runtime.store, replay, stage.vocabulary)).toEqual([]);
    });

    it('is not stored where the workflow or the run says so', async () => {
      const cases = [
        ['\n  record_requests: false', undefined],
        ['\n  record_requests: false', true],
        ['', false],
      ] as const;
      for (const [setting, recordRequests] of cases) {
        const workflow = workflowIn(conversation(setting, 1), stage.vocabulary);
        const run = await stage.runtime.runs.start({ workflow, input: 'Begin.', ...omitUndefined({ recordRequests }) });
        await untilEnded(stage.runtime.runs, run);

        const [call] = await callsOf(run, 'a1');

        expect(call).toMatchObject({ isRecorded: false, reply: { text: expect.any(String) } });
        expect(call).not.toHaveProperty('request');
        expect((await sizesOf(run)).every(({ bodies }) => bodies === 0)).toBe(true);
      }
    });

    it('is cut to the beginnings of its messages if that is wanted', async () => {
      const call = await of(conversed).call({ activation: 'a1', step: 0, chars: 3 });

      expect(call?.request?.messages).toMatchObject([
        { text: 'You', size: 10 },
        { text: 'Beg', size: 6 },
      ]);
    });

    it('is nothing for a call, an activation or a run that does not exist', async () => {
      expect(await of(conversed).call({ activation: 'a1', step: 7 })).toBeUndefined();
      expect(await of(conversed).call({ activation: 'a999', step: 0 })).toBeUndefined();
      expect(await of('run_none').call({ activation: 'a1', step: 0 })).toBeUndefined();
    });
  },
  { tools: [look] },
);

it('is in the archived part of a journal, with secrets of the worker hidden', async () => {
  const canary = 'canary-4f1c9e7a2b';
  const stage = await openStage({
    where: { ...newInstallation().where, journalWindow: 40 },
    extensions: { tools: [look] },
    secret: () => canary,
  });
  onTestFinished(() => stage.close());
  // The name of a variable for the key of the model; its value is in the prompt, too, as if the author had written it there.
  const yaml = `graph: {id: tools, nodes: [${agent('A', `Never say ${canary}.`, tooling).replace('api_key: k', "api_key: '$${KEY}'")}]}`;

  const { description } = await stage.run(yaml, 'Count.');
  await archivedJournalOf(stage, description.run);
  const run = createTenantRuntime(stage.runtime, 'default').run(description.run);
  const call = await run.call({ activation: 'a1', step: 2 });

  expect(call?.request?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  expect(call?.request?.messages[0]?.text).toBe('Never say [secret].');
  expect(JSON.stringify(call)).not.toContain(canary);
});
