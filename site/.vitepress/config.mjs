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

/** The first note. */
const researchHome = section('research')[0].link.slice(1);

// Colours of the default theme with a contrast below 4.5 are replaced. Code blocks show no language and wrap long lines. Keys are no part of the name of
// the search button. The gallery shows its reports as cards. Pages to look something up are dense and have no outline, so that they stay short.
const style = `
  html:not(.dark) { --vp-button-brand-bg: var(--vp-c-brand-1); --vp-button-brand-hover-bg: var(--vp-c-brand-2); }
  .vp-doc [class*='language-'] > span.lang { display: none; }
  .vp-doc [class*='language-'] code { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.5; }
  .vp-doc :is(p, li) { line-height: 26px; }
  .vp-doc [class*='language-'] pre { padding: 14px 0; }
  .vp-doc :is(th, td) { padding: 4px 12px; line-height: 20px; }
  .DocSearch-Button-Keys { display: none !important; }
  .gallery { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
  .gallery img, .first img { border: 1px solid var(--vp-c-divider); border-radius: 6px; width: 100%; }
  .gallery img { aspect-ratio: 1100 / 760; }
  html:not(.dark) :is(.gallery, .first) .dark, html.dark :is(.gallery, .first) .light { display: none; }
  .first { display: grid; gap: 1.5rem; }
  .dense :is(.container, .content, .content-container) { max-width: none !important; }
  .dense .vp-doc :is(th, td) { padding: 1px 8px; font-size: 13px; line-height: 18px; }
  .dense .vp-doc td:has(a) { padding: 4px 8px; }
  .dense .vp-doc :is(p, li) { font-size: 14px; line-height: 20px; }
  .dense .vp-doc li + li { margin-top: 2px; }
  .dense .vp-doc :is(p, ul, ol, table, div[class*='language-']) { margin: 8px 0; }
  .dense .vp-doc h2 { margin: 20px 0 6px; padding-top: 10px; font-size: 20px; line-height: 26px; }
  .dense .vp-doc h3 { margin: 14px 0 0; font-size: 17px; line-height: 24px; }
  .dense .vp-doc [class*='language-'] pre { padding: 6px 0; }
  .dense .vp-doc [class*='language-'] code { font-size: 12px; line-height: 15px; }
  .dense .VPDocFooter { margin-top: 16px; }`;

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
  transformPageData: ({ relativePath, frontmatter }) => {
    if (/^(?:reference|research)\//.test(relativePath))
      Object.assign(frontmatter, { pageClass: 'dense', aside: false });
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // An indented code block looks and copies like a fenced one.
    config: (md) => {
      md.core.ruler.push('blocks', ({ tokens }) => {
        for (const [at, token] of tokens.entries()) {
          if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: 'txt' });
          // An empty cell heads nothing.
          if (token.type === 'th_open' && tokens[at + 1].content === '') token.tag = tokens[at + 2].tag = 'td';
        }
      });
    },
  },
  // Reports and the API reference are files beside the pages.
  ignoreDeadLinks: [/^\.?\/(?:examples|reference)\//],
  themeConfig: {
    search: { provider: 'local' },
    nav: pages(
      ['quick-start', 'Quick start'],
      ['choosing-attacks', 'Attacks'],
      ['reference/commands', 'Commands'],
      ['gallery', 'Reports'],
    ).concat({ text: 'Library', link: '/reference/index.html', target: '_self' }),
    // A sidebar for each kind of page: groups that fold nest a button in a button.
    sidebar: {
      '/reference/commands/': [{ text: 'Commands', items: section('reference/commands') }],
      '/reference/attacks/': [{ text: 'Attacks by suite', items: section('reference/attacks') }],
      '/reference/': [
        { text: 'Reference', items: section('reference') },
        { text: 'Guides', items: pages(['quick-start', 'All guides']) },
      ],
      '/research/': [{ text: 'Research notes', items: section('research') }],
      '/': [
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
        {
          text: 'Look up',
          items: pages(['reference/commands', 'Reference'], [researchHome, 'Research notes']),
        },
      ],
    },
  },
};
