import { serveTasks } from '../../processes/serve-tasks.ts';
import type { PageTask, PageText } from './page-text.ts';

const [{ Readability }, { parseHTML }, { default: TurndownService }] = await Promise.all([
  import('@mozilla/readability'),
  import('linkedom'),
  import('turndown'),
]);

const markdown = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
markdown.remove(['script', 'style', 'noscript', 'iframe', 'title']);

serveTasks<PageTask, PageText>(({ html, maxNodes }) => {
  const page = withBody(html);
  const { document } = parseHTML(page);
  const title = document.querySelector('title')?.textContent?.trim() ?? '';
  // Without an article, such as on a page of links, the whole page is the text. The reader changes its document.
  const article = new Readability(document, { maxElemsToParse: maxNodes }).parse();
  const content = article?.content ?? parseHTML(page).document.body.innerHTML;
  return { title: article?.title || title, text: markdown.turndown(content) };
});

/** Returns a page with the tags that HTML lets authors leave out; the parser does not add them. */
const withBody = (html: string): string =>
  /<body[\s>]/i.test(html) ? html : `<!doctype html><html><head></head><body>${html}</body></html>`;
