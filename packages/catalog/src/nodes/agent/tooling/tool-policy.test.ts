import type { ToolAnnotations, ToolEffect, ToolRule } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { ToolPolicy } from './policy-config.ts';
import type { JudgedTool } from './tool-policy.ts';
import { createPolicyJudge } from './tool-policy.ts';

const server = (name: string, annotations: ToolAnnotations = {}, trusted = false): JudgedTool => ({
  name,
  exposed: `bank_${name}`,
  hints: { of: 'server', annotations, trusted },
});
const own = (name: string, effect: ToolEffect = 'idempotent'): JudgedTool => ({
  name,
  exposed: name,
  hints: { of: 'function', effect },
});

const transfer = server('transfer');
const reader = { readOnlyHint: true };
const harmless = { destructiveHint: false };

const bank = [
  { tool: 'get_*', do: 'allow' },
  { tool: 'transfer', when: { path: 'amount', above: 100 }, do: 'ask', expires: '1h' },
  { annotation: 'destructive', do: 'deny' },
];
const above = (amount: number, verdict: string) => [
  { tool: 'transfer', when: { path: 'amount', above: amount }, do: verdict },
];
const ask = [{ do: 'ask' }];
const deny = [{ do: 'deny' }];
const allow = [{ do: 'allow' }];

interface Levels {
  readonly own?: readonly unknown[];
  readonly graph?: readonly unknown[];
  readonly outer?: readonly unknown[];
  readonly operator?: readonly unknown[];
}

const rules = (written: readonly unknown[] = []): readonly ToolRule[] => ToolPolicy.parse(written);

function decide(levels: Levels, tool: JudgedTool, args: Readonly<Record<string, unknown>> = {}) {
  const graphs = [levels.outer, levels.graph].flatMap((written) => (written === undefined ? [] : [rules(written)]));
  return createPolicyJudge(rules(levels.own), { graphs, operator: rules(levels.operator) })(tool, args);
}

type Case = readonly [
  verdict: 'allow' | 'ask' | 'deny',
  levels: Levels,
  tool: JudgedTool,
  args?: Record<string, unknown>,
];

const cases: Readonly<Record<string, readonly Case[]>> = {
  'the first rule that applies, by names': [
    ['allow', {}, transfer],
    ['allow', { own: [] }, transfer],
    ['allow', { own: bank }, server('get_balance')],
    ['deny', { own: bank }, server('close_account')],
    ['ask', { own: [{ tool: 'transfer', do: 'ask' }] }, transfer],
    ['allow', { own: [{ tool: 'transfer', do: 'ask' }] }, server('transfers')],
    ['ask', { own: [{ tool: 'trans*', do: 'ask' }] }, transfer],
    ['ask', { own: [{ tool: '*fer', do: 'ask' }] }, transfer],
    ['ask', { own: [{ tool: 't*f*r', do: 'ask' }] }, transfer],
    ['allow', { own: [{ tool: 't*x*r', do: 'ask' }] }, transfer],
    ['ask', { own: [{ tool: '*', do: 'ask' }] }, transfer],
    ['ask', { own: ask }, transfer],
    ['deny', { own: [...deny, ...allow] }, transfer],
    ['allow', { own: [...allow, ...deny] }, transfer],
    ['allow', { own: [{ tool: 'Transfer', do: 'deny' }] }, transfer],
    ['ask', { own: [{ tool: 'transfer', do: 'ask' }] }, own('transfer')],
  ],
  'a name with the prefix of the entry, for rules that restrict only': [
    ['deny', { own: [{ tool: 'bank_transfer', do: 'deny' }] }, transfer],
    ['ask', { operator: [{ tool: 'bank_*', do: 'ask' }] }, transfer],
    ['deny', { operator: [{ tool: 'bank_*', do: 'allow' }, ...deny] }, transfer],
  ],
  'the values of arguments': [
    ['ask', { own: bank }, transfer, { amount: 101 }],
    ['deny', { own: bank }, transfer, { amount: 100 }],
    ['ask', { own: above(100, 'ask') }, transfer, { amount: 1e9 }],
    ['allow', { own: above(100, 'ask') }, transfer, { amount: 100 }],
    ['allow', { own: [{ when: { path: 'amount', below: 10 }, do: 'allow' }, ...ask] }, transfer, { amount: 9 }],
    ['ask', { own: [{ when: { path: 'amount', below: 10 }, do: 'allow' }, ...ask] }, transfer, { amount: 10 }],
    ['deny', { own: [{ when: { path: 'to', equals: 'eve' }, do: 'deny' }] }, transfer, { to: 'eve' }],
    ['allow', { own: [{ when: { path: 'to', equals: 'eve' }, do: 'deny' }] }, transfer, { to: 'bob' }],
    ['deny', { own: [{ when: { path: 'to', not: 'bob' }, do: 'deny' }] }, transfer, { to: 'eve' }],
    ['deny', { own: [{ when: { path: 'path', matches: '^/etc/' }, do: 'deny' }] }, transfer, { path: '/etc/passwd' }],
    ['allow', { own: [{ when: { path: 'path', matches: '^/etc/' }, do: 'deny' }] }, transfer, { path: '/tmp/etc/' }],
    ['ask', { own: [{ when: { path: 'to', in: ['eve', 'mallory'] }, do: 'ask' }] }, transfer, { to: 'mallory' }],
    ['ask', { own: [{ when: { path: 'force', exists: true }, do: 'ask' }] }, transfer, { force: null }],
    ['allow', { own: [{ when: { path: 'force', exists: true }, do: 'ask' }] }, transfer],
    ['ask', { own: [{ when: { path: 'order.total', at_least: 5 }, do: 'ask' }] }, transfer, { order: { total: 5 } }],
    [
      'ask',
      { own: [{ when: { path: '$.lines[*].sum', above: 5 }, do: 'ask' }] },
      transfer,
      { lines: [{ sum: 1 }, { sum: 9 }] },
    ],
    ['ask', { own: [{ when: { path: 'ids', length: { above: 2 } }, do: 'ask' }] }, transfer, { ids: [1, 2, 3] }],
  ],
  'arguments that cannot be compared, which do not evade a rule': [
    ['ask', { own: above(100, 'ask') }, transfer, { amount: '500' }],
    ['ask', { own: above(100, 'ask') }, transfer, { amount: '5' }],
    ['deny', { own: above(100, 'deny') }, transfer, { amount: null }],
    ['ask', { own: above(100, 'ask') }, transfer, { amount: [500] }],
    ['allow', { own: above(100, 'ask') }, transfer, {}],
    [
      'ask',
      { own: [{ when: { path: '$.lines[*].sum', above: 5 }, do: 'ask' }] },
      transfer,
      { lines: [{ sum: '9' }, { sum: 1 }] },
    ],
    [
      'allow',
      { own: [{ when: { path: '$.lines[*].sum', above: 5 }, do: 'ask' }] },
      transfer,
      { lines: [{ sum: 5 }, { sum: 1 }] },
    ],
    ['allow', { own: [{ when: { path: 'force', exists: false }, do: 'ask' }] }, transfer, { force: 1 }],
    ['ask', { own: [{ when: { path: 'amount', below: 10 }, do: 'allow' }, ...ask] }, transfer, { amount: '1' }],
    ['ask', { own: [{ when: { path: 'amount', below: 10 }, do: 'allow' }, ...ask] }, transfer, {}],
    ['deny', { own: [{ when: { path: 'path', matches: '^/etc/' }, do: 'deny' }] }, transfer, { path: ['/etc/'] }],
    ['deny', { own: [{ when: { path: 'to', equals: 'eve' }, do: 'deny' }] }, transfer, { to: ['eve'] }],
    ['deny', { own: [{ when: { path: 'amount', equals: 500 }, do: 'deny' }] }, transfer, { amount: '500' }],
    ['ask', { own: [{ when: { path: 'force', equals: true }, do: 'ask' }] }, transfer, { force: 'true' }],
    ['allow', { own: [{ when: { path: 'force', equals: true }, do: 'ask' }] }, transfer, { force: false }],
    ['ask', { own: [{ when: { path: 'to', in: ['eve', 'mallory'] }, do: 'ask' }] }, transfer, { to: { name: 'eve' } }],
    ['allow', { own: [{ when: { path: 'to', in: ['eve', 7] }, do: 'ask' }] }, transfer, { to: 8 }],
    ['allow', { own: [{ when: { path: 'to', equals: null }, do: 'deny' }] }, transfer, { to: 'bob' }],
    ['ask', { own: [{ when: { path: 'to', equals: 'eve' }, do: 'allow' }, ...ask] }, transfer, { to: ['eve'] }],
  ],
  'hints of servers, which restrict only, unless they are trusted': [
    ['deny', { own: [{ annotation: 'destructive', do: 'deny' }] }, transfer],
    ['deny', { own: [{ annotation: 'destructive', do: 'deny' }] }, server('get', reader)],
    ['allow', { own: [{ annotation: 'destructive', do: 'deny' }] }, server('get', reader, true)],
    ['allow', { own: [{ annotation: 'destructive', do: 'deny' }] }, server('put', harmless, true)],
    ['deny', { own: [{ annotation: 'destructive', do: 'deny' }] }, server('put', {}, true)],
    ['ask', { own: [{ annotation: 'read_only', do: 'allow' }, ...ask] }, server('get', reader)],
    ['allow', { own: [{ annotation: 'read_only', do: 'allow' }, ...ask] }, server('get', reader, true)],
    ['ask', { own: [{ annotation: 'read_only', do: 'allow' }, ...ask] }, server('put', {}, true)],
    ['ask', { own: [{ annotation: 'read_only', do: 'ask' }] }, server('get', reader)],
    ['allow', { own: [{ annotation: 'read_only', do: 'ask' }] }, server('get')],
    [
      'allow',
      { own: [{ annotation: 'idempotent', do: 'allow' }, ...ask] },
      server('set', { idempotentHint: true }, true),
    ],
    ['allow', { graph: [{ annotation: 'read_only', do: 'allow' }, ...ask] }, server('get', reader, true)],
    ['ask', { operator: [{ annotation: 'read_only', do: 'allow' }, ...ask] }, server('get', reader, true)],
    ['deny', { operator: [{ annotation: 'destructive', do: 'deny' }] }, server('get', reader, true)],
  ],
  'the effects of functions in place of hints': [
    ['allow', { own: [{ annotation: 'read_only', do: 'allow' }, ...ask] }, own('find', 'read')],
    ['ask', { own: [{ annotation: 'read_only', do: 'allow' }, ...ask] }, own('put')],
    ['deny', { operator: [{ annotation: 'destructive', do: 'deny' }] }, own('put', 'once')],
    ['allow', { operator: [{ annotation: 'destructive', do: 'deny' }] }, own('find', 'read')],
    ['allow', { own: [{ annotation: 'idempotent', do: 'allow' }, ...ask] }, own('put')],
  ],
  'the strictest of all policies': [
    ['ask', { own: allow, graph: ask }, transfer],
    ['deny', { own: allow, graph: ask, operator: deny }, transfer],
    ['deny', { own: deny, graph: allow, operator: allow }, transfer],
    ['ask', { own: ask, operator: allow }, transfer],
    ['ask', { graph: allow, outer: ask }, transfer],
    ['deny', { graph: ask, outer: deny }, transfer],
    ['ask', { own: above(100, 'deny'), operator: above(10, 'ask') }, transfer, { amount: 50 }],
  ],
};

describe.each(Object.entries(cases))('a policy decides by %s', (_name, table) => {
  it.each(table.map(([verdict, levels, tool, args = {}]) => ({ verdict, levels, tool, args })))(
    '$verdict: $levels $tool.name $args',
    async ({ verdict, levels, tool, args }) => {
      expect((await decide(levels, tool, args)).do).toBe(verdict);
    },
  );
});

describe('a decision', () => {
  it('names the rule and the shortest time to decide', async () => {
    const decided = await decide(
      { own: bank, operator: [{ tool: 'transfer', do: 'ask', expires: '30m' }], graph: ask },
      transfer,
      { amount: 500 },
    );

    expect(decided).toEqual({
      do: 'ask',
      rule: 'policy: transfer when amount above 100; tool_policy: all tools; policy of the operator: transfer',
      expiresMs: 1_800_000,
    });
  });

  it('has the reason of the rule that denies', async () => {
    expect(
      await decide({ own: [{ annotation: 'destructive', do: 'deny', reason: 'Use a draft.' }] }, transfer),
    ).toEqual({
      do: 'deny',
      rule: 'policy: tools that are destructive',
      reason: 'Use a draft.',
    });
  });
});
