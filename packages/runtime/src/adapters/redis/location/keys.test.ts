import { readFileSync } from 'node:fs';
import type { ListKey } from '@millrace/core';
import { defaultTenant } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { createKeys, listOf } from './keys.ts';

const keys = createKeys();
const run = keys.run('run_1');

/** Stands for the parts of keys that vary. */
const anything = 'ANYTHING';

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
      '{millrace:7}:v4:agenda',
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

describe('the reference of keys', () => {
  const page = readFileSync(new URL('../../../../../../docs/reference/redis-keys.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  /** Returns whether a row has all constant parts of a key; a key without variable parts is there as a whole. */
  const isDescribed = (key: string) => {
    const parts = key.includes(anything) ? key.split(anything) : [`\`${key}\``];
    return rows.some((row) => parts.every((part) => row.includes(part)));
  };

  it('describes every key of an installation', () => {
    const { lists, ...others } = keys;
    const names = namesIn({ ...others, lists: lists(defaultTenant) });

    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !isDescribed(name))).toEqual([]);
  });

  it('describes every list of a run that has a key of its own', () => {
    const source = readFileSync(new URL('../../../../../core/src/engine/records/keys.ts', import.meta.url), 'utf8');
    const lists = [...source.slice(source.indexOf('InboxKey =')).matchAll(/[`'](\w+)\//g)].map(
      ([, kind]) => `${kind}/${anything}` as ListKey, // as the types of that file have it
    );
    const of = keys.run(anything);
    const names = lists.map((key) => listOf(of, key));

    expect(names.length).toBeGreaterThan(12);
    expect(names.filter((name) => !isDescribed(name))).toEqual([]);
  });

  it.each([`{millrace}:run:${anything}:nonsense:x`, '{millrace}:blob'])('does not describe %s', (name) => {
    expect(isDescribed(name)).toBe(false);
  });
});

/** Returns the names of all keys; prefixes of keys and channels are none. */
function namesIn(level: object): readonly string[] {
  return Object.entries(level).flatMap(([part, value]) => {
    if (['prefix', 'home', 'format', 'live', 'base'].includes(part)) return [];
    const made: unknown = typeof value === 'function' ? value(anything, anything) : value;
    return typeof made === 'string' ? [made] : namesIn(made as object); // the keys of one run or batch
  });
}
