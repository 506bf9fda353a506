import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createMarkdownRenderer } from 'vitepress';
import { expect, it } from 'vitest';
import { renderPages } from '../../docs/.vitepress/render-pages.ts';
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

it('shows no comments, except in examples', async () => {
  const markdown = await createMarkdownRenderer('docs', { html: false, config: renderPages });
  const page =
    'Before\n<!-- not run: reason -->\n\n<!-- setup\nmkdir x\n-->\n- one\n  <!-- two -->\n\n```html\n<!-- kept -->\n```\n';
  const shown = markdown.render(page, { path: 'docs/index.md' });

  expect(shown).toMatch(/Before[\s\S]*one[\s\S]*kept/);
  expect(shown).not.toMatch(/not run|setup|mkdir|two/);
});
