import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const readme = read('README.md');

describe('the README', () => {
  it('is at most 120 lines long', () => {
    expect(readme.trim().split('\n').length).toBeLessThanOrEqual(120);
  });

  it('shows the workflow of the demo unchanged', () => {
    const workflow = read('examples/newsroom.yaml').replaceAll(/^#.*\n/gm, '');

    expect(readme).toContain(`\`\`\`yaml\n${workflow}\`\`\``);
  });

  it('shows pictures of limited size', () => {
    const pictures = [...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = '']) => path);

    expect(pictures).toEqual(['docs/images/demo.svg', 'docs/images/dashboard.png']);
    for (const path of pictures) expect(statSync(new URL(path, root)).size).toBeLessThanOrEqual(500_000);
  });

  it('shows a recording of the present demo, which continues after kill -9', () => {
    const shown = [...read('docs/images/demo.svg').matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, line]) => line);

    expect(shown.join('\n')).toMatch(/kill -9 \d+.*✔ completed.*none repeated/s);
    // What the demo prints in any case.
    const printed = read('packages/cli/src/commands/machine/demo.ts');
    for (const line of shown.slice(-5))
      expect(printed).toContain(
        line
          ?.trim()
          .replace('npx ', '')
          .split(/ {2}|: |=|127/)[0],
      );
    expect(shown).toContain('    npx millrace init');
  });

  it('repeats the numbers of the guide', () => {
    const [, measured = ''] = read('docs/guide/performance.md').split('\n## Results\n');

    const row = (name: string) => {
      const [, first = '', second = ''] =
        new RegExp(`^\\| ${name} \\| ([^|]+) \\| ([^|]+) \\|`, 'm').exec(measured) ?? [];
      return [first, second].map((value) => value.replace(/ \/s$/, ''));
    };
    const [job] = row('floor: a job');
    const [floor, millrace] = row('`throughput`');
    const [bytes = ''] = /\d+ bytes(?= of Redis)/.exec(measured) ?? [];

    expect(readme).toContain(`| commands for an activation in a chain | ${row('`chain`')[0]} | ${job} |`);
    expect(readme).toContain(`three steps that survive a crash | ${row('`agent`')[0]} | ${job} |`);
    expect(readme).toContain(`| memory of an activation, with journal and message | ${bytes} | – |`);
    expect(readme).toContain(`executes ${millrace} activations per second, and a plain BullMQ worker ${floor} jobs`);
  });
});

it('is the page of the command on npm, with links that lead to the repository', async () => {
  const { readmeOf } = await import(new URL('scripts/release/stage.mjs', root).href);
  const page: string = readmeOf('packages/cli', { bin: {} });
  const targets = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);

  expect(page).toContain('# Millrace\n');
  expect(targets.length).toBeGreaterThan(20);
  expect(targets.filter((target) => !target.startsWith('https://'))).toEqual([]);
  expect(targets).toContain('https://raw.githubusercontent.com/millrace/millrace/main/docs/images/demo.svg');
});
