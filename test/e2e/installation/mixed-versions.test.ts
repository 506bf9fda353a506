import { connect } from '@millrace/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelServer } from '../../support/fakes/model-server.ts';
import { startModelServer } from '../../support/fakes/model-server.ts';
import { ask } from '../../support/http/http.ts';
import { buildOfCommit, buildWithFormat, uncheckedCommit } from '../../support/processes/build.ts';
import type { MixedBuilds } from '../../support/processes/mixed-builds.ts';
import { openMixedBuilds } from '../../support/processes/mixed-builds.ts';

let builds: MixedBuilds;
let model: ModelServer;

beforeEach(async () => {
  [builds, model] = await Promise.all([openMixedBuilds(), startModelServer()]);
});
afterEach(() => Promise.all([builds.close(), model.close()]));

const names = Array.from({ length: 12 }, (_, at) => `A${at}`);
const config = () => `{ provider: openai, name: m, base_url: '${model.url}', api_key: k, params: { max_tokens: 50 } }`;

/** Twelve agents one after the other, of which each asks for 50 tokens and more; five of them use the budget up. */
const spending = () =>
  `graph:
  id: spending
  budget: { tokens: 300 }
  nodes:
${names.map((id) => `    - { id: ${id}, type: agent, config: ${config()} }`).join('\n')}
  edges: [${names.map((id, at) => (at === 0 ? '' : `{ from: A${at - 1}, to: ${id} }`)).join(', ')}]
`.replace('[, ', '[');
const question = `graph:
  id: question
  nodes: [{ id: Ask, type: human, config: { description: What shall it be? } }]
`;
const echo = 'graph:\n  id: echo\n  nodes: [{ id: A, type: passthrough, config: {} }]\n';

const withinBudget = { status: 'terminated', stop: { code: 'budget' }, violations: [] };

describe('next to a build that checks no formats', () => {
  let old: string;
  beforeEach(async () => {
    old = await buildOfCommit(uncheckedCommit);
  }, 120_000);

  it('continues alone what an old server starts, within the budget', async () => {
    const [server] = await Promise.all([builds.server(old), builds.worker()]);

    const run = await server.begin(spending());

    expect(await builds.ended(run)).toMatchObject(withinBudget);
    expect(await ask(`${server.url}/v1/runs/${run}/resume`, { budget: { tokens: 900 } })).toMatchObject({
      status: 404,
    });
    expect(model.tokens).toBeGreaterThan(0);
    expect(model.tokens).toBeLessThanOrEqual(300);
  });

  it('gives no work of a new server to an old worker', async () => {
    const [server, other] = await Promise.all([builds.server(), builds.server(old), builds.worker(old)]);
    const run = await server.begin(spending());

    // The old worker is there, and works on what is its own.
    const own = await other.begin(spending());
    await other.until(`/v1/runs/${own}`, ({ status }) => status === 'terminated');
    expect(await server.events(run)).toEqual(['run.started', 'graph.entered', 'activation.ready']);
    expect(model.tokens).toBeLessThanOrEqual(300);
    await builds.worker();

    expect(await builds.ended(run)).toMatchObject(withinBudget);
    expect(model.tokens).toBeLessThanOrEqual(600);
  });
});

describe('a build that checks formats', () => {
  it('does not touch the runs of a later build, and reports that once', async () => {
    const later = await buildWithFormat(4);
    const [server, worker, next] = await Promise.all([builds.server(), builds.worker(), builds.server(later)]);
    const mine = await server.begin(question, { runId: 'mine' });
    await server.until(`/v1/runs/${mine}`, ({ status }) => status === 'waiting');

    const theirs = await next.begin(spending(), { runId: 'theirs' });
    const said = /! a newer version of millrace serves this installation.*format 4.*formats up to 3/g;
    await Promise.all([server, worker].map(({ running }) => running.says(new RegExp(said))));
    const refused = await ask(`${server.url}/v1/runs/${theirs}`);
    const started = await ask(`${server.url}/v1/runs`, { workflow: { yaml: echo }, input: 'go', runId: theirs });
    expect(model.requests).toHaveLength(0);

    expect([refused, started]).toMatchObject([
      { status: 503, body: { code: 'FORMAT_NEWER' } },
      { status: 503, body: { code: 'FORMAT_NEWER' } },
    ]);
    expect(refused.headers.get('retry-after')).toBe('1');
    await builds.worker(later);
    await next.until(`/v1/runs/${theirs}`, ({ status }) => status === 'terminated');
    expect(model.tokens).toBeLessThanOrEqual(300);
    // What it began itself continues with the later one as soon as that is asked to.
    await next.answer(mine);
    await next.until(`/v1/runs/${mine}`, ({ status }) => status === 'completed');
    expect(await ask(`${server.url}/v1/runs/${mine}`)).toMatchObject({ status: 503 });
    await worker.stop();
    const { stderr } = await worker.running.ended;
    expect(stderr.match(said)).toHaveLength(1);
  }, 120_000);

  it('continues its own runs beside a later build', async () => {
    const connection = connect(builds.redis.url, 'test');
    await connection.set('{millrace}:format', '99');
    const [server] = await Promise.all([builds.server(), builds.worker()]);

    const run = await server.begin(echo);

    expect(await builds.ended(run)).toMatchObject({ status: 'completed', violations: [] });
    connection.disconnect();
  });
});
