import { useEffect, useRef } from 'react';
import { useLiveOutput } from '../../follow/use-live-output.ts';
import classes from './node-panel.module.css';

interface LiveWordsProps {
  readonly run: string;
  readonly activation: string;
}

/** Complete live output of an executing activation. */
export function LiveWords({ run, activation }: LiveWordsProps) {
  const output = useLiveOutput(run, activation);
  const text = useRef<HTMLPreElement>(null);
  const isFollowed = useRef(true);
  const length = output?.text.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when something was added
  useEffect(() => {
    const element = text.current;
    if (element !== null && isFollowed.current) element.scrollTop = element.scrollHeight;
  }, [length]);
  const noteScrolled = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = text.current ?? {};
    isFollowed.current = scrollHeight - scrollTop - clientHeight < 80;
  };
  if (output === undefined || output.text === '') return null;
  return (
    <section aria-label="Live">
      <h3>{output.step}, as it speaks</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <pre ref={text} className={classes['words']} tabIndex={0} onScroll={noteScrolled}>
        {output.skipped > 0 && '…'}
        {output.text}
      </pre>
    </section>
  );
}
