// `npm run release:pack -- --out DIR`: builds the tarballs of all packages as they are published.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDashboard } from '../prepare.mjs';
import { run, say } from '../process.mjs';
import { packages } from './packages.mjs';
import { stage } from './stage.mjs';

const { values } = parseArgs({ options: { out: { type: 'string' } } });
if (values.out === undefined) {
  say('usage: npm run release:pack -- --out DIR');
  process.exit(2);
}
const out = resolve(process.env.INIT_CWD ?? '', values.out);
mkdirSync(out, { recursive: true });
await buildDashboard();
const staging = mkdtempSync(join(tmpdir(), 'millrace-release-'));
try {
  const folders = packages().map((each, at) => {
    const folder = join(staging, String(at));
    stage(each, folder);
    return folder;
  });
  const code = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', out, ...folders]);
  if (code === 0) say(`done. No registry has these packages, so install them together: npm install ${out}/*.tgz`);
  process.exitCode = code;
} finally {
  rmSync(staging, { recursive: true });
}
