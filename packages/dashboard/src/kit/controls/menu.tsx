import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import classes from './menu.module.css';

interface MenuProps {
  /** Content of the button. */
  readonly label: ReactNode;
  /** Name of the button, where its content is not sufficient. */
  readonly name?: string;
  readonly isOpenAtFirst?: boolean;
  readonly children: ReactNode;
}

/** A button that opens a menu of `MenuItem`s. */
export function Menu({ label, name, isOpenAtFirst = false, children }: MenuProps) {
  return (
    <Base.Root defaultOpen={isOpenAtFirst}>
      <Base.Trigger className={'menu-trigger'} aria-label={name}>
        {label}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={classes['positioner']} sideOffset={6} align="end">
          <Base.Popup className={`${classes['popup']} panel`}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MenuItemProps {
  readonly act: () => void;
  readonly title?: string;
  /** What it does, or why it cannot be done now, in the line below. */
  readonly note?: string | undefined;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** One action of a menu. */
export const MenuItem = ({ act, title, note, isDisabled = false, children }: MenuItemProps) => (
  <Base.Item className={`${classes['item']} row`} onClick={act} title={title} disabled={isDisabled}>
    {note === undefined ? (
      children
    ) : (
      <>
        <span className="strong">{children}</span>
        <small>{note}</small>
      </>
    )}
  </Base.Item>
);

/** A line between groups of a menu. */
export const MenuSeparator = () => <Base.Separator className={classes['separator']} />;
