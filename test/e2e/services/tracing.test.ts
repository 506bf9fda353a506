import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directoryBeforeAll, openBeforeAll } from '../../support/fixtures.ts';
import { ask } from '../../support/http/http.ts';
import type { Span } from '../../support/http/trace-collector.ts';
import { startCollector } from '../../support/http/trace-collector.ts';
import type { RunningCommand } from '../../support/processes/millrace.ts';
import { millrace, startMillrace } from '../../support/processes/millrace.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { waitUntil } from '../../support/waiting.ts';

const agent = (id: string) =>
  `    - { id: ${id}, type: agent, config: { provider: scripted, name: parrot, params: { default: { text: a secret word, delay_ms: 100 } } } }\n`;
const names = Array.from({ length: 8 }, (_, index) => `A${index}`);
const wide = `graph:\n  id: wide\n  start: [${names.join(', ')}]\n  end: [${names.join(', ')}]\n  nodes:\n${names.map(agent).join('')}`;

const cwd = directoryBeforeAll();
const redis = newInstallation();
const collector = openBeforeAll(startCollector);
let api = '';
let environment: Record<string, string> = {};
const processes: RunningCommand[] = [];

beforeAll(async () => {
  environment = {
    REDIS_URL: redis.url,
    MILLRACE_PREFIX: `tracing-${randomUUID()}`,
    MILLRACE_LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_SEMCONV_STABILITY_OPT_IN: 'gen_ai_latest_experimental',
  };
  const started = (name: string, ...args: string[]) =>
    startMillrace(args, { cwd, env: { ...environment, OTEL_SERVICE_NAME: name } });
  processes.push(
    started('one', 'worker', '--concurrency', '2'),
    started('two', 'worker', '--concurrency', '2'),
    started('api', 'serve', '--port', '0'),
  );
  const [one, two, server] = processes;
  await Promise.all([one?.says(/Working on runs/), two?.says(/Working on runs/)]);
  [, api = ''] = (await server?.says(/HTTP API is at (\S+)/)) ?? [];
});

afterAll(async () => {
  for (const one of processes) one.signal('SIGTERM');
  await Promise.all(processes.map(({ ended }) => ended));
});

const traceId = '0af7651916cd43dd8448eb211c80319c';
const caller = 'b7ad6b7169203331';

async function traced(headers: Record<string, string>): Promise<{ runId: string; spans: readonly Span[] }> {
  const { body } = await ask(
    `${api}/v1/runs`,
    { workflow: { yaml: wide }, input: 'Go.' },
    { prefer: 'wait=30', ...headers },
  );
  const runId = String(body['runId']);
  const ofRun = (spans: readonly Span[]) => spans.filter(({ attributes }) => attributes['millrace.run'] === runId);
  // The run, and for each node an attempt and a step.
  await collector.until((spans) => ofRun(spans).length === 1 + 2 * names.length);
  return { runId, spans: ofRun(collector.spans) };
}

describe('a run over three processes', () => {
  it('is one trace, below the request that started it and the span of its caller', async () => {
    const { spans } = await traced({ traceparent: `00-${traceId}-${caller}-01` });

    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(new Set(spans.map(({ process }) => process))).toEqual(new Set(['one', 'two']));
    await collector.until((all) => all.some(({ name }) => name === 'POST /v1/runs'));
    const request = collector.spans.find(({ name }) => name === 'POST /v1/runs');
    expect(request).toMatchObject({ process: 'api', traceId, parentSpanId: caller });
    const run = spans.find(({ name }) => name === 'invoke_workflow wide');
    expect(run).toMatchObject({ parentSpanId: request?.spanId, attributes: { 'millrace.status': 'completed' } });
    const attempts = spans.filter(({ name }) => name.startsWith('invoke_agent'));
    expect(attempts.map(({ name }) => name).sort()).toEqual(names.map((name) => `invoke_agent ${name}`));
    for (const { parentSpanId } of attempts) expect(parentSpanId).toBe(run?.spanId);
  });

  it('contains the requests to models without their contents', async () => {
    const { spans } = await traced({ traceparent: `00-${traceId.replace('0', '1')}-${caller}-01` });

    const calls = spans.filter(({ name }) => name === 'chat parrot');
    expect(calls).toHaveLength(names.length);
    const attempts = new Set(spans.filter(({ name }) => name.startsWith('invoke_agent')).map(({ spanId }) => spanId));
    for (const { parentSpanId = '', attributes } of calls) {
      expect(attempts.has(parentSpanId)).toBe(true);
      expect(attributes).toMatchObject({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'scripted',
        'gen_ai.request.model': 'parrot',
        'gen_ai.usage.output_tokens': expect.anything(),
      });
    }
    expect(JSON.stringify(collector.spans)).not.toContain('secret word');
  });

  it('is a separate trace when its caller has none', async () => {
    const { spans } = await traced({});
    const [first] = spans;
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([first?.traceId]));
    expect(first?.traceId).not.toBe(traceId);
  });
});

it('contains the contents of model calls where that is configured', async () => {
  writeFileSync(join(cwd, 'wide.yaml'), wide);
  const env = {
    ...environment,
    MILLRACE_PREFIX: `tracing-${randomUUID()}`,
    OTEL_SERVICE_NAME: 'telling',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  };
  expect((await millrace(['run', 'wide.yaml', '--input', 'the task itself'], { cwd, env })).code).toBe(0);

  const ofModel = ({ process, name }: Span) => process === 'telling' && name === 'chat parrot';
  const spans = await collector.until((all) => all.filter(ofModel).length === names.length);
  for (const { attributes } of spans.filter(ofModel)) {
    expect(attributes['gen_ai.input.messages']).toContain('the task itself');
    expect(attributes['gen_ai.output.messages']).toContain('a secret word');
  }
});

/** Returns whether a worker has begun to ask a model for a run. */
async function hasBegun(runId: string): Promise<boolean> {
  const { body } = await ask(`${api}/v1/runs/${runId}/events?limit=200`, undefined, { accept: 'application/json' });
  return (body['data'] as JournalEntry[]).some(({ event }) => event.type === 'step.started'); // the contract's
}

it('has the trace of each line in the log', async () => {
  const workers = processes.slice(0, 2);
  // A run that was cancelled leaves attempts that are given up, which is logged.
  const slow = wide.replaceAll('delay_ms: 100', 'delay_ms: 60000');
  const { body } = await ask(`${api}/v1/runs`, { workflow: { yaml: slow }, input: 'Go.' });
  const runId = String(body['runId']);
  await waitUntil(() => hasBegun(runId));
  await ask(`${api}/v1/runs/${runId}/cancel`, {});
  const abandoned = new RegExp(`\\{[^\\n]*"run":"${runId}"[^\\n]*an attempt was abandoned[^\\n]*`);
  const [line] = await Promise.race(workers.map((worker) => worker.says(abandoned)));
  expect(JSON.parse(line ?? '')).toMatchObject({
    run: runId,
    activation: expect.stringMatching(/^a\d+$/),
    node: expect.stringMatching(/^A\d$/),
    tenant: 'default',
    trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
});
