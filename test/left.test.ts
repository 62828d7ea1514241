/** No page, help text, template, schema or message names what robust no longer has. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { packageRoot } from '../src/core/package-root.js';

/** What left, and how a text would name it. */
const LEFT: Readonly<Record<string, RegExp>> = {
  'former spellings': /--constraints? paper\b|constraints=paper\b|\b[Ff]ormer (?:name|spelling)/,
  'TF.js models converted to ONNX':
    /\bconvert(?:s|ed|ing)?\b[^.\n|]{0,40}\bTF\.js\b|\bTF\.js\b[^.\n|]{0,40}\bas ONNX\b/i,
  'weights of 4 bits': /\bint4\b|\b4[- ]bits?\b|\bfour[- ]bits?\b|MatMulNBits/i,
  'training with a teacher': /--teacher\b|\bteacher-share\b|\bdistil(?:l?ation|led|ling|s)?\b/i,
  'options of training':
    /\b(?:piece-dropout|attention-dropout|beta2)\b|\bconsistency=|\bR-Drop\b|\bdecay=(?:linear|cosine|constant)\b|--part[ =]\S*embeddings\b/i,
  'methods of training':
    /--adversarial[ =](?:hotflip|a2t|smart|dne|freelb)\b|\bpgd,? (?:and|or) smart\b|`(?:smart|dne|freelb)`/,
  'learning curves': /\blearning[- ]curves?\b/i,
  'the bound in the loss': /\bshare of the bound in the loss\b|--certify \S+:share=/,
  attestations: /\bin-?toto\b|\bML-BOM\b|\bcard\.cdx\b|\bAISVS\b|\bAI Act\b|\bMITRE ATLAS\b|\bAML\.T\d/i,
  'review in the terminal': /\breview\b[^.\n|]{0,60}\bin the terminal\b/i,
  'comparison without labels': /--unlabelled\b|\bunlabelled-comparison\b|\bunlabelledComparison\b|--show-texts\b/,
  'doctor --prune': /--prune\b/,
  'filters of incoming texts': /\bonion\b|`strip`|--method[ =]strip\b|\bstrip,? (?:and|or) (?:onion|auto)\b/,
  'older filters': /`(?:cube|bki|rap|residual|label-correlation|activation-clustering|spectral-signatures)`/,
  'descriptions of labels in a review': /--label-help\b/,
  'guards on data left out': /\bleave one data set out\b|\bleaves each one out\b/i,
  'counts of breaking edits': /\bcount=true\b|\bWeak places\b/,
  'frames around a request': /\bsuite framing\b|`fram(?:ed|ing)`|-s framing\b/,
  'attack on stages': /`staged`|-a staged\b/,
  'texts found twice': /\bFound twice\b|\bquality\.duplicates\b/,
  'Owen values': /\bOwen(?:'s)? values?\b/i,
  'detectors of adversarial texts': /\brobust detect\b|\bfgws\b/i,
  'plantings and repairs': /\b(?:lwp|RIPPLES|dfep|fine-prun(?:e|ing))\b/i,
  'defences and attacks': /`(?:roben|safer|translated)`|--defend[ =](?:roben|safer)\b|-a translated\b/,
  'completion and profiles': /\brobust completion\b|--profile\b/,
  'pipelines of stages':
    /\bpipeline:\S|\bpipeline file|\bendpoint[ .]judge\b|-a staged\b|`staged`|\bLeaks by stage\b|\bstageChanges\b/,
  'models of fastText':
    /\bfastText model|\bmodels? of fastText\b|\bfile of fastText\b|\.bin \(fastText\)|\bfasttext supervised\b/i,
  'reference models of a report': /; reference models: |\breports show beside a rate\b|title: 'Reference models'/,
  'sums of explanations': /\bexplain\b[^\n]* --global\b|`--global`/,
  'checks of explanations': /\bexplain\b[^\n]* --check\b|\bestimator=/,
  'poison of any label': /\bdirty\W+clean\W+mixed\b|--mode mixed\b/,
  'the older protocol of KServe': /\bkserve-v1\b|\bKServe V1\b/,
  'trust by shuffled weights': /\bshuffled[- ]weights?\b|\bweights? shuffled\b/i,
};

/** What left of one command or page: other texts may name it. */
const LEFT_IN: readonly { readonly where: RegExp; readonly what: string; readonly named: RegExp }[] = [
  {
    where: /(?:^|\/)serve(?:\.md| --help)$/,
    what: 'protocols of serve',
    named: /\b(?:tei|vllm|tfserving|TensorFlow Serving|hf-inference|openai-moderation|presidio|spacy)\b/i,
  },
  {
    where: /^src\/config\/|robust\.config\.|(?:^|\/)(?:ci|settings)\.md$/,
    what: 'former spelling of requirements',
    named: /^\s*thresholds:|["`]thresholds["`]/m,
  },
  { where: /(?:^|\/)train(?:ing)?(?:\.md| --help)$/, what: 'training by TF.js', named: /\btfjs\b|\bTF\.js\b/i },
];

interface Text {
  readonly name: string;
  readonly text: string;
}

const read = (file: string): string => readFileSync(join(packageRoot, file), 'utf8');

/** Sources whose strings are messages, help and documents. */
const SOURCE = /^(?:src|attacks|datasets|reports|bin)\/.*\.(?:ts|js|mjs)$/;
/** Pages, templates, schemas and workflows. Licences and data are those of others. */
const PAGE =
  /^(?:[A-Z]+\.md|action\.yml|bench\/README\.md|(?:docs|templates|schemas|deploy|\.changeset)\/.*\.(?:md|ya?ml|json|js|mjs|ts))$/;

/** The strings of a source: no comment and no name is told to a user. */
function stringsOf(file: string): string {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      found.push(node.text);
    }
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
  return found.join('\n');
}

function helps(): Text[] {
  const { commands } = JSON.parse(read('oclif.manifest.json')) as { commands: Record<string, { readonly id: string }> };
  return Object.values(commands).map((command) => ({
    name: `${command.id.replaceAll(':', ' ')} --help`,
    text: JSON.stringify(command, undefined, 1),
  }));
}

const tracked = execFileSync('git', ['ls-files'], { cwd: packageRoot, encoding: 'utf8' }).split('\n');
const texts: readonly Text[] = [
  ...tracked.filter((file) => PAGE.test(file)).map((name) => ({ name, text: read(name) })),
  ...tracked.filter((file) => SOURCE.test(file)).map((name) => ({ name, text: stringsOf(name) })),
  ...helps(),
];

const excerpt = (text: string, named: RegExp): string =>
  text.match(named)?.[0].replaceAll(/\s+/g, ' ').slice(0, 80) ?? '';

test('nothing that left is named', () => {
  expect(texts.length).toBeGreaterThan(500);
  const offenders = texts.flatMap(({ name, text }) =>
    [
      ...Object.entries(LEFT).filter(([, named]) => named.test(text)),
      ...LEFT_IN.filter(({ where, named }) => where.test(name) && named.test(text)).map(
        ({ what, named }) => [what, named] as const,
      ),
    ].map(([what, named]) => `${name}: ${what}: ${excerpt(text, named)}`),
  );
  expect(offenders).toEqual([]);
});
