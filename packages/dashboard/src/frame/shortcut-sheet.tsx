import { Dialog } from '../kit/controls/dialog.tsx';
import { Keys } from '../kit/shortcuts/keys.tsx';
import type { Shortcut } from '../kit/shortcuts/shortcuts.ts';
import { shortcuts, useLetters } from '../kit/shortcuts/shortcuts.ts';
import classes from './shortcut-sheet.module.css';

/** Dialog with all keyboard shortcuts. */
export function ShortcutSheet({ close }: { readonly close: () => void }) {
  const areLettersOn = useLetters();
  return (
    <Dialog title="Keyboard shortcuts" size="large" close={close}>
      {!areLettersOn && <p className="muted">Single letters are switched off in the settings.</p>}
      <div className={classes['groups']}>
        {groups().map(([group, entries]) => (
          <section key={group} aria-label={group}>
            <h3 className="muted small">{group}</h3>
            <dl>
              {entries.map(({ keys, does }) => (
                <div key={does} className={`${classes['line']} row`}>
                  <dt>{does}</dt>
                  <dd>
                    {keys.map((one) => (
                      <Keys key={one} keys={one} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function groups(): readonly (readonly [string, readonly Shortcut[]])[] {
  const entries: readonly Shortcut[] = Object.values(shortcuts);
  const names = [...new Set(entries.map(({ group }) => group))];
  return names.map((name) => [name, entries.filter(({ group }) => group === name)]);
}
