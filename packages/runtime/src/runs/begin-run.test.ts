import { describe, expect, it } from 'vitest';
import { titleOf } from './begin-run.ts';

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
});
