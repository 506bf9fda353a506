import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVocabulary } from '@millrace/catalog';
import { expect, it } from 'vitest';
import { directoryBeforeEach, openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { audit } from '../../support/runs/audit.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const fleet = openBeforeEach(openFleet);
const directory = directoryBeforeEach();
const provider = openBeforeEach(() => startFakeProvider({}));

/** An installation whose detect function ends the first process that calls it. */
const extension = (marker: string) => `
import { existsSync, writeFileSync } from 'node:fs';
const fatal = () => {
  if (!existsSync('${marker}')) {
    writeFileSync('${marker}', '');
    process.kill(process.pid, 'SIGKILL');
  }
  return { exit: { result: 'done' } };
};
export const extensions = { detects: new Map([['fatal', fatal]]) };
`;

it('asks a controller once when its worker dies in the detect function', async () => {
  const vocabulary = createVocabulary({ detects: new Map([['fatal', () => ({ exit: { result: '' } })]]) });
  const module = join(directory, 'extension.mjs');
  await writeFile(module, extension(join(directory, 'died')));
  provider.say('m', { calls: [{ name: 'go', arguments: {} }] });
  const workflow = workflowIn(
    `graph:
  id: g
  start: [C]
  end: [End]
  nodes:
    - id: C
      type: controller
      config: {provider: openai, name: m, base_url: '${provider.at('ok')}', api_key: k, first_prompt: go, next_prompt: go, commands: {go: {description: Goes.}}, detect: {type: function, config: {name: fatal}}}
    - {id: End, type: passthrough, config: {}}
  edges:
    - {from: C, to: End, condition: {type: branch, config: {is: $exit}}}
`,
    vocabulary,
  );

  // One of them dies, and the other one goes on.
  for (let n = 0; n < 2; n++) await fleet.startWorker({ MILLRACE_EXTENSIONS: module });
  const run = await fleet.runtime.runs.start({ workflow, input: 'go' });
  await fleet.until(run, ({ event }) => event.type === 'run.finished');

  expect(await fleet.runtime.runs.describe(run)).toMatchObject({ status: 'completed', outputs: { End: 'done' } });
  expect(provider.requests).toHaveLength(1);
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
});
