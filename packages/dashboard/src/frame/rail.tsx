import { Link } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { BookOpen, List } from 'lucide-react';
import classes from './rail.module.css';

interface Place {
  readonly to: '/runs';
  readonly label: string;
  readonly icon: LucideIcon;
}

const places: readonly Place[] = [{ to: '/runs', label: 'Runs', icon: List }];

/** Links to the screens: a column, icons alone on narrow screens, a bar at the bottom on phones. */
export function Rail() {
  return (
    <nav className={classes['rail']} aria-label="Screens">
      <Link to="/runs" className={classes['brand']} aria-label="Millrace">
        <img src="/ui/favicon.svg" alt="" width={22} height={22} />
        <span>Millrace</span>
      </Link>
      <ul>
        {places.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={classes['link']} title={label}>
              <Icon aria-hidden size={16} />
              <span>{label}</span>
            </Link>
          </li>
        ))}
      </ul>
      <a href="/docs" className={`${classes['link']} ${classes['last']}`} title="API reference">
        <BookOpen aria-hidden size={16} />
        <span>API reference</span>
      </a>
    </nav>
  );
}
