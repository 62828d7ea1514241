/** @file An unknown name of any kind: exit code 2, a code of the family NOT_FOUND, and at most three names that may be meant. */
import { expect, test } from 'vitest';
import { folder, robust, toy } from './cli.js';

const ATTACK = `attack -m ${toy} -d data.tsv`;

/** Arguments with one unknown name, and the one that is meant. */
const UNKNOWN: Readonly<Record<string, readonly [args: string, meant: string]>> = {
  'a command': ['atack', 'attack'],
  'a flag': ['attack --modle x', '--model'],
  'a model': ['attack -m distilbret', 'distilbert'],
  'a model at an address': ['attack -m kserv+http://127.0.0.1:1/v2/models/m', 'kserve'],
  'a data set': ['attack -d revews', 'reviews'],
  'a column': [`${ATTACK} --columns text=txt`, 'text'],
  'a label': [`${ATTACK} --goal targeted:label=postive`, 'positive'],
  'an attack': [`${ATTACK} -a deepwrodbug`, 'deepwordbug'],
  'an option of an attack': [`${ATTACK} -a deepwordbug:max-edit=3`, 'max-edits'],
  'a suite': [`${ATTACK} -s typo`, 'typos'],
  'a transformation': [`${ATTACK} --transformation swap-synonims`, 'swap-synonyms'],
  'a search': [`${ATTACK} --transformation swap-synonyms --search gredy`, 'greedy'],
  'a constraint': [`${ATTACK} -s typos --constraint max-wrods=2`, 'max-words'],
  'a set of constraints': [`${ATTACK} -s synonyms --constraint strickt`, 'strict'],
  'a goal': [`${ATTACK} --transformation swap-synonyms --goal untargted`, 'untargeted'],
  'a defence': [`${ATTACK} --defend unicod`, 'unicode'],
  'a format': [`${ATTACK} -o report.htm`, '.html'],
  'a metric': [`gate -m ${toy} -d data.tsv -s typos --require typo.attackSuccessRate<=0.3`, 'typos.attackSuccessRate'],
  'a method of explanation': [`explain -m ${toy} --method lim good`, 'lime'],
  'a method of training': ['train -d data.tsv -o new --arch distilbert --adversarial fgms', 'fgsm'],
  'an architecture': ['train -d data.tsv -o new --arch distilbrt', 'distilbert'],
  'a poisoner': ['backdoor plant -a badnet -d data.tsv -o new', 'badnets'],
  'a method of repair': ['backdoor repair -m distilbert --method unlarn', 'unlearn'],
  'a space of edits': [`verify -m ${toy} -d data.tsv --space sinonyms`, 'synonyms'],
  'a kind of plugin': ['new atack mine', 'attack'],
  'an entry of the catalogue': ['list atacks', 'attacks'],
};

const cwd = folder({ 'data.tsv': 'text\tlabel\nA good film.\tpositive\nA bad film.\tnegative\n' });

test.each(Object.entries(UNKNOWN))('%s', async (_, [args, meant]) => {
  const { code, stdout } = await robust([...args.split(' '), '--json'], { cwd });
  const { error } = JSON.parse(stdout);
  expect({ exit: code, code: error.code }).toEqual({ exit: 2, code: expect.stringMatching(/_NOT_FOUND$/) });
  const [, suggested = ''] = /did you mean (.*?)\?/i.exec(`${error.message} ${error.hint}`) ?? [];
  const names = suggested.split(/, | or /);
  expect(
    names.some((name) => name.includes(meant)),
    `${error.message} ${error.hint}`,
  ).toBe(true);
  expect(names.length).toBeLessThanOrEqual(3);
});
