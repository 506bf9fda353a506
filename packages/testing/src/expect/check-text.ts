import { compileComparison, describeComparison, pythonRegex, validate } from '@millrace/catalog';
import type { TextChecks, TextExpectation } from '../files/expectations.ts';
import type { TestPath } from '../files/read-test-file.ts';
import type { Mismatch } from './mismatch.ts';
import { counted, quoted } from './mismatch.ts';

/** Returns what a text does not meet of an expectation, which is at a path of the test. */
export async function checkText(expected: TextExpectation, text: string, path: TestPath): Promise<readonly Mismatch[]> {
  if (typeof expected === 'string') return equals(expected, text, path);
  const found: (readonly Mismatch[])[] = [];
  for (const name of Object.keys(checks) as (keyof TextChecks)[]) {
    if (expected[name] === undefined) continue;
    found.push(await check(name, expected, { text, path: [...path, name] }));
  }
  return found.flat();
}

interface CheckedText {
  readonly text: string;
  readonly path: TestPath;
}

type Checks = {
  readonly [K in keyof Required<TextChecks>]: (
    expected: NonNullable<TextChecks[K]>,
    checked: CheckedText,
  ) => readonly Mismatch[] | Promise<readonly Mismatch[]>;
};

function check<K extends keyof TextChecks>(name: K, expected: TextChecks, checked: CheckedText) {
  const value = expected[name];
  return value === undefined ? [] : checks[name](value, checked);
}

const equals = (expected: string, text: string, path: TestPath): readonly Mismatch[] =>
  text === expected ? [] : [{ path, expected: quoted(expected), found: quoted(text), actual: text }];

const checks: Checks = {
  equals: (expected, { text, path }) => equals(expected, text, path),
  contains: (expected, { text, path }) =>
    each(expected, path).flatMap(({ part, at }) =>
      text.includes(part) ? [] : [{ path: at, expected: `a text that contains ${quoted(part)}`, found: quoted(text) }],
    ),
  not_contains: (expected, { text, path }) =>
    each(expected, path).flatMap(({ part, at }) =>
      text.includes(part) ? [{ path: at, expected: `a text without ${quoted(part)}`, found: quoted(text) }] : [],
    ),
  matches: (expected, checked) => searched(expected, checked, true),
  not_matches: (expected, checked) => searched(expected, checked, false),
  max_chars(expected, { text, path }) {
    const chars = [...text].length;
    return chars <= expected
      ? []
      : [
          {
            path,
            expected: `at most ${counted(expected, 'character')}`,
            found: `${counted(chars, 'character')}: ${quoted(text)}`,
          },
        ];
  },
  async json(comparison, { text, path }) {
    const value = parsed(text);
    if (value === undefined) return [{ path, expected: 'JSON', found: quoted(text) }];
    const result = await compileComparison(comparison)(value.json);
    if (result.type === 'holds') return [];
    const [only, ...more] = result.values;
    if (only === undefined)
      return [{ path, expected: describeComparison(comparison), found: `nothing there in ${quoted(text)}` }];
    const isExact = Object.keys(comparison).every((name) => name === 'path' || name === 'equals');
    const isScalar = more.length === 0 && (typeof only === 'string' || typeof only === 'number');
    return [
      {
        path: isExact ? [...path, 'equals'] : path,
        expected: isExact ? JSON.stringify(comparison.equals) : describeComparison(comparison),
        found: result.values.map((one) => JSON.stringify(one)).join(', '),
        ...(isExact && isScalar ? { actual: only } : {}),
      },
    ];
  },
  async json_schema(schema, { text, path }) {
    const value = parsed(text);
    if (value === undefined) return [{ path, expected: 'JSON', found: quoted(text) }];
    const validated = await validate(schema, value.json);
    if (validated.type === 'valid') return [];
    return validated.problems.map((found) => ({ path, expected: 'JSON that the schema accepts', found }));
  },
};

/** Returns each of several parts with its place; a single one stands at the place of the list. */
const each = (parts: string | readonly string[], path: TestPath) =>
  typeof parts === 'string' ? [{ part: parts, at: path }] : parts.map((part, at) => ({ part, at: [...path, at] }));

async function searched(
  patterns: string | readonly string[],
  { text, path }: CheckedText,
  isWanted: boolean,
): Promise<readonly Mismatch[]> {
  const found: Mismatch[] = [];
  for (const { part, at } of each(patterns, path)) {
    const match = await pythonRegex(part).search(text);
    if ((match !== undefined) === isWanted) continue;
    found.push({ path: at, expected: `${isWanted ? 'a text' : 'no text'} that matches ${part}`, found: quoted(text) });
  }
  return found;
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    // A text that is not JSON is reported as that.
    return undefined;
  }
}

/** Tests if two values of JSON are the same; the order of keys does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame((a as Fields)[key], (b as Fields)[key]))
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** Tests if everything of a value is in another one, which may have more. */
export function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return isSame(part, whole);
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(
    ([key, value]) => Object.hasOwn(whole, key) && isPartOf(value, (whole as Fields)[key]),
  );
}
