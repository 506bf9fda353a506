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
      <header className={`${classes['head']} spaced row wrap`}>
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

interface SkipLinkProps {
  /** Selectors of elements; the first one that is visible takes the focus. */
  readonly to: readonly string[];
  readonly children: string;
}

/** Link, visible while it has the focus, that moves the focus past everything before an element. */
export const SkipLink = ({ to, children }: SkipLinkProps) => (
  // biome-ignore lint/a11y/useValidAnchor: it leads to a place in the page, which has no id of its own
  <a
    className="skip-link"
    href="#content"
    onClick={(event) => {
      event.preventDefault();
      focusFirst(to);
    }}
  >
    {children}
  </a>
);

function focusFirst(selectors: readonly string[]): void {
  const all = selectors.flatMap((selector) => [...document.querySelectorAll<HTMLElement>(selector)]);
  all.find((element) => element.checkVisibility())?.focus();
}

interface ToolbarProps {
  readonly children: ReactNode;
  /** Facts or actions at the far end. */
  readonly end?: ReactNode;
}

/** The row above a list with its filters and its actions; it wraps on narrow screens. */
export const Toolbar = ({ children, end }: ToolbarProps) => (
  <div className={`${classes['toolbar']} row wrap`}>
    {children}
    {end !== undefined && <div className={`${classes['end']} row wrap muted`}>{end}</div>}
  </div>
);

/** Facts about the subject of a screen, in one band. */
export const Facts = ({ children }: { readonly children: ReactNode }) => (
  <section aria-label="Facts" className={`${classes['facts']} spaced panel row wrap muted`}>
    {children}
  </section>
);

/** One part of a screen with its heading. */
export const Panel = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={`${classes['panel']} spaced panel stack`} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);
