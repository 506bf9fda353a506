import { memo, useEffect, useMemo, useRef } from 'react';
import { formatCount } from '../../kit/values/format.ts';
import { longestLine, nodesByLine, partsOf } from './yaml-lines.ts';
import classes from './yaml-text.module.css';

interface YamlTextProps {
  readonly yaml: string;
  readonly lines: Readonly<Record<string, number>>;
  /** Path of the node whose lines are marked. */
  readonly node: string | undefined;
  readonly choose: (node: string) => void;
}

/** The lines of a workflow; a click on one marks the lines of its node. */
export function YamlText({ yaml, lines: starts, node, choose }: YamlTextProps) {
  const lines = useMemo(() => yaml.replace(/\n$/, '').split('\n'), [yaml]);
  const nodes = useMemo(() => nodesByLine(lines, starts), [lines, starts]);
  const begin = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another node is scrolled to
  useEffect(() => {
    // Browsers return a promise here, which is no function that ends the effect.
    begin.current?.scrollIntoView({ block: 'nearest' });
  }, [node]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that is wider than the page is scrolled with the keyboard
    <section className={classes['text']} aria-label="Text of the workflow" tabIndex={0}>
      <ol>
        {lines.map((line, at) => {
          const of = nodes[at];
          const isMarked = of !== undefined && of === node;
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list of nodes above does the same for the keyboard
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ids, and never change
              key={at}
              ref={isMarked && starts[of] === at + 1 ? begin : undefined}
              className={isMarked ? classes['marked'] : undefined}
              title={of}
              onClick={() => of !== undefined && of !== node && getSelection()?.isCollapsed !== false && choose(of)}
            >
              <Line text={line} />
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** One line with its key, value and comment in their looks. */
export const Line = memo(function Line({ text }: { readonly text: string }) {
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
