import type { ReactNode } from 'react';
import { Suspense, useState } from 'react';

/** What a button does whose menu is loaded late. */
interface DeferredButtonProps {
  readonly type: 'button';
  readonly onClick: () => void;
  readonly onPointerEnter: () => void;
  readonly onFocus: () => void;
}

interface DeferredProps {
  /** Loads the code of the content. */
  readonly load: () => Promise<unknown>;
  /** Returns the button that is shown until then. */
  readonly button: (props: DeferredButtonProps) => ReactNode;
  /** The button with its menu, which is open at first. */
  readonly children: ReactNode;
}

/** A button whose menu is not part of the first load of the page: its code is loaded on focus or hover. */
export function Deferred({ load, button, children }: DeferredProps) {
  const [isAsked, ask] = useState(false);
  const shown = button({
    type: 'button',
    onClick: () => ask(true),
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
  });
  return isAsked ? <Suspense fallback={shown}>{children}</Suspense> : shown;
}
