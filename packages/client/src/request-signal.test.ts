import { describe, expect, it } from 'vitest';
import type { RequestOptions } from './client.ts';
import { signIn, signOut } from './http/sign-in.ts';
import { Millrace } from './millrace.ts';

/** Server that accepts requests and never answers. */
const silent = ((_address, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
  })) as typeof fetch;

const place = { url: 'http://127.0.0.1:1', fetch: silent };
const millrace = new Millrace(place);
const run = millrace.runs.get('run_1');
const { batches, bulk, files, intake, keys, limits, runs, schedules, tasks, webhooks, workflows } = millrace;
const workflow = { yaml: '' };

type Calls = Readonly<Record<string, (options: RequestOptions) => Promise<unknown> | AsyncIterable<unknown>>>;

const calls: Readonly<Record<string, readonly [of: object, calls: Calls]>> = {
  batches: [
    batches,
    {
      start: (options) => batches.start('poem', { rows: [], ...options }),
      get: (options) => batches.get('b', options),
      list: (options) => batches.list(options),
      rows: (options) => batches.rows('b', {}, options),
      cancel: (options) => batches.cancel('b', options),
      retryRow: (options) => batches.retryRow('b', 1, options),
      results: (options) => batches.results('b', {}, options),
      preview: (options) => batches.preview({ name: 't.csv', content: new Blob([]) }, {}, options),
      retryFailed: (options) => batches.retryFailed('b', options),
      remove: (options) => batches.remove('b', options),
    },
  ],
  bulk: [
    bulk,
    {
      create: (options) => bulk.create({ action: 'cancel', filter: {}, ...options }),
      get: (options) => bulk.get('b', options),
      list: (options) => bulk.list(options),
    },
  ],
  files: [
    files,
    {
      upload: (options) => files.upload('text', options),
      download: (options) => files.download('f', options),
      remove: (options) => files.remove('f', options),
    },
  ],
  intake: [
    intake,
    {
      refused: (options) => intake.refused(options),
      retry: (options) => intake.retry('j', options),
      drop: (options) => intake.drop('j', options),
    },
  ],
  keys: [
    keys,
    {
      create: (options) => keys.create({ scopes: ['read'] }, options),
      list: (options) => keys.list(options),
      revoke: (options) => keys.revoke('k', options),
    },
  ],
  limits: [
    limits,
    {
      list: (options) => limits.list(options),
      stored: (options) => limits.stored(options),
      set: (options) => limits.set({ tenant: 'acme', activations: 1 }, options),
      lift: (options) => limits.lift({ tenant: 'acme', workflow: 'poem' }, options),
    },
  ],
  runs: [
    { ...runs, get: undefined },
    {
      start: (options) => runs.start(workflow, options),
      execute: (options) => runs.execute(workflow, options),
      list: (options) => runs.list({}, options),
      counts: (options) => runs.counts({}, options),
    },
  ],
  run: [
    run,
    {
      describe: (options) => run.describe('head', options),
      result: (options) => run.result(options),
      events: (options) => run.events(options),
      follow: (options) => run.follow(options),
      live: (options) => run.live(options),
      journal: (options) => run.journal('1-0', options),
      cancel: (options) => run.cancel('why', options),
      pause: (options) => run.pause(options),
      resume: (options) => run.resume({}, options),
      stop: (options) => run.stop({}, options),
      retry: (options) => run.retry(options),
      signal: (options) => run.signal('paid', 'note', options),
      replay: (options) => run.replay({}, options),
      fork: (options) => run.fork({ at: '1-0' }, options),
      previewFork: (options) => run.previewFork('a1', options),
      remove: (options) => run.remove(options),
      tasks: (options) => run.tasks(options),
      searchEvents: (options) => run.searchEvents({}, options),
      text: (options) => run.text('m', options),
      textStart: (options) => run.textStart('m', 1, options),
      message: (options) => run.message('m', 'head', options),
      activations: (options) => run.activations({}, options),
      timeline: (options) => run.timeline({}, options),
      activation: (options) => run.activation('a1', 'heads', options),
      calls: (options) => run.calls('a1', options),
      call: (options) => run.call('a1', 0, undefined, options),
      graph: (options) => run.graph('1-0', options),
      density: (options) => run.density(options),
      workflow: (options) => run.workflow(options),
      termination: (options) => run.termination(options),
      resetTermination: (options) => run.resetTermination(options),
      archive: (options) => run.archive(options),
      artifacts: (options) => run.artifacts('a1', options),
      artifact: (options) => run.artifact('f', undefined, options),
      fileVersions: (options) => run.fileVersions('f', options),
    },
  ],
  schedules: [
    schedules,
    {
      create: (options) => schedules.create({ id: 's', cron: '* * * * *', run: { workflow: 'poem' } }, options),
      get: (options) => schedules.get('s', options),
      list: (options) => schedules.list(options),
      change: (options) => schedules.change('s', { paused: true }, options),
      remove: (options) => schedules.remove('s', options),
      ticks: (options) => schedules.ticks('s', options),
      preview: (options) => schedules.preview({ cron: '@daily' }, options),
      trigger: (options) => schedules.trigger('s', options),
    },
  ],
  tasks: [
    tasks,
    {
      list: (options) => tasks.list({}, options),
      counts: (options) => tasks.counts({}, options),
      get: (options) => tasks.get('t', options),
      attachment: (options) => tasks.attachment('t', 'f', options),
      claim: (options) => tasks.claim('t', { assignee: 'ann' }, options),
      release: (options) => tasks.release('t', 'ann', options),
      answer: (options) => tasks.answer('t', 'ACCEPT', options),
    },
  ],
  webhooks: [
    webhooks,
    {
      create: (options) => webhooks.create({ url: 'https://example.com' }, options),
      list: (options) => webhooks.list(options),
      get: (options) => webhooks.get('w', options),
      change: (options) => webhooks.change('w', {}, options),
      test: (options) => webhooks.test('w', options),
      redeliverFailed: (options) => webhooks.redeliverFailed('w', options),
      remove: (options) => webhooks.remove('w', options),
      deliveries: (options) => webhooks.deliveries('w', {}, options),
      redeliver: (options) => webhooks.redeliver('w', 'd', options),
      secretOfRuns: (options) => webhooks.secretOfRuns(options),
    },
  ],
  workflows: [
    workflows,
    {
      publish: (options) => workflows.publish('poem', '', options),
      get: (options) => workflows.get('poem', options),
      overview: (options) => workflows.overview('poem', options),
      list: (options) => workflows.list(options),
      versions: (options) => workflows.versions('poem', options),
      version: (options) => workflows.version('poem', 'h', options),
      archive: (options) => workflows.archive('poem', options),
      validate: (options) => workflows.validate('', options),
      schema: (options) => workflows.schema(options),
    },
  ],
  installation: [
    {},
    {
      call: (options) => millrace.call('runs.pause', { id: 'run_1' }, options),
      readiness: (options) => millrace.readiness(options),
      me: (options) => millrace.me(options),
      events: (options) => millrace.events(options),
      signIn: (options) => signIn(place, 'mk_1', options),
      signOut: (options) => signOut(place, options),
    },
  ],
};

const first = async (called: Promise<unknown> | AsyncIterable<unknown>): Promise<unknown> =>
  Symbol.asyncIterator in called ? called[Symbol.asyncIterator]().next() : called;

describe('a signal', () => {
  const all = Object.values(calls).flatMap(([, ours]) => Object.entries(ours));

  it.each(all)('ends the request of %s, which throws its reason', async (_name, call) => {
    const given = new AbortController();
    const ended = first(call({ signal: given.signal }));
    given.abort(new Error('the page was left'));

    await expect(ended).rejects.toThrow('the page was left');
  });

  it.each(Object.entries(calls))('is accepted by every method of %s', (_name, [of, ours]) => {
    const methods = Object.entries(of).filter(([, value]) => typeof value === 'function');

    expect(Object.keys(ours)).toEqual(expect.arrayContaining(methods.map(([name]) => name)));
  });

  it('ends the wait before a retry', async () => {
    const given = new AbortController();
    let requests = 0;
    const busy = async () => {
      requests += 1;
      return new Response('', { status: 503, headers: { 'retry-after': '30' } });
    };
    const client = new Millrace({ url: place.url, fetch: busy, onWait: () => given.abort(new Error('left')) });

    await expect(client.me({ signal: given.signal })).rejects.toThrow('left');
    expect(requests).toBe(1);
  });

  it('ends the reading of a response that has begun', async () => {
    const given = new AbortController();
    const slow = (async (_address, init) => {
      const body = new ReadableStream({
        start: (stream) => init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason)),
        pull: () => given.abort(new Error('left')),
      });
      return new Response(body);
    }) as typeof fetch;

    const client = new Millrace({ url: place.url, fetch: slow });
    await expect(client.me({ signal: given.signal })).rejects.toThrow(/^left$/);
  });
});
