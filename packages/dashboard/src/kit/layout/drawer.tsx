import { ChevronDown, ChevronUp, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { useShortcut } from '../shortcuts/shortcuts.ts';
import classes from './drawer.module.css';

interface DrawerProps {
  readonly title: string;
  /** Facts or buttons beside the title. */
  readonly actions?: ReactNode;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** Details beside a list, which stays usable. It takes the focus when it opens and returns it when it closes. */
export function Drawer({ title, actions, close, children }: DrawerProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useShortcut('leave', close);
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside className={classes['drawer']} aria-label={title}>
      <header className={`${classes['head']} row`}>
        <h2 ref={heading} tabIndex={-1} className="grow cut">
          {title}
        </h2>
        {actions}
        <button type="button" className="icon-button" onClick={close} aria-label="Close">
          <X aria-hidden size={16} />
        </button>
      </header>
      <div className={classes['body']}>{children}</div>
    </aside>
  );
}

interface DrawerStepsProps<Entry> {
  /** What a drawer shows one of. */
  readonly of: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
  readonly show: (entry: Entry) => void;
}

/** Buttons of a drawer that lead to the entries before and after its own in the list beside. */
export function DrawerSteps<Entry>({ of, before, after, show }: DrawerStepsProps<Entry>) {
  const steps = [
    { label: `${of} before`, Icon: ChevronUp, to: before },
    { label: `${of} after`, Icon: ChevronDown, to: after },
  ];
  return (
    <span className={`${classes['steps']} row`}>
      {steps.map(({ label, Icon, to }) => (
        <button
          key={label}
          type="button"
          className="icon-button"
          aria-label={label}
          title={label}
          disabled={to === undefined}
          onClick={() => to !== undefined && show(to)}
        >
          <Icon aria-hidden size={16} />
        </button>
      ))}
    </span>
  );
}
