// `npm run docs:pictures`: records a run of `millrace demo` as an animated picture, docs/images/demo.svg or the FILE given.
// Each line appears at the time at which the demo printed it. The picture is drawn by terminal-svg.mjs.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { root, say } from '../process.mjs';
import { terminalSvg } from './terminal-svg.mjs';

const [file = join(root, 'docs/images/demo.svg')] = process.argv.slice(2);

const child = spawn(process.execPath, ['packages/cli/bin/millrace.js', 'demo'], {
  cwd: root,
  // As npx starts it: the commands that it prints begin with npx.
  env: { ...process.env, npm_command: 'exec' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const began = performance.now();
const lines = [{ text: '$ npx millrace demo', ms: 0 }];
for await (const text of createInterface({ input: child.stdout })) lines.push({ text, ms: performance.now() - began });

const said = lines.map(({ text }) => text).join('\n');
if (!/kill -9.*✔ completed/s.test(said)) throw new Error(`The demo did not complete:\n${said}`);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, terminalSvg(lines));
say(`recorded ${Math.round((lines.at(-1)?.ms ?? 0) / 1000)} s in ${file}`);
