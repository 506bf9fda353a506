import { lazy, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { formatCount } from '../values/format.ts';
import classes from './markdown.module.css';
import { partsOf } from './parts-of.ts';

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

/** A text without Markdown. The parts of a long one are laid out as they come into view. */
export function PlainText({ text }: { readonly text: string }) {
  const parts = partsOf(text);
  return parts.map((part, at) => (
    <p
      // biome-ignore lint/suspicious/noArrayIndexKey: parts are places in the text
      key={at}
      dir="auto"
      className={`${classes['plain']} ${parts.length > 1 ? classes['part'] : ''}`}
    >
      {part}
    </p>
  ));
}

/** Characters of a folded text that are rendered; twelve lines hold fewer. */
const headLength = 4_000;

interface FoldedTextProps {
  readonly text: string;
  /** Shows the text without Markdown. */
  readonly isPlain?: boolean;
  /** The text is the beginning of a longer one. */
  readonly isStart?: boolean;
}

/** A text of any length, folded at twelve lines. */
export function FoldedText({ text, isPlain = false, isStart = false }: FoldedTextProps) {
  const [isOpen, setOpen] = useState(false);
  const [isClipped, setClipped] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  // The height depends on the text and on the Markdown parser, which is loaded later.
  useLayoutEffect(() => {
    const element = body.current;
    if (element === null || isOpen) return;
    const measure = () => setClipped(element.scrollHeight > element.clientHeight + 4);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    measure();
    return () => observer.disconnect();
  }, [isOpen]);
  const isLong = isClipped || text.length > headLength;
  const shown = isOpen ? text : text.slice(0, headLength);
  return (
    <div className={`${classes['text']} stack`}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a link below the fold that gets the focus opens the text */}
      <div
        ref={body}
        className={isOpen ? undefined : `${classes['folded']} ${isLong ? classes['fading'] : ''}`}
        onFocus={() => isLong && setOpen(true)}
      >
        {isPlain ? <PlainText text={shown} /> : <Markdown text={shown} />}
      </div>
      {(isLong || isOpen) && (
        <button type="button" className="link-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show ${isStart ? 'the first' : 'all'} ${formatCount(text.length)} characters`}
        </button>
      )}
    </div>
  );
}
