import type { ChatRequest } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import {
  countsRequests,
  fillPlaceholders,
  ModelScript,
  matchingRule,
  scriptedRequestOf,
  scriptProblems,
} from './script.ts';

const request: ChatRequest = {
  provider: 'scripted',
  model: 'm-A',
  messages: [
    { role: 'system', content: 'You write.' },
    { role: 'user', content: 'first' },
    { role: 'user', content: [{ type: 'text', text: 'second' }] },
    { role: 'assistant', content: 'own words' },
  ],
  params: {},
  retry: retryPolicyOf(undefined),
};
const asked = scriptedRequestOf(request);

const matched = (when: Record<string, unknown>, n = 1) =>
  matchingRule(ModelScript.parse({ rules: [{ when, reply: 'x' }] }), asked, n) === 0;

describe('a rule of a script', () => {
  it.each([
    [{ model: 'm-A' }, { model: 'm' }],
    [{ system_contains: 'write' }, { system_contains: 'first' }],
    [{ last_contains: 'own' }, { last_contains: 'second' }],
    [{ last_user_contains: 'sec' }, { last_user_contains: 'first' }],
    [{ any_contains: 'first' }, { any_contains: 'third' }],
    [{ not_contains: 'third' }, { not_contains: 'first' }],
    [{ last_role: 'assistant' }, { last_role: 'user' }],
    [{ call: 1 }, { call: 2 }],
    [{ endpoint: 'chat' }, { endpoint: 'responses' }],
    [{ has_tools: false }, { has_tools: true }],
    [{}, { model: 'm-A', call: 2 }],
  ])('matches %j and not %j', (yes, no) => {
    expect([matched(yes), matched(no)]).toEqual([true, false]);
  });

  it('takes precedence over the rules after it', () => {
    const script = ModelScript.parse({ rules: [{ when: { model: 'z' }, reply: 'a' }, { reply: 'b' }, { reply: 'c' }] });
    expect(matchingRule(script, asked, 1)).toBe(1);
  });
});

describe('a reply', () => {
  it('has its placeholders replaced once', () => {
    const tricky = { ...asked, lastUser: '{n} {y}' };
    expect(fillPlaceholders('{n} {last_user} {last} {model} {other}', tricky, 7)).toBe(
      '7 {n} {y} own words m-A {other}',
    );
  });
});

describe('a script', () => {
  it('counts requests only when a reply depends on the count', () => {
    expect(countsRequests(ModelScript.parse({}))).toBe(true);
    expect(countsRequests(ModelScript.parse({ default: 'ok' }))).toBe(false);
    expect(countsRequests(ModelScript.parse({ default: 'ok', rules: [{ when: { call: 2 }, reply: 'x' }] }))).toBe(true);
    expect(countsRequests(ModelScript.parse({ default: 'ok', rules: [{ replies: ['x', { text: '{n}' }] }] }))).toBe(
      true,
    );
  });

  it.each([
    { rules: [{ when: { modle: 'x' }, reply: 'y' }] },
    { rules: [{ reply: 'x', replies: ['y'] }] },
    { rules: [{ when: {} }] },
    { rules: [{ reply: { txt: 'x' } }] },
  ])('is refused as %j', (script) => {
    expect(scriptProblems(script)).not.toEqual([]);
  });
});
