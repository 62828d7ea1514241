/**
 * Texts that try to be more than text, by what they would act on. Those for browsers set `window.ran`, so that a test can
 * ask whether one did. Ours; the ideas are common knowledge.
 */

const html = [
  '<script>ran=1</script>',
  '<SCRIPT SRC=data:text/javascript,ran=1></SCRIPT>',
  '<script\n>ran=1</script\n>',
  '<scr<script>ipt>ran=1</scr</script>ipt>',
  '</p></li></ol><script>ran=1</script>',
  '</td></tr></table><script>ran=1</script>',
  '</title><script>ran=1</script>',
  '</style><script>ran=1</script>',
  '</textarea><script>ran=1</script>',
  '</noscript><script>ran=1</script>',
  '</select><img src=x onerror=ran=1>',
  '<img src=x onerror=ran=1>',
  '<img src="x" onerror="ran=1">',
  "<img src='x' onerror='ran=1'>",
  '<img/src=x/onerror=ran=1>',
  '<img src=x:x onerror\n=\nran=1>',
  '<body onload=ran=1>',
  '<iframe srcdoc="<script>parent.ran=1</script>"></iframe>',
  '<iframe src="javascript:parent.ran=1"></iframe>',
  '<object data="data:text/html,<script>parent.ran=1</script>"></object>',
  '<embed src="javascript:ran=1">',
  '<a href="javascript:ran=1" autofocus onfocus=ran=1>x</a>',
  '<input autofocus onfocus=ran=1>',
  '<select autofocus onfocus=ran=1>',
  '<details open ontoggle=ran=1>x</details>',
  '<video><source onerror=ran=1></video>',
  '<audio src=x onerror=ran=1></audio>',
  '<marquee onstart=ran=1>x</marquee>',
  '<meta http-equiv="refresh" content="0;url=javascript:ran=1">',
  '<meta http-equiv="Content-Security-Policy" content="default-src *">',
  '<base href="https://evil.invalid/">',
  '<link rel=stylesheet href="https://evil.invalid/x.css">',
  '<form action="https://evil.invalid/"><button autofocus>x</button></form>',
  '<template shadowrootmode=open><script>ran=1</script></template>',
  '<math><mtext><script>ran=1</script></mtext></math>',
  '<div hidden popover id=x>',
  '&lt;script&gt;ran=1&lt;/script&gt;',
  '&#60;script&#62;ran=1&#60;/script&#62;',
  '&amp;lt;b&amp;gt;',
  '<!-- --><script>ran=1</script><!--',
  '--><script>ran=1</script>',
  '<![CDATA[<script>ran=1</script>]]>',
  '<?php echo 1 ?>',
];

const attributes = [
  '" onmouseover="ran=1" x="',
  "' onmouseover='ran=1' x='",
  '"><script>ran=1</script>',
  "'><script>ran=1</script>",
  '" autofocus onfocus=ran=1 "',
  '` onerror=ran=1 `',
  '\\" onload=\\"ran=1',
  '&quot; onload=&quot;ran=1',
];

const svg = [
  '<svg onload=ran=1>',
  '<svg><script>ran=1</script></svg>',
  '<svg><animate onbegin=ran=1 attributeName=x dur=1s>',
  '<svg><foreignObject><script>ran=1</script></foreignObject></svg>',
  '</svg><script>ran=1</script>',
  '<svg><use href="data:image/svg+xml,<svg id=x onload=ran=1>#x"></use></svg>',
  '</text></svg><img src=x onerror=ran=1>',
];

const css = [
  '</style><style>*{display:none}</style>',
  '<style>@import "https://evil.invalid/x.css";</style>',
  '<p style="background:url(https://evil.invalid/x.png)">x</p>',
  'x;background:url(javascript:ran=1)',
  'expression(ran=1)',
];

const json = [
  '</script><script>ran=1</script>',
  '</SCRIPT ><script>ran=1</script>',
  '<!--<script>',
  '"}]}</script><img src=x onerror=ran=1>',
  '\\u003c/script\\u003e<script>ran=1</script>',
  'a\u2028ran=1',
  'a\u2029ran=1',
  '__proto__',
  '{"__proto__":{"ran":1}}',
  '\\',
  '\\"',
];

const markdown = [
  '[x](javascript:ran=1)',
  '[x](https://evil.invalid)',
  '![x](https://evil.invalid/x.png)',
  '[x]: https://evil.invalid',
  '[x][y]',
  '<https://evil.invalid>',
  'https://evil.invalid/x',
  'www.evil.invalid',
  'mail@evil.invalid',
  '**bold** __bold__ *it* _it_ ~~gone~~',
  '# Heading',
  '- item',
  '1. item',
  '> quote',
  '| a | b |\n|---|---|\n| c | d |',
  '`code` ``code``',
  '```\nfence',
  '```\n</details><img src=x onerror=ran=1>\n```',
  '~~~\nfence',
  '    indented',
  '---',
  '===',
  '@everyone and @octo/team',
  'GH-1 #1 owner/repo#1',
  ':tada:',
  '$x^2$ $$y$$',
  '<details><summary>x</summary>',
  '[^1]: note',
  '\\| pipe \\',
  '<!-- robust-report -->',
];

const csv = [
  '=1+1',
  '=cmd|" /C calc"!A0',
  '+1+1',
  '-1+1',
  '@SUM(1,1)',
  '\t=1+1',
  '\r=1+1',
  '\n=1+1',
  ' =1+1',
  '\u00A0=1+1',
  '\uFEFF=1+1',
  '"=1+1"',
  '",=1+1,"',
  '=HYPERLINK("https://evil.invalid","x")',
  '＝1+1',
  '＋1', // Full-width signs, which some spreadsheets take for the narrow ones.
  '%0A=1+1',
  ';=1+1',
];

const terminal = [
  '\u001B[31mred\u001B[0m',
  '\u001B[2J\u001B[H',
  '\u001B]0;title\u0007',
  '\u001B]8;;https://evil.invalid\u001B\\x\u001B]8;;\u001B\\',
  '\u009B31mred',
  'a\bb\u007F',
  'a\u0000b',
  'overwritten\rnew',
  '\u0085next line',
];

const unicode = [
  '\u202Egnp.exe\u202C',
  '\u2066a\u2067b\u2069\u2069',
  '\u200Ezero\u200Fwidth\u200B\u200C\u200D\u2060\uFEFF',
  '\u00ADsoft\u00ADhyphen',
  'tag\u{E0073}\u{E0063}',
  'lone\uD83Dsurrogate\uDE00',
  'non\uFFFEcharacter\uFFFF',
  '\u0344\u0301\u0301\u0301combining',
  'שלום <script>ran=1</script> עולם',
  '\u3164\u2800\u115F',
];

const xml = [
  ']]>',
  '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
  '&e;',
  '&#0;',
  '&#x1F;',
  '</system-out><failure message="x"/>',
  '"/><failure message="x',
];

const ci = [
  '::error::forged',
  '::error title=x::forged',
  '::set-output name=a::b',
  '::add-mask::x',
  '::stop-commands::x',
  'a\n::error::forged',
  'a%0A::error::forged',
  '##[error]forged',
  '##teamcity[message text=x]',
  '[command]x',
];

const templates = [
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a template engine would fill in.
  '${{ secrets.TOKEN }}',
  '{{constructor.constructor("ran=1")()}}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
  '${ran=1}',
  '<%= ran %>',
  '{0} {1}',
];

const metrics = ['x"} 1\nforged{a="', 'x\\', '# EOF'];

const yaml = [
  'a: b',
  '- a',
  '&a b',
  '*a',
  '!!js/function x',
  '? x',
  '%YAML 1.2',
  '"unclosed',
  "'unclosed",
  '| x\n  y: z',
];

export const INJECTIONS: readonly string[] = [
  html,
  attributes,
  svg,
  css,
  json,
  markdown,
  csv,
  terminal,
  unicode,
  xml,
  ci,
  templates,
  metrics,
  yaml,
].flat();
