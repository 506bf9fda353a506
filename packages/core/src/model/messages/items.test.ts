import { describe, expect, it } from 'vitest';
import { fillItems, itemsOf, withItems } from './items.ts';
import { textMessage } from './message.ts';

const items = { patient: { name: 'Ann', tags: ['x', null] }, line: '{"id": 7}', note: 'say {{patient}}' };

describe('filling in items', () => {
  it.each([
    ['Treat {{patient.name}}.', 'Treat Ann.'],
    ['{{ patient }}', '{"name":"Ann","tags":["x",null]}'],
    ['{{patient.tags}} {{patient.tags.0}}', '["x",null] x'],
    ['{{line}} {{line.id}}', '{"id": 7} 7'],
  ])('fills %j', (text, filled) => {
    expect(fillItems(text, items)).toBe(filled);
  });

  it.each([
    '{{other}}',
    '{{patient.age}}',
    '{{patient.constructor}}',
    '{{toString}}',
    '{{ patient | upper }}',
    '${patient}',
  ])('keeps %j', (text) => {
    expect(fillItems(text, items)).toBe(text);
  });

  it('does not replace placeholders within items', () => {
    expect(fillItems('{{note}}', items)).toBe('say {{patient}}');
  });
});

describe('the items of a message', () => {
  const message = textMessage('user', 'hello', 'A');

  it('are empty unless it carries some', () => {
    expect(itemsOf(message)).toEqual({});
    expect(itemsOf({ metadata: { items: ['no', 'names'] } })).toEqual({});
  });

  it('are replaced without changing its other metadata', () => {
    const carrying = { ...message, metadata: { kind: 'x', items: { old: 1 } } };
    expect(withItems(carrying, { patient: 'Ann' }).metadata).toEqual({ kind: 'x', items: { patient: 'Ann' } });
    expect(withItems(carrying, {}).metadata).toEqual({ kind: 'x' });
    expect(withItems(withItems(message, { patient: 'Ann' }), {})).toEqual(message);
  });

  it('keep a message identical that has them already', () => {
    const carrying = withItems(message, { patient: { name: 'Ann' } });
    expect(withItems(carrying, { patient: { name: 'Ann' } })).toBe(carrying);
    expect(withItems(message, {})).toBe(message);
  });
});
