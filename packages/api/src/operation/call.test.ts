import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from './call.ts';
import type { OperatorContext } from './context.ts';
import { operation } from './operation.ts';

const context = (scopes: OperatorContext['scopes'], tenant = 'default') =>
  ({ scopes, tenant: { tenant } }) as unknown as OperatorContext; // all that the operations below look at

const greet = operation({
  name: 'people.greet',
  method: 'POST',
  path: '/v1/people/:id/greet',
  scope: 'run',
  summary: 'Greet somebody',
  params: z.object({ id: z.string().min(2) }),
  query: z.object({ loud: z.boolean().default(false) }),
  body: z.strictObject({ words: z.string() }).nullish(),
  output: z.object({ said: z.string() }),
  run: async (_context, { id, loud, words = 'hello' }) => ({
    body: { said: `${loud ? words.toUpperCase() : words} ${id}`, at: undefined },
  }),
});

describe('a local call', () => {
  it('returns the same output as a call over HTTP', async () => {
    expect(await call(greet, context(['run']), { id: 'ann', loud: true, words: 'hi' })).toStrictEqual({
      said: 'HI ann',
    });
  });

  it('reports the first malformed part of the input, in the order of HTTP', async () => {
    const wrong = { id: 'a', loud: 'yes', words: 7 };

    await expect(call(greet, context(['run']), wrong)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      errors: [{ pointer: '/id' }],
    });
    await expect(call(greet, context(['run']), { ...wrong, id: 'ann' })).rejects.toMatchObject({
      errors: [{ pointer: '/words' }],
    });
  });

  it('refuses a field that no part of the input declares', async () => {
    await expect(call(greet, context(['run']), { id: 'ann', nonsense: 1 })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  it('refuses callers without the scope', async () => {
    await expect(call(greet, context(['read']), { id: 'ann' })).rejects.toMatchObject({ code: 'SCOPE_MISSING' });
  });

  it('allows operations on the whole installation to admins of the default tenant only', async () => {
    const count = operation({ ...greet, name: 'people.count', scope: 'operator' });

    await expect(call(count, context(['admin'], 'acme'), { id: 'ann' })).rejects.toMatchObject({
      code: 'SCOPE_MISSING',
    });
    expect(await call(count, context(['admin']), { id: 'ann' })).toEqual({ said: 'hello ann' });
  });
});

describe('an operation', () => {
  it('is refused when two of its parts share a name', () => {
    const define = () =>
      operation({ ...greet, params: z.object({ id: z.string() }), query: z.object({ id: z.string() }) } as never);

    expect(define).toThrow('Operation people.greet has two inputs named "id".');
  });
});
