import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import { useEffect, useRef } from 'react';
import classes from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Absent: only its content can close it. */
  readonly close?: () => void;
  readonly size?: 'small' | 'large';
  /** Element that takes the focus; default: the first field, or the dialog where it has none. */
  readonly focused?: RefObject<HTMLElement | null>;
}

/** A dialog over the page: open as long as it is mounted. The focus stays in it, and returns when it closes. */
export function Dialog({ title, children, close, size = 'small', focused }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={(isOpen) => isOpen || close?.()}>
      <Base.Portal>
        <Base.Backdrop className={classes['backdrop']} />
        <Base.Popup
          ref={popup}
          initialFocus={focused ?? (() => firstFieldIn(popup.current) ?? popup.current)}
          className={`${classes['popup']} ${classes[size]} panel stack`}
        >
          <header className={`${classes['head']} row`}>
            <Base.Title className={classes['title']}>{title}</Base.Title>
            {close !== undefined && (
              <Base.Close className={`${classes['close']} icon-button muted`} aria-label="Close">
                <X aria-hidden size={16} />
              </Base.Close>
            )}
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Gives the focus to the first field of a form that a dialog or a screen shows only once its data has arrived. */
export function useFocusedFirstField(form: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    // Somebody who has gone on in the meantime stays there.
    if (document.activeElement?.matches('[role="dialog"], h1, body') === true) firstFieldIn(form.current)?.focus();
  }, [form]);
}

/** Returns the first field; none on touch screens, whose keyboard would cover the dialog. */
const firstFieldIn = (element: HTMLElement | null): HTMLElement | null | undefined =>
  matchMedia('(pointer: coarse)').matches
    ? undefined
    : element?.querySelector<HTMLElement>('input:not([type="hidden"], :disabled), textarea:not(:disabled), select');
