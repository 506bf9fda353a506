import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { hasTargetFocus } from '../tables/use-target-row.ts';
import classes from './screen.module.css';

interface ScreenProps {
  /** The heading, and the title of the document. */
  readonly title: string;
  readonly actions?: ReactNode;
  /** Link past the actions and filters; see {@link SkipLink}. */
  readonly skip?: ReactNode;
  readonly children: ReactNode;
}

/** One screen: its heading, which takes the focus on navigation unless the address names a row, its actions and its content. */
export function Screen({ title, actions, skip, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!hasTargetFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${title} · Millrace`;
  }, [title]);
  return (
    <>
      <header className={`${classes['head']} row wrap`}>
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {skip}
        <div className={`${classes['actions']} wrap`}>{actions}</div>
      </header>
      {children}
    </>
  );
}
