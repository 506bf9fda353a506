import { Link } from '@tanstack/react-router';
import { BookOpen } from 'lucide-react';
import { useWaitingQuestions } from '../../inbox/use-tasks.ts';
import { screens } from '../screens.ts';
import classes from './rail.module.css';

/** Number of open questions; hidden for zero. */
function OpenQuestions() {
  const waiting = useWaitingQuestions();
  return waiting === '' ? null : <b className={classes['count']}>{waiting}</b>;
}

/** Links to the screens: a column, icons alone on narrow screens, a bar at the bottom on phones. */
export function Rail() {
  return (
    <nav className={classes['rail']} aria-label="Screens">
      <Link to="/runs" className={classes['brand']} aria-label="Millrace">
        <img src="/ui/favicon.svg" alt="" width={22} height={22} />
        <span>Millrace</span>
      </Link>
      <ul>
        {screens.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={classes['link']} title={label}>
              <Icon aria-hidden size={16} />
              <span>{label}</span>
              {to === '/inbox' && <OpenQuestions />}
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
