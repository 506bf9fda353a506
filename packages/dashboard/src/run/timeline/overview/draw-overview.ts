import type { Density } from './density.ts';

/** Height of the marks of failures, in pixels of the canvas. */
const markHeight = 10;

/** Draws the activity of a run as columns, and its failures as triangles above them. */
export function drawOverview(canvas: HTMLCanvasElement, { live, failed }: Density): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { width, height } = canvas;
  const colours = getComputedStyle(document.documentElement);
  const column = width / live.length;
  let most = 1;
  for (const count of live) most = Math.max(most, count);
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.getPropertyValue('--line-strong');
  // The square root keeps one activation in view beside a thousand.
  for (const [at, count] of live.entries()) {
    const top = Math.sqrt(count / most) * (height - markHeight);
    context.fillRect(at * column, height - top, Math.max(1, column - 1), top);
  }
  context.fillStyle = colours.getPropertyValue('--failed');
  for (const [at, count] of failed.entries()) {
    if (count === 0) continue;
    const middle = (at + 0.5) * column;
    context.beginPath();
    context.moveTo(middle - 6, 0);
    context.lineTo(middle + 6, 0);
    context.lineTo(middle, markHeight);
    context.fill();
  }
}
