import { describe, expect, it } from 'vitest';
import { Millrace } from '../millrace.ts';

/** A server whose runs have a version, which is the tag of its answers. */
function serverOf() {
  const asked: (string | null)[] = [];
  const server = {
    version: 1,
    asked,
    async fetch(address: string, { headers }: RequestInit) {
      const tag = `"${server.version}"`;
      const wanted = new Headers(headers).get('if-none-match');
      asked.push(wanted);
      if (wanted === tag) return new Response(null, { status: 304, headers: { etag: tag } });
      const id = new URL(address).pathname.split('/').at(-1);
      return new Response(JSON.stringify({ runId: id, version: server.version }), { headers: { etag: tag } });
    },
  };
  return server;
}

const clientOf = ({ fetch }: ReturnType<typeof serverOf>) => new Millrace({ url: 'http://127.0.0.1:1', fetch });

describe('an answer with a tag', () => {
  it('is sent again only when it has changed', async () => {
    const server = serverOf();
    const run = clientOf(server).runs.get('run_1');

    const answers = [await run.describe(), await run.describe()];
    server.version = 2;
    answers.push(await run.describe());

    expect(server.asked).toEqual([null, '"1"', '"1"']);
    expect(answers).toMatchObject([{ version: 1 }, { version: 1 }, { version: 2 }]);
  });

  it('is an object of its own for each caller', async () => {
    const run = clientOf(serverOf()).runs.get('run_1');

    const [one, other] = [await run.describe(), await run.describe()];

    expect(one).toEqual(other);
    expect(one).not.toBe(other);
  });

  it('is kept by its address', async () => {
    const server = serverOf();
    const { runs } = clientOf(server);

    await runs.get('run_1').describe();
    await runs.get('run_2').describe();
    await runs.get('run_1').describe('head');

    expect(server.asked).toEqual([null, null, null]);
  });
});
