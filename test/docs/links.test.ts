import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Every page of the documentation, by its path. */
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(new URL('packages/', root)).map((name) => `packages/${name}/README.md`),
  ...pagesIn('docs/'),
].map((path) => ({
  path,
  text: readFileSync(new URL(path, root), 'utf8').replaceAll(/^```.*?^```$/gms, ''),
}));

function pagesIn(folder: string): readonly string[] {
  const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.md')).map((name) => `${folder}${name}`);
}

/** Source files, each by its path and by its path without `src`. */
const sources = ['packages', 'scripts', 'test', 'docs'].flatMap((folder) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((name) => !/node_modules|dist\//.test(name))
    .flatMap((name) => [`/${folder}/${name}`, `/${folder}/${name.replace('/src/', '/')}`]),
);

/** Anchors of the headings of each page, as GitHub makes them. */
const anchors = new Map(
  pages.map(({ path, text }) => [
    new URL(path, root).href,
    new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))),
  ]),
);

function anchorOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');
}

/** Links to other files, with what they say and where they lead. */
const linksOf = ({ path, text }: (typeof pages)[number]) =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)#]+)(?:#[^)]*)?\)/g)]
    .map(([, says = '', to = '']) => ({ says, to }))
    .filter(({ to }) => !/^[a-z]+:/.test(to))
    .map((link) => ({ ...link, url: new URL(link.to, new URL(path, root)) }));

describe('the documentation', () => {
  it.each(pages)('links to existing files: $path', (page) => {
    expect(
      linksOf(page)
        .filter(({ url }) => !existsSync(url))
        .map(({ to }) => to),
    ).toEqual([]);
  });

  it.each(pages)('links to existing headings: $path', ({ path, text }) => {
    const links = [...text.matchAll(/\]\(([^)]*#[^)]+)\)/g)].map(([, to = '']) => new URL(to, new URL(path, root)));
    const missing = links.filter((url) => {
      const page = anchors.get(url.href.replace(/#.*/, ''));
      return page !== undefined && !page.has(decodeURIComponent(url.hash.slice(1)));
    });

    expect(missing.map(({ href }) => href)).toEqual([]);
  });

  it('names source files that exist', () => {
    const named = pages.flatMap(({ path, text }) =>
      [...text.matchAll(/`([\w./-]+\/[\w.-]+\.(?:tsx?|mjs|cjs|lua|css))`/g)].map(([, file = '']) => ({ path, file })),
    );
    // A word in capitals stands for others.
    const files = named.filter(({ file }) => !/[A-Z]{4}/.test(file) && !/^\.|examples/.test(file));

    expect(files.length).toBeGreaterThan(50);
    expect(files.filter(({ file }) => !sources.some((source) => source.endsWith(`/${file}`)))).toEqual([]);
  });

  it('names tests by words of their files', () => {
    const links = pages.flatMap(linksOf).filter(({ to }) => /\/(?:test|packages)\/.*\.ts$/.test(to));

    expect(links.length).toBeGreaterThan(10);
    expect(links.filter(({ says, url }) => !readFileSync(url, 'utf8').includes(says)).map(({ says }) => says)).toEqual(
      [],
    );
  });
});

describe('the comments of sources', () => {
  it('name files that exist', () => {
    const named = sources
      .filter(
        (path) =>
          /^\/(?:packages\/[^/]+\/src|test|scripts)\/.*\.(?:tsx?|lua|mjs)$/.test(path) && !path.includes('/generated/'),
      )
      .flatMap((path) =>
        [...readFileSync(new URL(`.${path}`, root), 'utf8').matchAll(/^ *(?:\/\*\*|\*|\/\/|--) .*$/gm)].flatMap(
          ([comment]) =>
            [...comment.matchAll(/(?<![\w./*-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:tsx?|lua|mjs)\b/g)].map(
              ([file]) => ({ path, file }),
            ),
        ),
      );

    expect(named.length).toBeGreaterThan(20);
    const isThere = (file: string) =>
      existsSync(new URL(file, root)) || sources.some((source) => source.endsWith(`/${file}`));
    expect(named.filter(({ file }) => !isThere(file))).toEqual([]);
  });
});
