import { defineConfig } from 'vitepress';
import { anchorOf, renderPages, repository } from './render-pages.ts';
import { sidebar } from './sidebar.ts';

/** A wheel, as a picture within the page, so that no path to it depends on where the site is served. */
const icon =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="%233451b2" stroke-width="3"%3E%3Ccircle cx="16" cy="16" r="12"/%3E%3Cpath d="M16 4v24M4 16h24"/%3E%3C/svg%3E';

/** The documentation site. `npm run docs:build` writes it to `docs/.vitepress/dist`; `DOCS_BASE` is the path that it is served under. */
export default defineConfig({
  title: 'Millrace',
  description: 'Agent workflows in YAML that survive crashes, wait for people, and keep to a budget.',
  lang: 'en',
  base: process.env['DOCS_BASE'] ?? '/',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  // Pages show templates and placeholders as text; none of them uses HTML or Vue.
  markdown: { html: false, anchor: { slugify: anchorOf }, config: renderPages },
  // The index of the search is one file, which is loaded when a search begins.
  vite: { server: { host: '127.0.0.1' }, build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guide', link: '/guide/' },
      { text: 'Reference', link: '/reference/workflow-files' },
      { text: 'Errors', link: '/errors/' },
    ],
    sidebar,
    socialLinks: [{ icon: 'github', link: repository }],
  },
});
