import { Link } from '@tanstack/react-router';
import classes from './tab-links.module.css';

/** One part of a screen. */
export interface TabLink {
  readonly part: string;
  readonly label: string;
  readonly count?: number | undefined;
}

interface TabLinksProps {
  /** Name of the parts together. */
  readonly label: string;
  /** Route of the screen, whose parameter `part` names the part that is shown. */
  readonly to: '/operations/$part' | '/settings/$part';
  readonly tabs: readonly TabLink[];
}

/** Links to the parts of a screen. */
export const TabLinks = ({ label, to, tabs }: TabLinksProps) => (
  <nav className={`${classes['tabs']} tabs spaced`} aria-label={label}>
    {tabs.map(({ part, label: text, count }) => (
      <Link key={part} ref={showCurrent} to={to} params={{ part }}>
        {text}
        {count !== undefined && count > 0 && <small>{count}</small>}
      </Link>
    ))}
  </nav>
);

/** Scrolls a row of links, of which a narrow screen shows a part, to the link of the current page. */
export const showCurrent = (link: HTMLAnchorElement | null): void => {
  if (link?.ariaCurrent === 'page') link.scrollIntoView({ block: 'nearest', inline: 'center' });
};
