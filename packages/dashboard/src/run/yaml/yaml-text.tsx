import { memo, useEffect, useEffectEvent, useMemo } from 'react';
import { useVirtualRows } from '../../kit/tables/use-virtual-rows.ts';
import { formatCount } from '../../kit/values/format.ts';
import { linesOf, longestLine, nodesByLine, partsOf, widthOf } from './yaml-lines.ts';
import classes from './yaml-text.module.css';

interface YamlTextProps {
  readonly yaml: string;
  readonly lines: Readonly<Record<string, number>>;
  /** Path of the node whose lines are marked. */
  readonly node: string | undefined;
  readonly choose: (node: string) => void;
}

/** Height of a line, in pixels. */
const lineHeight = 19;

/** Lines up to which the whole text is in the document, where the search of the browser finds it. */
const mostSearchableLines = 500;

/** The lines of a workflow; a click on one marks the lines of its node. Of a long text, only those near the window are in the document. */
export function YamlText({ yaml, lines: starts, node, choose }: YamlTextProps) {
  const lines = useMemo(() => linesOf(yaml), [yaml]);
  const nodes = useMemo(() => nodesByLine(lines, starts), [lines, starts]);
  const count = lines.length;
  const { body, rows, height, topOf, scrollTo } = useVirtualRows<HTMLOListElement>({
    count,
    rowHeight: lineHeight,
    overscan: count <= mostSearchableLines ? count : 40,
    scrollPadding: 96,
  });
  const begin = node === undefined ? undefined : starts[node];
  const showBegin = useEffectEvent((line: number) => scrollTo(line - 1));
  useEffect(() => {
    if (begin !== undefined) showBegin(begin);
  }, [begin]);
  return (
    <>
      {count > mostSearchableLines && (
        <p className={classes['note']}>
          {formatCount(count)} lines. The search of the browser finds only those near the window; the downloaded text
          has all.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that is wider than the page is scrolled with the keyboard */}
      <section className={classes['text']} aria-label="Text of the workflow" tabIndex={0}>
        <ol ref={body} style={{ height, minWidth: `${widthOf(lines)}ch` }}>
          {rows.map((row) => {
            const { index } = row;
            const of = nodes[index];
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the list of nodes above does the same for the keyboard
              <li
                key={index}
                aria-posinset={index + 1}
                aria-setsize={count}
                className={of !== undefined && of === node ? classes['marked'] : undefined}
                data-line={index + 1}
                style={{ transform: `translateY(${topOf(row)}px)` }}
                title={of}
                onClick={() => of !== undefined && of !== node && getSelection()?.isCollapsed !== false && choose(of)}
              >
                <Line text={lines[index] ?? ''} />
              </li>
            );
          })}
        </ol>
      </section>
    </>
  );
}

/** One line with its key, value and comment in their looks. */
const Line = memo(function Line({ text }: { readonly text: string }) {
  return (
    <code>
      {partsOf(text).map(({ text: part, kind }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no ids, and never change
        <span key={at} className={classes[kind]}>
          {part}
        </span>
      ))}
      {text.length > longestLine && <em>… {formatCount(text.length - longestLine)} more characters</em>}
    </code>
  );
});
