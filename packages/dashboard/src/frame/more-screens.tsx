import { useNavigate } from '@tanstack/react-router';
import { Menu, MenuItem } from '../kit/controls/menu.tsx';
import { MoreLabel, moreName } from './more-label.tsx';
import type { ScreenLink } from './palette/screens.ts';

interface MoreScreensProps {
  readonly screens: readonly ScreenLink[];
  /** The one of them that is shown. */
  readonly current: ScreenLink | undefined;
}

/** Menu of the screens that a phone has no room for. Opens as soon as it is loaded. */
export function MoreScreens({ screens, current }: MoreScreensProps) {
  const navigate = useNavigate();
  return (
    <Menu label={<MoreLabel current={current} />} name={moreName(current)} isOpenAtFirst>
      {screens.map(({ to, label, icon: Icon }) => (
        <MenuItem key={to} act={() => void navigate({ to })}>
          <Icon aria-hidden size={16} /> {label}
        </MenuItem>
      ))}
      <MenuItem act={() => location.assign('/docs')}>API reference</MenuItem>
    </Menu>
  );
}
