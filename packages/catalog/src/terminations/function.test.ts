import { describe, expect, it } from 'vitest';
import { SteppingTree, said } from '../../../../test/support/fakes/stepping-tree.ts';
import type { TerminationFunction } from '../functions/termination-function.ts';
import { createVocabulary } from '../index.ts';

const hello = said('Hello');
const stop = said('stop');

/** A tree of conditions that ask this function, which is called `f`. */
function asking(f: TerminationFunction, settings: Readonly<Record<string, unknown>> = {}, times = 1): SteppingTree {
  const vocabulary = createVocabulary({ terminations: new Map([['f', f]]) });
  const config = vocabulary.terminations.get('function')?.config.parse({ name: 'f', ...settings });
  return new SteppingTree({ any_of: Array.from({ length: times }, () => ({ type: 'function', config })) }, vocabulary);
}

describe('termination functions', () => {
  it('are called with each delta', async () => {
    const tree = asking({ evaluate: async ({ items }) => items.at(-1)?.text === 'stop' });

    expect(await tree.see([])).toBeUndefined();
    expect(await tree.see([hello])).toBeUndefined();
    expect(await tree.see([stop])).toBe('function: f');
  });

  it('keep a state, which a new segment resets', async () => {
    const counts: TerminationFunction = {
      init: () => 0,
      evaluate(_delta, state, { args }) {
        const count = Number(state) + 1;
        return { stop: count >= Number(args['limit']), reason: `counted ${count}`, state: count };
      },
    };
    const tree = asking(counts, { args: { limit: 2 } });

    expect(await tree.see([hello])).toBeUndefined();
    expect(await tree.see([hello])).toBe('counted 2');
    tree.reset();
    expect(await tree.see([hello])).toBeUndefined();
  });

  it('must return true or false, and no other value', async () => {
    const one: TerminationFunction = { evaluate: () => 1 as unknown as boolean }; // as an author of JavaScript might

    await expect(asking(one).see([hello])).rejects.toThrow('TERM_FUNCTION_RETURN');
  });

  it('fail the run, stop the scope, or have no effect when they fail, as configured', async () => {
    const fails: TerminationFunction = {
      evaluate() {
        throw new Error('no');
      },
    };
    const seen = (on_error: string) => asking(fails, { on_error }).see([hello]);

    await expect(seen('fail_run')).rejects.toThrow('TERM_FUNCTION_FAILED');
    expect(await seen('ignore')).toBeUndefined();
    expect(await seen('stop')).toContain('failed: no');
  });

  it('time out', async () => {
    const tree = asking({ evaluate: () => new Promise(() => undefined) }, { timeout_ms: 5, on_error: 'stop' });

    expect(await tree.see([hello])).toContain('took longer than 5 ms');
  });

  it('fail the run when a worker does not have them', async () => {
    const config = createVocabulary().terminations.get('function')?.config.parse({ name: 'f', on_error: 'fail_run' });
    const tree = new SteppingTree({ type: 'function', config }, createVocabulary());

    await expect(tree.see([hello])).rejects.toThrow('TERM_FUNCTION_MISSING');
  });

  it('are both reasons when two of them are true at once', async () => {
    expect(await asking({ evaluate: () => true }, {}, 2).see([])).toBe('function: f, function: f');
  });
});
