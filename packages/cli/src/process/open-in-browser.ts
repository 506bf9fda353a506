import { spawn } from 'node:child_process';

/** Program that opens an address, with its arguments before the address. */
type Opener = readonly [program: string, ...args: string[]];

/** Returns the program that opens addresses in the default browser; undefined where no browser can be shown. */
export function browserOpener(
  platform: NodeJS.Platform,
  {
    DISPLAY,
    WAYLAND_DISPLAY,
  }: { readonly DISPLAY?: string | undefined; readonly WAYLAND_DISPLAY?: string | undefined },
): Opener | undefined {
  if (platform === 'darwin') return ['open'];
  // `start` is a built-in of the shell, which would interpret the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Opens an address with a program; returns whether the program started. */
export function openInBrowser([program, ...args]: Opener, url: string): Promise<boolean> {
  const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' });
  child.unref();
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
}
