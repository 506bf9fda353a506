import type { ReactNode } from 'react';
import type { Components } from 'react-markdown';
import ReactMarkdown from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import classes from './markdown.module.css';

/** Renders hostile Markdown: HTML is shown as text, pictures are replaced by their alternative text, and links lead only to http(s). */
export function MarkdownBody({ text }: { readonly text: string }) {
  return (
    <div dir="auto" className={`${classes['markdown']} stack`}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm, htmlAsText]}
        rehypePlugins={[rehypeSanitize]}
        components={components}
        urlTransform={webAddress}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

interface MarkdownNode {
  type: string;
  readonly children?: MarkdownNode[];
}

/** Plugin that shows HTML as text; the sanitizer alone would remove it. */
const htmlAsText = () => convert;

function convert(node: MarkdownNode): void {
  if (node.type === 'html') node.type = 'text';
  for (const child of node.children ?? []) convert(child);
}

/** Returns an address that leads to the web, or nothing. */
const webAddress = (url: string): string | undefined => (/^https?:\/\//i.test(url) ? url : undefined);

interface LinkProps {
  readonly href?: string | undefined;
  readonly children?: ReactNode;
}

const components: Components = {
  a: ({ href, children }: LinkProps) =>
    href === undefined ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    ),
  img: ({ alt }) => (
    <span className={`${classes['image']} muted`}>{alt === '' || alt === undefined ? 'image' : alt}</span>
  ),
  // Headings of an agent's text come below those of the page.
  h1: ({ children }) => <h4>{children}</h4>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h5>{children}</h5>,
  h5: ({ children }) => <h6>{children}</h6>,
  input: ({ checked }) => <span>{checked === true ? '☑' : '☐'}</span>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
    <section className="scrolled" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </section>
  ),
};
