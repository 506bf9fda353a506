import { afterEach, describe, expect, it } from 'vitest';
import { fakeMemoryAccess } from '../../../../test/support/fakes/fake-memory-access.ts';
import type { FakeProvider } from '../../../../test/support/provider/provider.ts';
import { startFakeProvider } from '../../../../test/support/provider/provider.ts';
import type { AnswerOptions } from '../../../../test/support/provider/respond.ts';
import { embed, embedCached } from './embed.ts';
import { EmbeddingConfig } from './embedding-config.ts';
import { dotProduct, textOfVector, vectorOfText } from './vector.ts';

type Answer = NonNullable<AnswerOptions['embed']>;

let server: FakeProvider | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serving(embeds: Answer, params: Record<string, unknown> = {}) {
  server = await startFakeProvider({ embed: embeds });
  const config = EmbeddingConfig.parse({
    provider: 'openai',
    model: 'emb',
    base_url: server.at('ok'),
    api_key: '${KEY}',
    params,
  });
  return { config, requests: server.requests };
}

/** Vectors that tell how long a text is, in reverse order. */
function lengths(input: readonly string[]): { readonly body: unknown } {
  const data = input.map((text, index) => ({ index, embedding: [text.length, 1], object: 'embedding' }));
  return { body: { object: 'list', model: 'emb', data: data.reverse() } };
}

const access = (more: Parameters<typeof fakeMemoryAccess>[0] = {}) =>
  fakeMemoryAccess({ resolveSecrets: (text) => text.replace('${KEY}', 'canary-key'), ...more });
const likeness = async (a: string, b: string, given = access()) => {
  const { vectors } = await embed(undefined, [a, b], given);
  return dotProduct(vectors[0] ?? new Float32Array(), vectors[1] ?? new Float32Array());
};

describe('the built-in embedding', () => {
  it('rates texts as similar that share words or forms of words', async () => {
    expect(await likeness('red dragons', 'dragons, red!')).toBeCloseTo(1);
    expect(await likeness('a dragon', 'many dragons')).toBeGreaterThan(await likeness('a dragon', 'many castles'));
    expect(Math.abs(await likeness('zebra', 'castle'))).toBeLessThan(0.2);
  });

  it('returns the same vector in every version', async () => {
    const { space, vectors } = await embed(null, ['dragons'], access());
    expect(space).toBe('built-in');
    expect([...(vectors[0] ?? [])].flatMap((value, at) => (value === 0 ? [] : [at]))).toMatchInlineSnapshot(`
      [
        19,
        31,
        126,
        127,
        396,
        434,
        436,
        495,
      ]
    `);
  });

  it('returns a zero vector for a text without words', async () => {
    expect(await likeness('?!', 'dragons')).toBe(0);
  });
});

describe('the embedding of a scripted run', () => {
  it('replaces the configured embedding and counts words', async () => {
    const config = EmbeddingConfig.parse({ provider: 'openai', model: 'emb', base_url: 'http://127.0.0.1:9' });
    const { space, vectors } = await embed(config, ['a a b'], access({ scripted: true }));
    expect(space).toBe('scripted');
    // md5('a') begins with 0cc175b9, md5('b') with 92eb5ffe.
    expect(vectors[0]?.[0x0cc175b9 % 64]).toBeCloseTo(2 / Math.sqrt(5));
    expect(vectors[0]?.[0x92eb5ffe % 64]).toBeCloseTo(1 / Math.sqrt(5));
  });
});

describe('the embedding of a server', () => {
  it('requests many texts at once and keeps their order', async () => {
    const { config, requests } = await serving(lengths);
    const { space, vectors } = await embed(config, ['a,  b!', 'four'], access());
    expect(space).toBe('openai/emb');
    expect(vectors.map((vector) => Math.round((vector[0] ?? 0) / (vector[1] ?? 1)))).toEqual([3, 4]);
    expect(requests).toMatchObject([
      {
        path: '/ok/v1/embeddings',
        headers: { authorization: 'Bearer canary-key' },
        body: { model: 'emb', input: ['a b', 'four'], encoding_format: 'float' },
      },
    ]);
  });

  it('truncates long texts, or embeds them in parts', async () => {
    const cut = await serving(lengths, { max_length: 10 });
    await embed(cut.config, ['word '.repeat(10)], access());
    expect(cut.requests).toMatchObject([{ body: { input: ['word word '] } }]);
    await server?.close();
    const parts = await serving(lengths, { max_length: 10, use_chunking: true });
    const { vectors } = await embed(parts.config, ['abcdefghijklmno'], access());
    expect(parts.requests).toMatchObject([{ body: { input: ['abcde。', 'fghij。', 'klmno。'] } }]);
    expect(vectors).toHaveLength(1);
  });

  it('sends no request for a text without words', async () => {
    const { config, requests } = await serving(lengths);
    await embed(config, ['?!'], access());
    expect(requests).toEqual([]);
  });

  it.each([
    [{ refuse: 401, message: 'canary-key is wrong' }, false, /refused the API key/],
    [{ refuse: 404, message: 'no such model' }, false, /no such model/],
    [{ body: { data: [] } }, false, /0 vectors for 1 texts/],
    [{ body: { answer: 42 } }, false, /received no embedding/],
  ])('reports the failure %j without the key', async (answer, transient, words) => {
    const { config } = await serving(() => answer);
    const failure: unknown = await embed(config, ['a'], access()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'MEMORY_EMBEDDING_FAILED', transient });
    expect(String(failure)).toMatch(words);
    expect(String(failure)).not.toContain('canary');
  });

  it('returns zeros instead in compatibility mode', async () => {
    const { config } = await serving(() => ({ refuse: 404, message: 'gone' }));
    const { vectors } = await embed(config, ['a'], access({ compat: true }));
    expect(vectors[0]).toEqual(new Float32Array(1536));
  });
});

describe('the cache of embeddings', () => {
  it('requests each new text once, and no known text', async () => {
    const { config, requests } = await serving(lengths);
    const shared = access();
    await embedCached(config, ['one', 'three', 'one'], shared);
    const { vectors } = await embedCached(config, ['three', 'sixsix'], shared);
    expect(requests.map(({ body }) => body)).toMatchObject([{ input: ['one', 'three'] }, { input: ['sixsix'] }]);
    expect(vectors.map((vector) => Math.round((vector[0] ?? 0) / (vector[1] ?? 1)))).toEqual([5, 6]);
  });

  it('does not cache the substitute for a failed request', async () => {
    let isDown = true;
    const { config } = await serving((texts) => (isDown ? { refuse: 503, message: 'down' } : lengths(texts)));
    const shared = access();
    const { vectors: without } = await embedCached(config, ['three', '?!'], { ...shared, compat: true });
    expect(without).toEqual([new Float32Array(1536), new Float32Array(1536)]);

    isDown = false;
    const { vectors } = await embedCached(config, ['three'], shared);
    expect(Math.round((vectors[0]?.[0] ?? 0) / (vectors[0]?.[1] ?? 1))).toBe(5);
  });

  it('requests a text again when its embedding is another one', async () => {
    const { config, requests } = await serving(lengths);
    const shared = access();
    const params = { max_length: 4, use_chunking: true };
    const others = [
      config,
      { ...config, base_url: server?.at('echo') },
      { ...config, params: { max_length: 4 } },
      { ...config, params },
      { ...config, params: { ...params, chunk_strategy: 'first' } },
    ].map((one) => EmbeddingConfig.parse(one));
    for (const one of others) await embedCached(one, ['a text'], shared);
    expect(requests).toHaveLength(others.length);
    for (const one of others) await embedCached(one, ['a text'], shared);
    expect(requests).toHaveLength(others.length);
  });

  it('caches the result of each request, also when one text occurs in it several times', async () => {
    const { config, requests } = await serving(lengths, { max_length: 10, use_chunking: true });
    const texts = Array.from({ length: 50 }, (_, at) => `this is a text of more than ten letters, number ${at}`);
    await embedCached(config, texts, access());

    const sizes = requests.map(({ body }) => (body as { input: string[] }).input.length); // as the API has it
    expect(Math.max(...sizes)).toBeLessThanOrEqual(96);
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(400);
  });
});

it('multiplies vectors of any size', () => {
  const numbers = (size: number) => Float32Array.from({ length: size }, (_, at) => at + 1);
  expect([0, 1, 4, 6].map((size) => dotProduct(numbers(size), numbers(size)))).toEqual([0, 1, 30, 91]);
});

it('writes vectors as text and reads them again', () => {
  const vector = Float32Array.from([1, -0.5, 3.25]);
  expect(vectorOfText(textOfVector(vector))).toEqual(vector);
  expect(textOfVector(Float32Array.from([1]))).toBe('AACAPw==');
});
