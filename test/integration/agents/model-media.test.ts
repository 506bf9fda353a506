import { createHash } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import type { Message } from '@millrace/core';
import { attachmentsOf, defineTool } from '@millrace/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { EndedRun, Stage } from '../../support/runs/stage.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';

const picture = Buffer.from('not really a picture, but nobody looks '.repeat(100));
const base64 = picture.toString('base64');
const uri = `data:image/png;base64,${base64}`;
const digest = createHash('sha256').update(picture).digest('hex');

/** Responses of servers that make pictures and recordings, by the name of the model. */
const answers: Readonly<Record<string, unknown>> = {
  chat: { choices: [{ finish_reason: 'stop', message: { content: 'Here.', images: [{ image_url: { url: uri } }] } }] },
  audio: {
    choices: [{ finish_reason: 'stop', message: { content: null, audio: { data: base64, transcript: 'Here.' } } }],
  },
  responses: {
    status: 'completed',
    output: [
      { type: 'image_generation_call', result: base64, output_format: 'png' },
      { type: 'message', content: [{ type: 'output_text', text: 'Here.' }] },
    ],
  },
  gemini: {
    candidates: [
      {
        finishReason: 'STOP',
        content: { parts: [{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data: base64 } }] },
      },
    ],
  },
};

const server = openBeforeAll(() =>
  startFakeProvider({ reply: ({ model }) => (model === 'seen' ? 'I see.' : { body: answers[model] }) }),
);
let stage: Stage;
beforeAll(async () => {
  const draw = defineTool({
    name: 'draw',
    description: 'Draws.',
    parameters: z.object({}),
    execute: () => [{ type: 'image', attachment: { id: 'p', name: 'p.png', mimeType: 'image/png', uri } }],
  });
  stage = await openStage({ where: { local: true }, secret: () => 'key', extensions: { tools: [draw] } });
});
afterAll(async () => {
  await stage.close();
});

const painter = (provider: string, model: string, params: string) =>
  `{id: Painter, type: agent, config: {provider: ${provider}, name: ${model}, base_url: '${server.url}/ok', api_key: k, params: {stream: false, ${params}}}}`;
const workflow = (nodes: string) =>
  workflowIn(
    `graph:\n  id: media\n  nodes:\n    - ${nodes}\n    - {id: Viewer, type: agent, config: {provider: openai, name: seen, base_url: '${server.url}/ok', api_key: k, params: {stream: false}}}\n  edges: [{from: Painter, to: Viewer}]\n`,
    stage?.vocabulary ?? createVocabulary(),
  );

/** Returns the message of the painter, which speaks once. */
async function wordOf(executions: EndedRun['executions']): Promise<Message> {
  const [[said] = []] = await executions('Painter');
  if (said === undefined) throw new Error('the painter has said nothing');
  return said;
}

describe('media of models', () => {
  it.each([
    ['openai', 'chat', ''],
    ['openai', 'responses', 'protocol: responses'],
    ['gemini', 'gemini', ''],
  ])('is an attachment: %s %s', async (provider, model, params) => {
    const { journal, executions } = await stage.run(workflow(painter(provider, model, params)), 'draw something');
    const said = await wordOf(executions);
    const [attachment] = attachmentsOf(said);

    expect(said.content).toMatchObject([{ type: 'text', text: 'Here.' }, { type: 'image' }]);
    expect(attachment).toMatchObject({ digest, size: picture.length, mimeType: 'image/png' });
    expect(attachment).not.toHaveProperty('uri');
    expect(Buffer.from((await stage.runtime.runs.blobs.get(digest)) ?? [])).toEqual(picture);
    expect(JSON.stringify(journal)).not.toContain(base64.slice(0, 100));
    // Who comes next sees it.
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(uri);
  });

  it('is a recording on request', async () => {
    const audio = 'modalities: [text, audio], audio: {voice: alloy, format: mp3}';
    const { executions } = await stage.run(workflow(painter('openai', 'audio', audio)), 'sing something');
    const said = await wordOf(executions);

    expect(said.content).toMatchObject([
      { text: 'Here.' },
      { type: 'audio', attachment: { digest, mimeType: 'audio/mpeg' } },
    ]);
  });
});

it('includes media of tools, stored as blobs', async () => {
  const call = { name: 'draw', arguments: {} };
  const script = { rules: [{ when: { last_role: 'tool' }, reply: 'drawn' }, { reply: { tool_calls: [call] } }] };
  const yaml = `{id: Painter, type: agent, config: {provider: scripted, name: m, params: ${JSON.stringify(script)}, tooling: [{type: function, config: {tools: [{name: draw}]}}]}}`;
  const { description, journal } = await stage.run(workflow(yaml), 'draw something');
  const { runs } = stage.runtime;
  const described = await runs.describe(description.run);
  const count = journal.reduce((sum, { event }) => sum + (event.bodies ?? 0), 0);
  const bodies = await runs.bodies(
    description.run,
    Array.from({ length: count }, (_, at) => `m${at + 1}` as const),
  );

  expect(described).toMatchObject({ status: 'completed', outputs: { Painter: 'drawn' } });
  expect(JSON.stringify(bodies)).toContain(digest);
  expect(JSON.stringify(bodies)).not.toContain(base64.slice(0, 100));
});
