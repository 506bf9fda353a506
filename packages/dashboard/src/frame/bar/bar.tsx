import { Search } from 'lucide-react';
import { Keys } from '../../kit/shortcuts/keys.tsx';
import { shortcuts } from '../../kit/shortcuts/shortcut-table.ts';
import { Connection } from '../connection/connection.tsx';
import { Account } from './account.tsx';
import classes from './bar.module.css';
import { Breadcrumb } from './breadcrumb.tsx';

interface BarProps {
  readonly openPalette: () => void;
  readonly openSheet: () => void;
}

/** Bar above each screen: the path of the screen, the state of live updates, and the account. */
export function Bar({ openPalette, openSheet }: BarProps) {
  return (
    <div className={classes['bar']}>
      <Breadcrumb />
      <div className={classes['right']}>
        <Connection />
        <button type="button" className={classes['search']} onClick={openPalette}>
          <Search aria-hidden size={14} />
          <span>Go to, find, act</span>
          <span>
            <Keys keys={shortcuts.palette.keys[0]} />
          </span>
        </button>
        <Account openSheet={openSheet} />
      </div>
    </div>
  );
}
