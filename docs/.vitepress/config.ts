import { defineConfig } from 'vitepress';
import { anchorOf, renderPages, repository } from './render-pages.ts';
import { sidebar } from './sidebar.ts';

/** The documentation site. `npm run docs:build` writes it to `docs/.vitepress/dist`; `DOCS_BASE` is the path that it is served under. */
export default defineConfig({
  title: 'Millrace',
  description: 'Agent workflows in YAML that survive crashes, wait for people, and keep to a budget.',
  lang: 'en',
  base: process.env['DOCS_BASE'] ?? '/',
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
      { text: 'Errors', link: '/errors/' },
    ],
    sidebar,
    socialLinks: [{ icon: 'github', link: repository }],
  },
});
