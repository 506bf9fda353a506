import { lazy, Suspense } from 'react';
import classes from './markdown.module.css';

const MarkdownBody = lazy(async () => ({ default: (await import('./markdown-body.tsx')).MarkdownBody }));

/** Characters up to which a text is read as Markdown; the parser would hold up the page for longer ones. */
const longest = 64 * 1024;

/** A text of an agent or a person as Markdown; as plain text while the parser loads, and when it is very long. */
export function Markdown({ text }: { readonly text: string }) {
  if (text.length > longest) return <PlainText text={text} />;
  return (
    <Suspense fallback={<PlainText text={text} />}>
      <MarkdownBody text={text} />
    </Suspense>
  );
}

/** A text without Markdown. */
export const PlainText = ({ text }: { readonly text: string }) => (
  <p dir="auto" className={classes['plain']}>
    {text}
  </p>
);
