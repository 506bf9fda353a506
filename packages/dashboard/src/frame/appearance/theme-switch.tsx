import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { preferredTheme, preferTheme } from './theme.ts';
import classes from './theme-switch.module.css';

const next = { system: 'light', light: 'dark', dark: 'system' } as const;
const icons = { system: Monitor, light: Sun, dark: Moon } as const;

/** Button that goes through the three appearances. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(preferredTheme);
  const Icon = icons[theme];
  const change = () => {
    preferTheme(next[theme]);
    setTheme(next[theme]);
  };
  return (
    <button
      type="button"
      className={classes['switch']}
      onClick={change}
      title={`Appearance: ${theme}`}
      aria-label={`Appearance: ${theme}. Change to ${next[theme]}.`}
    >
      <Icon aria-hidden size={16} />
    </button>
  );
}
