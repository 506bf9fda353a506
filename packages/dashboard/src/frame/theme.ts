/** Preferred appearance: that of the system, or one of two. */
export type Theme = 'system' | 'light' | 'dark';

const stored = 'millrace.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

/** Returns the preferred appearance of this browser. */
export function preferredTheme(): Theme {
  const value = localStorage.getItem(stored);
  return value === 'light' || value === 'dark' ? value : 'system';
}

/** Changes the preferred appearance of this browser. */
export function preferTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(stored);
  else localStorage.setItem(stored, theme);
  applyTheme();
}

/** Applies the preferred appearance now and whenever that of the system changes. */
export function followTheme(): void {
  applyTheme();
  system.addEventListener('change', applyTheme);
}

function applyTheme(): void {
  const theme = preferredTheme();
  document.documentElement.dataset['theme'] = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme;
}
