import type { JournalEntry, TerminationDelta } from '@millrace/core';
import { defineTool, textMessage } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startHeldModels } from '../../support/fakes/held-models.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEntry } from '../../support/runs/watching.ts';

const say = (id: string, text = `${id} says so`) => `{ id: ${id}, type: literal, config: { content: ${text} } }`;
const pass = (id: string) => `{ id: ${id}, type: passthrough, config: {} }`;
const edges = (...pairs: readonly string[]) =>
  `[${pairs.map((pair) => `{ from: ${pair[0]}, to: ${pair[1]} }`).join(', ')}]`;
const graph = (nodes: readonly string[], joined: string, more: string) =>
  `graph:\n  id: g\n${more}\n  nodes:\n${nodes.map((node) => `    - ${node}`).join('\n')}\n  edges: ${joined}\n`;
const termination = (type: string, config: string) => `{ type: ${type}, config: { ${config} } }`;

/** A pair that would talk for ever. */
const pair = (more: string) => graph([say('A'), say('B')], edges('AB', 'BA'), `  start: A\n  end: B\n${more}`);

/** Deltas that a function has received. */
const shown: TerminationDelta[] = [];
const functions = new Map([
  [
    'shown',
    {
      evaluate(delta: TerminationDelta) {
        shown.push(delta);
        return false;
      },
    },
  ],
]);

const approve = defineTool({
  name: 'approve',
  description: 'Approve.',
  parameters: z.object({}),
  execute: async () => 'approved',
});

const models = openBeforeEach(startHeldModels);
beforeEach(async () => {
  shown.length = 0;
});

onBothStores(
  'what terminations count',
  (stage) => {
    const runs = () => stage.runtime.runs;
    const run = async (text: string, input = 'task') => {
      const { description, journal } = await stage.run(text, input);
      const { run: id, status, stop, outputs, activations } = description;
      return { id, status, reason: stop?.text, outputs, activations, journal };
    };
    const until = async (id: string, holds: (entry: JournalEntry) => boolean, since = '0') => {
      await untilEntry(runs(), id, holds, since);
    };
    const has =
      (type: JournalEntry['event']['type']) =>
      ({ event }: JournalEntry) =>
        event.type === type;
    const resumed = async (id: string) => {
      const before = await runs().describe(id);
      await runs().resume(id);
      await until(id, has('run.finished'), before?.seen);
      const after = await runs().describe(id);
      const more = (after?.activations ?? 0) - (before?.activations ?? 0);
      return { status: after?.status, reason: after?.stop?.text, outputs: after?.outputs, more };
    };
    const begin = async (text: string) => runs().start({ workflow: workflowIn(text, stage.vocabulary), input: 'x' });
    const stopOf = async (id: string) => (await runs().describe(id))?.stop?.text;
    const countOf = async (id: string, path: string) =>
      (await runs().refresh(id))?.state.get('termination/s0/')?.cells[path]?.state;

    it('can be the task, so that one message is sufficient', async () => {
      const text = pair(`  termination: ${termination('max_messages', 'max_messages: 1')}`);

      expect(await run(text)).toMatchObject({ status: 'terminated', reason: 'max_messages: 1 of 1', activations: 0 });
    });

    it('is each message of a task with several', async () => {
      const workflow = workflowIn(
        pair(`  termination: ${termination('max_messages', 'max_messages: 4')}`),
        stage.vocabulary,
      );
      const input = ['one', 'two', 'three'].map((text) => textMessage('user', text, 'TASK'));
      const id = await runs().start({ workflow, input });
      await until(id, has('run.finished'));

      expect(await runs().describe(id)).toMatchObject({ activations: 1, stop: { text: 'max_messages: 4 of 4' } });
    });

    it('is the turns of each segment', async () => {
      const first = await run(pair(`  termination: ${termination('max_turns', 'max_turns: 3, sources: [A, B]')}`));

      expect(first).toMatchObject({ reason: 'max_turns: 3 of 3', activations: 3 });
      expect(await resumed(first.id)).toMatchObject({ reason: 'max_turns: 3 of 3', more: 3 });
    });

    it('is counted from zero in all conditions after one of them has stopped the run', async () => {
      const turns = termination('max_turns', 'max_turns: 2, sources: [A, B]');
      const text = pair(`  termination: [${termination('max_messages', 'max_messages: 4')}, ${turns}]`);
      const first = await run(text);

      expect(first.reason).toBe('max_turns: 2 of 2');
      expect(await resumed(first.id)).toMatchObject({ reason: 'max_turns: 2 of 2', more: 2 });
      expect(await countOf(first.id, '$.0')).toBe(2);
    });

    it('is the message of a loop guard at its limit, and none before', async () => {
      const guard = '{ id: G, type: loop_counter, config: { max_iterations: 3, message: enough } }';
      const counting = termination('max_messages', 'max_messages: 100, sources: [G]');
      const text = graph(
        [say('A'), say('B'), guard, pass('O')],
        edges('AB', 'BA', 'BG', 'GA', 'GO'),
        `  start: A\n  end: O\n  termination: ${counting}`,
      );
      const { id, status, outputs } = await run(text);

      expect([status, outputs['G'], await countOf(id, '$.0')]).toEqual(['completed', 'enough', 1]);
    });

    it('includes messages during a pause, without losing earlier ones', async () => {
      const agents = ['A', 'B'].map((id) => `{ id: ${id}, type: agent, config: ${models.agent(id)} }`);
      const id = await begin(
        graph(agents, edges('AB'), `  termination: ${termination('max_messages', 'max_messages: 3')}`),
      );
      await models.asked('A', 1);
      await until(id, has('activation.started'));
      await runs().control(id, 'pause');
      models.answer('A');
      await until(id, has('activation.completed'));
      expect([(await runs().describe(id))?.status, await countOf(id, '$.0')]).toEqual(['paused', 2]);

      await runs().resume(id);
      await models.asked('B', 1);
      models.answer('B');
      await until(id, has('run.finished'));
      expect(await stopOf(id)).toBe('max_messages: 3 of 3');
    });

    it('can satisfy a condition during a pause', async () => {
      const agent = `{ id: A, type: agent, config: ${models.agent('A')} }`;
      const id = await begin(graph([agent], '[]', `  termination: ${termination('source_match', 'sources: [A]')}`));
      await models.asked('A', 1);
      await until(id, has('activation.started'));
      await runs().control(id, 'pause');
      models.answer('A');
      await until(id, has('run.finished'));

      expect(await runs().describe(id)).toMatchObject({ status: 'terminated', stop: { text: 'source_match: A' } });
    });

    it('is counted when it arrives, whatever else executes', async () => {
      const agents = ['B', 'C'].map((id) => `{ id: ${id}, type: agent, config: ${models.agent(id)} }`);
      const mention = termination('text_mention', 'text: C says, include_task: false');
      const id = await begin(
        graph([say('A', 'Go.'), ...agents], edges('AB', 'AC'), `  start: A\n  end: [B, C]\n  termination: ${mention}`),
      );
      await Promise.all([models.asked('B', 1), models.asked('C', 1)]);
      models.answer('C');
      await until(id, has('run.stopping'));
      models.answer('B');
      await until(id, has('run.finished'));

      expect(await runs().describe(id)).toMatchObject({
        stop: { text: "text_mention: 'C says' by C" },
        outputs: { B: 'B says so', C: 'C says so' },
      });
    });

    it('is recorded to the end of the turn in which a signal arrives', async () => {
      const agent = `{ id: A, type: agent, config: ${models.agent('A')} }`;
      const id = await begin(
        graph([agent, say('B')], edges('AB'), `  termination: ${termination('external', 'name: enough')}`),
      );
      await models.asked('A', 1);
      await until(id, has('activation.started'));
      await runs().signal(id, { name: 'enough' });
      expect((await runs().describe(id))?.status).toBe('stopping');
      models.answer('A');
      await until(id, has('run.finished'));

      expect(await runs().describe(id)).toMatchObject({
        stop: { text: 'external: enough' },
        outputs: { A: 'A says so' },
      });
    });

    it('is passed to a function once for each activation, after its events', async () => {
      const script = { rules: [{ when: { call: 1 }, reply: { tool_calls: [{ name: 'approve' }] } }], default: 'done' };
      const agent = `{ id: A, type: agent, config: { provider: scripted, name: m, params: ${JSON.stringify(script)}, tooling: [{ type: function, config: { tools: [{ name: approve }] } }] } }`;
      const { status } = await run(
        graph(
          [agent, pass('P'), say('B')],
          edges('AP', 'PB'),
          `  termination: ${termination('function', 'name: shown')}`,
        ),
      );

      expect(status).toBe('completed');
      expect(
        shown.map(({ source, task, items }) => [
          source,
          task,
          items.map((item) => (item.type === 'event' ? item.kind : item.text)),
        ]),
      ).toEqual([
        ['user', true, ['task']],
        ['A', false, ['tool_call_request', 'tool_call_execution', 'done']],
        ['P', false, []],
        ['B', false, ['B says so']],
      ]);
    });

    describe('of graphs inside', () => {
      const five = Array.from('VWXYZ');
      const inner = (more = '') =>
        `{ id: S, type: subgraph, config: { type: config, config: { start: V, end: Z, nodes: [${five.map((id) => say(id)).join(', ')}], edges: ${edges('VW', 'WX', 'XY', 'YZ')} }${more} } }`;

      it('is the output of their nodes, or each message in them, as soon as it is produced', async () => {
        const outside = (more: string) =>
          graph(
            [inner(), say('A')],
            edges('SA'),
            `  start: S\n  end: A\n  termination: ${termination('max_messages', `max_messages: 4${more}`)}`,
          );
        const apart = await run(outside(''));
        const within = await run(outside(', include_nested: true'));

        expect([apart.status, await countOf(apart.id, '$.0')]).toEqual(['completed', 3]);
        expect(within).toMatchObject({ status: 'terminated', reason: 'max_messages: 4 of 4', activations: 4 });
      });

      it('is their tokens', async () => {
        const agent = (id: string, words: number) =>
          `{ id: ${id}, type: agent, config: { provider: scripted, name: m, params: { default: "${Array(words).fill(id).join(' ')}" } } }`;
        const sub = (id: string, words: number) =>
          `{ id: ${id}, type: subgraph, config: { type: config, config: { nodes: [${agent(`${id}1`, words)}] } } }`;
        const { reason, outputs } = await run(
          graph(
            [sub('P', 600), sub('Q', 500), say('R')],
            edges('PQ', 'QR'),
            `  termination: ${termination('token_usage', 'max_completion: 1000')}`,
          ),
        );

        expect(reason).toContain('completion 1100');
        expect(Object.keys(outputs)).toEqual(['P']);
      });
    });

    it('is each unit of a map, and the other units execute when the run continues', async () => {
      const text = `graph:
  id: g
  start: A
  end: J
  termination: ${termination('source_match', 'sources: [W]')}
  nodes: [${say('A', '"1 2 3 4 5"')}, { id: W, type: template, config: { text: "unit {{ text }}" } }, ${pass('J')}]
  edges:
    - { from: A, to: W, dynamic: { type: map, split: { type: regex, config: { pattern: "[0-9]" } }, config: { max_parallel: 1 } } }
    - { from: W, to: J }
`;
      const first = await run(text);

      expect(first).toMatchObject({ status: 'terminated', reason: 'source_match: W' });
      let again = await resumed(first.id);
      for (let unit = 0; unit < 4 && again.status === 'terminated'; unit++) again = await resumed(first.id);
      expect(again.status).toBe('completed');
    });

    it('starts the successors of a scope once, although the scope also triggered them', async () => {
      const text = graph(
        [say('A'), say('B'), pass('O')],
        `[{ from: A, to: B }, { from: B, to: A }, { from: B, to: O }]`,
        `  start: A
  end: O
  scopes: [{ id: talk, nodes: [A, B], termination: { type: source_match, config: { sources: [B] }, exit_to: [O] } }]`,
      );
      const { status, activations, outputs } = await run(text);

      expect([status, activations, outputs['O']]).toEqual(['completed', 3, 'B says so']);
    });
  },
  { terminations: functions, tools: [approve] },
);
