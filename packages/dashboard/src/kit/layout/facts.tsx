import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Facts about the subject of a screen, in one band. */
export const Facts = ({ children }: { readonly children: ReactNode }) => (
  <section aria-label="Facts" className={`${classes['facts']} panel row wrap muted`}>
    {children}
  </section>
);

/** One part of a screen with its heading. */
export const Panel = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={`${classes['panel']} panel stack`} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);
