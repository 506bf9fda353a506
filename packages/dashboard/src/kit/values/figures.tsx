import type { ReactNode } from 'react';
import classes from './figures.module.css';

/** Numbers at a glance, each below its label. */
export const Figures = ({ children }: { readonly children: ReactNode }) => (
  <dl className={`${classes['figures']} row wrap`}>{children}</dl>
);

interface FigureProps {
  readonly label: string;
  /** Explanation of the number. */
  readonly title?: string;
  readonly children: ReactNode;
}

/** One of several numbers, with its label above it. */
export const Figure = ({ label, title, children }: FigureProps) => (
  <div title={title}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);
