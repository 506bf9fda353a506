import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { directoryOfTest } from '../support/fixtures.ts';
import { command } from '../support/processes/command.ts';

/** A loop of nodes that take no time, so that its timer never ends it. */
const loop = `graph:
  id: loop
  start: [A]
  end: [Z]
  nodes:
    - { id: A, type: passthrough, config: {} }
    - { id: G, type: loop_timer, config: { max_duration: 60, passthrough: true, message: late } }
    - { id: Z, type: passthrough, config: {} }
  edges:
    - { from: A, to: G }
    - { from: G, to: A, condition: { type: keyword, config: { none: [late] } } }
    - { from: G, to: Z, condition: { type: keyword, config: { any: [late] } } }
`;

it('ends the test of a loop that nothing ends, and names its node', async () => {
  const directory = directoryOfTest();
  writeFileSync(join(directory, 'loop.yaml'), loop);
  writeFileSync(join(directory, 'loop.test.yaml'), 'tests: [{ name: loops, input: x, timeout: 10m }]');
  const { code, stdout } = await command(['test', directory], {});

  expect(code).toBe(1);
  expect(stdout).toMatch(/10000 activations at one moment, the last one of "[AG]": nothing ends the loop/);
});
