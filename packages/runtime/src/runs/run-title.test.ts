import { describe, expect, it, vi } from 'vitest';
import { titleOf } from './run-title.ts';

describe('the title of a run', () => {
  it('is the first line of the task that has text', () => {
    expect(titleOf([{ content: '\n  \n  An article about rain. \nIt has two pages.' }])).toBe('An article about rain.');
    expect(titleOf([{ content: 'One\r\nTwo' }])).toBe('One');
    expect(titleOf([{ content: ' ' }, { content: 'Second message.' }])).toBe('Second message.');
  });

  it('is what the template of the workflow makes of the task', () => {
    const task = [{ content: '{"topic":"rain","pages":2}' }];
    expect(titleOf(task, 'Review of {{ input.topic }}, {{input.pages}} pages')).toBe('Review of rain, 2 pages');
    expect(titleOf([{ content: 'Rain.' }], 'Poem: {{input}}')).toBe('Poem: Rain.');
    expect(titleOf([{ content: 'y'.repeat(500) }], 'Poem: {{input}}')).toHaveLength(120);
  });

  it('is the first line of the task where the template comes to nothing', () => {
    expect(titleOf([{ content: 'Rain.\nSnow.' }], '{{ input.topic }}')).toBe('Rain.');
  });

  it('is absent for a task without text', () => {
    expect(titleOf([{ content: '' }])).toBeUndefined();
    expect(titleOf([])).toBeUndefined();
  });

  it('has at most 120 characters, and splits none', () => {
    expect(titleOf([{ content: 'x'.repeat(120) }])).toBe('x'.repeat(120));
    expect(titleOf([{ content: 'x'.repeat(5000) }])).toBe(`${'x'.repeat(119)}…`);
    expect(titleOf([{ content: '💡'.repeat(120) }])).toBe('💡'.repeat(120));
    expect(titleOf([{ content: '💡'.repeat(121) }])).toBe(`${'💡'.repeat(119)}…`);
  });

  it('shows characters that control a terminal or the direction of writing, and has none that are not there to see', () => {
    expect(titleOf([{ content: 'pay\u202e\u001b[2J\u0007\tnow' }])).toBe('pay\\u202e\\u001b[2J\\u0007 now');
    expect(titleOf([{ content: 'One\u2028Two' }])).toBe('One');
    expect(titleOf([{ content: 'One\u000bTwo' }])).toBe('One');
    expect(titleOf([{ content: '\u200b\u202e\n\ufeff \nSeen 👩‍🚀' }])).toBe('Seen 👩‍🚀');
    expect(titleOf([{ content: 'half \ud83d of one' }])).toBe('half  of one');
    expect(titleOf([{ content: `${'x'.repeat(241)}💡` }])).toBe(`${'x'.repeat(119)}…`);
    expect(titleOf([{ content: JSON.stringify({ who: '\u202e' }) }], 'For {{input.who}}')).toBe('For');
  });

  it('keeps the text of an expression in the task as it is', () => {
    const input = JSON.stringify({ first: '{{ input.second }} and {{input}}', second: 'no' });
    expect(titleOf([{ content: input }], '{{input.first}}: {{input.third}}.')).toBe(
      '{{ input.second }} and {{input}}: .',
    );
  });

  it('reads a huge task once, and only the beginnings of its texts', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const content = JSON.stringify({ long: 'y'.repeat(1_000_000), deep: { x: 'z'.repeat(1_000_000) } });
    const template = '{{input.long}}{{input.deep}}{{input.deep.x}}{{input}}'.repeat(9);

    expect(titleOf([{ content }], template)).toBe(`${'y'.repeat(119)}…`);
    expect(parse).toHaveBeenCalledOnce();
    parse.mockRestore();
    expect(titleOf([{ content: ' '.repeat(1_000_000) }], '{{input}}'.repeat(55))).toBeUndefined();
  });
});
