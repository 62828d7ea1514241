import { readdirSync, readFileSync } from 'node:fs';

const pages = (...names) => names.map(([link, text]) => ({ link: `/${link}`, text }));

/** The pages of a folder of docs/, each by its first heading. */
const section = (folder) => {
  const home = new URL(`../../docs/${folder}/`, import.meta.url);
  const names = readdirSync(home).filter((name) => name.endsWith('.md'));
  return pages(
    ...names.map((name) => [
      `${folder}/${name.slice(0, -3)}`,
      /^# (.*)$/m.exec(readFileSync(new URL(name, home), 'utf8'))[1],
    ]),
  );
};

// Colours of the default theme with a contrast below 4.5 are replaced. Code blocks show no language and wrap long lines. Sections are laid out when they come
// near the window, which halves the work for long pages.
const style = `
  html:not(.dark) { --vp-button-brand-bg: var(--vp-c-brand-1); --vp-button-brand-hover-bg: var(--vp-c-brand-2); }
  .vp-doc [class*='language-'] > span.lang { display: none; }
  .vp-doc [class*='language-'] code { white-space: pre-wrap; overflow-wrap: anywhere; }
  .vp-doc > div > h2 ~ :is(p, ul, table, div) { content-visibility: auto; contain-intrinsic-height: auto 5rem; }`;

export default {
  title: 'robust',
  description: 'Test text classifiers against adversarial attacks and backdoors.',
  lang: 'en',
  srcDir: 'pages',
  srcExclude: ['public/**'],
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: true,
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, style],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // An indented code block looks and copies like a fenced one.
    config: (md) => {
      md.core.ruler.push('indented', ({ tokens }) => {
        for (const token of tokens)
          if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: 'txt' });
      });
    },
  },
  // Reports and the API reference are files beside the pages.
  ignoreDeadLinks: [/^\.?\/(?:gallery|reference)\//],
  themeConfig: {
    search: { provider: 'local' },
    nav: pages(
      ['quick-start', 'Quick start'],
      ['choosing-attacks', 'Attacks'],
      ['reference/commands', 'Commands'],
      ['gallery', 'Reports'],
    ).concat({ text: 'Library', link: '/reference/index.html', target: '_self' }),
    sidebar: [
      {
        text: 'Start',
        items: pages(
          ['quick-start', 'Quick start'],
          ['models', 'Your model'],
          ['data', 'Your data'],
          ['reports', 'Read a report'],
          ['safe-to-ship', 'Is my model safe to ship?'],
          ['gallery', 'Gallery of reports'],
        ),
      },
      {
        text: 'Guides',
        items: pages(
          ['choosing-attacks', 'Choose attacks'],
          ['ci', 'Gate a release in CI'],
          ['detectors', 'Test a detector'],
          ['languages', 'Other languages'],
          ['remote', 'Endpoints'],
          ['backdoors', 'Backdoors'],
          ['hardening', 'Harden a model'],
          ['explaining', 'Explain a prediction'],
          ['library', 'Library and plugins'],
          ['scale', 'Many machines'],
        ),
      },
      { text: 'Reference', collapsed: true, items: section('reference') },
      { text: 'Commands', collapsed: true, items: section('reference/commands') },
      { text: 'Attacks by suite', collapsed: true, items: section('reference/attacks') },
      { text: 'Research notes', collapsed: true, items: section('research') },
    ],
  },
};
