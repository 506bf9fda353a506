import type { TerminationFunction } from '@millrace/catalog';
import { describe, expect, it } from 'vitest';
import { onBothStores } from '../../support/runs/both-stores.ts';
import { untilEnded } from '../../support/runs/watching.ts';

/** Stops at so many messages that contain a text; its state is how many there have been. */
const mentions: TerminationFunction = {
  init: () => 0,
  evaluate({ items }, state, { args }) {
    const count = Number(state) + items.filter(({ text }) => text.includes(String(args['text']))).length;
    return { stop: count >= Number(args['times']), reason: `${count} mentions`, state: count };
  },
};

const functions: Readonly<Record<string, TerminationFunction>> = {
  mentions,
  said_by_b: { evaluate: ({ source }) => source === 'B' },
  broken: {
    evaluate({ source }) {
      if (source === 'B') throw new Error('out of order');
      return false;
    },
  },
  // As an author of JavaScript might write it.
  one: { evaluate: ({ source }) => (source === 'B' ? 1 : false) as unknown as boolean },
  none: { evaluate: () => ({ stop: false }) },
};

const say = (id: string) => `{ id: ${id}, type: literal, config: { content: ${id} says so } }`;
const chain = (config: string) => `graph:
  id: chain
  termination: { type: function, config: ${config} }
  nodes: [${['A', 'B', 'C'].map(say).join(', ')}]
  edges: [{ from: A, to: B }, { from: B, to: C }]
`;

onBothStores(
  'termination functions of an installation',
  (stage) => {
    const run = async (text: string) => {
      const { description } = await stage.run(text, 'task');
      const { status, stop, error, outputs } = description;
      return {
        run: description.run,
        status,
        reason: stop?.text,
        error: error?.code,
        spoke: Object.keys(outputs).sort(),
      };
    };

    it('stop a run by their messages, without a state', async () => {
      expect(await run(chain('{ name: said_by_b }'))).toMatchObject({
        status: 'terminated',
        reason: 'function: said_by_b',
        spoke: ['A', 'B'],
      });
      expect(await run(chain('{ name: none }'))).toMatchObject({ status: 'completed', spoke: ['A', 'B', 'C'] });
    });

    it('stop a run by their state, and reset it when the run continues', async () => {
      const stopped = await run(chain('{ name: mentions, args: { text: so, times: 2 } }'));
      expect(stopped).toMatchObject({ status: 'terminated', reason: '2 mentions', spoke: ['A', 'B'] });

      const { runs } = stage.runtime;
      const seen = (await runs.describe(stopped.run))?.seen ?? '0';
      await runs.resume(stopped.run);
      await untilEnded(runs, stopped.run, seen);
      expect((await runs.describe(stopped.run))?.status).toBe('completed');
    });

    it('lose no message of many concurrent ones', async () => {
      const text = `graph:
  id: many
  end: [Join]
  termination: { type: function, config: { name: mentions, args: { text: W says, times: 1000 } } }
  nodes:
    - { id: S, type: literal, config: { content: "${Array.from({ length: 60 }, (_, n) => n).join('|')}" } }
    - ${say('W')}
    - { id: Join, type: passthrough, config: {} }
  edges:
    - from: S
      to: W
      dynamic: { type: map, split: { type: regex, config: { pattern: "[0-9]+" } }, config: { max_parallel: 20 } }
    - { from: W, to: Join }
`;
      const enough = text.replace('times: 1000', 'times: 60');

      expect(await run(text)).toMatchObject({ status: 'completed' });
      expect(await run(enough)).toMatchObject({ status: 'terminated', reason: '60 mentions' });
    });

    describe('that fail', () => {
      const code = { broken: 'TERM_FUNCTION_FAILED', one: 'TERM_FUNCTION_RETURN' };
      it.each(['broken', 'one'] as const)('keep the output of the node and follow on_error: %s', async (name) => {
        const asked = (policy: string) => run(chain(`{ name: ${name}, on_error: ${policy} }`));

        expect(await asked('fail_run')).toMatchObject({ status: 'failed', error: code[name], spoke: ['A', 'B'] });
        expect(await asked('ignore')).toMatchObject({ status: 'completed', spoke: ['A', 'B', 'C'] });
        const stopped = await asked('stop');
        expect(stopped).toMatchObject({ status: 'terminated', spoke: ['A', 'B'] });
        expect(stopped.reason).toContain(`"${name}"`);
      });
    });
  },
  { terminations: new Map(Object.entries(functions)) },
);
