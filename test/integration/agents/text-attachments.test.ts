import { messageWithAttachments, textOf } from '@millrace/core';
import { attach } from '@millrace/runtime';
import { describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';

const server = openBeforeAll(() => startFakeProvider({ reply: () => 'Read.' }));
const stage = openBeforeAll(() => openStage({ where: { local: true }, secret: () => 'key' }));

const reader = (provider: string, { params = '', more = '' } = {}) => `graph:
  id: attached
  nodes:
    - {id: Reader, type: agent, config: {provider: ${provider}, name: m, base_url: '${server.url}/ok', api_key: k, ${more} params: {stream: false, ${params}}}}
  edges: []
`;

/** Runs a workflow on a task with a note, and returns the outcome of the run and its journal as text. */
async function run(text: string, { compat = false, note = 'The word is swordfish.' } = {}) {
  const { runs } = stage.runtime;
  const attachment = await attach(runs.blobs, { name: 'note.txt', bytes: Buffer.from(note) });
  const workflow = workflowIn(
    compat ? text.replace('id: attached', 'id: attached\n  compat: chatdev') : text,
    stage.vocabulary,
  );
  const input = [messageWithAttachments('What is the word?', [attachment], 'TASK')];
  const id = await runs.start({ workflow, input });
  const journal = [];
  for await (const entry of entriesOf(runs, id)) journal.push(entry);
  const description = await runs.describe(id);
  return { output: description?.output && textOf(description.output), journal: JSON.stringify(journal) };
}

const asked = (): string => JSON.stringify(server.requests.at(-1)?.body);

describe('a text file that is attached to a task', () => {
  it.each([
    ['openai', ''],
    ['openai', 'protocol: responses'],
    ['anthropic', ''],
    ['gemini', ''],
  ])('is read by a model: %s, %s', async (provider, params) => {
    const { output, journal } = await run(reader(provider, { params }));

    expect(output).toBe('Read.');
    expect(asked()).toContain(
      JSON.stringify("Text file 'note.txt' (text/plain, 22 bytes):\n```text\nThe word is swordfish.\n```"),
    );
    expect(journal).not.toContain('swordfish');
  });

  it('is read by a script, whose rules can match it', async () => {
    const rules = '{rules: [{when: {last_user_contains: swordfish}, reply: "It is {last_user}"}], default: nothing}';
    const { output } = await run(`graph:
  id: attached
  nodes: [{id: Reader, type: agent, config: {provider: scripted, name: m, params: ${rules}}}]
  edges: []
`);

    expect(output).toContain('The word is swordfish.');
  });

  it('is read in prompt mode, too', async () => {
    await run(reader('openai', { more: 'input_mode: prompt,' }));

    expect(asked()).toContain('The word is swordfish.');
    expect(asked()).toContain('=== INPUT FROM TASK');
  });

  it('is shown in compatibility mode as the original engine shows it', async () => {
    await run(reader('openai'), { compat: true });

    expect(server.requests.at(-1)?.body).toMatchObject({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is the word?' },
            { type: 'text', text: "Text file 'note.txt' (text/plain):\n```text\nThe word is swordfish.\n```" },
          ],
        },
      ],
    });
  });

  it('is not shown in the prompt mode of compatibility mode, as in the original engine', async () => {
    await run(reader('openai', { more: 'input_mode: prompt,' }), { compat: true });

    expect(asked()).toContain('[file attachment: note.txt]');
    expect(asked()).not.toContain('swordfish');
  });

  it('is shown in part when it is long, and readable further with a tool', async () => {
    const note = `${'x'.repeat(40_000)}The word is swordfish.`;
    const tools = 'tooling: [{type: function, config: {tools: [{name: read_file_segment}]}}],';
    await run(reader('openai', { more: tools }), { note });

    expect(asked()).toContain('[cut: the first 32768 of 40022 bytes.');
    expect(asked()).toMatch(
      /The whole file is (attachments\/\w+\/note\.txt) in the workspace: read on with read_file_segment/,
    );
    expect(asked()).not.toContain('swordfish');
  });
});
