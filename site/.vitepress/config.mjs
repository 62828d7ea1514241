const pages = (...names) => names.map(([link, text]) => ({ link: `/${link}`, text }));

// Colours of the default theme that fall short of a contrast of 4.5; no name of a language over each block; and no section is laid out before it is near,
// which halves the work of the long pages.
const style = `
  html:not(.dark) { --vp-button-brand-bg: var(--vp-c-brand-1); --vp-button-brand-hover-bg: var(--vp-c-brand-2); }
  .vp-doc [class*='language-'] > span.lang { display: none; }
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
    // A block by its indent looks, scrolls and is copied as one between fences.
    config: (md) => {
      md.core.ruler.push('indented', ({ tokens }) => {
        for (const token of tokens)
          if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: 'txt' });
      });
    },
  },
  // Reports and the reference of the library are files beside the pages.
  ignoreDeadLinks: [/^\.?\/(?:gallery|reference)\//],
  themeConfig: {
    search: { provider: 'local' },
    nav: pages(
      ['tutorial', 'Tutorial'],
      ['attacks', 'Attacks'],
      ['commands', 'Commands'],
      ['gallery', 'Reports'],
    ).concat({ text: 'Library', link: '/reference/index.html', target: '_self' }),
    sidebar: [
      {
        text: 'Start',
        items: pages(
          ['tutorial', 'Ten minutes'],
          ['install', 'Installing'],
          ['overview', 'What there is'],
          ['gallery', 'Reports to look at'],
          ['comparison', 'Other tools'],
        ),
      },
      {
        text: 'How to',
        items: pages(
          ['models', 'Bring a model'],
          ['data', 'Bring data'],
          ['remote', 'Attack an endpoint'],
          ['decisions', 'Detectors, labels, pairs'],
          ['guardrails', 'Guardrails'],
          ['languages', 'Languages'],
          ['ci', 'Gate in CI'],
          ['scale', 'Many machines'],
          ['training', 'Train'],
          ['adversarial-training', 'Adversarial training'],
          ['defences', 'Defend'],
          ['backdoors', 'Backdoors'],
          ['explanations', 'Explain'],
          ['ui', 'Look at it in a browser'],
          ['plugins', 'Write a plugin'],
          ['api', 'Use the library'],
        ),
      },
      {
        text: 'Reference',
        items: pages(
          ['commands', 'Commands'],
          ['configuration', 'Configuration'],
          ['attacks', 'Attacks'],
          ['synonyms', 'Synonyms'],
          ['components', 'Parts of attacks'],
          ['search', 'Searches'],
          ['reports', 'Formats'],
          ['supported-ops', 'ONNX operators'],
        ),
      },
      {
        text: 'What it means',
        items: pages(
          ['metrics', 'The figures'],
          ['reading', 'A hundred successes, read'],
          ['parity', 'Parity with TextAttack'],
          ['performance', 'Speed'],
          ['reliability', 'Reliability'],
        ),
      },
    ],
  },
};
