import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/*
 * Pages link to files as GitHub shows them. On the site, a link to a README leads to the page of its folder, and a link to
 * a file outside of `docs` leads to the repository. A link to a file that does not exist fails the build; VitePress itself
 * checks the links between pages. Comments are for the tests of pages, and are not shown.
 */

const docs = resolve(import.meta.dirname, '..');
const checkout = resolve(docs, '..');
/** Where files are that are no pages. */
export const repository = 'https://github.com/millrace/millrace';

/** Adds the rules of our pages to the renderer. */
export function renderPages(markdown: MarkdownRenderer): void {
  markdown.block.ruler.before('fence', 'comment', skipComment, { alt: ['paragraph'] });
  markdown.core.ruler.push('page_links', ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open');
    for (const link of links) link.attrSet('href', linkOnSite(link.attrGet('href') ?? '', env.path));
  });
  // Templates of workflows are written like those of Vue, which would evaluate them.
  for (const rule of ['text', 'code_inline']) {
    const render = markdown.renderer.rules[rule];
    markdown.renderer.rules[rule] = (...args) => (render?.(...args) ?? '').replaceAll('{{', '&#123;&#123;');
  }
}

type BlockRule = Parameters<MarkdownRenderer['block']['ruler']['push']>[1];

/** Skips a comment. Pages are rendered without HTML, so it would be a paragraph. */
const skipComment: BlockRule = (state, start, ...[end, isTrial]) => {
  const textOf = (line: number) =>
    state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
  if (!textOf(start).startsWith('<!--')) return false;
  if (isTrial) return true;
  const lines = Array.from({ length: end - start }, (_, at) => start + at);
  state.line = (lines.find((line) => textOf(line).includes('-->')) ?? end - 1) + 1;
  return true;
};

function linkOnSite(link: string, page: string): string {
  const [path = '', anchor] = link.split('#');
  if (path === '' || path.startsWith('/') || /^[a-z]+:/.test(path)) return link;
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const file = resolve(dirname(page), path);
  if (!existsSync(file)) throw new Error(`${relative(checkout, page)} links to ${path}, which does not exist.`);
  if (file.startsWith(docs + sep)) return path.replace(/README\.md$/, 'index.md') + hash;
  return `${repository}/blob/main/${relative(checkout, file)}${hash}`;
}

/** Returns the anchor of a heading as GitHub makes it, so that links work in both places. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
