import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sidebar } from '../../docs/.vitepress/sidebar.ts';

const docs = new URL('../../docs/', import.meta.url);
const linked = sidebar.flatMap(({ items = [] }) => items.map(({ link = '' }) => fileOf(link)));

/** Pages that others lead to: the index of their folder, or the page itself is a start. */
const reached = /^(?:index|guide\/README|(?:errors|adr)\/(?!README).*)\.md$/;

function fileOf(link: string): string {
  return `${link.slice(1).replace(/\/$/, '/README')}.md`;
}

const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.md') && !path.startsWith('.vitepress') && !reached.test(path),
);

it('has every page in the sidebar, once', () => {
  expect([...linked].sort()).toEqual([...pages].sort());
});

it('links from its home page to pages that exist', () => {
  const links = [...readFileSync(new URL('index.md', docs), 'utf8').matchAll(/link: (\/[^ }\n]*)/g)];

  expect(links.length).toBeGreaterThan(5);
  expect(links.map(([, link = '']) => fileOf(link)).filter((file) => !existsSync(new URL(file, docs)))).toEqual([]);
});
