import { describe, expect, it } from 'vitest';
import type { KeyPress } from './shortcuts.ts';
import { createPressedKeys } from './shortcuts.ts';

const pressed = (key: string, timeStamp: number, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  timeStamp,
  metaKey: false,
  ctrlKey: false,
  altKey: false,
  ...more,
});

describe('keys that follow each other', () => {
  it('are a sequence when they come shortly after each other', () => {
    const keys = createPressedKeys();

    expect(keys.press(pressed('g', 0))).toEqual(['g']);
    expect(keys.press(pressed('r', 500))).toEqual(['g r', 'r']);
    expect(keys.press(pressed('i', 600))).toEqual(['i']);
  });

  it('are single keys when time has passed between them', () => {
    const keys = createPressedKeys();
    keys.press(pressed('g', 0));

    expect(keys.press(pressed('r', 5_000))).toEqual(['r']);
  });
});

describe('a key with a modifier', () => {
  it.each([
    ['metaKey', 'mod+k'],
    ['ctrlKey', 'mod+k'],
    ['altKey', 'alt+k'],
  ] as const)('%s reads %s', (modifier, name) => {
    expect(createPressedKeys().press(pressed('k', 0, { [modifier]: true }))).toEqual([name]);
  });
});
