import { textMessage, textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { WaitForConfig, waitFor } from './wait-for.ts';

const input = [textMessage('user', 'the task', 'A')];
const execute = (config: object, given: Parameters<typeof fakeHost>[0] = {}) =>
  waitFor.execute(WaitForConfig.parse({ event: 'paid', ...config }), input, fakeHost(given));
const problems = (config: object) => waitFor.check?.(WaitForConfig.parse({ event: 'paid', ...config })) ?? [];
const timeout = { ...textMessage('user', '', 'paid'), metadata: { signal: { timed_out: true } } };

describe('wait_for', () => {
  it('waits for its event until its timeout', async () => {
    const filter = { 'order.id': 17, status: ['ok', true, null] };

    expect(await execute({ timeout: '1m', filter }, { now: () => 1000 })).toMatchObject({
      type: 'suspended',
      wait: {
        kind: 'event',
        event: { name: 'paid', filter: { 'order.id': ['17'], status: ['ok', 'true', 'null'] }, until: 61_000 },
      },
    });
  });

  it('outputs the event', async () => {
    const outcome = await execute({}, { answer: textMessage('user', 'yes', 'paid') });

    expect(outcome).toMatchObject({ outputs: [{ content: 'yes', source: 'N', metadata: { branch: 'event' } }] });
  });

  it('fails at its timeout, or outputs its input', async () => {
    const late = async () => execute({ timeout: '1m' }, { answer: timeout });
    await expect(late()).rejects.toMatchObject({ code: 'WAIT_TIMEOUT' });

    const outcome = await execute({ timeout: '1m', on_timeout: 'continue' }, { answer: timeout });
    expect(outcome.type === 'completed' && outcome.outputs.map(textOf)).toEqual(['the task']);
    expect(outcome).toMatchObject({ outputs: [{ metadata: { branch: 'timeout' } }] });
  });

  it('fails when a variable has no value', async () => {
    const waiting = async (config: object) => execute(config);
    await expect(waiting({ timeout: '{{time}}' })).rejects.toMatchObject({ code: 'TIME_INVALID' });
    await expect(waiting({ filter: { order: '{{order}}' } })).rejects.toMatchObject({ code: 'FILTER_INVALID' });
  });

  it('refuses an invalid configuration', () => {
    const invalid = (path: string) => [expect.objectContaining({ code: 'E_FIELD_INVALID', path: [path] })];
    expect(problems({ event: 'paid-{{order}}' })).toEqual(invalid('event'));
    expect(problems({ timeout: 'soon' })).toEqual(invalid('timeout'));
    expect(problems({ on_timeout: 'continue' })).toEqual(invalid('on_timeout'));
    expect(problems({ timeout: '{{time}}', on_timeout: 'continue', filter: { a: 1 } })).toEqual([]);
    expect(WaitForConfig.safeParse({ event: '' }).success).toBe(false);
    expect(WaitForConfig.safeParse({ event: 'a', filter: { a: { b: 1 } } }).success).toBe(false);
  });
});
