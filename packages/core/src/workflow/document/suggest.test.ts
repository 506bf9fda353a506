import { describe, expect, it } from 'vitest';
import { didYouMean, nearestOf } from './suggest.ts';

describe('nearestOf', () => {
  it.each([
    ['agnet', 'agent'],
    ['Literl', 'literal'],
    ['loop_conter', 'loop_counter'],
    ['loopcounter', 'loop_counter'],
  ])('finds for %s the name %s', (name, known) => {
    expect(nearestOf(name, ['agent', 'human', 'literal', 'loop_timer', 'loop_counter'])).toBe(known);
  });

  it('finds nothing where no name is similar', () => {
    expect(nearestOf('database', ['agent', 'human'])).toBeUndefined();
    expect(nearestOf('a', ['human'])).toBeUndefined();
  });
});

describe('didYouMean', () => {
  it('returns a question with the nearest name', () => {
    expect(didYouMean('trigge', ['to', 'trigger'])).toBe('Did you mean "trigger"?');
  });
});
