import { Outlet } from '@tanstack/react-router';
import { ThemeSwitch } from './appearance/theme-switch.tsx';
import { Connection } from './connection/connection.tsx';
import classes from './frame.module.css';
import { Rail } from './rail/rail.tsx';

/** Frame around each screen: the links to all others, and the state of the connection. */
export function Frame() {
  return (
    <div className={classes['frame']}>
      <a className={classes['skip']} href="#content">
        Skip to the content
      </a>
      <Rail />
      <div className={classes['page']}>
        <div className={classes['bar']}>
          <Connection />
          <ThemeSwitch />
        </div>
        <main id="content" className={classes['content']}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}
