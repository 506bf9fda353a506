import { createVocabulary } from '@millrace/catalog';
import type { UnknownRule, Wake, Workflow } from '@millrace/core';
import { CallLog, RequestError, readWorkflow } from '@millrace/core';
import type { Runs, Runtime } from '@millrace/runtime';
import { createSecretMask, openRuntime, realClock } from '@millrace/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { ActivationClock } from './activation-clock.ts';
import type { Step } from './step.ts';
import type { Steps } from './steps.ts';
import { createSteps } from './steps.ts';

const vocabulary = createVocabulary();
const text = 'graph:\n  id: g\n  start: [A]\n  nodes:\n    - {id: A, type: literal, config: {content: a}}\n';

function workflow(): Workflow {
  const read = readWorkflow({ file: 'g.yaml', text }, { vocabulary, mode: 'run' });
  if (read.workflow === undefined) throw new Error(JSON.stringify(read.issues));
  return read.workflow;
}

const counting = { tallies: (read: (key: string) => number) => ({ calls: read('calls') }) };

describe('an attempt of an activation, or two', () => {
  let runtime: Runtime;
  let wake: Wake;
  const attempt = ({ runs = runtime.runs, signal = new AbortController().signal } = {}): Steps =>
    createSteps(
      { ...runtime, runs, mask: createSecretMask(['open sesame']) },
      {
        wake,
        attempt: { run: wake.run, activation: wake.activation, node: 'A', segment: 1 },
        clock: new ActivationClock(realClock),
        signal,
        changes: async () => [],
      },
    );

  beforeEach(async () => {
    runtime = await openRuntime({ local: true }, vocabulary, () => undefined);
    await runtime.runs.start({ workflow: workflow(), input: 'task' });
    [wake] = (await runtime.store.agenda()) as [Wake]; // the one node of the graph is due
  });

  const eventsOf = async () => (await runtime.store.journal(wake.run, '0', 100)).map(({ event }) => event.type);

  it('share a step that both begin, and its first result', async () => {
    const goOn = async (value: string) => {
      const steps = attempt();
      const first = await steps.run({ name: 'ask', request: 'q', ...counting, action: async () => ({ value }) });
      await steps.run({ name: 'go on', request: first, action: async () => ({ value: 'done' }) });
      await steps.results.stored();
      return first;
    };

    const results = await Promise.all([goOn('one'), goOn('two')]);

    expect(new Set(results).size).toBe(1);
    expect((await eventsOf()).filter((type) => type.startsWith('step.'))).toEqual([
      'step.started',
      'step.completed',
      'step.started',
      'step.completed',
    ]);
    expect((await runtime.runs.refresh(wake.run))?.state.get('tally/calls')).toBe(1);
  });

  it('keep the results of the attempt that is ahead', async () => {
    const ask = (request: string) => ({ name: 'ask', request, action: async () => ({ value: `re: ${request}` }) });
    const ahead = attempt();
    await ahead.run(ask('first'));

    const late = attempt().run({
      name: 'ask',
      request: 'first',
      action: async () => ({ value: 'never asked' }),
    });
    const [second, again] = await Promise.all([ahead.run(ask('second')), late]);

    expect([again, second]).toEqual(['re: first', 're: second']);
  });

  it('end without a result when the other attempt has made another call', async () => {
    const slow = attempt().run({
      name: 'ask',
      request: 'old',
      async action() {
        await attempt().run({ name: 'ask', request: 'new', action: async () => ({ value: 'new' }) });
        return { value: 'old' };
      },
    });

    await expect(slow).rejects.toMatchObject({ name: 'Interrupted' });
  });

  it.each([
    ['waits for the next command', 'short', []],
    ['is stored at once when it is long', 'x'.repeat(20_000), ['step.completed']],
  ])('has a result that %s', async (_what, value, stored) => {
    const steps = attempt();

    await steps.run({ name: 'ask', request: 'q', action: async () => ({ value }) });

    expect((await eventsOf()).filter((type) => type === 'step.completed')).toEqual(stored);
    await steps.results.stored();
  });

  it('neither store, report nor throw a secret', async () => {
    const emitted: string[] = [];
    const listening = new AbortController();
    const onHeaders = (async () => {
      for await (const { text, ended } of runtime.runs.live.listen(wake.run, listening.signal)) {
        emitted.push(text);
        if (ended) return;
      }
    })();
    const steps = attempt();
    const value = await steps.run({
      name: 'ask',
      request: 'q',
      async action(_counts, { emit }) {
        for (const piece of ['They say "open', ' ses', 'ame" to', ' open']) emit(piece);
        return { value: { content: 'open sesame', id: 'a1' } };
      },
    });
    await steps.results.stored();
    const failed = attempt().run({
      name: 'ask',
      request: 'other',
      action: async () => {
        throw new TypeError('no: open sesame');
      },
    });

    await expect(failed).rejects.toThrow(new TypeError('no: [secret]'));
    await onHeaders;
    listening.abort();
    expect(value).toEqual({ content: '[secret]', id: 'a1' });
    expect(emitted.join('')).toBe('They say "[secret]" to open');
    const stored = JSON.stringify([await runtime.store.journal(wake.run, '0', 100), await stepResult()]);
    expect(stored).not.toContain('open sesame');
  });

  describe('at a call that is refused', () => {
    const rejected = () => ({ type: 'rejected' as const, decided: { type: 'rejected' as const } });
    const call = (steps: Steps, terms: Partial<Step<string>> = {}) =>
      steps.run({
        name: 'tool pay',
        request: 'q',
        ...terms,
        action: async (_counts, { decided, begun }) => ({
          value: decided !== undefined || terms.refused ? `refused${begun ? ', begun before' : ''}` : 'made',
        }),
      });
    const dies = async (terms: Partial<Step<string>> = {}) => {
      const action = () => Promise.reject(new Error('died'));
      await expect(attempt().run({ name: 'tool pay', request: 'q', ...terms, action })).rejects.toThrow('died');
    };
    const once = { rule: 'tell', unknown: 'unknown' } as const;
    const repeat = { rule: 'repeat', unknown: 'unknown' } as const;

    it.each([
      ['a rule', { refused: true }, undefined, 'refused, begun before'],
      ['a person', { approval: rejected }, undefined, 'refused, begun before'],
      ['a rule, and would be repeated', { refused: true }, repeat, 'refused, begun before'],
      ['a rule, and must not be made twice', { refused: true }, once, 'unknown'],
      ['a person, and must not be made twice', { approval: rejected }, once, 'unknown'],
    ] as const)('by %s, know that it was begun before', async (_by, refusal, terms, told) => {
      await dies({ once: terms });

      expect([await call(attempt(), { ...refusal, once: terms })]).toEqual([told]);
      expect(await call(attempt(), { ...refusal, once: terms })).toBe(told);
    });

    it.each([undefined, once, repeat])('and was never allowed, know that it was not made: %j', async (terms) => {
      await dies({ refused: true, once: terms });

      expect(await call(attempt(), { approval: rejected, once: terms })).toBe('refused');
    });

    it.each([undefined, once, repeat])('make it once it is allowed, as nobody has made it: %j', async (terms) => {
      await dies({ refused: true, once: terms });

      expect(await call(attempt(), { once: terms })).toBe('made');

      const journal = await runtime.store.journal(wake.run, '0', 100);
      const starts = journal.flatMap(({ event }) => (event.type === 'step.started' ? [event.refused ?? false] : []));
      expect(starts).toEqual([true, false]);
      expect(journal.some(({ event }) => event.type === 'step.unknown')).toBe(false);
    });
  });

  describe('at a step that must not be made twice', () => {
    const pay = (steps: Steps, rule: UnknownRule, action: () => Promise<{ value: string; unknown?: UnknownRule }>) =>
      steps.run({ name: 'tool pay', request: 'q', once: { rule, unknown: 'unknown' }, action });
    const paid = async () => ({ value: 'paid' });
    /** Begins the step in an attempt that dies in its middle. */
    const begin = () => expect(pay(attempt(), 'tell', () => Promise.reject(new Error('died')))).rejects.toThrow('died');
    const unknownIn = async () =>
      (await runtime.store.journal(wake.run, '0', 100)).flatMap(({ event }) =>
        event.type === 'step.unknown' ? [event.rule] : [],
      );
    const warnings = async () =>
      (await runtime.runs.refresh(wake.run))?.state.get('warnings')?.latest.map(({ node, code }) => [node, code]);

    it.each(['tell', 'verify', 'ask', 'fail'] as const)('do not make it again by the rule %s', async (rule) => {
      await begin();
      let made = 0;

      const result = await pay(attempt(), rule, async () => ({ value: `paid ${++made}` }));

      expect([result, made, await unknownIn()]).toEqual(['unknown', 0, [rule]]);
      expect(await warnings()).toEqual([['A', 'W_TOOL_OUTCOME_UNKNOWN']]);
      expect(await pay(attempt(), rule, paid)).toBe('unknown');
    });

    it('make it again by the rule repeat, and tell of it', async () => {
      await begin();

      expect(await pay(attempt(), 'repeat', paid)).toBe('paid');

      expect(await unknownIn()).toEqual(['repeat']);
      expect(await pay(attempt(), 'repeat', () => Promise.reject(new Error('made a third time')))).toBe('paid');
    });

    it('keep a result that comes after the other one has gone on without it', async () => {
      const slow = pay(attempt(), 'tell', async () => {
        await pay(attempt(), 'tell', () => Promise.reject(new Error('made twice')));
        return { value: 'paid late' };
      });

      expect(await slow).toBe('unknown');
      const journal = await runtime.store.journal(wake.run, '0', 100);
      const late = journal.flatMap(({ event }) => (event.type === 'step.late' ? [event.result] : []));
      const log = new CallLog(wake.activation);
      for (const entry of journal) log.add(entry);
      expect(log.calls).toMatchObject([{ name: 'tool pay', unknown: 'tell', late: true }]);
      expect(JSON.stringify(await runtime.runs.bodies(wake.run, late))).toContain('paid late');
      expect(await warnings()).toEqual([
        ['A', 'W_TOOL_OUTCOME_UNKNOWN'],
        ['A', 'W_TOOL_RESULT_LATE'],
      ]);
    });

    it('keep a result that comes when the run has ended', async () => {
      const slow = pay(attempt(), 'tell', async () => {
        await runtime.runs.cancel(wake.run, 'in the middle');
        return { value: 'paid' };
      });

      await expect(slow).rejects.toMatchObject({ name: 'Interrupted' });
      expect(await warnings()).toEqual([['A', 'W_TOOL_RESULT_LATE']]);
    });

    it('record that a call did not answer', async () => {
      const result = pay(attempt(), 'ask', async () => ({ value: 'unknown', unknown: 'ask' }));

      expect([await result, await unknownIn()]).toEqual(['unknown', ['ask']]);
    });

    describe('while too few replicas have that it was begun', () => {
      const error = new RequestError('REDIS_NO_REPLICAS', 'No replica confirmed it.');
      /** The runs as they are while replicas are away: `asked` is called with the number of each confirmation. */
      const runsWith = (
        asked: (count: number) => void | Promise<void>,
        last: Awaited<ReturnType<Runs['confirm']>>,
      ): Runs => {
        let count = 0;
        return {
          ...runtime.runs,
          async confirm() {
            await asked(++count);
            return count < 30 ? { type: 'unconfirmed', error } : last;
          },
        };
      };
      let made: number;
      const payOnce = async () => ({ value: `paid ${++made}` });
      beforeEach(() => {
        made = 0;
      });

      it('wait for them, and make it once', async () => {
        const before: number[] = [];
        const runs = runsWith(() => void before.push(made), { type: 'confirmed' });

        expect(await pay(attempt({ runs }), 'tell', payOnce)).toBe('paid 1');

        expect(before).toEqual(Array.from({ length: 30 }, () => 0));
        expect(await unknownIn()).toEqual([]);
      });

      it('end without it when the worker stops', async () => {
        const stopping = new AbortController();
        const runs = runsWith((count) => (count === 3 ? stopping.abort(new Error('stopping')) : undefined), {
          type: 'confirmed',
        });

        await expect(pay(attempt({ runs, signal: stopping.signal }), 'tell', payOnce)).rejects.toThrow('stopping');

        expect(made).toBe(0);
      });

      it('end without it when a failover has lost that it was begun', async () => {
        const runs = runsWith(() => undefined, { type: 'diverged' });

        await expect(pay(attempt({ runs }), 'tell', payOnce)).rejects.toMatchObject({ name: 'Interrupted' });

        expect(made).toBe(0);
      });

      it('end without it when another attempt has gone on, for which its outcome is unknown', async () => {
        const runs = runsWith(
          async (count) => {
            if (count === 3) expect(await pay(attempt(), 'tell', payOnce)).toBe('unknown');
          },
          { type: 'confirmed' },
        );

        await expect(pay(attempt({ runs }), 'tell', payOnce)).rejects.toMatchObject({ name: 'Interrupted' });

        expect([made, await unknownIn()]).toEqual([0, ['tell']]);
      });

      it('end without it when the activation is over', async () => {
        const runs = runsWith(
          async (count) => {
            if (count === 3) await runtime.runs.cancel(wake.run, 'in the middle');
          },
          { type: 'confirmed' },
        );

        await expect(pay(attempt({ runs }), 'tell', payOnce)).rejects.toMatchObject({ name: 'Interrupted' });

        expect(made).toBe(0);
      });
    });

    it('store its result before they go on', async () => {
      await pay(attempt(), 'tell', paid);

      expect(await eventsOf()).toContain('step.completed');
    });
  });

  async function stepResult() {
    const ref = (await runtime.runs.refresh(wake.run))?.state.get(`step/${wake.activation}/0`)?.result;
    return ref === undefined ? undefined : runtime.runs.bodies(wake.run, [ref]);
  }
});
