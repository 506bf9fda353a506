const columns = 116;
const rows = 26;
const charWidth = 7.2;
const lineHeight = 18;
const padding = 16;
const titleHeight = 34;
/** Time for which the end is shown before the recording begins again. */
const holdMs = 9000;

const width = Math.round(columns * charWidth + 2 * padding);
const height = titleHeight + rows * lineHeight + padding;

/** Colours of lines by what they begin with or contain; the first that fits. */
const tones = [
  [/kill -9/, 'bad'],
  [/^✔ completed|none repeated|not paid twice/, 'best'],
  [/^✔/, 'good'],
  [/^[⏸▷]/, 'wait'],
  [/^[$▶]|^What to try/, 'strong'],
  [/^(?:↻|↳|started |worker )/, 'quiet'],
];

const style = `
.bg{fill:#0d1117;stroke:#30363d}.bar{fill:#161b22}text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:#c9d1d9}
.title,.quiet{fill:#8b949e}.strong{fill:#f0f6fc;font-weight:700}.good{fill:#7ee787}.best{fill:#7ee787;font-weight:700}.bad{fill:#ff7b72;font-weight:700}.wait{fill:#e3b341}
@media(prefers-color-scheme:light){.bg{fill:#fff;stroke:#d0d7de}.bar{fill:#f6f8fa}text{fill:#1f2328}.title,.quiet{fill:#59636e}.strong{fill:#000}.good,.best{fill:#116329}.bad{fill:#cf222e}.wait{fill:#7d4e00}}
@media(prefers-reduced-motion:reduce){*{animation:none!important}}`;

/** Draws lines, each with the milliseconds after which it was printed, as a terminal that shows them at these times. */
export function terminalSvg(lines) {
  const shown = lines.flatMap(({ text, ms }) => wrapped(text).map((part) => ({ text: part, ms, tone: toneOf(text) })));
  const endMs = (shown.at(-1)?.ms ?? 0) + holdMs;
  const percent = (ms) => `${((ms / endMs) * 100).toFixed(2)}%`;
  const appears = shown.map(({ ms }, at) =>
    ms === 0 ? '' : `@keyframes a${at}{0%{opacity:0}${percent(ms)}{opacity:1}}.a${at}{animation-name:a${at}}`,
  );
  const seconds = (endMs / 1000).toFixed(2);
  const timing = `.screen,.row{animation-duration:${seconds}s;animation-iteration-count:infinite;animation-timing-function:step-end}`;
  const offset = (count) => `translateY(${-Math.max(0, count - rows) * lineHeight}px)`;
  const scrolls = shown.map(({ ms }, at) => `${percent(ms)}{transform:${offset(at + 1)}}`);
  const scroll = `@keyframes scroll{0%{transform:${offset(0)}}${scrolls.join('')}}.screen{transform:${offset(shown.length)};animation-name:scroll}`;
  const texts = shown.map(({ text, tone }, at) => {
    if (text === '') return '';
    const length = ([...text].length * charWidth).toFixed(1);
    const y = (at + 1) * lineHeight - 5;
    return `<text class="row a${at} ${tone}" x="${padding}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">A terminal: millrace demo runs a workflow, kills its worker with kill -9, and completes it with another worker.</title>
<style>${style}
${timing}${appears.join('')}
${scroll}</style>
<rect class="bg" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>
<path class="bar" d="M1 ${titleHeight - 6}V9a8 8 0 0 1 8-8h${width - 18}a8 8 0 0 1 8 8v${titleHeight - 15}z"/>
<text class="title" x="${padding}" y="19">millrace demo, recorded at its own speed</text>
<svg x="0" y="${titleHeight}" width="${width}" height="${rows * lineHeight}"><g class="screen">
${texts.join('\n')}
</g></svg>
</svg>
`;
}

/** Splits a line as a terminal of this width does. */
function wrapped(text) {
  const characters = [...text];
  const parts = [];
  for (let at = 0; at === 0 || at < characters.length; at += columns) {
    parts.push(characters.slice(at, at + columns).join(''));
  }
  return parts;
}

const toneOf = (text) => tones.find(([pattern]) => pattern.test(text))?.[1] ?? '';

/** Few fonts have the sign of a pause. */
const escaped = (text) =>
  text.replaceAll('⏸', '‖').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
