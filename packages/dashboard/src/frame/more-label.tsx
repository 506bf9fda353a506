import { Ellipsis } from 'lucide-react';
import type { ScreenLink } from './palette/screens.ts';

/** Content of the button that opens the menu of the other screens; `current` is the one of them that is shown. */
export const MoreLabel = ({ current }: { readonly current: ScreenLink | undefined }) => (
  <>
    <Ellipsis aria-hidden size={16} />
    <span>{current?.label ?? 'More'}</span>
  </>
);

/** Returns the name of that button. */
export const moreName = (current: ScreenLink | undefined): string =>
  current === undefined ? 'More screens' : `More screens, ${current.label} is shown`;
