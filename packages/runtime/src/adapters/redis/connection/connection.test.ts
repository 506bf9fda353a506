import { expect, it } from 'vitest';
import { readSwitch } from './connection.ts';

const replica = 'slave 10.0.0.2:6379 10.0.0.2 6379 @ mymaster 10.0.0.1 6379';

it.each([
  ['+failover-state-wait-promotion', replica],
  ['+promoted-slave', replica],
  ['+switch-master', 'mymaster 10.0.0.1 6379 10.0.0.2 6379'],
])('reads the new master from %s', (channel, text) => {
  expect(readSwitch(channel, text, 'mymaster')).toEqual({ host: '10.0.0.2', port: 6379 });
  expect(readSwitch(channel, text, 'other')).toBeUndefined();
});

it('ignores what says nothing about a master', () => {
  expect(readSwitch('+sdown', replica, 'mymaster')).toBeUndefined();
  expect(readSwitch('+switch-master', 'mymaster', 'mymaster')).toBeUndefined();
  expect(readSwitch('+switch-master', 'mymaster 10.0.0.1 6379 10.0.0.2 x', 'mymaster')).toBeUndefined();
});
