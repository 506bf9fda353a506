import type { ListKey, RecordKey } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createKeys, fieldOf, listOf } from './keys.ts';

const keys = createKeys();
const run = keys.run('run_1');

describe('createKeys', () => {
  it('gives every key the one hash tag of the prefix', () => {
    const other = createKeys('{millrace:7}');

    expect([
      other.agenda,
      other.lists('default').all,
      other.summaries,
      other.plan('abc'),
      other.run('run_1').journal,
    ]).toEqual([
      '{millrace:7}:v2:agenda',
      '{millrace:7}:runs',
      '{millrace:7}:summaries',
      '{millrace:7}:plan:abc',
      '{millrace:7}:run:run_1:journal',
    ]);
  });

  it('refuses a prefix without a hash tag', () => {
    expect(() => createKeys('millrace')).toThrow('{millrace}');
  });
});

describe('fieldOf', () => {
  it.each<[RecordKey, string, string]>([
    ['run', '{millrace}:run:run_1:records', 'run'],
    ['node/s0/a b/c', '{millrace}:run:run_1:records', 'node/s0/a b/c'],
    ['counters/s0/a/b:c', '{millrace}:run:run_1:counters', 'a/b:c'],
    ['timers/s0/Clock', '{millrace}:run:run_1:timers', 'Clock'],
    ['counters/s12/Guard', '{millrace}:run:run_1:s12:counters', 'Guard'],
  ])('keeps %s where people find it', (key, hash, field) => {
    expect(fieldOf(run, key)).toEqual({ hash, field });
  });
});

describe('listOf', () => {
  it.each<[ListKey, string]>([
    ['recent/s0/a/b c:ü', '{millrace}:run:run_1:context:a/b c:ü'],
    ['kept/s0/Writer', '{millrace}:run:run_1:kept:Writer'],
    ['recent/s3/Writer', '{millrace}:run:run_1:s3:context:Writer'],
    ['outputs/s3/Writer', '{millrace}:run:run_1:s3:outputs:Writer'],
    ['units/s4', '{millrace}:run:run_1:units:s4'],
    ['pending/s4/s0/a/b', '{millrace}:run:run_1:pending:s4/s0/a/b'],
  ])('keeps %s where people find it', (key, list) => {
    expect(listOf(run, key)).toBe(list);
  });
});
