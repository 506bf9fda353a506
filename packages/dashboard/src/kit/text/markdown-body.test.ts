import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { MarkdownBody } from './markdown-body.tsx';

const rendered = (text: string): string => renderToStaticMarkup(createElement(MarkdownBody, { text }));

describe('Markdown of an agent', () => {
  it('is shown as paragraphs, lists, tables and code', () => {
    const html = rendered('# Title\n\n- **one**\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a;\n```');

    for (const part of ['<h4>Title</h4>', '<strong>one</strong>', '<td>1</td>', 'let a;']) expect(html).toContain(part);
  });

  it.each([
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '<svg onload=alert(1)><use href="data:x"/></svg>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<style>body{background:url(//evil.example)}</style>',
    '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
  ])('shows HTML as text: %s', (text) => {
    const html = rendered(text);

    expect(html).not.toMatch(/<(img|script|svg|iframe|style|a)\b/);
    expect(html).toContain(text.slice(1, 4));
  });

  it.each([
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:x)',
    '[x](/v1/runs/1)',
    '[x](//evil.example)',
    '<javascript:alert(1)>',
  ])('has no link for an address outside of the web: %s', (text) => {
    expect(rendered(text)).not.toContain('href');
  });

  it('opens links to the web without a referrer', () => {
    expect(rendered('[x](https://example.com/a)')).toContain(
      '<a href="https://example.com/a" target="_blank" rel="noopener noreferrer">x</a>',
    );
  });

  it('shows the alternative text of a picture in its place', () => {
    const html = rendered('![a chart](https://evil.example/track.png)');

    expect(html).toContain('a chart');
    expect(html).not.toContain('evil.example');
  });
});
