import { textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { BranchConfig, branch } from './branch.ts';

const holds = (config: unknown, chosen?: unknown) =>
  branch.compile(BranchConfig.parse(config), { compat: false })('', {
    ...textMessage('assistant', '', 'A'),
    ...(chosen === undefined ? {} : { metadata: { branch: chosen } }),
  });

describe('branch', () => {
  it.each([
    [{ is: 'search' }, 'search', true],
    [{ is: 'search' }, 'finish', false],
    [{ is: 'search' }, undefined, false],
    [{ in: ['a', 'b'] }, 'b', true],
    [{ in: ['a', 'b'] }, 'c', false],
    [{ otherwise: true, except: ['a'] }, 'a', false],
    [{ otherwise: true, except: ['a'] }, 'b', true],
    [{ otherwise: true, except: ['a'] }, undefined, true],
  ])('%j of a message with the branch %j: %s', (config, chosen, expected) => {
    expect(holds(config, chosen)).toBe(expected);
  });

  it.each([{}, { is: 'a', in: ['b'] }, { is: 'a', otherwise: true }])('refuses %j', (config) => {
    expect(BranchConfig.safeParse(config).success).toBe(false);
  });
});
