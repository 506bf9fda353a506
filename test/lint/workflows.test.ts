import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);
const folder = new URL('.github/workflows/', root);

const Step = z.strictObject({
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  if: z.string().optional(),
  name: z.string().optional(),
});
const Permissions = z.record(z.string(), z.enum(['read', 'write']));
const Job = z.looseObject({
  'runs-on': z.string(),
  'timeout-minutes': z.number(),
  permissions: Permissions.optional(),
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  steps: z.array(Step).min(1),
});
const Workflow = z.looseObject({
  name: z.string(),
  on: z.unknown(),
  permissions: Permissions,
  jobs: z.record(z.string(), Job),
});

const files = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
const workflowOf = (text: string) => Workflow.parse(parse(text));
const stepsOf = (text: string) => Object.values(workflowOf(text).jobs).flatMap(({ steps }) => steps);
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(new URL('package.json', root), 'utf8')));

/** Returns what a script of package.json needs beside Node and the files of the checkout: commands, and packages that it imports. */
function packagesOf(script: string): readonly string[] {
  const hooks = [`pre${script}`, `post${script}`].filter((hook) => Object.hasOwn(scripts, hook));
  const file = /^node (?<file>[\w./-]+\.mjs)$/.exec(scripts[script] ?? '')?.groups?.['file'];
  if (file === undefined || file === 'scripts/bootstrap.mjs') return [...hooks, scripts[script] ?? script];
  const found = new Set<string>();
  const read = new Set<string>();
  const add = (url: URL): void => {
    if (read.has(url.href)) return;
    read.add(url.href);
    for (const [, from = ''] of readFileSync(url, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)) {
      if (from.startsWith('.')) add(new URL(from, url));
      else if (!from.startsWith('node:')) found.add(from);
    }
  };
  add(new URL(file, root));
  return [...hooks, ...found];
}

describe.each(files)('the workflow $name', ({ name, text }) => {
  it('has read permissions only, except for jobs that declare more', () => {
    expect(workflowOf(text)).toMatchObject({ name: name.replace('.yml', ''), permissions: { contents: 'read' } });
    expect(Object.keys(workflowOf(text).permissions)).toEqual(['contents']);
  });

  it('pins each action to a commit, with its version beside it', () => {
    const uses = text.split('\n').filter((line) => /\buses:/.test(line));

    expect(uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('keeps no credentials of the repository for later steps', () => {
    const checkouts = stepsOf(text).filter(({ uses }) => uses?.startsWith('actions/checkout@'));

    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });

  it('runs tests only in jobs that cannot publish, and publishes only what has passed them', () => {
    const jobs = Object.entries(workflowOf(text).jobs);
    const publishing = jobs.filter(([, { permissions = {} }]) => Object.values(permissions).includes('write'));
    const tests = jobs.filter(([, { steps }]) => steps.some(({ run }) => /^npm (?:test|run test)\b/.test(run ?? '')));
    const isTested = ({ needs }: z.infer<typeof Job>): boolean =>
      [needs ?? []].flat().some((each) => tests.some(([id]) => id === each) || isTested(jobOf(each)));
    const jobOf = (id: string) => Job.parse(workflowOf(text).jobs[id]);

    expect(publishing.filter(([id]) => tests.some(([other]) => other === id))).toEqual([]);
    expect(publishing.filter(([, job]) => !isTested(job)).map(([id]) => id)).toEqual([]);
  });

  it('installs and builds only in jobs that cannot publish', () => {
    const publishing = Object.values(workflowOf(text).jobs).filter(({ permissions = {} }) =>
      Object.values(permissions).includes('write'),
    );
    const names = publishing
      .flatMap(({ steps }) => steps)
      .flatMap(({ run }) => (run === undefined ? [] : (/^npm run (?<name>[\w:]+)/.exec(run)?.groups?.['name'] ?? run)));

    expect(names.filter((script) => packagesOf(script).length > 0)).toEqual([]);
  });

  it('runs only scripts that work on any machine', () => {
    const commands = stepsOf(text).flatMap(({ run }) => run ?? []);
    const script = /^npm (?:run (?<name>[\w:]+)|test)(?: -- [^\n;&|]+)?$/;

    expect(commands.filter((command) => !script.test(command))).toEqual([]);
    expect(commands.flatMap((command) => script.exec(command)?.groups?.['name'] ?? [])).toSatisfy((names: string[]) =>
      names.every((each) => Object.hasOwn(scripts, each)),
    );
  });
});
