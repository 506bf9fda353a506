import type { FanOut, Message } from '@millrace/core';
import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fillConfig, itemNamer, itemsOfUnits } from './items.ts';

const fanOut = (split: string, itemName?: string): FanOut => ({
  type: 'map',
  split: { type: split, config: {} },
  maxParallel: 10,
  groupSize: 3,
  ...(itemName === undefined ? {} : { itemName }),
});

const carrying = (items: Readonly<Record<string, unknown>>): Message => ({
  ...textMessage('user', 'x', 'A'),
  metadata: { items },
});

const itemIn = ({ metadata }: Message) => metadata?.['items'];

describe('the names of items', () => {
  it.each([
    ['json_array', '{"name":"Ann"}', { name: 'Ann' }],
    ['json_array', '1e3', '1e3'],
    ['json_array', 'Ann', 'Ann'],
    ['lines', '{"name": "Ann"}', '{"name": "Ann"}'],
  ])('converts the unit of %s %j to %j', (split, text, value) => {
    expect(itemIn(itemNamer(fanOut(split, 'it'))(textMessage('user', text, 'A')))).toEqual({ it: value });
  });

  it('keeps the items that the message carries', () => {
    const named = itemNamer(fanOut('message', 'it'))(carrying({ ward: 'B', it: 'old' }));

    expect(itemIn(named)).toEqual({ ward: 'B', it: 'x' });
  });

  it('adds no item when the fan-out has no name for its units', () => {
    const unit = carrying({ ward: 'B' });

    expect(itemNamer(fanOut('message'))(unit)).toBe(unit);
  });
});

describe('the items of units', () => {
  it('are those of the inner unit where both have a name', () => {
    expect(itemsOfUnits([[carrying({ a: 1, b: 1 })], [carrying({ b: 2 })]])).toEqual({ a: 1, b: 2 });
  });

  it('are those that all messages of the unit have in common', () => {
    expect(itemsOfUnits([[carrying({ a: { x: 1 }, b: 1 }), carrying({ a: { x: 1 }, b: 2 })]])).toEqual({ a: { x: 1 } });
  });
});

describe('filling a configuration', () => {
  it('changes only the fields that are templates', () => {
    const config = { role: 'for {{it}}', name: '{{it}}', note: null };

    expect(fillConfig(config, ['role', 'note', 'missing'], { it: 'Ann' })).toEqual({ ...config, role: 'for Ann' });
  });

  it('returns the identical configuration without items', () => {
    const config = { role: 'for {{it}}' };

    expect(fillConfig(config, ['role'], {})).toBe(config);
  });
});
